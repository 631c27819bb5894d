package io.gauss.compute.sql.exec.dml;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.page.TreePage;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.exec.table.TableKeys;
import io.gauss.compute.sql.exec.table.UpdateTargets;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowRun;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;
import java.util.Arrays;
import java.util.List;

/**
 * Writes rows of one table with its indexes and checks its constraints. Belongs to one execution;
 * holds its buffers.
 *
 * <p>Order within a row: NOT NULL and CHECK, the clustered tree, the indexes in order of definition
 * (each unique index decides about its key), then foreign keys, which are checked only once the row
 * and all its index entries exist (see {@link ForeignKeys}).
 *
 * <p>Rows are row 0 of batches in table order.
 */
public final class TableWriter {
  private static final int[] NONE = {};

  private final ExecContext ctx;
  private final ForeignKeys foreignKeys;
  private final TableHandle table;
  private final TableDef def;
  private final TableKeys keys;
  private final ByteSink key = new ByteSink(64);
  private final ByteSink newKey = new ByteSink(64);
  private final ByteSink rowBytes = new ByteSink(256);
  private final ByteSink entryKey = new ByteSink(64);
  private final ByteSink newEntryKey = new ByteSink(64);
  private final RowVersion entry = new RowVersion();
  private final RowVersion conflict = new RowVersion();
  private final Value value = new Value();
  private final int[] deferrableKeys;
  private int conflictIndex;

  /** {@link #conflictIndex} when the conflict is in the primary key. */
  static final int PRIMARY = -1;

  TableWriter(ExecContext ctx, TableHandle table, ForeignKeys foreignKeys) {
    this.ctx = ctx;
    this.table = table;
    this.foreignKeys = foreignKeys;
    this.def = table.def();
    this.keys = new TableKeys(table, ctx.eval);
    this.deferrableKeys = deferrableKeys(def.indexes());
  }

  private static int[] deferrableKeys(List<IndexDef> indexes) {
    int[] found = NONE;
    for (int i = 0; i < indexes.size(); i++) {
      if (indexes.get(i).deferral().isDeferrable()) {
        found = Arrays.copyOf(found, found.length + 1);
        found[found.length - 1] = i;
      }
    }
    return found;
  }

  /** Positions of the indexes of deferrable constraints. */
  int[] deferrableKeys() {
    return deferrableKeys;
  }

  /** Whether rows that are inserted are to be reported to the statement's foreign keys. */
  boolean reportsInserted() {
    return deferrableKeys.length > 0 || !def.foreignKeys().isEmpty();
  }

  TableHandle table() {
    return table;
  }

  TableKeys keys() {
    return keys;
  }

  /** Decodes all columns of a stored row into row 0. */
  void decode(RowVersion version, RowBatch into) {
    decode(version.row, 0, version.rowLength, into);
  }

  /** Decodes all columns of a row's bytes into row 0. */
  void decode(byte[] bytes, int offset, int length, RowBatch into) {
    into.clear();
    table.rowCodec().decode(bytes, offset, length, table.allColumns(), into.columns, 0, value);
    into.size = 1;
  }

