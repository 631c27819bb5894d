package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.parse.PgStatement.AlterConstraint;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropConstraint;
import java.util.List;
import java.util.Set;

/** ALTER TABLE: constraints. */
final class ConstraintAlterer {
  private final DdlContext ddl;
  private final TableChange change;
  private final TableEdit edit;

  ConstraintAlterer(TableChange change) {
    this.ddl = change.ddl;
    this.change = change;
    this.edit = change.edit;
  }

  // ---------------------------------------------------------------- adding

  void add(ConstraintSpec spec) {
    if (spec.notValid()) {
      throw GaussException.notSupported("NOT VALID");
    }
    if (spec.name() != null) {
      Constraints.checkFree(edit, spec.name());
    }
    switch (spec.kind()) {
      case PRIMARY_KEY -> primaryKey(spec);
      case UNIQUE -> unique(spec);
      case CHECK -> check(spec);
      case FOREIGN_KEY -> change.addForeignKey(spec);
      case EXCLUDE -> throw GaussException.notSupported("an EXCLUDE constraint");
    }
  }

  private void primaryKey(ConstraintSpec spec) {
    Constraints.refuse(spec);
    StorageParameters.check(spec.options());
    for (String column : spec.columns()) {
      if (change.find(column) < 0) {
        throw ColumnAlterer.missing(column, edit.name);
      }
    }
    int[] columns = Constraints.columns(edit, spec);
    if (edit.primaryKey.length > 0) {
      throw new GaussException(
              SqlState.INVALID_TABLE_DEFINITION,
              "multiple primary keys for table \"%s\" are not allowed".formatted(edit.name))
          .position(spec.position());
    }
    String name = indexName(spec, edit.name, "pkey");
    for (int column : columns) {
      change.setNotNull(column);
    }
    edit.primaryKey = columns;
    edit.primaryKeyName = name;
    change.rewrite();
  }

  private void unique(ConstraintSpec spec) {
    Constraints.refuse(spec);
    StorageParameters.check(spec.options());
    int[] columns = Constraints.columns(edit, spec);
    change.addIndex(
        IndexDef.ofConstraint(
            ddl.newOid(),
            indexName(spec, Constraints.baseName(edit, columns), "key"),
            ddl.session.createTree(),
            columns,
            spec.deferral()));
  }

  /** The name of a constraint with an index, which must also be free among relations. */
  private String indexName(ConstraintSpec spec, String base, String suffix) {
    ddl.requireCreate(edit.schema);
    String name =
        spec.name() != null
            ? spec.name()
            : ddl.freeName(edit.schema, base, suffix, Constraints.names(edit));
    ddl.lockName(edit.schema, name);
    ddl.checkFree(edit.schema, name);
    return name;
  }

  private void check(ConstraintSpec spec) {
    String name = spec.name();
    if (name == null) {
      String base =
          spec.columns().size() == 1 ? edit.name + "_" + spec.columns().get(0) : edit.name;
      name = ddl.freeName(edit.schema, base, "check", Constraints.names(edit));
    }
    change.addCheck(new CheckDef(ddl.newOid(), name, ddl.stored(spec.checkSql())));
  }

  // ---------------------------------------------------------------- dropping

  void drop(DropConstraint drop) {
    String name = drop.constraint();
    edit.foreignKeys.stream()
        .filter(key -> key.name().equals(name))
        .map(key -> ddl.view().table(key.referencedTableOid()))
        .forEach(parent -> ddl.requireUnused(parent, "ALTER TABLE"));
    if (edit.foreignKeys.removeIf(key -> key.name().equals(name))
        || edit.checks.removeIf(check -> check.name().equals(name))) {
      return;
    }
    IndexDef index = IndexDefiner.find(edit.indexes, name);
    if (index != null && index.constraint()) {
      dropReferences(List.of(index.oid()), "constraint " + name, "index " + name, drop.behavior());
      change.removeIndex(index);
      return;
    }
    if (name.equals(edit.primaryKeyName)) {
      dropReferences(List.of(0), "constraint " + name, "index " + name, drop.behavior());
      dropPrimaryKey();
      return;
    }
    if (drop.ifExists()) {
      ddl.notice(
          "constraint \"%s\" of relation \"%s\" does not exist, skipping"
              .formatted(name, edit.name));
      return;
    }
    throw missing(name);
  }

  private GaussException missing(String name) {
    return new GaussException(
        SqlState.UNDEFINED_OBJECT,
        "constraint \"%s\" of relation \"%s\" does not exist".formatted(name, edit.name));
  }

  /** The columns stay NOT NULL, as in PostgreSQL. */
  void dropPrimaryKey() {
    edit.primaryKey = new int[0];
    edit.primaryKeyName = null;
    change.rewrite();
  }

  /**
   * Drops the foreign keys that refer to some unique keys of the table, or fails.
   *
   * @param indexOids the keys' indexes, 0 for the primary key
   * @param dropped the dropped object, as messages name it
   * @param needed the part of it that the foreign keys need, as messages name it
   */
  void dropReferences(
      List<Integer> indexOids, String dropped, String needed, DropBehavior behavior) {
    List<ForeignKeyDef> keys =
        ddl.view().table(edit.oid).referencedBy().stream()
            .filter(key -> indexOids.contains(key.referencedIndexOid()))
            .filter(
                key ->
                    key.tableOid() != edit.oid
                        || edit.foreignKeys.stream().anyMatch(own -> own.oid() == key.oid()))
            .toList();
    if (keys.isEmpty()) {
      return;
    }
    new ForeignKeyDropper(ddl)
        .drop(keys, "%s on table %s".formatted(dropped, edit.name), needed, behavior);
    Set<Integer> oids =
        keys.stream().map(ForeignKeyDef::oid).collect(java.util.stream.Collectors.toSet());
    edit.foreignKeys.removeIf(key -> oids.contains(key.oid()));
  }

  // ---------------------------------------------------------------- changing

  void alter(AlterConstraint alter) {
    String name = alter.constraint();
    for (int i = 0; i < edit.foreignKeys.size(); i++) {
      ForeignKeyDef key = edit.foreignKeys.get(i);
      if (key.name().equals(name)) {
        edit.foreignKeys.set(i, key.withDeferral(alter.deferral()));
        return;
      }
    }
    if (Constraints.names(edit).contains(name)) {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE,
          "constraint \"%s\" of relation \"%s\" is not a foreign key constraint"
              .formatted(name, edit.name));
    }
    throw missing(name);
  }

  // ---------------------------------------------------------------- validating

  /** All constraints are valid: they are checked when they are added. */
  void validate(String name) {
    boolean validated =
        edit.checks.stream().anyMatch(check -> check.name().equals(name))
            || edit.foreignKeys.stream().anyMatch(key -> key.name().equals(name));
    if (validated) {
      return;
    }
    if (Constraints.names(edit).contains(name)) {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE,
          "constraint \"%s\" of relation \"%s\" is not a foreign key or check constraint"
              .formatted(name, edit.name));
    }
    throw missing(name);
  }
}
