package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.Privilege.ObjectKind;
import io.gauss.compute.sql.parse.AccessStatement.RoleName;
import io.gauss.compute.sql.parse.AccessStatement.RoleOptions;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.Name;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Statements about roles, privileges and owners, after their first words. */
final class AccessParser {
  private final TokenCursor cursor;

  AccessParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  // ---------------------------------------------------------------- names

  RoleName role() {
    if (cursor.accept("current_user") || cursor.accept("current_role")) {
      return new RoleName(RoleName.Kind.CURRENT_USER, "current_user");
    }
    if (cursor.accept("session_user")) {
      return new RoleName(RoleName.Kind.SESSION_USER, "session_user");
    }
    int position = cursor.position();
    String name = cursor.name();
    if (name.equals("public")) {
      return new RoleName(RoleName.Kind.PUBLIC, name);
    }
    if (name.equals("none")) {
      throw new GaussException(SqlState.RESERVED_NAME, "role name \"none\" is reserved")
          .position(position);
    }
    return new RoleName(RoleName.Kind.NAMED, name);
  }

  private List<RoleName> roles() {
    List<RoleName> roles = new ArrayList<>();
    do {
      roles.add(role());
    } while (cursor.accept(','));
    return roles;
  }

  /** The name of a new role: no key word stands for one. */
  private String newName() {
    int position = cursor.position();
    RoleName role = role();
    return switch (role.kind()) {
      case NAMED -> role.name();
      case PUBLIC ->
          throw new GaussException(SqlState.RESERVED_NAME, "role name \"public\" is reserved")
              .position(position);
      case CURRENT_USER, SESSION_USER ->
          throw new GaussException(
                  SqlState.RESERVED_NAME,
                  "%s cannot be used as a role name here"
                      .formatted(role.name().toUpperCase(Locale.ROOT)))
              .position(position);
    };
  }

  // ---------------------------------------------------------------- roles

  /**
   * @param login whether the role may log in by default: CREATE USER
   */
  PgStatement create(boolean login) {
    String name = newName();
    cursor.accept("with");
    OptionsReader reader = new OptionsReader(true);
    reader.read();
    if (reader.login == null) {
      reader.login = login;
    }
    return new PgStatement.Access(
        new AccessStatement.CreateRole(
            name, reader.options(), reader.inRoles, reader.members, reader.admins));
  }

  PgStatement alter() {
    if (cursor.isWord("all")) {
      throw GaussException.notSupported("ALTER ROLE ALL").position(cursor.position());
    }
    RoleName role = role();
    if (cursor.accept("rename", "to")) {
      if (role.kind() != RoleName.Kind.NAMED) {
        throw cursor.syntaxError();
      }
      return new PgStatement.Access(new AccessStatement.RenameRole(role.name(), newName()));
    }
    for (String word : List.of("set", "reset", "in")) {
      if (cursor.isWord(word)) {
        throw GaussException.notSupported("ALTER ROLE ... " + word.toUpperCase(Locale.ROOT))
            .position(cursor.position());
      }
    }
    cursor.accept("with");
    OptionsReader reader = new OptionsReader(false);
    reader.read();
    return new PgStatement.Access(new AccessStatement.AlterRole(role, reader.options()));
  }

  PgStatement drop() {
    boolean ifExists = cursor.accept("if", "exists");
    return new PgStatement.Access(new AccessStatement.DropRole(roles(), ifExists));
  }

  PgStatement dropOwned() {
    cursor.expect("by");
    List<RoleName> owners = roles();
    return new PgStatement.Access(new AccessStatement.DropOwned(owners, behavior()));
  }

  PgStatement reassign() {
    cursor.expect("owned", "by");
    List<RoleName> owners = roles();
    cursor.expect("to");
    return new PgStatement.Access(new AccessStatement.ReassignOwned(owners, role()));
  }

  /** {@code OWNER TO role}, after the object's name. */
  PgStatement ownerTo(ObjectKind kind, String word, Name object, boolean ifExists) {
    cursor.expect("owner", "to");
    return new PgStatement.Access(
        new AccessStatement.AlterOwner(kind, word, object, ifExists, role()));
  }

  /** Options in any order, each once. */
  private final class OptionsReader {
    private final boolean create;
    private Boolean superuser;
    private Boolean inherit;
    private Boolean createRole;
    private Boolean createDb;
    private Boolean login;
    private Boolean replication;
    private Boolean bypassRls;
    private Integer connectionLimit;
    private boolean passwordGiven;
    private String password;
    private String validUntil;
    private List<RoleName> inRoles = List.of();
    private List<RoleName> members = List.of();
    private List<RoleName> admins = List.of();

