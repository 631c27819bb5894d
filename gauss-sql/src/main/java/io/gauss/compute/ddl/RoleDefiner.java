package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.auth.ScramVerifier;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.RoleDef.Membership;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.sql.parse.AccessStatement;
import io.gauss.compute.sql.parse.AccessStatement.RoleName;
import io.gauss.compute.sql.parse.AccessStatement.RoleOptions;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * CREATE, ALTER and DROP ROLE, and memberships of roles. Statements of different transactions about
 * roles wait for each other, so that no cycle of memberships can arise.
 */
final class RoleDefiner {
  private static final String RESERVED_PREFIX = "pg_";

  private final DdlContext ddl;
  private final RoleDef me;

  RoleDefiner(DdlContext ddl) {
    this.ddl = ddl;
    ddl.session.lockRoles(TableLockMode.ACCESS_EXCLUSIVE);
    this.me = ddl.view().role(ddl.session.identity().current());
  }

  private boolean isSuperuser() {
    return me != null && me.superuser();
  }

  private boolean mayCreateRoles() {
    return isSuperuser() || (me != null && me.createRole());
  }

  private static boolean is(Boolean option) {
    return option != null && option;
  }

  // ---------------------------------------------------------------- CREATE, ALTER, RENAME

  void create(AccessStatement.CreateRole statement) {
    RoleOptions options = statement.options();
    if (is(options.superuser())) {
      requireSuperuser("must be superuser to create superusers");
    } else if (is(options.replication())) {
      requireSuperuser("must be superuser to create replication users");
    } else if (is(options.bypassRls())) {
      requireSuperuser("must be superuser to create bypassrls users");
    } else if (!mayCreateRoles()) {
      throw RoleNames.denied("permission denied to create role");
    }
    checkNewName(statement.name());
    RoleDef plain =
        new RoleDef(
            ddl.newOid(),
            statement.name(),
            false,
            true,
            false,
            false,
            false,
            false,
            false,
            -1,
            null,
            null,
            List.of());
    RoleDef role = with(plain, options);
    ddl.session.put(role);
    for (RoleName group : statement.inRoles()) {
      RoleDef of = RoleNames.find(ddl, group);
      requireMayGrant(of);
      addMember(of, role.oid(), false);
    }
    for (RoleName member : statement.admins()) {
      addMember(role, RoleNames.find(ddl, member).oid(), true);
    }
    for (RoleName member : statement.members()) {
      addMember(role, RoleNames.find(ddl, member).oid(), false);
    }
  }

  private void checkNewName(String name) {
    if (name.startsWith(RESERVED_PREFIX)) {
      throw new GaussException(
              SqlState.RESERVED_NAME, "role name \"%s\" is reserved".formatted(name))
          .detail("Role names starting with \"pg_\" are reserved.");
    }
    if (ddl.view().role(name) != null) {
      throw new GaussException(
          SqlState.DUPLICATE_OBJECT, "role \"%s\" already exists".formatted(name));
    }
  }

  private void requireSuperuser(String otherwise) {
    if (!isSuperuser()) {
      throw RoleNames.denied(otherwise);
    }
  }

  private RoleDef with(RoleDef role, RoleOptions options) {
    String verifier = role.verifier();
    if (options.passwordGiven()) {
      verifier = options.password() == null ? null : ScramVerifier.toStore(options.password());
      if (options.password() != null && verifier == null) {
        ddl.notice("empty string is not a valid password, clearing password");
      }
    }
    return new RoleDef(
        role.oid(),
        role.name(),
        or(options.superuser(), role.superuser()),
        or(options.inherit(), role.inherit()),
        or(options.createRole(), role.createRole()),
        or(options.createDb(), role.createDb()),
        or(options.login(), role.login()),
        or(options.replication(), role.replication()),
        or(options.bypassRls(), role.bypassRls()),
        options.connectionLimit() == null ? role.connectionLimit() : options.connectionLimit(),
        verifier,
        options.validUntil() == null ? role.validUntil() : Long.valueOf(time(options.validUntil())),
        role.memberOf());
  }

  private static boolean or(Boolean written, boolean before) {
    return written == null ? before : written;
  }

  /** µs since 2000-01-01 UTC. */
  private long time(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Value value = new Value();
    TypeCodec.of(PgType.TIMESTAMPTZ).readText(bytes, 0, bytes.length, ddl.exec.eval, value);
    return value.l;
  }

