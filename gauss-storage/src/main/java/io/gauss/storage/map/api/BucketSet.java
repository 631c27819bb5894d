package io.gauss.storage.map.api;

import java.util.BitSet;
import java.util.Collection;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** A set of virtual buckets, as in a command that concerns several. Immutable. */
public final class BucketSet {
  public static final BucketSet NONE = new BucketSet(new BitSet());

  private final BitSet bits;

  private BucketSet(BitSet bits) {
    this.bits = bits;
  }

  /**
   * These buckets.
   *
   * @throws IllegalArgumentException when there is no such bucket
   */
  public static BucketSet of(int... buckets) {
    BitSet bits = new BitSet();
    for (int bucket : buckets) {
      if (bucket < 0 || bucket >= BucketMap.BUCKETS) {
        throw new IllegalArgumentException("bucket " + bucket);
      }
      bits.set(bucket);
    }
    return new BucketSet(bits);
  }

  /** See {@link #of(int...)}. */
  public static BucketSet of(Collection<Integer> buckets) {
    return of(buckets.stream().mapToInt(Integer::intValue).toArray());
  }

  /** A copy of these bits. See {@link #of(int...)}. */
  public static BucketSet of(BitSet bits) {
    return of(bits.stream().toArray());
  }

  public boolean contains(int bucket) {
    return bits.get(bucket);
  }

  public int size() {
    return bits.cardinality();
  }

  boolean isEmpty() {
    return bits.isEmpty();
  }

  /** In ascending order. */
  public IntStream stream() {
    return bits.stream();
  }

  /** In ascending order. */
  public void forEach(IntConsumer action) {
    bits.stream().forEach(action);
  }

  /** Bit i of byte j stands for bucket 8 j + i; no zero bytes at the end. */
  public byte[] toBytes() {
    return bits.toByteArray();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BucketSet that && bits.equals(that.bits);
  }

  @Override
  public int hashCode() {
    return bits.hashCode();
  }

  /** As runs: {@code 0-127 130}. */
  @Override
  public String toString() {
    StringBuilder runs = new StringBuilder();
    int first = bits.nextSetBit(0);
    while (first >= 0) {
      int end = bits.nextClearBit(first);
      runs.append(runs.isEmpty() ? "" : " ").append(first);
      if (end > first + 1) {
        runs.append('-').append(end - 1);
      }
      first = bits.nextSetBit(end);
    }
    return runs.toString();
  }
}