    OptionsReader(boolean create) {
      this.create = create;
    }

    RoleOptions options() {
      return new RoleOptions(
          superuser,
          inherit,
          createRole,
          createDb,
          login,
          replication,
          bypassRls,
          connectionLimit,
          passwordGiven,
          password,
          validUntil);
    }

    void read() {
      while (!cursor.atEnd()) {
        int position = cursor.position();
        int start = cursor.index();
        String word = cursor.anyWord();
        boolean on = !word.startsWith("no");
        switch (word) {
          case "superuser", "nosuperuser" -> superuser = once(position, superuser, on);
          case "inherit", "noinherit" -> inherit = once(position, inherit, on);
          case "createrole", "nocreaterole" -> createRole = once(position, createRole, on);
          case "createdb", "nocreatedb" -> createDb = once(position, createDb, on);
          case "login", "nologin" -> login = once(position, login, on);
          case "replication", "noreplication" -> replication = once(position, replication, on);
          case "bypassrls", "nobypassrls" -> bypassRls = once(position, bypassRls, on);
          case "connection" -> {
            cursor.expect("limit");
            connectionLimit = once(position, connectionLimit, limit());
          }
          case "encrypted" -> {
            cursor.expect("password");
            password(position);
          }
          case "password" -> password(position);
          case "valid" -> {
            cursor.expect("until");
            validUntil = once(position, validUntil, cursor.string());
          }
          case "in" -> {
            if (!cursor.accept("role")) {
              cursor.expect("group");
            }
            inRoles = list(position, inRoles);
          }
          case "role", "user" -> members = list(position, members);
          case "admin" -> admins = list(position, admins);
          case "sysid" -> cursor.integer(); // ignored, as in PostgreSQL
          case "unencrypted" ->
              throw new GaussException(
                      SqlState.FEATURE_NOT_SUPPORTED, "UNENCRYPTED PASSWORD is no longer supported")
                  .hint("Remove UNENCRYPTED to store the password in encrypted form instead.")
                  .position(position);
          default -> {
            cursor.back(start);
            if (cursor.isName()) {
              throw new GaussException(
                      SqlState.SYNTAX_ERROR, "unrecognized role option \"%s\"".formatted(word))
                  .position(position);
            }
            throw cursor.syntaxError();
          }
        }
      }
    }

