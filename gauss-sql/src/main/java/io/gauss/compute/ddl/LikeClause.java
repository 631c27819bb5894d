package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.ColumnReferences;
import io.gauss.compute.sql.parse.PgStatement.Like;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.txn.TableLockMode;
import java.util.Set;

/**
 * LIKE in CREATE TABLE: copies columns with NOT NULL, and the properties that INCLUDING names.
 * Afterwards the new table is independent of the other one.
 */
final class LikeClause {
  private final DdlContext ddl;
  private final Set<String> names;
  private final Like like;
  private final TableDef source;

  /**
   * @param names that the statement has generated for indexes and sequences so far
   */
  LikeClause(DdlContext ddl, Set<String> names, Like like) {
    this.ddl = ddl;
    this.names = names;
    this.like = like;
    this.source = find(like.table());
  }

  private TableDef find(Name name) {
    ddl.requireSchemaUsage(name);
    while (true) {
      CatalogObject found = ddl.view().relation(ddl.searchPath(), name.schema(), name.name());
      if (found == null) {
        if (ddl.isRelation(name)) {
          throw new GaussException(
                  SqlState.WRONG_OBJECT_TYPE,
                  "relation \"%s\" is invalid in LIKE clause".formatted(name.name()))
              .position(name.position());
        }
        throw DdlContext.noRelation(name);
      }
      TableDef table = found instanceof ViewDef view ? view.asTable() : (TableDef) found;
      ddl.session.access().requireTable(ddl.session.identity().current(), table, Privilege.SELECT);
      ddl.transaction().lockTable(table.oid(), TableLockMode.ACCESS_SHARE);
      if (ddl.view().object(table.oid()) == found) {
        return table;
      }
      // Changed while we waited for the lock: look again.
    }
  }

  void addColumns(TableEdit edit, TableDefiner definer) {
    ddl.keepTypes(source.columns().stream().map(ColumnDef::type).toList());
    for (ColumnDef column : source.columns()) {
      definer.checkNew(edit, column.name(), 0);
      int number = edit.columns.isEmpty() ? 1 : edit.columns.getLast().number() + 1;
      boolean isIdentity = column.identity() != 0;
      ColumnDef copy = ColumnDef.of(number, column.name(), column.type(), column.notNull());
      if (isIdentity && like.including().contains("identity")) {
        copy = identity(edit, column, copy);
      } else if (!isIdentity && like.including().contains("defaults")) {
        // The sequence of a serial column stays that of the other table.
        copy = copy.withDefault(kept(column.defaultSql()));
        copy = SequenceDefaults.bind(ddl, copy, edit.oid);
      }
      if (like.including().contains("generated")) {
        copy = copy.withGenerated(kept(column.generatedSql()));
      }
      edit.columns.add(copy);
    }
  }

  /** A text of the other table, whose types are now this one's, too. */
  private String kept(String text) {
    ddl.keepTypesIn(text);
    return text;
  }

  private ColumnDef identity(TableEdit edit, ColumnDef column, ColumnDef copy) {
    SequenceDef old = ddl.view().sequence(column.sequenceOid());
    String name = ddl.freeName(edit.schema, edit.name + "_" + column.name(), "seq", names);
    names.add(name);
    SequenceDef sequence =
        new SequenceDef(
            ddl.newOid(),
            edit.schema,
            name,
            old.start(),
            old.increment(),
            old.minValue(),
            old.maxValue(),
            old.cache(),
            old.cycle(),
            edit.oid,
            edit.columns.size());
    ddl.services().sequences().begin(sequence);
    ddl.session.put(sequence);
    return new ColumnDef(
        copy.number(),
        copy.name(),
        copy.type(),
        true,
        null,
        column.identity(),
        sequence.oid(),
        null,
        null);
  }

  void addConstraintsAndIndexes(TableEdit edit) {
    if (like.including().contains("constraints")) {
      for (CheckDef check : source.checks()) {
        Constraints.checkFree(edit, check.name());
        edit.checks.add(new CheckDef(ddl.newOid(), check.name(), kept(check.sql())));
      }
    }
    if (like.including().contains("indexes")) {
      if (!source.hasRowId()) {
        primaryKey(edit);
      }
      for (IndexDef index : source.indexes()) {
        index(edit, index);
      }
    }
  }

  private void primaryKey(TableEdit edit) {
    if (edit.primaryKey.length > 0) {
      throw new GaussException(
          SqlState.INVALID_TABLE_DEFINITION,
          "multiple primary keys for table \"%s\" are not allowed".formatted(edit.name));
    }
    edit.primaryKey = positions(edit, source.primaryKey());
    edit.primaryKeyName = freeName(edit, edit.name, "pkey");
  }

  private void index(TableEdit edit, IndexDef index) {
    String name =
        freeName(
            edit,
            IndexNaming.baseName(edit.name, IndexNaming.columns(source, index)),
            index.constraint() ? "key" : "idx");
    IndexDef moved =
        index
            .withColumns(positions(edit, index.columns()), positions(edit, index.included()))
            .withTexts(text -> ColumnReferences.rename(text, column -> column));
    edit.indexes.add(
        new IndexDef(
            ddl.newOid(),
            name,
            ddl.session.createTree(),
            moved.columns(),
            moved.expressions(),
            moved.included(),
            index.descending(),
            index.nullsFirst(),
            index.unique(),
            index.constraint(),
            index.deferral(),
            kept(moved.predicate())));
  }

  private String freeName(TableEdit edit, String base, String suffix) {
    String name = ddl.freeName(edit.schema, base, suffix, names);
    names.add(name);
    return name;
  }

  private int[] positions(TableEdit edit, int[] columns) {
    int[] positions = columns.clone();
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] < 0) {
        continue; // an expression
      }
      String name = source.columns().get(columns[i]).name();
      for (int c = 0; c < edit.columns.size(); c++) {
        if (edit.columns.get(c).name().equals(name)) {
          positions[i] = c;
        }
      }
    }
    return positions;
  }
}
