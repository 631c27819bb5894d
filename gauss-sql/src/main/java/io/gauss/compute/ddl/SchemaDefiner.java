package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.PgStatement.CreateSchema;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropSchema;
import io.gauss.compute.sql.parse.PgStatement.DropTable;
import io.gauss.compute.sql.parse.PgStatement.DropView;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.txn.TableLockMode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * CREATE, ALTER and DROP SCHEMA. A transaction that creates a relation in a schema holds the lock
 * of the schema's name in a mode that conflicts with dropping or renaming the schema.
 */
final class SchemaDefiner {
  private static final Set<String> BUILT_IN =
      Set.of("public", "pg_catalog", "information_schema", "gauss");

  private final DdlContext ddl;

  SchemaDefiner(DdlContext ddl) {
    this.ddl = ddl;
  }

  void create(CreateSchema create) {
    int me = ddl.session.identity().current();
    if (!ddl.session.access().isSuperuser(me)) {
      // This needs a privilege on the database, which cannot be granted here.
      throw Access.denied("database", DdlContext.DATABASE);
    }
    RoleDef owner = null;
    if (create.authorization() != null) {
      ddl.session.lockRoles(TableLockMode.ACCESS_SHARE);
      owner = RoleNames.find(ddl, create.authorization());
    }
    checkName(create.name());
    ddl.lockName("", create.name());
    if (ddl.view().schemaExists(create.name())) {
      if (create.ifNotExists()) {
        ddl.notice("schema \"%s\" already exists, skipping".formatted(create.name()));
        return;
      }
      throw exists(create.name());
    }
    SchemaDef schema = new SchemaDef(ddl.newOid(), create.name());
    ddl.session.put(schema);
    if (owner != null) {
      ddl.session.put(AccessDef.ownedBy(schema.oid(), owner.oid()));
    }
  }

  private static GaussException exists(String name) {
    return new GaussException(
        SqlState.DUPLICATE_SCHEMA, "schema \"%s\" already exists".formatted(name));
  }

  private static void checkName(String name) {
    if (name.startsWith("pg_")) {
      throw new GaussException(
              SqlState.RESERVED_NAME, "unacceptable schema name \"%s\"".formatted(name))
          .detail("The prefix \"pg_\" is reserved for system schemas.");
    }
  }

  /** Relations store the name of their schema, so all of them are updated. */
  void rename(String name, String newName) {
    SchemaDef schema = ddl.view().schema(name);
    if (schema == null) {
      throw DdlContext.noSchema(name);
    }
    if (BUILT_IN.contains(name)) {
      throw GaussException.notSupported("renaming schema " + name);
    }
    ddl.requireOwner(schema.oid(), "schema", name);
    if (!ddl.session.access().isSuperuser(ddl.session.identity().current())) {
      throw Access.denied("database", DdlContext.DATABASE);
    }
    checkName(newName);
    ddl.lockName("", name);
    ddl.lockName("", newName);
    if (ddl.view().schemaExists(newName)) {
      throw exists(newName);
    }
    ddl.session.put(new SchemaDef(schema.oid(), newName));
    // Each is read again when it is locked: it may have been dropped or moved meanwhile. Tables
    // come
    // first, since who moves a table moves its sequences.
    for (TableDef table : tables(name)) {
      ddl.transaction().lockTable(table.oid(), TableLockMode.ACCESS_EXCLUSIVE);
      TableDef now = ddl.view().table(table.oid());
      if (now != null && now.schema().equals(name)) {
        move(now, newName);
      }
    }
    for (ViewDef view : views(name)) {
      ddl.transaction().lockTable(view.oid(), TableLockMode.ACCESS_EXCLUSIVE);
      ViewDef now = ddl.view().view(view.oid());
      if (now != null && now.schema().equals(name)) {
        ddl.session.put(now.withName(newName, now.name()));
      }
    }
    for (TypeDef type : types(name)) {
      ddl.session.lockAccess(type.oid());
      TypeDef now = ddl.view().typeDef(type.oid());
      if (now != null && now.schema().equals(name)) {
        ddl.session.put(now.withName(newName, now.name(), now.arrayName()));
      }
    }
    for (SequenceDef sequence : sequences(name)) {
      ddl.lockName(name, sequence.name());
      SequenceDef now = ddl.view().sequence(sequence.oid());
      if (now != null && now.schema().equals(name)) {
        ddl.session.put(now.withName(newName, now.name()));
      }
    }
  }

