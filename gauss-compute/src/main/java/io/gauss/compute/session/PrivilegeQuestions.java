package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.Privilege.ObjectKind;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.TableDef;
import java.util.Locale;

/** Answers has_table_privilege() and similar functions for a session. */
final class PrivilegeQuestions {
  private static final String GRANT_OPTION = " WITH GRANT OPTION";

  private final SessionState state;
  private final CatalogSnapshot view;
  private final Access access;

  PrivilegeQuestions(SessionState state) {
    this.state = state;
    this.view = state.catalog().view();
    this.access = new Access(view);
  }

  /**
   * @param role name or oid, null = the current role
   */
  private int role(Object role) {
    return switch (role) {
      case null -> state.roles().identity().current();
      case Integer oid -> oid;
      case String name when name.equals("public") -> AccessDef.PUBLIC;
      default -> {
        RoleDef found = view.role((String) role);
        if (found == null) {
          throw new GaussException(
              SqlState.UNDEFINED_OBJECT, "role \"%s\" does not exist".formatted(role));
        }
        yield found.oid();
      }
    };
  }

  Boolean hasPrivilege(String kind, Object role, Object object, String privileges) {
    int roleOid = role(role);
    return switch (kind) {
      case "schema" -> {
        Integer oid = schema(object);
        yield oid == null ? null : any(ObjectKind.SCHEMA, roleOid, oid, privileges);
      }
      case "table", "sequence" -> {
        int oid = object instanceof Integer number ? number : relation((String) object);
        ObjectKind objectKind =
            kind.equals("table") && view.sequence(oid) == null
                ? ObjectKind.TABLE
                : ObjectKind.SEQUENCE;
        if (kind.equals("sequence") && view.sequence(oid) == null) {
          if (object instanceof Integer) {
            yield null;
          }
          throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a sequence".formatted(object));
        }
        yield objectKind == ObjectKind.TABLE && view.object(oid) == null
            ? null
            : any(objectKind, roleOid, oid, privileges);
      }
      // All roles may connect and call functions; databases have no access lists.
      case "database" ->
          access.isSuperuser(roleOid)
              || !privileges.strip().toUpperCase(Locale.ROOT).startsWith("CREATE");
      default -> true;
    };
  }

  private int relation(String name) {
    int oid = state.catalog().relationOid(name);
    if (oid == 0) {
      throw new GaussException(
          SqlState.UNDEFINED_TABLE, "relation \"%s\" does not exist".formatted(name));
    }
    return oid;
  }

  private Integer schema(Object object) {
    if (object instanceof Integer oid) {
      return view.schemas().stream().anyMatch(s -> s.oid() == oid) ? oid : null;
    }
    SchemaDef schema = view.schema((String) object);
    if (schema == null) {
      throw new GaussException(
          SqlState.INVALID_SCHEMA_NAME, "schema \"%s\" does not exist".formatted(object));
    }
    return schema.oid();
  }

  private boolean any(ObjectKind kind, int role, int oid, String privileges) {
    boolean found = false;
    for (String part : privileges.split(",")) {
      String word = part.strip().toUpperCase(Locale.ROOT);
      boolean option = word.endsWith(GRANT_OPTION);
      Privilege privilege =
          Privilege.find(option ? word.substring(0, word.length() - GRANT_OPTION.length()) : word);
      if (privilege == null || !kind.privileges().contains(privilege)) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE,
            "unrecognized privilege type: \"%s\"".formatted(part.strip()));
      }
      TableDef table = kind == ObjectKind.TABLE ? view.table(oid) : null;
      int bits =
          option
              ? access.grantable(role, kind, oid)
              : table != null
                  ? access.tablePrivileges(role, table)
                  : access.privileges(role, kind, oid);
      found |= (bits & privilege.bit()) != 0;
    }
    return found;
  }

  boolean hasRole(Object role, Object of, String privilege) {
    int member = role(role);
    int group = role(of);
    return switch (privilege.strip().toUpperCase(Locale.ROOT)) {
      case "MEMBER" -> access.isMember(member, group);
      case "USAGE" -> access.hasPrivilegesOf(member, group);
      case "MEMBER WITH ADMIN OPTION",
          "MEMBER WITH GRANT OPTION",
          "USAGE WITH ADMIN OPTION",
          "USAGE WITH GRANT OPTION" ->
          access.isAdminOf(member, group);
      default ->
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              "unrecognized privilege type: \"%s\"".formatted(privilege));
    };
  }
}
