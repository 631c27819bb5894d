package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.exec.ForeignKeyCheck;
import io.gauss.compute.sql.parse.PgStatement.AddConstraint;
import io.gauss.compute.sql.parse.PgStatement.AlterAction;
import io.gauss.compute.sql.parse.PgStatement.AlterTable;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropConstraint;
import io.gauss.compute.sql.parse.PgStatement.RenameTable;
import io.gauss.compute.txn.TableLockMode;
import java.util.Set;

/**
 * ALTER TABLE: adding and dropping UNIQUE and FOREIGN KEY constraints, renaming. The rest is
 * refused.
 */
final class TableAlterer {
  private final DdlContext ddl;

  TableAlterer(DdlContext ddl) {
    this.ddl = ddl;
  }

  void alter(AlterTable statement) {
    TableDef table = ddl.findTable(statement.name(), TableLockMode.ACCESS_EXCLUSIVE);
    if (table == null) {
      if (statement.ifExists()) {
        ddl.notice("relation \"%s\" does not exist, skipping".formatted(statement.name().name()));
        return;
      }
      throw DdlContext.noRelation(statement.name());
    }
    for (AlterAction action : statement.actions()) {
      TableDef current = ddl.view().table(table.oid());
      switch (action) {
        case AddConstraint add -> addConstraint(current, add.constraint());
        case DropConstraint drop -> dropConstraint(current, drop);
        case RenameTable rename -> rename(current, rename.newName());
        default ->
            throw GaussException.notSupported(
                "ALTER TABLE with this action ("
                    + action.getClass().getSimpleName().replaceAll("([a-z])([A-Z])", "$1 $2")
                    + ")");
      }
    }
  }

  private void addConstraint(TableDef table, ConstraintSpec spec) {
    if (spec.name() != null) {
      Constraints.checkFree(table, spec.name());
    }
    switch (spec.kind()) {
      case FOREIGN_KEY -> {
        ForeignKeyDef key =
            new ForeignKeyDefiner(ddl).add(table.oid(), spec, constraintNames(table));
        ForeignKeyCheck.validate(ddl.exec, ddl.session.open(table.oid()), key);
      }
      case UNIQUE -> {
        Constraints.refuse(spec);
        int[] columns = Constraints.columns(new TableEdit(table), spec);
        String name =
            spec.name() != null
                ? spec.name()
                : ddl.freeName(
                    table.schema(), IndexDefiner.baseName(table, columns), "key", Set.of());
        ddl.lockName(table.schema(), name);
        ddl.checkFree(table.schema(), name);
        new IndexDefiner(ddl)
            .add(
                table,
                new IndexDef(
                    ddl.newOid(),
                    name,
                    ddl.session.createTree(),
                    columns,
                    new boolean[columns.length],
                    new boolean[columns.length],
                    true,
                    true));
      }
      case PRIMARY_KEY -> {
        if (!table.hasRowId()) {
          throw new GaussException(
              SqlState.INVALID_TABLE_DEFINITION,
              "multiple primary keys for table \"%s\" are not allowed".formatted(table.name()));
        }
        throw GaussException.notSupported("ALTER TABLE ... ADD PRIMARY KEY")
            .hint("Declare the primary key in CREATE TABLE.");
      }
      case CHECK -> throw GaussException.notSupported("ALTER TABLE ... ADD CHECK");
      case EXCLUDE -> throw GaussException.notSupported("an EXCLUDE constraint");
    }
  }

  private static Set<String> constraintNames(TableDef table) {
    Set<String> names = new java.util.HashSet<>();
    table.foreignKeys().forEach(key -> names.add(key.name()));
    table.checks().forEach(check -> names.add(check.name()));
    return names;
  }

  private void dropConstraint(TableDef table, DropConstraint drop) {
    String name = drop.constraint();
    TableEdit edit = new TableEdit(table);
    if (edit.foreignKeys.removeIf(key -> key.name().equals(name))
        || edit.checks.removeIf(check -> check.name().equals(name))) {
      ddl.session.put(edit.build());
      return;
    }
    IndexDef index = IndexDefiner.find(table.indexes(), name);
    if (index != null && index.constraint()) {
      for (ForeignKeyDef key : table.referencedBy()) {
        if (key.referencedIndexOid() == index.oid()) {
          throw stillReferenced(table, name, key, drop.behavior());
        }
      }
      new IndexDefiner(ddl).drop(table, index);
      return;
    }
    if (name.equals(table.primaryKeyName())) {
      throw GaussException.notSupported("dropping a primary key");
    }
    if (drop.ifExists()) {
      ddl.notice(
          "constraint \"%s\" of relation \"%s\" does not exist, skipping"
              .formatted(name, table.name()));
      return;
    }
    throw new GaussException(
        SqlState.UNDEFINED_OBJECT,
        "constraint \"%s\" of relation \"%s\" does not exist".formatted(name, table.name()));
  }

  private static GaussException stillReferenced(
      TableDef table, String name, ForeignKeyDef key, DropBehavior behavior) {
    if (behavior == DropBehavior.CASCADE) {
      return GaussException.notSupported("DROP CONSTRAINT ... CASCADE");
    }
    return new GaussException(
            SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
            "cannot drop constraint %s on table %s because other objects depend on it"
                .formatted(name, table.name()))
        .detail("constraint %s depends on index %s".formatted(key.name(), name))
        .hint("Drop that constraint first.");
  }

  private void rename(TableDef table, String newName) {
    ddl.lockName(table.schema(), newName);
    ddl.checkFree(table.schema(), newName);
    TableEdit edit = new TableEdit(table);
    edit.name = newName;
    ddl.session.put(edit.build());
  }
}
