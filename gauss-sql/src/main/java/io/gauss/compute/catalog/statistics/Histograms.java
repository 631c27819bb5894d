package io.gauss.compute.catalog.statistics;

import java.util.Arrays;

/** Reads histograms: which fraction of a column's values is below a key. */
public final class Histograms {
  private Histograms() {}

  /**
   * Fraction of the values that are not NULL and sort before a key; within a bucket, interpolated
   * by the key's first bytes that differ between the bounds.
   *
   * @param bounds as in {@code ColumnStatistics.histogram}: keys of {@code KeyCodec.index} over the
   *     column alone, ascending
   * @param key key in the same form
   * @return 0 to 1; NaN when there is no histogram
   */
  public static double fractionBelow(byte[][] bounds, byte[] key) {
    if (bounds.length < 2) {
      return Double.NaN;
    }
    int low = 0;
    int high = bounds.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(bounds[middle], key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) {
      return 0;
    }
    if (low == bounds.length) {
      return 1;
    }
    return (low - 1 + between(bounds[low - 1], bounds[low], key)) / (bounds.length - 1);
  }

  /** Relative position of a key between two bounds, 0 to 1. */
  private static double between(byte[] from, byte[] to, byte[] key) {
    int same = Arrays.mismatch(from, to);
    if (same < 0) {
      return 0.5;
    }
    double start = digits(from, same);
    double end = digits(to, same);
    return end <= start ? 0.5 : Math.clamp((digits(key, same) - start) / (end - start), 0.0, 1.0);
  }

  /** Six bytes from an offset as a number: as many as a double holds exactly. */
  private static double digits(byte[] key, int from) {
    long value = 0;
    for (int i = from; i < from + 6; i++) {
      value = value << 8 | (i < key.length ? key[i] & 0xFF : 0);
    }
    return value;
  }
}
