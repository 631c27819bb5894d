package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.AccessDef.Grant;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.Privilege.ObjectKind;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.AccessStatement.GrantPrivileges;
import io.gauss.compute.sql.parse.AccessStatement.RoleName;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * GRANT and REVOKE of privileges. A role that may act for the object's owner grants in the owner's
 * name; others grant in the name of a role that has the grant option.
 */
final class PrivilegeGranter {
  private final DdlContext ddl;
  private final GrantPrivileges statement;
  private final List<Integer> grantees = new ArrayList<>();

  /** An object that the statement names. */
  private record Target(int oid, ObjectKind kind, String name) {}

  PrivilegeGranter(DdlContext ddl, GrantPrivileges statement) {
    this.ddl = ddl;
    this.statement = statement;
    ddl.session.lockRoles(TableLockMode.ACCESS_SHARE);
    for (RoleName name : statement.grantees()) {
      int grantee = RoleNames.grantee(ddl, name);
      if (grantee == AccessDef.PUBLIC && statement.grant() && statement.grantOption()) {
        throw new GaussException(
            SqlState.INVALID_GRANT_OPERATION, "grant options can only be granted to roles");
      }
      grantees.add(grantee);
    }
  }

  void run() {
    for (Target target : targets()) {
      ddl.session.lockAccess(target.oid());
      if (!ddl.view().contains(target.oid())) {
        if (statement.allInSchema()) {
          continue;
        }
        throw new GaussException(
            SqlState.UNDEFINED_TABLE, "relation \"%s\" does not exist".formatted(target.name()));
      }
      change(target);
    }
  }

  // ---------------------------------------------------------------- objects

  private Set<Target> targets() {
    Set<Target> targets = new LinkedHashSet<>();
    for (Name name : statement.objects()) {
      if (statement.kind() == ObjectKind.SCHEMA) {
        SchemaDef schema = schema(name);
        targets.add(new Target(schema.oid(), ObjectKind.SCHEMA, schema.name()));
      } else if (statement.kind() == ObjectKind.TYPE) {
        targets.add(type(name));
      } else if (statement.allInSchema()) {
        String schema = schema(name).name();
        ddl.requireSchemaUsage(new Name(schema, "", 0));
        addAll(schema, targets);
      } else {
        targets.add(relation(name));
      }
    }
    return targets;
  }

  private SchemaDef schema(Name name) {
    SchemaDef schema = ddl.view().schema(name.name());
    if (schema == null) {
      throw DdlContext.noSchema(name.name());
    }
    return schema;
  }

  private void addAll(String schema, Set<Target> targets) {
    if (statement.kind() == ObjectKind.TABLE) {
      for (TableDef table : ddl.view().tables()) {
        if (table.schema().equals(schema)) {
          targets.add(new Target(table.oid(), ObjectKind.TABLE, table.name()));
        }
      }
      for (ViewDef view : ddl.view().views()) {
        if (view.schema().equals(schema)) {
          targets.add(new Target(view.oid(), ObjectKind.TABLE, view.name()));
        }
      }
    } else {
      for (SequenceDef sequence : ddl.view().sequences()) {
        if (sequence.schema().equals(schema)) {
          targets.add(new Target(sequence.oid(), ObjectKind.SEQUENCE, sequence.name()));
        }
      }
    }
  }

  private Target type(Name name) {
    PgType type = new TypeNaming(ddl).lookUp(name);
    if (type.isPlainArray()) {
      throw new GaussException(
              SqlState.INVALID_GRANT_OPERATION, "cannot set privileges of array types")
          .hint("Set the privileges of the element type instead.");
    }
    if (!type.isUserDefined()) {
      throw GaussException.notSupported("changing privileges on a built-in type");
    }
    return new Target(type.declaredOid(), ObjectKind.TYPE, type.name());
  }

  private Target relation(Name name) {
    ddl.requireSchemaUsage(name);
    ViewDef view = ddl.view().view(ddl.searchPath(), name.schema(), name.name());
    if (view != null && statement.kind() != ObjectKind.SEQUENCE) {
      return new Target(view.oid(), ObjectKind.TABLE, view.name());
    }
    TableDef table = ddl.view().table(ddl.searchPath(), name.schema(), name.name());
    SequenceDef sequence = ddl.sequence(name);
    if (table == null && sequence == null) {
      throw DdlContext.noRelation(name);
    }
    if (table == null) {
      return new Target(sequence.oid(), ObjectKind.SEQUENCE, sequence.name());
    }
    if (SystemTables.isSystem(table)) {
      throw GaussException.notSupported("changing privileges on a system table");
    }
    if (statement.kind() == ObjectKind.SEQUENCE) {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a sequence".formatted(table.name()));
    }
    if (statement.privileges() != null && statement.privileges().contains(Privilege.USAGE)) {
      throw new GaussException(
          SqlState.INVALID_GRANT_OPERATION, "invalid privilege type USAGE for table");
    }
    return new Target(table.oid(), ObjectKind.TABLE, table.name());
  }

  // ---------------------------------------------------------------- one object

