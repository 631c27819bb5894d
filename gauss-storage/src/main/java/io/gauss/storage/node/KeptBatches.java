package io.gauss.storage.node;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.IntSupplier;

/**
 * How many batches each stream may keep for replicas that are away, so that all streams of this
 * node together keep no more than they may: batches take memory, and its sum counts. Streams with
 * few batches keep them all, and the others share evenly what is left. Thread-safe.
 */
final class KeptBatches implements IntSupplier {
  private final int all;
  private final Collection<ReplicaSource> streams;

  /**
   * @param all batches that all streams may keep together
   */
  KeptBatches(int all, Collection<ReplicaSource> streams) {
    this.all = all;
    this.streams = streams;
  }

  /** Of each stream, as things are now. */
  @Override
  public int getAsInt() {
    return ofEach(streams.stream().mapToLong(stream -> stream.batchesInMemory(0)).toArray(), all);
  }

  /** The largest number whose excess has to go for the sum to be no more than {@code all}. */
  static int ofEach(long[] batches, int all) {
    long[] ascending = batches.clone();
    Arrays.sort(ascending);
    long left = all;
    for (int i = 0; i < ascending.length; i++) {
      long share = left / (ascending.length - i);
      if (ascending[i] > share) {
        return (int) share;
      }
      left -= ascending[i];
    }
    return all;
  }
}