  private void move(TableDef table, String schema) {
    TableEdit edit = new TableEdit(table);
    edit.schema = schema;
    edit.columns.replaceAll(
        column ->
            column.sequenceOid() == 0 || column.identity() != 0
                ? column
                : column.withDefaultText(
                    SequenceDefiner.nextValueSql(
                        schema, ddl.view().sequence(column.sequenceOid()).name())));
    ddl.session.put(edit.build());
  }

  private List<TableDef> tables(String schema) {
    return ddl.view().tables().stream()
        .filter(table -> table.schema().equals(schema))
        .sorted(Comparator.comparingInt(TableDef::oid))
        .toList();
  }

  private List<ViewDef> views(String schema) {
    return ddl.view().views().stream()
        .filter(view -> view.schema().equals(schema))
        .sorted(Comparator.comparingInt(ViewDef::oid))
        .toList();
  }

  private List<SequenceDef> sequences(String schema) {
    return ddl.view().sequences().stream()
        .filter(sequence -> sequence.schema().equals(schema))
        .sorted(Comparator.comparingInt(SequenceDef::oid))
        .toList();
  }

  private List<TypeDef> types(String schema) {
    return ddl.view().typeDefs().stream()
        .filter(type -> type.schema().equals(schema))
        .sorted(Comparator.comparingInt(TypeDef::oid))
        .toList();
  }

  // ---------------------------------------------------------------- DROP

  void drop(DropSchema drop) {
    for (String name : drop.names()) {
      SchemaDef schema = ddl.view().schema(name);
      if (schema == null) {
        if (!drop.ifExists()) {
          throw DdlContext.noSchema(name);
        }
        ddl.notice("schema \"%s\" does not exist, skipping".formatted(name));
        continue;
      }
      if (BUILT_IN.contains(name)) {
        throw GaussException.notSupported("dropping schema " + name);
      }
      ddl.requireOwner(schema.oid(), "schema", name);
      ddl.lockName("", name);
      dropContent(name, drop.behavior());
      ddl.session.remove(schema.oid());
    }
  }

  private void dropContent(String schema, DropBehavior behavior) {
    List<TableDef> tables = tables(schema);
    List<SequenceDef> sequences =
        sequences(schema).stream().filter(sequence -> sequence.ownerTableOid() == 0).toList();
    TreeMap<Integer, String> byOid = new TreeMap<>();
    tables.forEach(t -> byOid.put(t.oid(), "table %s.%s".formatted(schema, t.name())));
    sequences.forEach(s -> byOid.put(s.oid(), "sequence %s.%s".formatted(schema, s.name())));
    Map<Integer, TypeDef> types = new TreeMap<>();
    types(schema).forEach(type -> types.put(type.oid(), type));
    types.values().forEach(t -> byOid.put(t.oid(), "type %s.%s".formatted(schema, t.name())));
    List<ViewDef> views = views(schema);
    views.forEach(v -> byOid.put(v.oid(), "view %s.%s".formatted(schema, v.name())));
    List<String> content = List.copyOf(byOid.values());
    if (content.isEmpty()) {
      return;
    }
    if (behavior != DropBehavior.CASCADE) {
      throw new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop schema %s because other objects depend on it".formatted(schema))
          .detail(
              String.join(
                  "\n", content.stream().map(o -> o + " depends on schema " + schema).toList()))
          .hint("Use DROP ... CASCADE to drop the dependent objects too.");
    }
    if (!views.isEmpty()) {
      List<Name> viewNames = views.stream().map(v -> new Name(schema, v.name(), 0)).toList();
      new ViewDefiner(ddl).drop(new DropView(viewNames, false, DropBehavior.CASCADE));
    }
    List<Name> names = tables.stream().map(table -> new Name(schema, table.name(), 0)).toList();
    if (!names.isEmpty()) {
      new TableDropper(ddl).drop(new DropTable(names, false, DropBehavior.CASCADE));
    }
    for (SequenceDef sequence : sequences) {
      ddl.lockName(schema, sequence.name());
      ddl.session.remove(sequence.oid());
    }
    types.keySet().forEach(oid -> ddl.transaction().lockTable(oid, TableLockMode.ACCESS_EXCLUSIVE));
    new TypeDropper(ddl).drop(types, DropBehavior.CASCADE);
    ddl.noticeCascade(content);
  }
}
