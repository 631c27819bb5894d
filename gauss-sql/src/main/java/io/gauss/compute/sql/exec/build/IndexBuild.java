package io.gauss.compute.sql.exec.build;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.dml.ConstraintErrors;
import io.gauss.compute.sql.exec.dml.TableWriter;
import io.gauss.compute.sql.exec.row.ColumnUse;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.scan.TableRows;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.RecordSorter;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.exec.table.TableKeys;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/** Fills a new index from the rows of its table, in key order. */
public final class IndexBuild {
  private final ExecContext ctx;
  private final TableHandle table;
  private final int index;
  private final KeyedRecord record = new KeyedRecord();

  private IndexBuild(ExecContext ctx, TableHandle table, int index) {
    this.ctx = ctx;
    this.table = table;
    this.index = index;
  }

  /**
   * Inserts an entry for every row that is committed now or was written by the transaction itself.
   * The index is empty, and the table is locked against writers. The statement's snapshot is not
   * sufficient: it may be older than the lock, and then misses commits of the last writers.
   *
   * @param indexPosition in the table's list of indexes
   * @throws io.gauss.common.error.GaussException 23505 when keys of a unique index are equal
   */
  public static void build(ExecContext ctx, TableHandle table, int indexPosition) {
    RecordSorter sorter = new RecordSorter();
    Snapshot ofStatement = ctx.snapshot;
    Snapshot fresh = ctx.transaction.freshSnapshot();
    ctx.snapshot = fresh;
    try (MaintenanceMemory memory = new MaintenanceMemory(ctx)) {
      sorter.reset(memory, Long.MAX_VALUE);
      new IndexBuild(ctx, table, indexPosition).build(sorter);
    } finally {
      ctx.snapshot = ofStatement;
      ctx.transaction.releaseSnapshot(fresh);
      sorter.close();
    }
  }

  private void build(RecordSorter sorter) {
    TableKeys keys = new TableKeys(table, ctx.eval);
    ByteSink rowKey = new ByteSink(64);
    Operator scan = TableRows.scan(table, usedColumns());
    try {
      scan.open(ctx);
      for (RowBatch batch = scan.next(); batch != null; batch = scan.next()) {
        ColumnVector rowKeys = batch.columns[table.types().length];
        for (int row = 0; row < batch.size; row++) {
          if (!table.isIn(index, ctx.eval, batch, row)) {
            continue;
          }
          int keyLength = rowKeys.lengths[row];
          rowKey.clear();
          rowKey.putBytes(rowKeys.data, rowKeys.offsets[row], keyLength);
          record.startKey();
          keys.indexKey(index, batch, row, rowKey.array, keyLength, record.sink);
          record.endKey();
          TableWriter.checkKeyLength(record.keyLength(), table.def().indexes().get(index).name());
          record.sink.putInt(keyLength);
          record.sink.putBytes(rowKey.array, 0, keyLength);
          sorter.add(record.array(), record.length());
        }
      }
    } finally {
      scan.close();
    }
    sorter.finish();
    insertAll(sorter);
  }

  /** The columns of the index, and those of its expressions and its condition. */
  private boolean[] usedColumns() {
    boolean[] used = new boolean[table.types().length];
    for (int column : table.def().indexes().get(index).columns()) {
      if (column >= 0) {
        used[column] = true;
      } else {
        ColumnUse.mark(table.expressions().keys()[index][-1 - column], used);
      }
    }
    if (table.def().indexes().get(index).isPartial()) {
      ColumnUse.mark(table.expressions().predicates()[index], used);
    }
    return used;
  }

  private void insertAll(RecordSorter sorter) {
    boolean unique = table.def().indexes().get(index).isUniqueAtCommit();
    boolean endsWithRowKey = table.def().indexes().get(index).deferral().isDeferrable();
    ByteSink previous = new ByteSink(64);
    boolean hasPrevious = false;
    TreeFill fill = new TreeFill(ctx, table.index(index));
    for (byte[] array = sorter.next(); array != null; array = sorter.next()) {
      ctx.checkInterrupt();
      int start = sorter.recordOffset() + 4;
      int end = start + ByteSink.getIntLe(array, start - 4);
      int rowKey = end + 4;
      int rowKeyLength = ByteSink.getInt(array, end);
      int endOfColumns = endsWithRowKey ? end - rowKeyLength : end;
      if (unique
          && hasPrevious
          && Arrays.equals(array, start, endOfColumns, previous.array, 0, previous.length)) {
        rejectDuplicate(Arrays.copyOfRange(array, rowKey, rowKey + rowKeyLength));
      }
      if (unique) {
        hasPrevious = true;
        previous.clear();
        previous.putBytes(array, start, endOfColumns - start);
      }
      fill.add(array, start, end - start, array, rowKey, rowKeyLength);
    }
    fill.finish();
  }

  /** Fails for a row whose columns are those of another one, unless one of them is NULL. */
  private void rejectDuplicate(byte[] rowKey) {
    RowVersion version = new RowVersion();
    boolean found =
        table.rows().get(ctx.transaction, ctx.snapshot(), rowKey, 0, rowKey.length, version);
    if (!found) {
      throw new IllegalStateException("a row that was scanned is gone");
    }
    RowBatch row = Rows.batch(table.types());
    table
        .rowCodec()
        .decode(version.row, 0, version.rowLength, table.allColumns(), row.columns, 0, new Value());
    ctx.eval.resetScratch();
    if (new TableKeys(table, ctx.eval).indexColumns(index, row, 0, new ByteSink(64))) {
      throw ConstraintErrors.duplicated(ctx, table, index, row);
    }
  }
}
