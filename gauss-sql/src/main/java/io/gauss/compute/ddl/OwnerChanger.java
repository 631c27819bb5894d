package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.AccessDef.Grant;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.AccessStatement;
import io.gauss.compute.sql.parse.AccessStatement.RoleName;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** ALTER ... OWNER TO and REASSIGN OWNED. */
final class OwnerChanger {
  private final DdlContext ddl;

  OwnerChanger(DdlContext ddl) {
    this.ddl = ddl;
    ddl.session.lockRoles(TableLockMode.ACCESS_SHARE);
  }

  void change(AccessStatement.AlterOwner statement) {
    Name name = statement.object();
    if (statement.kind() == Privilege.ObjectKind.SCHEMA) {
      schema(name, statement.owner());
      return;
    }
    if (statement.kind() == Privilege.ObjectKind.TYPE) {
      TypeNaming naming = new TypeNaming(ddl);
      TypeDef type =
          statement.word().equals("domain")
              ? naming.findDomain(name, TableLockMode.ACCESS_SHARE, false)
              : naming.find(name, TableLockMode.ACCESS_SHARE);
      change(type.oid(), "type", type.name(), type.schema(), statement.owner());
      return;
    }
    if (statement.word().equals("view")) {
      view(name, statement.ifExists(), statement.owner());
      return;
    }
    SequenceDef sequence = ddl.sequence(name);
    if (sequence == null) {
      if (!statement.ifExists()) {
        throw DdlContext.noRelation(name);
      }
      ddl.notice("relation \"%s\" does not exist, skipping".formatted(name.name()));
      return;
    }
    ddl.requireOwner(sequence.oid(), "sequence", sequence.name());
    TableDef table = ddl.view().table(sequence.ownerTableOid());
    int newOwner = RoleNames.find(ddl, statement.owner()).oid();
    if (table != null && ddl.session.access().of(sequence.oid()).ownerOid() != newOwner) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "cannot change owner of sequence \"%s\"".formatted(sequence.name()))
          .detail(
              "Sequence \"%s\" is linked to table \"%s\"."
                  .formatted(sequence.name(), table.name()));
    }
    change(sequence.oid(), statement.word(), sequence.name(), sequence.schema(), statement.owner());
  }

  /** Changes the owner of a locked table and of its sequences. */
  void table(TableDef table, RoleName owner) {
    change(table.oid(), "table", table.name(), table.schema(), owner);
    int ownerOid = RoleNames.find(ddl, owner).oid();
    for (SequenceDef sequence : List.copyOf(ddl.view().sequences())) {
      if (sequence.ownerTableOid() == table.oid()) {
        store(sequence.oid(), ownerOid);
      }
    }
  }

  void view(Name name, boolean ifExists, RoleName owner) {
    ViewDef view = ddl.view().view(ddl.searchPath(), name.schema(), name.name());
    if (view != null) {
      ddl.requireOwner(view.oid(), "view", view.name());
      change(view.oid(), "view", view.name(), view.schema(), owner);
      return;
    }
    if (ddl.isTable(name) || ddl.isRelation(name)) {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a view".formatted(name.name()));
    }
    if (!ifExists) {
      throw DdlContext.noRelation(name);
    }
    ddl.notice("relation \"%s\" does not exist, skipping".formatted(name.name()));
  }

  private void schema(Name name, RoleName owner) {
    SchemaDef schema = ddl.view().schema(name.name());
    if (schema == null) {
      throw DdlContext.noSchema(name.name());
    }
    change(schema.oid(), "schema", schema.name(), null, owner);
  }

  private void change(int oid, String word, String name, String schema, RoleName owner) {
    RoleDef newOwner = RoleNames.find(ddl, owner);
    Access access = ddl.session.access();
    int me = ddl.session.identity().current();
    ddl.session.lockAccess(oid);
    if (access.of(oid).ownerOid() == newOwner.oid()) {
      return;
    }
    if (!access.isSuperuser(me)) {
      access.requireOwner(me, oid, word, name);
      if (!access.isMember(me, newOwner.oid())) {
        throw RoleNames.denied("must be member of role \"%s\"".formatted(newOwner.name()));
      }
      if (schema == null) {
        throw Access.denied("database", DdlContext.DATABASE);
      }
      access.requireSchema(newOwner.oid(), schema, Privilege.CREATE);
    }
    store(oid, newOwner.oid());
  }

  void reassign(AccessStatement.ReassignOwned statement) {
    int newOwner = RoleNames.find(ddl, statement.newOwner()).oid();
    int me = ddl.session.identity().current();
    Access access = ddl.session.access();
    List<Integer> owners = new ArrayList<>();
    for (RoleName name : statement.owners()) {
      RoleDef owner = RoleNames.find(ddl, name);
      if (!access.hasPrivilegesOf(me, owner.oid()) || !access.hasPrivilegesOf(me, newOwner)) {
        throw RoleNames.denied("permission denied to reassign objects");
      }
      if (owner.oid() == RoleDef.BOOTSTRAP.oid()) {
        throw new GaussException(
            SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
            "cannot reassign ownership of objects owned by role %s because they are required by"
                    .formatted(owner.name())
                + " the database system");
      }
      owners.add(owner.oid());
    }
    for (AccessDef owned : ddl.view().accesses()) {
      if (owners.contains(owned.ownerOid())) {
        ddl.session.lockAccess(owned.objectOid());
        if (ddl.view().access(owned.objectOid()) != null) {
          store(owned.objectOid(), newOwner);
        }
      }
    }
  }

  /** Transfers the privileges that the old owner had and granted to the new owner. */
  private void store(int oid, int newOwner) {
    AccessDef before = ddl.session.access().of(oid);
    if (before.grants() == null) {
      ddl.session.put(AccessDef.ownedBy(oid, newOwner));
      return;
    }
    record Pair(int grantee, int grantor) {}
    Map<Pair, Grant> merged = new LinkedHashMap<>();
    int old = before.ownerOid();
    for (Grant grant : before.grants()) {
      int grantee = grant.granteeOid() == old ? newOwner : grant.granteeOid();
      int grantor = grant.grantorOid() == old ? newOwner : grant.grantorOid();
      merged.merge(
          new Pair(grantee, grantor),
          new Grant(grantee, grantor, grant.privileges(), grant.grantable()),
          (a, b) ->
              new Grant(
                  grantee,
                  grantor,
                  a.privileges() | b.privileges(),
                  a.grantable() | b.grantable()));
    }
    ddl.session.put(new AccessDef(before.oid(), newOwner, List.copyOf(merged.values())));
  }
}
