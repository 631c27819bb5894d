package io.gauss.jdbc.routing.model;

import io.gauss.jdbc.routing.statement.RoutingNumbers;

/**
 * The distribution of the values with which statements compare a column. Immutable; the arrays are
 * not to be changed.
 *
 * @param column as in {@link io.gauss.jdbc.routing.statement.Predicate#column}
 * @param kind numbers or text
 * @param prefix for text columns, the common prefix of all values seen; else ""
 * @param bounds quantiles of the values' scalars, ascending and finite, at least 2: the lowest,
 *     ..., the highest, at equal distances of rank
 * @param distinct estimated number of different values, at least 1
 * @param phases whether neighbouring values behave differently, so that their remainders matter
 * @param period number by which the remainders matter; 0 = it is not known, or they do not
 */
public record ColumnProfile(
    String column,
    Kind kind,
    String prefix,
    double[] bounds,
    double distinct,
    boolean phases,
    int period) {
  /** The longest period. */
  private static final int MAX_PERIOD = 65_535;

  /** The kind of a column's values, as far as routing is concerned. */
  public enum Kind {
    NUMBER,
    TEXT
  }

  /** Characters after the prefix that make up a text's scalar: 48 bits, exact in a double. */
  private static final int SCALAR_CHARS = 6;

  public ColumnProfile {
    if (period < 0 || period > MAX_PERIOD || period > 0 && !phases) {
      throw new IllegalArgumentException(column + ": a period of " + period);
    }
    if (bounds.length < 2 || !(distinct >= 1)) {
      throw new IllegalArgumentException(
          column + ": " + bounds.length + " bounds, " + distinct + " values");
    }
    for (int i = 0; i < bounds.length; i++) {
      if (!Double.isFinite(bounds[i]) || i > 0 && bounds[i] < bounds[i - 1]) {
        throw new IllegalArgumentException(
            column + ": bound " + i + " of " + bounds.length + " is not in order");
      }
    }
  }

  /** A column of which no period is known. */
  public ColumnProfile(
      String column, Kind kind, String prefix, double[] bounds, double distinct, boolean phases) {
    this(column, kind, prefix, bounds, distinct, phases, 0);
  }

  /**
   * The value as a number that has the order of the column's values.
   *
   * @param value Long, Double or String
   * @return NaN when the value is null or of another kind
   */
  public double scalar(Object value) {
    return kind == Kind.NUMBER ? number(value) : text(value, prefix);
  }

  /** A number, which may be given as a string; NaN when it is none. */
  public static double number(Object value) {
    Object number = value instanceof String s ? RoutingNumbers.parse(s.strip()) : value;
    return number instanceof Number n ? n.doubleValue() : Double.NaN;
  }

  /** A text's place among those that begin with {@code prefix}; NaN when it is none. */
  public static double text(Object value, String prefix) {
    if (value == null) {
      return Double.NaN;
    }
    String s = value.toString();
    if (!s.startsWith(prefix)) {
      return s.compareTo(prefix) < 0 ? 0 : (double) (1L << 8 * SCALAR_CHARS);
    }
    long scalar = 0;
    for (int i = 0; i < SCALAR_CHARS; i++) {
      int at = prefix.length() + i;
      scalar = scalar << 8 | (at < s.length() ? Math.min(s.charAt(at), 255) : 0);
    }
    return scalar;
  }

  /** Share of the values that are lower, 0 to 1, interpolated linearly between bounds. */
  public double quantile(double scalar) {
    int last = bounds.length - 1;
    if (scalar <= bounds[0]) {
      return 0;
    } else if (scalar >= bounds[last]) {
      return 1;
    }
    int low = 0;
    int high = last;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (bounds[middle] <= scalar) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return (low + (scalar - bounds[low]) / (bounds[high] - bounds[low])) / last;
  }
}
