package io.gauss.compute.sql.exec.build;

import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.dml.ConstraintErrors;
import io.gauss.compute.sql.exec.dml.TableWriter;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.scan.TableRows;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.RecordSorter;
import io.gauss.compute.sql.exec.table.TableAccess;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.exec.table.TableKeys;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * Fills a table's new tree from its old rows, for changes of the clustering key and of columns. The
 * old tree stays unchanged until the transaction commits, so undo and purge never encounter a row
 * whose layout is not that of its tree.
 *
 * <p>The new tree is filled in key order; the rows are sorted for that unless they come in it.
 * Indexes are not touched: their entries hold clustering keys, so they are rebuilt afterwards.
 */
public final class TableRewrite {
  private final ExecContext ctx;
  private final TableHandle from;
  private final TableHandle to;
  private final Expr[] sources;
  private final RowValidation validation;
  private final TableKeys keys;
  private final RowBatch row;
  private final KeyedRecord record = new KeyedRecord();
  private final ByteSink bytes = new ByteSink(256);
  private final Value value = new Value();

  private TableRewrite(
      ExecContext ctx, TableHandle from, TableHandle to, Expr[] sources, RowValidation validation) {
    this.ctx = ctx;
    this.from = from;
    this.to = to;
    this.sources = sources;
    this.validation = validation;
    this.keys = new TableKeys(to, ctx.eval);
    this.row = Rows.batch(to.types());
  }

  /**
   * Copies all rows that are committed now or were written by the transaction itself. The table is
   * locked exclusively; the new tree is empty.
   *
   * @param from the table before the change
   * @param to the table after it
   * @param sources by column of the new table: an expression for its value over the old table's
   *     columns
   * @param validation the constraints that new rows must satisfy
   * @throws io.gauss.common.error.GaussException 23505 when two rows get the same primary key, and
   *     the errors of the validation
   */
  public static void run(
      ExecContext ctx, TableHandle from, TableHandle to, Expr[] sources, RowValidation validation) {
    Snapshot ofStatement = ctx.snapshot;
    Snapshot fresh = ctx.transaction.freshSnapshot(); // the statement's may predate the lock
    ctx.snapshot = fresh;
    try {
      new TableRewrite(ctx, from, to, sources, validation).run();
    } finally {
      ctx.snapshot = ofStatement;
      ctx.transaction.releaseSnapshot(fresh);
    }
  }

  private void run() {
    if (comeInOrder()) {
      copyInOrder();
    } else {
      copySorted();
    }
  }

  /**
   * Whether the old rows come in the order of their new keys, no two of which are equal: then they
   * need not be sorted. That is so when the key stays, when it is a hidden one, and mostly when it
   * is a number that rose while the table was filled. A quick look, since it ends at the first row
   * that does not, and reads the columns of the key only.
   */
  private boolean comeInOrder() {
    if (to.def().hasRowId()) {
      return true;
    }
    int[] key = to.def().primaryKey();
    boolean[] used = new boolean[from.types().length];
    for (int column : key) {
      if (!(sources[column] instanceof ColumnExpr source)
          || to.def().columns().get(column).isGenerated()) {
        return false;
      }
      used[source.column()] = true;
    }
    ByteSink previous = new ByteSink(64);
    return scan(
        TableRows.scan(from, used),
        (batch, i) -> {
          row.clear();
          for (int column : key) {
            sources[column].eval(ctx.eval, batch, i, value);
            row.columns[column].set(0, value);
          }
          bytes.clear();
          keys.primaryKey(row, 0, bytes);
          boolean isAbove =
              Arrays.compareUnsigned(
                      previous.array, 0, previous.length, bytes.array, 0, bytes.length)
                  < 0;
          previous.clear();
          previous.putBytes(bytes.array, 0, bytes.length);
          return isAbove;
        });
  }

  private void copyInOrder() {
    TreeFill fill = new TreeFill(ctx, to.rows());
    transformAll(() -> add(fill, record.array(), 0));
    fill.finish();
  }

  private void copySorted() {
    RecordSorter sorter = new RecordSorter();
    try (MaintenanceMemory memory = new MaintenanceMemory(ctx)) {
      sorter.reset(memory, Long.MAX_VALUE);
      transformAll(() -> sorter.add(record.array(), record.length()));
      sorter.finish();
      insertAll(sorter);
    } finally {
      sorter.close();
    }
  }

  /** Builds the record of each row, and has it taken. */
  private void transformAll(Runnable take) {
    scan(
        TableRows.scan(from),
        (batch, i) -> {
          transform(batch, i);
          take.run();
          return true;
        });
  }

  /** What is done with an old row; false to end the scan. */
  @FunctionalInterface
  private interface RowUse {
    boolean use(RowBatch batch, int row);
  }

  /**
   * Reads the old table, by whose number the session finds the new one. False when it was ended.
   */
  private boolean scan(Operator scan, RowUse use) {
    TableAccess tables = ctx.tables;
    ctx.tables = oid -> oid == from.def().oid() ? from : tables.open(oid);
    try {
      scan.open(ctx);
      for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
        for (int i = 0; i < batch.size; i++) {
          if (!use.use(batch, i)) {
            return false;
          }
        }
      }
      return true;
    } finally {
      scan.close();
      ctx.tables = tables;
    }
  }

  /** Builds the record of one row: its new key, then its new bytes. */
  private void transform(RowBatch batch, int i) {
    row.clear();
    for (int column = 0; column < sources.length; column++) {
      sources[column].eval(ctx.eval, batch, i, value);
      row.columns[column].set(0, value);
    }
    row.size = 1;
    to.generate(ctx.eval, row, value);
    validation.check(ctx, row, 0);
    record.startKey();
    if (to.def().hasRowId()) {
      record.sink.putLong(to.nextRowId());
    } else {
      keys.primaryKey(row, 0, record.sink);
    }
    record.endKey();
    if (!to.def().hasRowId()) {
      TableWriter.checkKeyLength(record.keyLength(), to.def().primaryKeyName());
    }
    bytes.clear();
    to.rowCodec().encode(row.columns, 0, value, bytes);
    record.sink.putInt(bytes.length);
    record.sink.putBytes(bytes.array, 0, bytes.length);
  }

  private void insertAll(RecordSorter sorter) {
    ByteSink previous = new ByteSink(64);
    boolean hasPrevious = false;
    TreeFill fill = new TreeFill(ctx, to.rows());
    for (byte[] array = sorter.next(); array != null; array = sorter.next()) {
      ctx.checkInterrupt();
      int start = sorter.recordOffset() + 4;
      int end = start + ByteSink.getIntLe(array, start - 4);
      if (hasPrevious && Arrays.equals(array, start, end, previous.array, 0, previous.length)) {
        throw duplicate(array, end + Integer.BYTES, ByteSink.getInt(array, end));
      }
      hasPrevious = true;
      previous.clear();
      previous.putBytes(array, start, end - start);
      add(fill, array, sorter.recordOffset());
    }
    fill.finish();
  }

  /** Adds a record that {@link #transform} has built. */
  private static void add(TreeFill fill, byte[] array, int offset) {
    int start = offset + 4;
    int end = start + ByteSink.getIntLe(array, offset);
    int length = ByteSink.getInt(array, end);
    fill.add(array, start, end - start, array, end + Integer.BYTES, length);
  }

  private RuntimeException duplicate(byte[] array, int offset, int length) {
    row.clear();
    to.rowCodec().decode(array, offset, length, to.allColumns(), row.columns, 0, value);
    return ConstraintErrors.duplicatedPrimaryKey(ctx, to.def(), row);
  }
}
