package io.gauss.compute.sql.exec.dml;

import io.gauss.common.error.GaussException;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.store.RowRun;
import java.util.Arrays;
import java.util.function.LongFunction;

/**
 * Collects rows that a statement inserts into a table, and then inserts them tree by tree, in the
 * order of each tree's keys. Belongs to one execution.
 *
 * <p>Errors are the same as when the rows are inserted one after the other: when a key is taken,
 * the batch's writes are undone and its rows are inserted one by one, so that the first conflicting
 * row is reported, for the first of its conflicting keys.
 */
final class BufferedRows {
  /** PostgreSQL's MAX_BUFFERED_TUPLES. */
  private static final int ROWS_MAX = 1000;

  /** PostgreSQL's MAX_BUFFERED_BYTES. */
  private static final int BYTES_MAX = 65535;

  private final ExecContext ctx;
  private final TableWriter writer;
  private final ForeignKeys foreignKeys;
  private final LongFunction<String> context;
  private final RowRun rows = new RowRun();
  private final RowRun[] entries;
  private final RowBatch row;
  private long[] lines = new long[16];
  private int count;

  /**
   * @param context error context for a row, by the line passed with it; null for none
   */
  BufferedRows(
      ExecContext ctx, TableWriter writer, ForeignKeys foreignKeys, LongFunction<String> context) {
    this.ctx = ctx;
    this.writer = writer;
    this.foreignKeys = foreignKeys;
    this.context = context;
    entries = new RowRun[writer.table().def().indexes().size()];
    Arrays.setAll(entries, i -> new RowRun());
    row = Rows.batch(writer.table().types());
  }

  /** Whether this belongs to a writer, and can be reused with it. */
  boolean isOf(TableWriter other) {
    return writer == other;
  }

  /** Adds a checked row, and inserts the collected rows when there are enough. */
  void add(RowBatch added, long line) {
    try {
      writer.encode(added, rows, entries);
    } catch (GaussException e) {
      insertSingly(); // an error of an earlier row is reported first
      throw at(e, line);
    }
    if (count == lines.length) {
      lines = Arrays.copyOf(lines, count * 2);
    }
    lines[count++] = line;
    if (count == ROWS_MAX || rows.size() >= BYTES_MAX) {
      flush();
    }
  }

  /** Inserts the collected rows. */
  void flush() {
    if (count == 0) {
      return;
    }
    long savepoint = ctx.transaction.savepoint();
    if (!insertTogether()) {
      ctx.transaction.rollbackTo(savepoint);
      insertSingly();
    } else if (writer.reportsInserted()) {
      for (int i = 0; i < count; i++) {
        read(i);
        foreignKeys.inserted(writer, row);
      }
    }
    clear();
  }

  private boolean insertTogether() {
    try {
      return writer.insert(rows, entries);
    } catch (GaussException e) {
      throw at(e, lines[0]);
    }
  }

  private void insertSingly() {
    for (int i = 0; i < count; i++) {
      read(i);
      try {
        if (!writer.tryInsert(row)) {
          throw writer.duplicate(row);
        }
      } catch (GaussException e) {
        throw at(e, lines[i]);
      }
      foreignKeys.inserted(writer, row);
    }
  }

  private void read(int i) {
    writer.decode(rows.bytes(), rows.rowOffset(i), rows.rowBytes(i), row);
  }

  private GaussException at(GaussException e, long line) {
    return context == null ? e : e.context(context.apply(line));
  }

  /** Discards the collected rows. */
  void clear() {
    count = 0;
    rows.clear();
    for (RowRun run : entries) {
      run.clear();
    }
  }
}
