package io.gauss.compute.catalog;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The result of ANALYZE: sizes and, by column, distribution.
 *
 * @param rows estimated live rows
 * @param pages leaf pages
 * @param columns by column position; an element may be null when nothing is known
 * @param expressions of the keys of indexes, by {@link KeyExpression#sql}
 */
public record TableStatistics(
    double rows,
    double pages,
    ColumnStatistics[] columns,
    Map<String, ColumnStatistics> expressions) {
  public static final TableStatistics UNKNOWN =
      new TableStatistics(1000, 10, new ColumnStatistics[0]);

  public TableStatistics {
    expressions = Collections.unmodifiableMap(new TreeMap<>(expressions));
  }

  /** Of a table without indexes on expressions. */
  public TableStatistics(double rows, double pages, ColumnStatistics[] columns) {
    this(rows, pages, columns, Map.of());
  }

  /** The same after expressions have been written differently. */
  public TableStatistics withTexts(UnaryOperator<String> newText) {
    if (expressions.isEmpty()) {
      return this;
    }
    Map<String, ColumnStatistics> renamed = new HashMap<>();
    expressions.forEach((sql, values) -> renamed.put(newText.apply(sql), values));
    return new TableStatistics(rows, pages, columns, renamed);
  }

  /**
   * Distribution of the values of a column or of an expression; null when nothing is known.
   *
   * @param column position; has no meaning for an expression
   * @param expression null for a column
   */
  public ColumnStatistics of(int column, KeyExpression expression) {
    if (expression != null) {
      return expressions.get(expression.sql());
    }
    return column < columns.length ? columns[column] : null;
  }

  /**
   * @param nullFraction 0 to 1
   * @param distinct number of distinct values; negative: fraction of rows, as in pg_stats
   * @param averageWidth bytes
   * @param histogram bounds of equal-depth buckets as order-preserving key bytes, may be empty
   */
  public record ColumnStatistics(
      double nullFraction, double distinct, double averageWidth, byte[][] histogram) {}
}