  void alter(AccessStatement.AlterRole statement) {
    RoleDef role = RoleNames.find(ddl, statement.role());
    RoleOptions options = statement.options();
    if (role.superuser() || options.superuser() != null) {
      requireSuperuser("must be superuser to alter superuser roles or change superuser attribute");
    } else if (role.replication() || options.replication() != null) {
      requireSuperuser(
          "must be superuser to alter replication roles or change replication attribute");
    } else if (options.bypassRls() != null) {
      requireSuperuser("must be superuser to change bypassrls attribute");
    } else if (!mayCreateRoles() && !isOwnPassword(role, options)) {
      throw RoleNames.denied("permission denied");
    }
    if (role.oid() == SystemOids.OWNER && options.superuser() != null && !options.superuser()) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "role \"%s\" must stay a superuser".formatted(role.name()))
          .detail("It owns the system's own objects.");
    }
    ddl.session.put(with(role, options));
  }

  private boolean isOwnPassword(RoleDef role, RoleOptions options) {
    return role == me
        && options.passwordGiven()
        && options.inherit() == null
        && options.createRole() == null
        && options.createDb() == null
        && options.login() == null
        && options.connectionLimit() == null
        && options.validUntil() == null;
  }

  void rename(AccessStatement.RenameRole statement) {
    RoleDef role = ddl.view().role(statement.name());
    if (role == null) {
      throw RoleNames.missing(statement.name());
    }
    if (role.oid() == ddl.session.identity().session()) {
      throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "session user cannot be renamed");
    }
    if (role.oid() == ddl.session.identity().current()) {
      throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "current user cannot be renamed");
    }
    checkNewName(statement.newName());
    if (role.superuser()) {
      requireSuperuser("must be superuser to rename superusers");
    } else if (!mayCreateRoles()) {
      throw RoleNames.denied("permission denied to rename role");
    }
    ddl.session.put(
        new RoleDef(
            role.oid(),
            statement.newName(),
            role.superuser(),
            role.inherit(),
            role.createRole(),
            role.createDb(),
            role.login(),
            role.replication(),
            role.bypassRls(),
            role.connectionLimit(),
            role.verifier(),
            role.validUntil(),
            role.memberOf()));
  }

  // ---------------------------------------------------------------- DROP

  void drop(AccessStatement.DropRole statement) {
    if (!mayCreateRoles()) {
      throw RoleNames.denied("permission denied to drop role");
    }
    for (RoleName name : statement.roles()) {
      if (name.kind() != RoleName.Kind.NAMED) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE, "cannot use special role specifier in DROP ROLE");
      }
      RoleDef role = ddl.view().role(name.name());
      if (role == null) {
        if (!statement.ifExists()) {
          throw RoleNames.missing(name.name());
        }
        ddl.notice("role \"%s\" does not exist, skipping".formatted(name.name()));
        continue;
      }
      drop(role);
    }
  }

  private void drop(RoleDef role) {
    if (role.oid() == ddl.session.identity().current()) {
      throw new GaussException(SqlState.OBJECT_IN_USE, "current user cannot be dropped");
    }
    if (role.oid() == ddl.session.identity().session()) {
      throw new GaussException(SqlState.OBJECT_IN_USE, "session user cannot be dropped");
    }
    if (role.superuser()) {
      requireSuperuser("must be superuser to drop superusers");
    }
    String uses = RoleUses.describe(ddl.view(), ddl.searchPath(), role.oid());
    if (uses != null || role.oid() == SystemOids.OWNER) {
      GaussException failure =
          new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "role \"%s\" cannot be dropped because some objects depend on it"
                  .formatted(role.name()));
      throw uses == null
          ? failure.detail("The system's own objects belong to it.")
          : failure.detail(uses);
    }
    for (RoleDef other : List.copyOf(ddl.view().roles())) {
      if (other.memberOf().stream().anyMatch(m -> m.roleOid() == role.oid())) {
        List<Membership> rest = new ArrayList<>(other.memberOf());
        rest.removeIf(m -> m.roleOid() == role.oid());
        ddl.session.put(other.withMemberOf(rest));
      }
    }
    ddl.session.remove(role.oid());
  }

  // ---------------------------------------------------------------- memberships

  void grant(AccessStatement.GrantRole statement) {
    for (String name : statement.roles()) {
      RoleDef role = ddl.view().role(name);
      if (role == null) {
        throw RoleNames.missing(name);
      }
      requireMayGrant(role);
      for (RoleName member : statement.members()) {
        RoleDef found = RoleNames.find(ddl, member);
        if (statement.grant()) {
          addMember(role, found.oid(), statement.adminOption());
        } else {
          removeMember(role, found, statement);
        }
      }
    }
  }

  /**
   * Whoever hands out memberships of a role hands out its rights: by GRANT, or by CREATE ROLE with
   * IN ROLE, which would otherwise be a way round GRANT's check. CREATEROLE is enough for all roles
   * but superusers, as in PostgreSQL 15.
   */
  private void requireMayGrant(RoleDef role) {
    if (role.superuser()) {
      requireSuperuser("must be superuser to alter superusers");
    } else if (!mayCreateRoles()
        && !ddl.session.access().isAdminOf(ddl.session.identity().current(), role.oid())) {
      throw RoleNames.denied("must have admin option on role \"%s\"".formatted(role.name()));
    }
  }

  private void addMember(RoleDef role, int memberOid, boolean admin) {
    RoleDef member = ddl.view().role(memberOid);
    if (ddl.session.access().membershipsOf(role.oid()).contains(memberOid)) {
      throw new GaussException(
          SqlState.INVALID_GRANT_OPERATION,
          "role \"%s\" is a member of role \"%s\"".formatted(role.name(), member.name()));
    }
    List<Membership> memberships = new ArrayList<>(member.memberOf());
    Membership before = membership(member, role.oid());
    if (before != null && (before.admin() || !admin)) {
      ddl.notice(
          "role \"%s\" is already a member of role \"%s\"".formatted(member.name(), role.name()));
      return;
    }
    memberships.remove(before);
    memberships.add(new Membership(role.oid(), ddl.session.identity().current(), admin));
    ddl.session.put(member.withMemberOf(memberships));
  }

  /**
   * CASCADE changes nothing, as in PostgreSQL 15: memberships outlive the roles that granted them.
   */
  private void removeMember(RoleDef role, RoleDef member, AccessStatement.GrantRole statement) {
    Membership before = membership(member, role.oid());
    if (before == null) {
      ddl.warning(
          new GaussException(
              SqlState.WARNING,
              "role \"%s\" is not a member of role \"%s\"".formatted(member.name(), role.name())));
      return;
    }
    List<Membership> memberships = new ArrayList<>(member.memberOf());
    memberships.remove(before);
    if (statement.adminOption()) {
      memberships.add(new Membership(before.roleOid(), before.grantorOid(), false));
    }
    ddl.session.put(member.withMemberOf(memberships));
  }

  private static Membership membership(RoleDef member, int roleOid) {
    return member.memberOf().stream().filter(m -> m.roleOid() == roleOid).findFirst().orElse(null);
  }
}
