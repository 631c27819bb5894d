package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.parse.ColumnReferences;
import io.gauss.compute.sql.parse.PgStatement.AlterIndex;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.txn.TableLockMode;
import java.util.function.UnaryOperator;

/**
 * Changes names and schemas of relations, columns and constraints. Rows are not touched: everything
 * else refers to relations by oid and to columns by position, except the texts of CHECKs and the
 * displayed defaults of serial columns, which are changed here.
 */
final class RelationRenamer {
  private final DdlContext ddl;

  RelationRenamer(DdlContext ddl) {
    this.ddl = ddl;
  }

  // ---------------------------------------------------------------- tables

  void table(TableDef table, String newName) {
    ddl.requireCreate(table.schema());
    take(table.schema(), newName);
    new TypeNaming(ddl).checkFreeForRenamed(table.schema(), newName);
    TableEdit edit = new TableEdit(table);
    edit.name = newName;
    renameInExpressions(edit, UnaryOperator.identity());
    ddl.session.put(edit.build());
  }

  private void take(String schema, String newName) {
    ddl.lockName(schema, newName);
    ddl.checkFree(schema, newName);
  }

  private static void renameInExpressions(TableEdit edit, UnaryOperator<String> newName) {
    edit.checks.replaceAll(
        check ->
            new CheckDef(check.oid(), check.name(), ColumnReferences.rename(check.sql(), newName)));
    edit.columns.replaceAll(
        column ->
            column.isGenerated()
                ? column.withGenerated(ColumnReferences.rename(column.generatedSql(), newName))
                : column);
    edit.indexes.replaceAll(
        index -> index.withTexts(text -> ColumnReferences.rename(text, newName)));
    edit.statistics = edit.statistics.withTexts(text -> ColumnReferences.rename(text, newName));
  }

  /** Moves a table with its indexes and the sequences that its columns own. */
  void schema(TableDef table, String schema) {
    ddl.creationSchema(new Name(schema, table.name(), 0));
    if (schema.equals(table.schema())) {
      return;
    }
    moveName(schema, table.name());
    new TypeNaming(ddl).checkFreeForMoved(schema, table.name());
    table.indexes().forEach(index -> moveName(schema, index.name()));
    if (!table.hasRowId()) {
      moveName(schema, table.primaryKeyName());
    }
    for (SequenceDef sequence : ddl.lockOwned(table.oid())) {
      moveName(schema, sequence.name());
      move(sequence, schema, sequence.name());
    }
    TableEdit edit = new TableEdit(ddl.view().table(table.oid()));
    edit.schema = schema;
    ddl.session.put(edit.build());
  }

  private void moveName(String schema, String name) {
    ddl.lockName(schema, name);
    if (ddl.view().relationExists(schema, name)) {
      throw new GaussException(
          SqlState.DUPLICATE_TABLE,
          "relation \"%s\" already exists in schema \"%s\"".formatted(name, schema));
    }
  }

  // ---------------------------------------------------------------- columns, constraints

  void column(TableDef table, String column, String newName) {
    int position = table.columnIndex(column);
    if (position < 0) {
      throw new GaussException(
          SqlState.UNDEFINED_COLUMN, "column \"%s\" does not exist".formatted(column));
    }
    if (table.columnIndex(newName) >= 0) {
      throw ColumnAlterer.duplicate(newName, table.name());
    }
    TableEdit edit = new TableEdit(table);
    edit.columns.set(position, edit.columns.get(position).withName(newName));
    renameInExpressions(edit, name -> name.equals(column) ? newName : name);
    ddl.session.put(edit.build());
  }

