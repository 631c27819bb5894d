package io.gauss.compute.catalog;

/**
 * The result of ANALYZE: sizes and, by column, distribution.
 *
 * @param rows estimated live rows
 * @param pages leaf pages
 * @param columns by column position; an element may be null when nothing is known
 */
public record TableStatistics(double rows, double pages, ColumnStatistics[] columns) {
  public static final TableStatistics UNKNOWN =
      new TableStatistics(1000, 10, new ColumnStatistics[0]);

  /**
   * @param nullFraction 0 to 1
   * @param distinct number of distinct values; negative: fraction of rows, as in pg_stats
   * @param averageWidth bytes
   * @param histogram bounds of equal-depth buckets as order-preserving key bytes, may be empty
   */
  public record ColumnStatistics(
      double nullFraction, double distinct, double averageWidth, byte[][] histogram) {}
}
