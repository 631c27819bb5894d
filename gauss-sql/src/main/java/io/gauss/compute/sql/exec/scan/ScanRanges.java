package io.gauss.compute.sql.exec.scan;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.sql.exec.node.KeyRange;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * Key ranges as byte intervals [low, end), evaluated at open: sorted, and overlapping ones merged,
 * so that no row is returned twice. Buffers are reused.
 */
final class ScanRanges {
  private final KeyRange[] ranges;
  private final boolean nullable;
  private final Interval[] intervals;
  private int count;

  /** [low, end); no end when {@link #unbounded}. */
  static final class Interval {
    final ByteSink low = new ByteSink(32);
    final ByteSink end = new ByteSink(32);
    boolean unbounded;
  }

  /**
   * @param nullable whether the key's columns may be NULL: those of a secondary index
   */
  ScanRanges(KeyRange[] ranges, boolean nullable) {
    this.nullable = nullable;
    this.ranges = ranges;
    intervals = new Interval[Math.max(1, ranges.length)];
    for (int i = 0; i < intervals.length; i++) {
      intervals[i] = new Interval();
    }
  }

  int count() {
    return count;
  }

  Interval get(int i) {
    return intervals[i];
  }

  /** Evaluates the bounds. Without ranges there is one interval: everything. */
  void evaluate(KeyCodec codec, EvalContext ctx) {
    count = 0;
    if (ranges.length == 0) {
      Interval all = intervals[count++];
      all.low.clear();
      all.end.clear();
      all.unbounded = true;
      return;
    }
    Value value = ctx.acquire();
    for (KeyRange range : ranges) {
      if (encode(range, codec, ctx, value, intervals[count])) {
        count++;
      }
    }
    ctx.release();
    if (count > 1) {
      merge();
    }
  }

  /** False when the range is empty. */
  private boolean encode(
      KeyRange range, KeyCodec codec, EvalContext ctx, Value value, Interval out) {
    ByteSink low = out.low;
    ByteSink end = out.end;
    low.clear();
    end.clear();
    Expr[] prefix = range.prefix();
    for (int i = 0; i < prefix.length; i++) {
      if (prefix[i] == null) {
        if (!codec.mayBeNull()) {
          return false;
        }
        codec.encodeNull(i, low);
        continue;
      }
      prefix[i].eval(ctx, null, 0, value);
      if (value.isNull) {
        return false;
      }
      codec.encodeColumn(i, value, low);
    }
    end.putBytes(low.array, 0, low.length);
    int column = prefix.length;
    boolean bounded = range.low() != null || range.high() != null;
    if (!bounded) {
      out.unbounded = !KeyCodec.successor(0, end);
      return true;
    }
    boolean reversed = codec.descending(column);
    Expr byteLow = reversed ? range.high() : range.low();
    Expr byteHigh = reversed ? range.low() : range.high();
    boolean lowInclusive = reversed ? range.highInclusive() : range.lowInclusive();
    boolean highInclusive = reversed ? range.lowInclusive() : range.highInclusive();
    boolean lowCut = true;
    if (byteLow != null) {
      byteLow.eval(ctx, null, 0, value);
      if (value.isNull) {
        return false;
      }
      codec.encodeColumn(column, value, low);
      lowCut = lowInclusive || KeyCodec.successor(0, low);
    } else if (nullable && codec.nullsFirst(column)) {
      // There is no lower bound, but NULLs satisfy no comparison.
      codec.encodeNull(column, low);
      lowCut = KeyCodec.successor(0, low);
    }
    boolean endsBelowNulls = false;
    if (byteHigh != null) {
      byteHigh.eval(ctx, null, 0, value);
      if (value.isNull) {
        return false;
      }
      codec.encodeColumn(column, value, end);
    } else if (nullable && !codec.nullsFirst(column)) {
      codec.encodeNull(column, end);
      endsBelowNulls = true;
    }
    boolean exclusive = endsBelowNulls || (byteHigh != null && !highInclusive);
    out.unbounded = !exclusive && !KeyCodec.successor(0, end);
    return lowCut && (out.unbounded || compare(low, end) < 0);
  }

  private static int compare(ByteSink a, ByteSink b) {
    return Arrays.compareUnsigned(a.array, 0, a.length, b.array, 0, b.length);
  }

  private void merge() {
    Arrays.sort(intervals, 0, count, (a, b) -> compare(a.low, b.low));
    int kept = 0;
    for (int i = 1; i < count; i++) {
      Interval last = intervals[kept];
      Interval next = intervals[i];
      if (!last.unbounded && compare(next.low, last.end) > 0) {
        intervals[i] = intervals[++kept];
        intervals[kept] = next;
      } else if (!last.unbounded && (next.unbounded || compare(next.end, last.end) > 0)) {
        last.unbounded = next.unbounded;
        last.end.clear();
        last.end.putBytes(next.end.array, 0, next.end.length);
      }
    }
    count = kept + 1;
  }
}
