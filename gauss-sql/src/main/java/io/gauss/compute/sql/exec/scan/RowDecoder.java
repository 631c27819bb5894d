package io.gauss.compute.sql.exec.scan;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.row.RowCodec;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.row.ColumnUse;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * Turns stored rows into rows of an access node's output. The columns that the filter uses are
 * decoded first, the others only when the row passes it.
 */
final class RowDecoder {
  /** Evaluated while the row is decoded, under the scan's latch; null = none. */
  private final Expr filter;

  /** Evaluated when the scan is paused, because it may wait (nextval); null = none. */
  private final Expr lateFilter;

  private final int keyColumn;
  private final int[] filterColumns;
  private final ColumnVector[] filterVectors;
  private final int[] otherColumns;
  private final ColumnVector[] otherVectors;
  private final Value scratch = new Value();
  final RowBatch batch;

  RowDecoder(int[] columns, PgType[] types, Expr condition) {
    batch = Rows.batch(types);
    boolean[] filtered = new boolean[columns.length];
    boolean mayWait = condition != null && condition.volatility() == Volatility.VOLATILE;
    if (condition != null && !mayWait) {
      ColumnUse.mark(condition, filtered);
    }
    boolean usesKey = false;
    for (int i = 0; i < columns.length; i++) {
      usesKey |= filtered[i] && columns[i] == PlanNode.ROW_KEY;
    }
    boolean isLate = mayWait || usesKey;
    if (isLate) {
      Arrays.fill(filtered, false);
    }
    filter = isLate ? null : condition;
    lateFilter = isLate ? condition : null;
    int key = -1;
    int early = 0;
    int late = 0;
    int[] earlyColumns = new int[columns.length];
    int[] lateColumns = new int[columns.length];
    ColumnVector[] earlyVectors = new ColumnVector[columns.length];
    ColumnVector[] lateVectors = new ColumnVector[columns.length];
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] == PlanNode.ROW_KEY) {
        key = i;
      } else if (columns[i] != PlanNode.UNREAD && filtered[i]) {
        earlyColumns[early] = columns[i];
        earlyVectors[early++] = batch.columns[i];
      } else if (columns[i] != PlanNode.UNREAD) {
        lateColumns[late] = columns[i];
        lateVectors[late++] = batch.columns[i];
      }
    }
    keyColumn = key;
    filterColumns = Arrays.copyOf(earlyColumns, early);
    filterVectors = Arrays.copyOf(earlyVectors, early);
    otherColumns = Arrays.copyOf(lateColumns, late);
    otherVectors = Arrays.copyOf(lateVectors, late);
  }

  /** Whether nothing of the row itself is needed except possibly its key. */
  boolean needsNoRow() {
    return filterColumns.length == 0
        && otherColumns.length == 0
        && filter == null
        && lateFilter == null;
  }

  /** Output column that takes the row's key, negative for none. */
  int keyColumn() {
    return keyColumn;
  }

  void setKey(int row, byte[] key, int offset, int length) {
    ColumnVector column = batch.columns[keyColumn];
    int start = column.reserveBytes(row, length);
    System.arraycopy(key, offset, column.data, start, length);
  }

  /** Decodes a row off-heap into the batch's row; false when the filter rejects it. */
  boolean decode(RowCodec codec, EvalContext ctx, long address, int length, int row) {
    if (filter != null) {
      codec.decode(address, length, filterColumns, filterVectors, row);
      if (!filter.test(ctx, batch, row)) {
        discardFiltered(row);
        return false;
      }
    }
    codec.decode(address, length, otherColumns, otherVectors, row);
    return true;
  }

  /** The same for a row that has been copied out. */
  boolean decode(RowCodec codec, EvalContext ctx, RowVersion version, int row) {
    if (filter != null) {
      codec.decode(version.row, 0, version.rowLength, filterColumns, filterVectors, row, scratch);
      if (!filter.test(ctx, batch, row)) {
        discardFiltered(row);
        return false;
      }
    }
    codec.decode(version.row, 0, version.rowLength, otherColumns, otherVectors, row, scratch);
    return true;
  }

  /** Drops rows that the late filter rejects; no latch is held. Returns how many. */
  int filterLate(EvalContext ctx) {
    if (lateFilter == null) {
      return 0;
    }
    int kept = 0;
    for (int row = 0; row < batch.size; row++) {
      if (lateFilter.test(ctx, batch, row)) {
        Rows.moveDown(batch, row, kept++);
      }
    }
    int rejected = batch.size - kept;
    batch.size = kept;
    return rejected;
  }

  /**
   * Frees the bytes of a rejected row; otherwise a long scan that finds little would fill memory.
   */
  private void discardFiltered(int row) {
    for (ColumnVector column : filterVectors) {
      if (column.offsets != null && !column.nulls[row]) {
        column.dataLength = column.offsets[row];
      }
    }
  }
}
