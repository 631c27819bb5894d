package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.Privilege.ObjectKind;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.AccessStatement;
import io.gauss.compute.sql.parse.AccessStatement.GrantPrivileges;
import io.gauss.compute.sql.parse.AccessStatement.RoleName;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropSchema;
import io.gauss.compute.sql.parse.PgStatement.DropSequence;
import io.gauss.compute.sql.parse.PgStatement.DropTable;
import io.gauss.compute.sql.parse.PgStatement.DropView;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.sql.parse.TypeStatement.DropType;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** DROP OWNED: drops what roles own, and revokes what they have been granted. */
final class OwnedDropper {
  private final DdlContext ddl;
  private final List<Name> views = new ArrayList<>();
  private final List<Name> tables = new ArrayList<>();
  private final List<SequenceDef> sequences = new ArrayList<>();
  private final List<TypeName> types = new ArrayList<>();
  private final List<String> schemas = new ArrayList<>();

  OwnedDropper(DdlContext ddl) {
    this.ddl = ddl.withoutNames();
    ddl.session.lockRoles(TableLockMode.ACCESS_SHARE);
  }

  void drop(AccessStatement.DropOwned statement) {
    int me = ddl.session.identity().current();
    List<RoleDef> owners = new ArrayList<>();
    for (RoleName name : statement.owners()) {
      RoleDef owner = RoleNames.find(ddl, name);
      if (!ddl.session.access().hasPrivilegesOf(me, owner.oid())) {
        throw RoleNames.denied("permission denied to drop objects");
      }
      owners.add(owner);
    }
    for (RoleDef owner : owners) {
      if (owner.oid() == RoleDef.BOOTSTRAP.oid()) {
        throw new GaussException(
            SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
            "cannot drop objects owned by role %s because they are required by"
                    .formatted(owner.name())
                + " the database system");
      }
      uses(owner);
    }
    try {
      dropCollected(statement.behavior());
    } catch (GaussException e) {
      throw isAboutOne() || e.state() != SqlState.DEPENDENT_OBJECTS_STILL_EXIST ? e : aboutAll(e);
    }
  }

  private boolean isAboutOne() {
    return views.size() + tables.size() + sequences.size() + types.size() + schemas.size() == 1;
  }

  private static GaussException aboutAll(GaussException error) {
    return new GaussException(
            error.state(), "cannot drop desired object(s) because other objects depend on them")
        .detail(error.detail())
        .hint(error.hint());
  }

  /** Revokes the role's privileges, and collects what it owns. */
  private void uses(RoleDef role) {
    List<AccessDef> all = new ArrayList<>(ddl.view().accesses());
    all.sort(Comparator.comparingInt(AccessDef::objectOid));
    for (AccessDef access : all) {
      boolean isOwner = access.ownerOid() == role.oid();
      boolean isGrantee =
          access.grants() != null
              && access.grants().stream().anyMatch(grant -> grant.granteeOid() == role.oid());
      if (isOwner || isGrantee) {
        use(access.objectOid(), isOwner, role);
      }
    }
  }

  private void use(int oid, boolean isOwner, RoleDef role) {
    TableDef table = ddl.view().table(oid);
    if (table != null) {
      Name name = new Name(table.schema(), table.name(), 0);
      if (isOwner) {
        tables.add(name);
      } else {
        revoke(ObjectKind.TABLE, name, role);
      }
      return;
    }
    ViewDef view = ddl.view().view(oid);
    if (view != null) {
      Name name = new Name(view.schema(), view.name(), 0);
      if (isOwner) {
        views.add(name);
      } else {
        revoke(ObjectKind.TABLE, name, role);
      }
      return;
    }
    SequenceDef sequence = ddl.view().sequence(oid);
    if (sequence != null) {
      if (isOwner) {
        sequences.add(sequence);
      } else {
        revoke(ObjectKind.SEQUENCE, new Name(sequence.schema(), sequence.name(), 0), role);
      }
      return;
    }
    TypeDef type = ddl.view().typeDef(oid);
    if (type != null) {
      if (isOwner) {
        types.add(new TypeName(type.schema(), type.name(), List.of(), 0, null, 0));
      } else {
        revoke(ObjectKind.TYPE, new Name(type.schema(), type.name(), 0), role);
      }
      return;
    }
    for (SchemaDef schema : List.copyOf(ddl.view().schemas())) {
      if (schema.oid() == oid && isOwner) {
        schemas.add(schema.name());
      } else if (schema.oid() == oid) {
        revoke(ObjectKind.SCHEMA, new Name(null, schema.name(), 0), role);
      }
    }
  }

  private void revoke(ObjectKind kind, Name object, RoleDef role) {
    RoleName from = new RoleName(RoleName.Kind.NAMED, role.name());
    GrantPrivileges revoke =
        new GrantPrivileges(
            false, null, kind, false, List.of(object), List.of(from), false, DropBehavior.CASCADE);
    new PrivilegeGranter(ddl, revoke).run();
  }

  /** What depends on others first. */
  private void dropCollected(DropBehavior behavior) {
    if (!views.isEmpty()) {
      new ViewDefiner(ddl).drop(new DropView(views, true, behavior));
    }
    if (!tables.isEmpty()) {
      new TableDropper(ddl).drop(new DropTable(tables, true, behavior));
    }
    for (SequenceDef sequence : sequences) {
      SequenceDef now = ddl.view().sequence(sequence.oid());
      if (now != null) { // else its table is gone, too
        Name name = new Name(now.schema(), now.name(), 0);
        new SequenceDefiner(ddl).drop(new DropSequence(List.of(name), true, behavior));
      }
    }
    if (!types.isEmpty()) {
      new TypeDropper(ddl).drop(new DropType(false, types, true, behavior));
    }
    if (!schemas.isEmpty()) {
      new SchemaDefiner(ddl).drop(new DropSchema(schemas, true, behavior));
    }
  }
}