  /** Computes generated columns, then checks NOT NULL, then CHECK, as PostgreSQL does. */
  void checkRow(RowBatch row) {
    table.generate(ctx.eval, row, value);
    List<TableDef.ColumnDef> columns = def.columns();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).notNull() && row.columns[i].nulls[0]) {
        throw ConstraintErrors.notNull(ctx, def, i, row);
      }
    }
    if (def.checks().isEmpty()) {
      return;
    }
    Expr[] checks = table.expressions().checks();
    for (int i = 0; i < checks.length; i++) {
      Value result = ctx.eval.acquire();
      checks[i].eval(ctx.eval, row, 0, result);
      boolean violated = !result.isNull && result.l == 0;
      ctx.eval.release();
      if (violated) {
        throw ConstraintErrors.check(ctx, def, def.checks().get(i), row);
      }
    }
  }

  /** Inserts a checked row; a duplicate key is an error. */
  void insert(RowBatch row) {
    if (!tryInsert(row)) {
      throw duplicate(row);
    }
    foreignKeys.inserted(this, row);
  }

  /**
   * Inserts a checked row into all trees, without foreign key checks. When it returns false, a
   * unique key is taken: {@link #conflictIndex} tells which, and {@link #conflict} holds the live
   * row or entry. Trees written before that one keep the writes, and the caller undoes them.
   */
  boolean tryInsert(RowBatch row) {
    encode(row);
    conflictIndex = PRIMARY;
    if (insertInto(table.rows(), key, rowBytes) == Outcome.DUPLICATE) {
      return false;
    }
    for (int i = 0; i < def.indexes().size(); i++) {
      if (!table.isIn(i, ctx.eval, row, 0)) {
        continue;
      }
      entryKey.clear();
      boolean unique = keys.indexKey(i, row, 0, key.array, key.length, entryKey);
      if (!insertEntry(i, entryKey, key, unique)) {
        return false;
      }
    }
    return true;
  }

  /** Encodes key and bytes of a new row. */
  private void encode(RowBatch row) {
    key.clear();
    if (def.hasRowId()) {
      key.putLong(table.nextRowId());
    } else {
      keys.primaryKey(row, 0, key);
      checkKeyLength(key.length, def.primaryKeyName());
    }
    rowBytes.clear();
    table.rowCodec().encode(row.columns, 0, value, rowBytes);
  }

  /**
   * Adds a checked row to those that {@link #insert(RowRun, RowRun[])} inserts together.
   *
   * @param entries one run for each index, to which the rows that belong in the index are added;
   *     when this fails, not all of them have the row's entry
   * @throws GaussException 54000 when a key is too long
   */
  void encode(RowBatch row, RowRun rows, RowRun[] entries) {
    encode(row);
    for (int i = 0; i < entries.length; i++) {
      if (!table.isIn(i, ctx.eval, row, 0)) {
        continue;
      }
      entryKey.clear();
      keys.indexKey(i, row, 0, key.array, key.length, entryKey);
      checkKeyLength(entryKey.length, def.indexes().get(i).name());
      entries[i].add(entryKey.array, 0, entryKey.length, key.array, 0, key.length);
    }
    rows.add(key.array, 0, key.length, rowBytes.array, 0, rowBytes.length);
  }

  /**
   * Inserts rows and their index entries, without foreign key checks; false when a unique key is
   * taken: then the caller undoes the writes.
   */
  boolean insert(RowRun rows, RowRun[] entries) {
    if (!table.rows().insert(ctx.transaction, rows)) {
      return false;
    }
    for (int i = 0; i < entries.length; i++) {
      if (!table.index(i).insert(ctx.transaction, entries[i])) {
        return false;
      }
    }
    return true;
  }

  private Outcome insertInto(VersionedTree tree, ByteSink at, ByteSink bytes) {
    return tree.insert(
        ctx.transaction, at.array, 0, at.length, bytes.array, 0, bytes.length, conflict);
  }

  private boolean insertEntry(int index, ByteSink at, ByteSink primaryKey, boolean unique) {
    checkKeyLength(at.length, def.indexes().get(index).name());
    if (insertInto(table.index(index), at, primaryKey) != Outcome.DUPLICATE) {
      return true;
    }
    if (!unique) {
      throw new IllegalStateException(
          "index " + def.indexes().get(index).name() + " has an entry of a row that is not there");
    }
    conflictIndex = index;
    return false;
  }

  public static void checkKeyLength(int length, String name) {
    if (length > TreePage.MAX_KEY_BYTES) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "index row size "
              + length
              + " exceeds maximum "
              + TreePage.MAX_KEY_BYTES
              + " for index \""
              + name
              + "\"");
    }
  }

  /** Which unique key {@link #tryInsert} found taken: {@link #PRIMARY} or an index's position. */
  int conflictIndex() {
    return conflictIndex;
  }

  /** Copies the clustering key of the conflicting row. */
  void conflictKey(ByteSink out) {
    out.clear();
    if (conflictIndex == PRIMARY) {
      out.putBytes(conflict.key, 0, conflict.keyLength);
    } else {
      out.putBytes(conflict.row, 0, conflict.rowLength);
    }
  }

  /** The error for the key that {@link #tryInsert} found taken. */
  GaussException duplicate(RowBatch row) {
    if (conflictIndex == PRIMARY) {
      return ConstraintErrors.primaryKey(ctx, def, row);
    }
    return ConstraintErrors.unique(ctx, table, conflictIndex, row);
  }

  /**
   * Finds the live row that has the row's key in a unique index, waiting for a transaction that is
   * inserting or deleting it.
   *
   * @return false when there is none, or the key has a NULL; else as after {@link #tryInsert}
   */
  boolean findConflict(int index, RowBatch row) {
    entryKey.clear();
    if (!table.isIn(index, ctx.eval, row, 0)
        || !keys.indexKey(index, row, 0, key.array, 0, entryKey)) {
      return false;
    }
    conflictIndex = index;
    return findExactly(table.index(index), entryKey, conflict);
  }

  private boolean findExactly(VersionedTree tree, ByteSink at, RowVersion out) {
    return tree.findNewest(ctx.transaction, at.array, at.length, true, at.array, at.length, out)
        == Outcome.OK;
  }

  /**
   * Replaces a row. The new row has been checked.
   *
   * @param version of the old row, from readNewest
   * @param targets the indexes and foreign keys that the changed columns affect
   * @return OK or STALE; nothing has been written when stale
   */
  Outcome update(RowVersion version, RowBatch oldRow, RowBatch newRow, UpdateTargets targets) {
    rowBytes.clear();
    table.rowCodec().encode(newRow.columns, 0, value, rowBytes);
    key.clear();
    key.putBytes(version.key, 0, version.keyLength);
    boolean keyChanged = false;
    if (targets.primaryKey()) {
      newKey.clear();
      keys.primaryKey(newRow, 0, newKey);
      keyChanged = !equal(key, newKey);
    }
    if (!keyChanged) {
      Outcome outcome =
          table.rows().update(ctx.transaction, version, rowBytes.array, 0, rowBytes.length);
      if (outcome != Outcome.OK) {
        return outcome;
      }
      for (int index : targets.indexes()) {
        moveEntry(index, oldRow, newRow, key);
      }
    } else {
      checkKeyLength(newKey.length, def.primaryKeyName());
      Outcome outcome = table.rows().move(ctx.transaction, version, newKey.array, newKey.length);
      if (outcome != Outcome.OK) {
        return outcome;
      }
      conflictIndex = PRIMARY;
      if (insertInto(table.rows(), newKey, rowBytes) == Outcome.DUPLICATE) {
        throw duplicate(newRow);
      }
      for (int i = 0; i < def.indexes().size(); i++) {
        moveEntry(i, oldRow, newRow, newKey);
      }
    }
    for (int index : deferrableKeys) {
      if (keyChanged || isAmong(index, targets.indexes())) {
        foreignKeys.keyWritten(this, index, newRow);
      }
    }
    if (targets.foreignKeys()) {
      foreignKeys.updated(this, oldRow, newRow, targets);
    }
    return Outcome.OK;
  }

  private static boolean isAmong(int wanted, int[] numbers) {
    for (int number : numbers) {
      if (number == wanted) {
        return true;
      }
    }
    return false;
  }

  private static boolean equal(ByteSink a, ByteSink b) {
    return Arrays.equals(a.array, 0, a.length, b.array, 0, b.length);
  }

  /** Updates an index for a changed row whose old clustering key is {@link #key}. */
  private void moveEntry(int index, RowBatch oldRow, RowBatch newRow, ByteSink newPrimaryKey) {
    boolean was = table.isIn(index, ctx.eval, oldRow, 0);
    boolean is = table.isIn(index, ctx.eval, newRow, 0);
    // An expression may fail for a row that is not in the index.
    entryKey.clear();
    if (was) {
      keys.indexKey(index, oldRow, 0, key.array, key.length, entryKey);
    }
    newEntryKey.clear();
    boolean unique =
        is
            && keys.indexKey(
                index, newRow, 0, newPrimaryKey.array, newPrimaryKey.length, newEntryKey);
    if (!was || !is) {
      if (was) {
        deleteEntry(index);
      } else if (is && !insertEntry(index, newEntryKey, newPrimaryKey, unique)) {
        throw duplicate(newRow);
      }
      return;
    }
    if (equal(entryKey, newEntryKey)) {
      if (!equal(key, newPrimaryKey)) {
        repointEntry(index, newPrimaryKey);
      }
      return;
    }
    deleteEntry(index);
    if (!insertEntry(index, newEntryKey, newPrimaryKey, unique)) {
      throw duplicate(newRow);
    }
  }

  private void repointEntry(int index, ByteSink newPrimaryKey) {
    VersionedTree tree = table.index(index);
    do {
      findEntry(index);
    } while (tree.update(ctx.transaction, entry, newPrimaryKey.array, 0, newPrimaryKey.length)
        != Outcome.OK);
  }

  /**
   * Deletes the entry at {@link #entryKey}. This transaction holds the row, so no other one writes
   * its entries.
   */
  private void deleteEntry(int index) {
    VersionedTree tree = table.index(index);
    do {
      findEntry(index);
    } while (tree.delete(ctx.transaction, entry) != Outcome.OK);
  }

  private void findEntry(int index) {
    if (!findExactly(table.index(index), entryKey, entry)) {
      throw new IllegalStateException(
          "index " + def.indexes().get(index).name() + " lacks an entry of a row that is there");
    }
  }

  /**
   * Deletes a row.
   *
   * @return OK or STALE; nothing has been written when stale
   */
  Outcome delete(RowVersion version, RowBatch oldRow) {
    Outcome outcome = table.rows().delete(ctx.transaction, version);
    if (outcome != Outcome.OK) {
      return outcome;
    }
    for (int i = 0; i < def.indexes().size(); i++) {
      if (!table.isIn(i, ctx.eval, oldRow, 0)) {
        continue;
      }
      entryKey.clear();
      keys.indexKey(i, oldRow, 0, version.key, version.keyLength, entryKey);
      deleteEntry(i);
    }
    if (!def.referencedBy().isEmpty()) {
      foreignKeys.deleted(this, oldRow);
    }
    return Outcome.OK;
  }

  /** Whether a row is in an index with the key of another one. */
  boolean sameKey(int index, RowBatch a, RowBatch b) {
    if (!table.isIn(index, ctx.eval, a, 0)) {
      return false;
    }
    entryKey.clear();
    keys.indexColumns(index, a, 0, entryKey);
    newEntryKey.clear();
    keys.indexColumns(index, b, 0, newEntryKey);
    return equal(entryKey, newEntryKey);
  }

  /** Whether two rows agree in some columns, NULL being equal to NULL. */
  boolean sameValues(int[] columns, RowBatch a, RowBatch b) {
    for (int column : columns) {
      if (a.columns[column].nulls[0] || b.columns[column].nulls[0]) {
        if (a.columns[column].nulls[0] != b.columns[column].nulls[0]) {
          return false;
        }
        continue;
      }
      entryKey.clear();
      newEntryKey.clear();
      a.columns[column].get(0, value);
      table.columnCodec(column).encodeColumn(0, value, entryKey);
      b.columns[column].get(0, value);
      table.columnCodec(column).encodeColumn(0, value, newEntryKey);
      if (!equal(entryKey, newEntryKey)) {
        return false;
      }
    }
    return true;
  }
}