  private void change(Target target) {
    Access access = ddl.session.access();
    AccessDef before = access.of(target.oid());
    int wanted =
        statement.privileges() == null
            ? target.kind().all()
            : Privilege.mask(statement.privileges()) & target.kind().all();
    int me = ddl.session.identity().current();
    int grantor = grantor(access, before, target, wanted);
    int options =
        grantor == before.ownerOid()
            ? target.kind().all()
            : access.grantable(grantor, target.kind(), target.oid());
    int allowed = wanted & options;
    if (allowed == 0 && access.privileges(me, target.kind(), target.oid()) == 0) {
      throw Access.denied(target.kind().word(), target.name());
    }
    if (allowed != wanted && (statement.privileges() != null || allowed == 0)) {
      warnOfRest(target, allowed);
    }
    List<Grant> grants = new ArrayList<>(Access.grants(before, target.kind()));
    for (int grantee : grantees) {
      if (statement.grant()) {
        checkNotGrantedBack(access, grants, before.ownerOid(), grantee, grantor, allowed);
        add(grants, grantee, grantor, allowed);
      } else {
        new Revocation(grants, before.ownerOid(), statement.behavior())
            .revoke(grantee, grantor, statement.grantOption() ? 0 : allowed, allowed);
      }
    }
    ddl.session.put(before.withGrants(grants));
  }

  /**
   * The role in whose name the current role grants: the owner, itself, or a role of which it is a
   * member.
   */
  private int grantor(Access access, AccessDef before, Target target, int wanted) {
    int me = ddl.session.identity().current();
    if (access.hasPrivilegesOf(me, before.ownerOid())) {
      return before.ownerOid();
    }
    int best = me;
    int most = 0;
    for (Grant grant : Access.grants(before, target.kind())) {
      int options = Integer.bitCount(grant.grantable() & wanted);
      boolean better = options > most || (options == most && grant.granteeOid() == me);
      if (options > 0 && better && access.hasPrivilegesOf(me, grant.granteeOid())) {
        best = grant.granteeOid();
        most = options;
      }
    }
    return best;
  }

  private void warnOfRest(Target target, int allowed) {
    String how = allowed == 0 ? "no" : "not all";
    ddl.warning(
        statement.grant()
            ? new GaussException(
                SqlState.PRIVILEGE_NOT_GRANTED,
                "%s privileges were granted for \"%s\"".formatted(how, target.name()))
            : new GaussException(
                SqlState.PRIVILEGE_NOT_REVOKED,
                "%s privileges could be revoked for \"%s\"".formatted(how, target.name())));
  }

  /**
   * Grant options must not come back to a role from which the grantor has its own: both would keep
   * them by each other, and nobody could revoke them any more.
   *
   * @throws GaussException 0LP01
   */
  private void checkNotGrantedBack(
      Access access, List<Grant> grants, int owner, int grantee, int grantor, int privileges) {
    if (!statement.grantOption() || grantor == owner) {
      return;
    }
    List<Grant> without = new ArrayList<>(grants);
    Revocation revocation = new Revocation(without, owner, DropBehavior.CASCADE);
    for (Grant held : grants) {
      if (held.granteeOid() == grantee && held.grantable() != 0) {
        revocation.revoke(grantee, held.grantorOid(), held.privileges(), held.grantable());
      }
    }
    int independent = 0;
    for (Grant grant : without) {
      if (access.hasPrivilegesOf(grantor, grant.granteeOid())) {
        independent |= grant.grantable();
      }
    }
    if ((privileges & ~independent) != 0) {
      throw new GaussException(
          SqlState.INVALID_GRANT_OPERATION,
          "grant options cannot be granted back to your own grantor");
    }
  }

  private void add(List<Grant> grants, int grantee, int grantor, int privileges) {
    if (privileges == 0) {
      return;
    }
    int options = statement.grantOption() ? privileges : 0;
    for (int i = 0; i < grants.size(); i++) {
      Grant grant = grants.get(i);
      if (grant.granteeOid() == grantee && grant.grantorOid() == grantor) {
        grants.set(
            i,
            new Grant(
                grantee, grantor, grant.privileges() | privileges, grant.grantable() | options));
        return;
      }
    }
    grants.add(new Grant(grantee, grantor, privileges, options));
  }

  /** Revokes privileges, and those that were granted on because of them. */
  private record Revocation(List<Grant> grants, int owner, DropBehavior behavior) {
    void revoke(int grantee, int grantor, int privileges, int options) {
      int lost = 0;
      for (int i = 0; i < grants.size(); i++) {
        Grant grant = grants.get(i);
        if (grant.granteeOid() == grantee && grant.grantorOid() == grantor) {
          lost = grant.grantable() & options;
          Grant rest =
              new Grant(
                  grantee, grantor, grant.privileges() & ~privileges, grant.grantable() & ~options);
          if (rest.privileges() == 0) {
            grants.remove(i);
          } else {
            grants.set(i, rest);
          }
          break;
        }
      }
      if (grantee != owner) {
        revokeDependent(grantee, lost);
      }
    }

    private void revokeDependent(int formerGrantor, int lost) {
      int still = 0;
      for (Grant grant : grants) {
        if (grant.granteeOid() == formerGrantor) {
          still |= grant.grantable();
        }
      }
      int gone = lost & ~still;
      if (gone == 0) {
        return;
      }
      for (Grant grant : List.copyOf(grants)) {
        if (grant.grantorOid() == formerGrantor && (grant.privileges() & gone) != 0) {
          if (behavior != DropBehavior.CASCADE) {
            throw new GaussException(
                    SqlState.DEPENDENT_OBJECTS_STILL_EXIST, "dependent privileges exist")
                .hint("Use CASCADE to revoke them too.");
          }
          revoke(grant.granteeOid(), formerGrantor, gone, gone);
        }
      }
    }
  }
}
