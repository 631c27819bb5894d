package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.CommentDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.sql.state.SystemState;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Comments set by COMMENT: pg_description and the functions over it. */
public final class Comments {
  /** Comments on roles and databases, which all databases share. */
  private static final Set<Integer> SHARED = Set.of(SystemOids.PG_AUTHID, SystemOids.PG_DATABASE);

  private static final Map<String, Integer> CLASSES =
      Map.of(
          "pg_class", SystemOids.PG_CLASS,
          "pg_type", SystemOids.PG_TYPE,
          "pg_constraint", SystemOids.PG_CONSTRAINT,
          "pg_namespace", SystemOids.PG_NAMESPACE,
          "pg_authid", SystemOids.PG_AUTHID,
          "pg_database", SystemOids.PG_DATABASE);

  private Comments() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_description", (state, rows) -> rows(state, false, rows));
    sources.put("pg_catalog.pg_shdescription", (state, rows) -> rows(state, true, rows));
  }

  private static void rows(SystemState state, boolean shared, Consumer<Object[]> rows) {
    for (CommentDef.Comment comment : state.catalog().comments()) {
      if (SHARED.contains(comment.classOid()) != shared) {
        continue;
      }
      rows.accept(
          shared
              ? new Object[] {comment.objectOid(), comment.classOid(), comment.text()}
              : new Object[] {
                comment.objectOid(), comment.classOid(), comment.attribute(), comment.text()
              });
    }
  }

  /**
   * The text of a comment; null when there is none.
   *
   * @param inCatalog name of the catalog that the object is in; null = any
   */
  public static String text(CatalogSnapshot catalog, String inCatalog, int oid, int attribute) {
    for (CommentDef.Comment comment : catalog.comments()) {
      boolean here =
          inCatalog == null
              ? !SHARED.contains(comment.classOid())
              : CLASSES.getOrDefault(inCatalog, 0) == comment.classOid();
      if (here && comment.objectOid() == oid && comment.attribute() == attribute) {
        return comment.text();
      }
    }
    return null;
  }
}
