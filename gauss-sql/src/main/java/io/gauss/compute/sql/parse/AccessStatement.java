package io.gauss.compute.sql.parse;

import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.Name;
import java.util.List;
import java.util.Set;

/** Statements about roles, privileges and owners, as they were written. */
public sealed interface AccessStatement {

  /**
   * A role as statements name it.
   *
   * @param name the name, or the key word in lower case
   */
  record RoleName(Kind kind, String name) {
    /** The kinds of role names. */
    public enum Kind {
      NAMED,
      CURRENT_USER,
      SESSION_USER,
      PUBLIC
    }
  }

  /**
   * Options of CREATE and ALTER ROLE; null = not written.
   *
   * @param passwordGiven whether PASSWORD was written; with a null password it was PASSWORD NULL
   */
  record RoleOptions(
      Boolean superuser,
      Boolean inherit,
      Boolean createRole,
      Boolean createDb,
      Boolean login,
      Boolean replication,
      Boolean bypassRls,
      Integer connectionLimit,
      boolean passwordGiven,
      String password,
      String validUntil) {
    @Override
    public String toString() {
      // A printed statement must not contain its password.
      return "RoleOptions";
    }
  }

  /**
   * @param inRoles roles that it becomes a member of
   * @param members roles that become members of it
   * @param admins the same, with the admin option
   */
  record CreateRole(
      String name,
      RoleOptions options,
      List<RoleName> inRoles,
      List<RoleName> members,
      List<RoleName> admins)
      implements AccessStatement {}

  record AlterRole(RoleName role, RoleOptions options) implements AccessStatement {}

  record RenameRole(String name, String newName) implements AccessStatement {}

  record DropRole(List<RoleName> roles, boolean ifExists) implements AccessStatement {}

  /**
   * @param grant false for REVOKE
   * @param adminOption WITH ADMIN OPTION, or ADMIN OPTION FOR
   */
  record GrantRole(
      boolean grant,
      List<String> roles,
      List<RoleName> members,
      boolean adminOption,
      DropBehavior behavior)
      implements AccessStatement {}

  /**
   * @param privileges null = ALL
   * @param allInSchema whether {@code objects} are schemas whose objects are meant
   * @param grantOption WITH GRANT OPTION, or GRANT OPTION FOR
   */
  record GrantPrivileges(
      boolean grant,
      Set<Privilege> privileges,
      Privilege.ObjectKind kind,
      boolean allInSchema,
      List<Name> objects,
      List<RoleName> grantees,
      boolean grantOption,
      DropBehavior behavior)
      implements AccessStatement {}

  /** ALTER TABLE, VIEW, SEQUENCE or SCHEMA ... OWNER TO. */
  record AlterOwner(
      Privilege.ObjectKind kind, String word, Name object, boolean ifExists, RoleName owner)
      implements AccessStatement {}

  /** DROP OWNED BY. */
  record DropOwned(List<RoleName> owners, DropBehavior behavior) implements AccessStatement {}

  /** REASSIGN OWNED BY ... TO. */
  record ReassignOwned(List<RoleName> owners, RoleName newOwner) implements AccessStatement {}
}