    private int limit() {
      long limit = cursor.integer();
      if (limit < -1 || limit > Integer.MAX_VALUE) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE, "invalid connection limit: " + limit);
      }
      return (int) limit;
    }

    private void password(int position) {
      once(position, passwordGiven ? this : null, this);
      passwordGiven = true;
      password = cursor.accept("null") ? null : cursor.string();
    }

    private List<RoleName> list(int position, List<RoleName> before) {
      if (!create) {
        throw GaussException.notSupported("this option of ALTER ROLE").position(position);
      }
      once(position, before.isEmpty() ? null : before, before);
      return roles();
    }

    private <T> T once(int position, Object before, T now) {
      if (before != null) {
        throw new GaussException(SqlState.SYNTAX_ERROR, "conflicting or redundant options")
            .position(position);
      }
      return now;
    }
  }

  // ---------------------------------------------------------------- grants

  /**
   * GRANT or REVOKE. The word after them shows whether words are privileges or roles.
   *
   * @param grant false for REVOKE
   */
  PgStatement grant(boolean grant) {
    boolean grantOption = false;
    boolean adminOption = false;
    if (!grant) {
      grantOption = optionFor("grant");
      adminOption = !grantOption && optionFor("admin");
    }
    int start = cursor.position();
    List<String> words = new ArrayList<>();
    if (cursor.accept("all")) {
      cursor.accept("privileges");
      refuseColumns();
      words = null;
    } else {
      do {
        words.add(cursor.label());
        refuseColumns();
      } while (cursor.accept(','));
    }
    if (words != null && !cursor.isWord("on")) {
      return grantRoles(grant, words, adminOption);
    }
    cursor.expect("on");
    return grantPrivileges(grant, privileges(words, start), grantOption);
  }

  private boolean optionFor(String word) {
    if (cursor.isWord(word) && cursor.isWordAt(1, "option") && cursor.isWordAt(2, "for")) {
      cursor.expect(word, "option");
      cursor.expect("for");
      return true;
    }
    return false;
  }

  private void refuseColumns() {
    if (cursor.isSymbol('(')) {
      throw GaussException.notSupported("a privilege on columns").position(cursor.position());
    }
  }

  private PgStatement grantRoles(boolean grant, List<String> roles, boolean adminOption) {
    cursor.expect(grant ? "to" : "from");
    List<RoleName> members = roles();
    boolean admin = adminOption;
    if (grant && cursor.accept("with")) {
      cursor.expect("admin", "option");
      admin = true;
    }
    refuseGrantedBy();
    return new PgStatement.Access(
        new AccessStatement.GrantRole(
            grant, roles, members, admin, grant ? DropBehavior.RESTRICT : behavior()));
  }

  private void refuseGrantedBy() {
    if (cursor.isWord("granted")) {
      throw GaussException.notSupported("GRANTED BY").position(cursor.position());
    }
  }

  private DropBehavior behavior() {
    return UtilityParser.behavior(cursor);
  }

  private static Set<Privilege> privileges(List<String> words, int position) {
    if (words == null) {
      return null;
    }
    Set<Privilege> privileges = EnumSet.noneOf(Privilege.class);
    for (String word : words) {
      Privilege privilege = Privilege.find(word);
      if (privilege == null) {
        throw new GaussException(
                SqlState.SYNTAX_ERROR, "unrecognized privilege type \"%s\"".formatted(word))
            .position(position);
      }
      privileges.add(privilege);
    }
    return privileges;
  }

  private PgStatement grantPrivileges(
      boolean grant, Set<Privilege> privileges, boolean grantOption) {
    ObjectKind kind = ObjectKind.TABLE;
    boolean all = false;
    List<Name> objects;
    if (cursor.isWord("all") && (cursor.isWordAt(1, "tables") || cursor.isWordAt(1, "sequences"))) {
      cursor.expect("all");
      kind = cursor.anyWord().equals("tables") ? ObjectKind.TABLE : ObjectKind.SEQUENCE;
      cursor.expect("in", "schema");
      all = true;
      objects = schemas();
    } else if (cursor.accept("schema")) {
      kind = ObjectKind.SCHEMA;
      objects = schemas();
    } else if ((cursor.isWord("type") || cursor.isWord("domain"))
        && !cursor.isWordAt(1, "to")
        && !cursor.isSymbolAt(1, ',')) {
      cursor.skip();
      kind = ObjectKind.TYPE;
      objects = cursor.qualifiedNames();
    } else {
      for (String other :
          List.of(
              "all",
              "database",
              "foreign",
              "function",
              "language",
              "large",
              "parameter",
              "procedure",
              "routine",
              "tablespace")) {
        boolean named = other.equals("all") || !cursor.isWordAt(1, "to");
        if (cursor.isWord(other) && named && !cursor.isSymbolAt(1, ',')) {
          throw GaussException.notSupported(
                  (grant ? "GRANT" : "REVOKE") + " ON " + other.toUpperCase(Locale.ROOT))
              .position(cursor.position());
        }
      }
      if (cursor.accept("sequence")) {
        kind = ObjectKind.SEQUENCE;
      } else {
        cursor.accept("table");
      }
      objects = cursor.qualifiedNames();
    }
    if (privileges != null) {
      for (Privilege privilege : privileges) {
        if (!kind.privileges().contains(privilege)
            && !(kind == ObjectKind.TABLE && privilege == Privilege.USAGE)) {
          throw new GaussException(
              SqlState.INVALID_GRANT_OPERATION,
              "invalid privilege type %s for %s"
                  .formatted(privilege, kind == ObjectKind.TABLE ? "relation" : kind.word()));
        }
      }
    }
    cursor.expect(grant ? "to" : "from");
    List<RoleName> grantees = new ArrayList<>();
    do {
      cursor.accept("group");
      grantees.add(role());
    } while (cursor.accept(','));
    boolean option = grantOption;
    if (grant && cursor.accept("with")) {
      cursor.expect("grant", "option");
      option = true;
    }
    refuseGrantedBy();
    return new PgStatement.Access(
        new AccessStatement.GrantPrivileges(
            grant,
            privileges,
            kind,
            all,
            objects,
            grantees,
            option,
            grant ? DropBehavior.RESTRICT : behavior()));
  }

  private List<Name> schemas() {
    List<Name> names = new ArrayList<>();
    do {
      int position = cursor.position();
      names.add(new Name(null, cursor.name(), position));
    } while (cursor.accept(','));
    return names;
  }
}
