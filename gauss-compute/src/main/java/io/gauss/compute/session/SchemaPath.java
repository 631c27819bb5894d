package io.gauss.compute.session;

import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.ddl.TemporarySchemas;
import io.gauss.compute.session.setting.SearchPath;
import java.util.ArrayList;
import java.util.List;

/**
 * The schemas in which a session looks up names: those of its search_path, where {@code "$user"}
 * stands for the schema with the current role's name and {@code pg_temp} for the session's own;
 * before them that one and {@code pg_catalog}, unless the path says where they come. As in
 * PostgreSQL, schemas that the current role may not use are left out. Belongs to the session; costs
 * two comparisons while nothing changes.
 */
final class SchemaPath {
  private static final String CATALOG = "pg_catalog";

  private final SessionCatalog catalog;
  private final SessionRoles roles;
  private List<String> names = SearchPath.read("\"$user\", public");
  private String temporary;

  private long version = -1; // of the catalog for which the rest was computed; -1 = never
  private int role;
  private List<String> all = List.of();
  private int implicit;

  SchemaPath(SessionCatalog catalog, SessionRoles roles) {
    this.catalog = catalog;
    this.roles = roles;
  }

  /** The setting has changed. */
  void names(List<String> now) {
    names = now;
    version = -1;
  }

  /** The session's schema for temporary relations, which may or may not be there. */
  void temporary(String schema) {
    temporary = schema;
    version = -1;
  }

  /** All, in the order in which they are searched. Some may not exist. */
  List<String> all() {
    CatalogSnapshot view = catalog.view();
    int now = roles.identity().current();
    if (view.version() != version || role != now) {
      compute(view, now);
      version = view.version();
      role = now;
    }
    return all;
  }

  /** Without those that come before the path. */
  List<String> named() {
    List<String> path = all();
    return path.subList(implicit, path.size());
  }

  private void compute(CatalogSnapshot view, int current) {
    String own = temporary != null && view.schemaExists(temporary) ? temporary : null;
    Access access = new Access(view);
    List<String> path = new ArrayList<>();
    for (String name : names) {
      String schema =
          switch (name) {
            case SearchPath.USER -> ofUser(view, current);
            case TemporarySchemas.ALIAS -> own == null ? name : own;
            default -> name;
          };
      if (schema != null
          && !path.contains(schema)
          && access.hasSchema(current, schema, Privilege.USAGE)) {
        path.add(schema);
      }
    }
    int count = path.size();
    if (!path.contains(CATALOG)) {
      path.addFirst(CATALOG);
    }
    if (own != null && !path.contains(own)) {
      path.addFirst(own);
    }
    implicit = path.size() - count;
    all = List.copyOf(path);
  }

  /** The first user has the same name as the schema of the system's views, which is nobody's. */
  private static String ofUser(CatalogSnapshot view, int current) {
    RoleDef role = view.role(current);
    String name = role == null ? null : role.name();
    return name != null && view.schemaExists(name) && !SchemaDef.isSystem(name) ? name : null;
  }
}
