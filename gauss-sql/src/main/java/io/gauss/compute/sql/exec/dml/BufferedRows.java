package io.gauss.compute.sql.exec.dml;

import io.gauss.common.error.GaussException;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.store.RowRun;
import java.util.Arrays;
import java.util.function.LongFunction;

/**
 * Rows of a statement on their way into a table: gathered, then inserted tree by tree, each tree's
 * rows in the order of its keys. Belongs to one execution.
 *
 * <p>Errors are those that inserting the rows one after the other gives: when a key is taken, what
 * the batch has written is undone and its rows are inserted singly, so that the first row in the
 * way is the one that is reported, for the first of its keys.
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
   * @param context of an error that a row raises, by the line given with it; null for none
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

  /** Whether this is for a writer, and can be used again with it. */
  boolean isOf(TableWriter other) {
    return writer == other;
  }

  /** Adds a checked row, and inserts what is there when that is enough. */
  void add(RowBatch added, long line) {
    try {
      writer.encode(added, rows, entries);
    } catch (GaussException e) {
      insertSingly(); // an error of a row before this one comes first
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

  /** Inserts the rows that were added. */
  void flush() {
    if (count == 0) {
      return;
    }
    long savepoint = ctx.transaction.savepoint();
    if (!insertTogether()) {
      ctx.transaction.rollbackTo(savepoint);
      insertSingly();
    } else if (!writer.table().def().foreignKeys().isEmpty()) {
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

  /** Forgets what was added. */
  void clear() {
    count = 0;
    rows.clear();
    for (RowRun run : entries) {
      run.clear();
    }
  }
}
