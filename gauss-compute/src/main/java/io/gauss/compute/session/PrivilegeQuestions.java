package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.Privilege.ObjectKind;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.type.BuiltinFunctions;
import io.gauss.compute.type.NameList;
import io.gauss.compute.type.ObjectNames;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

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
    return "public".equals(role) ? AccessDef.PUBLIC : named(role);
  }

  private int named(Object role) {
    return switch (role) {
      case null -> state.roles().identity().current();
      case Integer oid -> oid;
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

  /** The kinds of objects that can be asked for, and the privileges that each may be asked for. */
  private enum Kind {
    TABLE(Set.of("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")),
    ANY_COLUMN(Set.of("SELECT", "INSERT", "UPDATE", "REFERENCES")),
    SEQUENCE(Set.of("USAGE", "SELECT", "UPDATE")),
    SCHEMA(Set.of("CREATE", "USAGE")),
    DATABASE(Set.of("CREATE", "CONNECT", "TEMPORARY", "TEMP")),
    TYPE(Set.of("USAGE")),
    FUNCTION(Set.of("EXECUTE"));

    private final Set<String> privileges;

    Kind(Set<String> privileges) {
      this.privileges = privileges;
    }
  }

  /** One of the privileges in a list. */
  private record Asked(String name, boolean option) {}

  /**
   * @see io.gauss.compute.expr.SessionInfo#hasPrivilege
   */
  Boolean hasPrivilege(String kindName, Object role, Object object, String privileges) {
    Kind kind = Kind.valueOf(kindName.toUpperCase(Locale.ROOT));
    int roleOid = role(role);
    int oid = object instanceof Integer number ? number : find(kind, (String) object);
    List<Asked> asked = asked(kind, privileges);
    return switch (kind) {
      case SCHEMA ->
          view.schemas().stream().anyMatch(s -> s.oid() == oid)
              ? (Boolean) any(ObjectKind.SCHEMA, roleOid, oid, asked)
              : null;
      case SEQUENCE -> sequence(roleOid, oid, asked);
      case TABLE, ANY_COLUMN -> relation(roleOid, oid, asked);
      case DATABASE -> oid == SystemOids.DATABASE ? (Boolean) database(roleOid, asked) : null;
      case TYPE -> type(roleOid, oid, asked);
      // All roles may call them, and nobody may grant that.
      case FUNCTION ->
          BuiltinFunctions.find(oid) == null
              ? null
              : (Boolean)
                  (access.isSuperuser(roleOid) || asked.stream().anyMatch(one -> !one.option()));
    };
  }

  /** The oid of a named object; 0 for functions. */
  private int find(Kind kind, String name) {
    return switch (kind) {
      case TABLE, ANY_COLUMN -> relation(name);
      case SEQUENCE -> {
        int oid = relation(name);
        if (view.sequence(oid) == null) {
          throw notSequence(name);
        }
        yield oid;
      }
      case SCHEMA -> schema(name);
      case DATABASE -> {
        if (!name.equals(SessionFactory.DATABASE)) {
          throw new GaussException(
              SqlState.INVALID_CATALOG_NAME, "database \"%s\" does not exist".formatted(name));
        }
        yield SystemOids.DATABASE;
      }
      case TYPE -> ObjectNames.TYPES.require(name, state.eval());
      case FUNCTION -> 0;
    };
  }

  private int relation(String name) {
    int oid = state.catalog().relationOid(name);
    if (oid == 0) {
      List<String> names = NameList.split(name);
      if (names.size() > 1 && view.schema(names.get(names.size() - 2)) == null) {
        throw new GaussException(
            SqlState.INVALID_SCHEMA_NAME,
            "schema \"%s\" does not exist".formatted(names.get(names.size() - 2)));
      }
      throw new GaussException(
          SqlState.UNDEFINED_TABLE,
          "relation \"%s\" does not exist".formatted(String.join(".", names)));
    }
    return oid;
  }

  private int schema(String name) {
    SchemaDef schema = view.schema(name);
    if (schema == null) {
      throw new GaussException(
          SqlState.INVALID_SCHEMA_NAME, "schema \"%s\" does not exist".formatted(name));
    }
    return schema.oid();
  }

  private static GaussException notSequence(String name) {
    return new GaussException(
        SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a sequence".formatted(name));
  }

  private static List<Asked> asked(Kind kind, String privileges) {
    List<Asked> asked = new ArrayList<>();
    for (String part : privileges.split(",", -1)) {
      String word = part.strip().toUpperCase(Locale.ROOT);
      boolean option = word.endsWith(GRANT_OPTION);
      String name = option ? word.substring(0, word.length() - GRANT_OPTION.length()) : word;
      if (!kind.privileges.contains(name)) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE,
            "unrecognized privilege type: \"%s\"".formatted(part.strip()));
      }
      asked.add(new Asked(name, option));
    }
    return asked;
  }

  /** Null when there is no such relation. */
  private Boolean sequence(int role, int oid, List<Asked> asked) {
    if (view.sequence(oid) != null) {
      return any(ObjectKind.SEQUENCE, role, oid, asked);
    }
    CatalogObject other = view.object(oid);
    if (other instanceof TableDef table) {
      throw notSequence(table.name());
    }
    if (other instanceof ViewDef made) {
      throw notSequence(made.name());
    }
    return null;
  }

  /** Null when there is no such relation. */
  private Boolean relation(int role, int oid, List<Asked> asked) {
    if (view.table(oid) != null || view.view(oid) != null) {
      return any(ObjectKind.TABLE, role, oid, asked);
    }
    if (view.sequence(oid) != null) {
      return any(ObjectKind.SEQUENCE, role, oid, asked);
    }
    TableDef indexed = view.tableOfIndex(oid);
    return indexed == null ? null : (Boolean) access.owns(role, indexed.oid());
  }

  /** All roles may use built-in types. Null when there is no such type. */
  private Boolean type(int role, int oid, List<Asked> asked) {
    PgType made = view.type(oid);
    if (made != null) {
      int of = made.definitionOid();
      return any(ObjectKind.TYPE, role, of, asked);
    }
    return PgTypes.byOidOrNull(oid) == null
        ? null
        : (Boolean) (access.isSuperuser(role) || asked.stream().anyMatch(one -> !one.option()));
  }

  private boolean any(ObjectKind kind, int role, int oid, List<Asked> asked) {
    if (access.isSuperuser(role)) {
      return true;
    }
    TableDef table = kind == ObjectKind.TABLE ? view.table(oid) : null;
    int held =
        table != null ? access.tablePrivileges(role, table) : access.privileges(role, kind, oid);
    int grantable = access.grantable(role, kind, oid);
    return asked.stream()
        .anyMatch(
            one -> ((one.option() ? grantable : held) & Privilege.find(one.name()).bit()) != 0);
  }

  /** The database has no access list: only superusers make schemas, and all roles may connect. */
  private boolean database(int role, List<Asked> asked) {
    return access.isSuperuser(role)
        || asked.stream().anyMatch(one -> !one.option() && !one.name().equals("CREATE"));
  }

  /**
   * @see io.gauss.compute.expr.SessionInfo#hasRole
   */
  boolean hasRole(Object role, Object of, String privileges) {
    int member = named(role);
    int group = named(of);
    boolean found = false;
    for (String part : privileges.split(",", -1)) {
      found |=
          switch (part.strip().toUpperCase(Locale.ROOT)) {
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
                    "unrecognized privilege type: \"%s\"".formatted(part.strip()));
          };
    }
    return found;
  }
}
