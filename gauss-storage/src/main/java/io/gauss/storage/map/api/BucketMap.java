package io.gauss.storage.map.api;

import io.gauss.common.runtime.Environment;
import java.util.Arrays;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Which memory node is the home of which virtual bucket (of page directory, global locks and cached
 * pages). Immutable.
 *
 * <p>A bucket is served by its home, except while it is rebuilt: then the home waits until every
 * node of the rebuild has reported what it holds. A bucket that moves is served by its old home
 * until the new one has taken it.
 */
public final class BucketMap {
  /**
   * How many there are: a power of two, which is a format and never changes. In a simulation nodes
   * come and go all the time, and each time their buckets move.
   */
  public static final int BUCKETS = Environment.size(4_096, 64);

  public static final BucketMap EMPTY =
      new BucketMap(new int[BUCKETS], new TreeMap<>(), new TreeMap<>());

  private final int[] homes;
  private final int[] counts; // by node
  private final SortedMap<Integer, Move> moves;
  private final SortedMap<Long, Rebuild> rebuilds;
  private final int hash;

  /** How a bucket is served. */
  public enum BucketState {
    /** No memory node is its home. */
    HOMELESS,
    SERVED,
    /**
     * Moving to another node. The map names the old home until that has given the bucket up, then
     * the new home, which learns from the live nodes what they hold.
     */
    MOVING,
    /** Its home learns from the live nodes what they hold, and does not serve it meanwhile. */
    REBUILDING
  }

  /**
   * A move that is under way.
   *
   * @param to the node that is to be the home
   * @param since version of the map that began it: what a node has given up for an earlier move of
   *     the bucket does not count for this one
   */
  public record Move(int to, long since) {}

  /**
   * Buckets whose directory was lost together.
   *
   * @param number identifies it; rises
   * @param pending live compute nodes that have not reported
   */
  public record Rebuild(long number, SortedSet<Integer> pending, SortedSet<Integer> buckets) {
    public Rebuild {
      pending = Collections.unmodifiableSortedSet(new TreeSet<>(pending));
      buckets = Collections.unmodifiableSortedSet(new TreeSet<>(buckets));
    }
  }

  /**
   * Copies its arguments.
   *
   * @param homes node of each bucket, 0 = none
   * @param moves by moving bucket
   */
  public BucketMap(int[] homes, SortedMap<Integer, Move> moves, SortedMap<Long, Rebuild> rebuilds) {
    if (homes.length != BUCKETS) {
      throw new IllegalArgumentException(homes.length + " buckets");
    }
    this.homes = homes.clone();
    this.counts = new int[Arrays.stream(homes).max().orElse(0) + 1];
    for (int home : homes) {
      counts[home]++;
    }
    this.moves = Collections.unmodifiableSortedMap(new TreeMap<>(moves));
    this.rebuilds = Collections.unmodifiableSortedMap(new TreeMap<>(rebuilds));
    this.hash = (Arrays.hashCode(homes) * 31 + moves.hashCode()) * 31 + rebuilds.hashCode();
  }

  /** The bucket's memory node, 0 = none. */
  public int home(int bucket) {
    return homes[bucket];
  }

  public int[] homes() {
    return homes.clone();
  }

  /** By moving bucket, until the new home serves it. */
  public SortedMap<Integer, Move> moves() {
    return moves;
  }

  public SortedMap<Long, Rebuild> rebuilds() {
    return rebuilds;
  }

  public BucketState state(int bucket) {
    if (homes[bucket] == 0) {
      return BucketState.HOMELESS;
    }
    if (moves.containsKey(bucket)) {
      return BucketState.MOVING;
    }
    return isRebuilding(bucket) ? BucketState.REBUILDING : BucketState.SERVED;
  }

  boolean isRebuilding(int bucket) {
    return rebuilds.values().stream().anyMatch(r -> r.buckets().contains(bucket));
  }

  /** Number of buckets whose home is the node; 0 = of those without a home. */
  public int count(int node) {
    return node < counts.length ? counts[node] : 0;
  }

  /** The nodes that are homes, in ascending order. */
  IntStream nodes() {
    return IntStream.range(1, counts.length).filter(node -> counts[node] > 0);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || other instanceof BucketMap that
            && hash == that.hash
            && Arrays.equals(homes, that.homes)
            && moves.equals(that.moves)
            && rebuilds.equals(that.rebuilds);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "BucketMap[moves=" + moves + ", rebuilds=" + rebuilds + "]";
  }
}
