package io.gauss.compute.catalog.statistics;

import io.gauss.compute.catalog.TableStatistics.ColumnStatistics;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Statistics of one column from a sample of rows: the fraction of NULLs, the number of different
 * values, and the bounds of buckets that hold equally many rows.
 *
 * <p>The number of different values is PostgreSQL's estimate: n·d / (n − f1 + f1·n/N), with d
 * different values in a sample of n, f1 of which occurred once, out of N rows (Haas and Stokes,
 * "Estimating the number of classes in a finite population", 1998, estimator Duj1).
 */
final class ColumnSummary {
  /** Buckets of the histogram; it has one bound more than that. */
  static final int BUCKETS = 100;

  /**
   * Bounds are cut to this many bytes: a cut key still sorts before all keys of which it is a
   * prefix.
   */
  static final int BOUND_BYTES_MAX = 64;

  /**
   * Longer values (documents, images) are assumed to be all different, and left out of histograms.
   */
  private static final int VALUE_BYTES_MAX = 1024;

  /**
   * A number of different values above this fraction of the rows is assumed to grow with the table,
   * and is kept as a fraction.
   */
  private static final double GROWS_ABOVE = 0.1;

  private ColumnSummary() {}

  /** Gives the value of a row of the sample; false when the row does not count. */
  interface Source {
    boolean value(byte[] row, Value out);
  }

  /**
   * @param tableRows estimated rows of the whole table
   * @param unique whether an index ensures that no value occurs twice
   */
  static ColumnStatistics of(
      List<byte[]> rows, Source source, PgType type, double tableRows, boolean unique) {
    KeyCodec keys = KeyCodec.index(List.of(type), new boolean[1], new boolean[1]);
    Value value = new Value();
    ByteSink sink = new ByteSink();
    List<byte[]> present = new ArrayList<>(rows.size());
    int counted = 0;
    int nulls = 0;
    int wide = 0;
    double width = 0;
    for (byte[] row : rows) {
      if (!source.value(row, value)) {
        continue;
      }
      counted++;
      if (value.isNull) {
        nulls++;
        continue;
      }
      sink.clear();
      keys.encodeColumn(0, value, sink);
      width += type.typlen() > 0 ? type.typlen() : sink.length;
      if (sink.length > VALUE_BYTES_MAX) {
        wide++;
      } else {
        present.add(sink.toByteArray());
      }
    }
    int notNull = present.size() + wide;
    double nullFraction = counted == 0 ? 0 : (double) nulls / counted;
    if (notNull == 0) {
      return new ColumnStatistics(nullFraction, 0, 0, new byte[0][]);
    }
    byte[][] sorted = present.toArray(byte[][]::new);
    Arrays.sort(sorted, Arrays::compareUnsigned);
    double distinct =
        unique
            ? -(1 - nullFraction)
            : distinct(sorted, wide, counted, notNull, nullFraction, tableRows);
    return new ColumnStatistics(nullFraction, distinct, width / notNull, histogram(sorted));
  }

  /** Positive: the number; negative: a fraction of the rows. */
  private static double distinct(
      byte[][] sorted, int wide, int sampled, int notNull, double nullFraction, double tableRows) {
    int different = wide;
    int once = wide;
    int i = 0;
    while (i < sorted.length) {
      int end = i + 1;
      while (end < sorted.length && Arrays.equals(sorted[i], sorted[end])) {
        end++;
      }
      different++;
      once += end - i == 1 ? 1 : 0;
      i = end;
    }
    if (once == notNull && sampled < tableRows) {
      return -(1 - nullFraction);
    }
    double all = Math.max(notNull, tableRows * (1 - nullFraction));
    double estimate = different;
    if (once > 0 && notNull < all) {
      estimate = (double) notNull * different / (notNull - once + once * (double) notNull / all);
      estimate = Math.clamp(estimate, different, all);
    }
    return estimate > GROWS_ABOVE * tableRows ? -estimate / Math.max(1, tableRows) : estimate;
  }

  private static byte[][] histogram(byte[][] sorted) {
    if (sorted.length < 2) {
      return new byte[0][];
    }
    int bounds = Math.min(BUCKETS + 1, sorted.length);
    byte[][] result = new byte[bounds][];
    for (int b = 0; b < bounds; b++) {
      byte[] key = sorted[(int) ((long) b * (sorted.length - 1) / (bounds - 1))];
      result[b] = key.length <= BOUND_BYTES_MAX ? key : Arrays.copyOf(key, BOUND_BYTES_MAX);
    }
    return result;
  }
}