  void constraint(TableDef table, String constraint, String newName) {
    TableEdit edit = new TableEdit(table);
    if (!Constraints.names(edit).contains(constraint)) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT,
          "constraint \"%s\" for table \"%s\" does not exist".formatted(constraint, table.name()));
    }
    if (renameIndex(edit, constraint, newName)) {
      return;
    }
    Constraints.checkFree(edit, newName);
    edit.checks.replaceAll(
        check ->
            check.name().equals(constraint)
                ? new CheckDef(check.oid(), newName, check.sql())
                : check);
    edit.foreignKeys.replaceAll(key -> key.name().equals(constraint) ? key.withName(newName) : key);
    ddl.session.put(edit.build());
  }

  // ---------------------------------------------------------------- indexes

  void index(AlterIndex statement) {
    Name name = statement.name();
    TableDef found = ddl.view().tableOfIndex(ddl.searchPath(), name.schema(), name.name());
    if (found == null) {
      if (ddl.view().table(ddl.searchPath(), name.schema(), name.name()) != null
          || ddl.sequence(name) != null) {
        throw new GaussException(
            SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not an index".formatted(name.name()));
      }
      if (statement.ifExists()) {
        ddl.notice("relation \"%s\" does not exist, skipping".formatted(name.name()));
        return;
      }
      throw DdlContext.noRelation(name);
    }
    ddl.requireOwner(found.oid(), "index", name.name());
    if (statement.newName() == null) {
      if (!StorageParameters.isFillFactor(statement.otherText())) {
        throw GaussException.notSupported("ALTER INDEX ... " + statement.otherText());
      }
      return;
    }
    ddl.requireCreate(found.schema());
    ddl.transaction().lockTable(found.oid(), TableLockMode.ACCESS_EXCLUSIVE);
    TableDef table = ddl.view().table(found.oid());
    if (table == null || !renameIndex(new TableEdit(table), name.name(), statement.newName())) {
      throw DdlContext.noRelation(name); // dropped or renamed while we waited for the lock
    }
  }

  private boolean renameIndex(TableEdit edit, String name, String newName) {
    IndexDef index = IndexDefiner.find(edit.indexes, name);
    if (index == null && !name.equals(edit.primaryKeyName)) {
      return false;
    }
    take(edit.schema, newName);
    if (index == null) {
      edit.primaryKeyName = newName;
    } else {
      edit.indexes.set(edit.indexes.indexOf(index), index.withName(newName));
    }
    ddl.session.put(edit.build());
    return true;
  }

  // ---------------------------------------------------------------- sequences

  /** The sequence's name is locked. */
  void sequence(SequenceDef sequence, String newName) {
    ddl.requireCreate(sequence.schema());
    take(sequence.schema(), newName);
    move(sequence, sequence.schema(), newName);
  }

  void sequenceSchema(SequenceDef sequence, String schema) {
    if (sequence.ownerTableOid() != 0) {
      TableDef table = ddl.view().table(sequence.ownerTableOid());
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED, "cannot move an owned sequence into another schema")
          .detail(
              "Sequence \"%s\" is linked to table \"%s\"."
                  .formatted(sequence.name(), table.name()));
    }
    ddl.creationSchema(new Name(schema, sequence.name(), 0));
    if (!schema.equals(sequence.schema())) {
      moveName(schema, sequence.name());
      move(sequence, schema, sequence.name());
    }
  }

  /** Renames a sequence, and updates the defaults that show its name. */
  private void move(SequenceDef sequence, String schema, String name) {
    ddl.session.put(sequence.withName(schema, name));
    for (TableDef user : SequenceDefaults.users(ddl, sequence)) {
      ddl.transaction().lockTable(user.oid(), TableLockMode.ACCESS_EXCLUSIVE);
      TableDef now = ddl.view().table(user.oid());
      if (now == null) {
        continue; // dropped while we waited for the lock
      }
      TableEdit edit = new TableEdit(now);
      for (int i = 0; i < edit.columns.size(); i++) {
        ColumnDef column = edit.columns.get(i);
        if (column.sequenceOid() == sequence.oid() && column.identity() == 0) {
          edit.columns.set(i, column.withDefaultText(SequenceDefiner.nextValueSql(schema, name)));
        }
      }
      ddl.session.put(edit.build());
    }
  }
}
