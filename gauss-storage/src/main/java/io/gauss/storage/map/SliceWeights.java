package io.gauss.storage.map;

import io.gauss.storage.map.api.SliceMap;

/**
 * How much each slice weighs where slices are shared out: bytes, or what stands for them.
 * Immutable.
 *
 * <p>A slice without pages weighs something, too, so that an empty cluster shares out evenly what
 * will come.
 */
final class SliceWeights {
  /** What every slice weighs in addition to its bytes. */
  static final long LEAST = 1L << 20;

  /** Nothing is known of any slice. */
  static final SliceWeights EQUAL = new SliceWeights(new long[SliceMap.SLICES]);

  private final long[] bytes;

  /**
   * Copies its argument.
   *
   * @param bytes by slice
   */
  SliceWeights(long[] bytes) {
    if (bytes.length != SliceMap.SLICES) {
      throw new IllegalArgumentException(bytes.length + " slices");
    }
    this.bytes = bytes.clone();
  }

  long of(int slice) {
    return LEAST + bytes[slice];
  }
}
