package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics.ColumnStatistics;
import io.gauss.compute.catalog.statistics.Histograms;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import java.util.Arrays;
import java.util.List;

/**
 * The fraction of a table's rows between bounds of one column: by the column's histogram where the
 * bounds are constants, else a default. Stateless.
 */
final class RangeSelectivity {
  /** A range always leaves some rows, even if the histogram shows none: it is a sample. */
  private static final double LEAST = 1e-6;

  private RangeSelectivity() {}

  /**
   * @param ranges conditions on one column, all of them bounds
   */
  static double of(TableDef table, List<Sarg> ranges) {
    double low = 0;
    double high = 1;
    boolean known = true;
    boolean hasLow = false;
    boolean hasHigh = false;
    for (Sarg sarg : ranges) {
      double below = below(table, sarg);
      boolean lower = sarg.kind() == Sarg.Kind.GREATER || sarg.kind() == Sarg.Kind.GREATER_OR_EQUAL;
      hasLow |= lower;
      hasHigh |= !lower;
      if (Double.isNaN(below)) {
        known = false;
      } else if (lower) {
        low = Math.max(low, below);
      } else {
        high = Math.min(high, below);
      }
    }
    if (!known) {
      return hasLow && hasHigh ? CostModel.INTERVAL : CostModel.UNKNOWN;
    }
    double notNull = 1 - statistics(table, ranges.getFirst()).nullFraction();
    return Math.clamp((high - low) * notNull, LEAST, 1);
  }

  private static ColumnStatistics statistics(TableDef table, Sarg sarg) {
    return table.statistics().of(sarg.column(), sarg.expression());
  }

  /** Fraction of the values below a bound; NaN when it is unknown. */
  private static double below(TableDef table, Sarg sarg) {
    ColumnStatistics statistics = statistics(table, sarg);
    PgConstant bound = PgConstant.of(sarg.values().getFirst());
    PgType type = sarg.type(table).withTypmod(-1);
    boolean comparable =
        statistics != null
            && bound != null
            && !bound.isNull()
            && bound.type().kind() == type.kind();
    if (!comparable) {
      return Double.NaN;
    }
    ByteSink key = new ByteSink();
    KeyCodec.index(List.of(type), new boolean[1], new boolean[1])
        .encodeColumn(0, bound.value(), key);
    return Histograms.fractionBelow(statistics.histogram(), Arrays.copyOf(key.array, key.length));
  }
}
