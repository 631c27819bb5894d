package io.gauss.storage.map.api;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Which storage nodes keep which slices of the pages: those of one of the 4,096 buckets by extent
 * ({@link PageBuckets}) are a slice. Immutable.
 *
 * <p>There is no list as long as every storage node keeps all pages. Once it has been made it stays
 * for good.
 */
public final class SliceMap {
  /** How many there are. A format, as for buckets. */
  public static final int SLICES = BucketMap.BUCKETS;

  /** Storage nodes from which on there is a list: with fewer all of them keep all pages. */
  public static final int LEAST_NODES = 4;

  /** No list: every storage node keeps all pages. */
  public static final SliceMap NONE = new SliceMap(new Slice[0], new TreeMap<>(), new TreeMap<>());

  private final Slice[] slices;
  private final SortedMap<Integer, Long> holders;
  private final SortedMap<Integer, Integer> counts; // by node that is named
  private final int hash;

  private SliceMap(
      Slice[] slices, SortedMap<Integer, Long> holders, SortedMap<Integer, Integer> counts) {
    this.slices = slices;
    this.holders = Collections.unmodifiableSortedMap(holders);
    this.counts = counts;
    this.hash = hash(slices) * 31 + holders.hashCode();
  }

  /** By node, the number of slices for which it is named. */
  private static SortedMap<Integer, Integer> counts(Slice[] slices) {
    TreeMap<Integer, Integer> counts = new TreeMap<>();
    eachRun(
        slices,
        (first, end) ->
            slices[first]
                .tenures()
                .forEach(tenure -> counts.merge(tenure.node(), end - first, Integer::sum)));
    return counts;
  }

  private static int hash(Slice[] slices) {
    int[] hash = {1};
    eachRun(slices, (first, end) -> hash[0] = (hash[0] * 31 + end) * 31 + slices[first].hashCode());
    return hash[0];
  }

  /** First slice, and the one after the last, of each run of equal ones. */
  private interface RunAction {
    void accept(int first, int end);
  }

  /** Most slices are where their neighbours are; that is looked at once for all of them. */
  private static void eachRun(Slice[] slices, RunAction action) {
    int first = 0;
    for (int i = 1; i <= slices.length; i++) {
      if (i == slices.length || !slices[i].equals(slices[first])) {
        action.accept(first, i);
        first = i;
      }
    }
  }

  /**
   * A list of all slices. Copies its arguments.
   *
   * @param slices by number
   * @param holders see {@link #holders()}
   * @throws IllegalArgumentException when they do not fit together
   */
  public static SliceMap of(List<Slice> slices, SortedMap<Integer, Long> holders) {
    if (slices.size() != SLICES) {
      throw new IllegalArgumentException(slices.size() + " slices");
    }
    Slice[] all = slices.toArray(new Slice[0]);
    SortedMap<Integer, Integer> counts = counts(all);
    if (!counts.keySet().equals(holders.keySet())) {
      throw new IllegalArgumentException(
          "slices name nodes " + counts.keySet() + ", holders are " + holders.keySet());
    }
    return new SliceMap(all, new TreeMap<>(holders), counts);
  }

  /** A list in which each of these nodes is a replica of every slice, of the tenure 0. */
  public static SliceMap allAt(Iterable<Integer> nodes) {
    TreeMap<Integer, Long> holders = new TreeMap<>();
    nodes.forEach(node -> holders.put(node, 0L));
    Slice all =
        new Slice(holders.keySet().stream().map(node -> new Slice.Tenure(node, 0)).toList(), 0, 0);
    return of(Collections.nCopies(SLICES, all), holders);
  }

  /**
   * The list with these slices changed.
   *
   * @param version of the map that the change makes: the tenure of the nodes that become holders
   */
  public SliceMap with(Map<Integer, Slice> changed, long version) {
    if (changed.isEmpty()) {
      return this;
    }
    Slice[] after = slices.clone();
    changed.forEach((number, slice) -> after[number] = slice);
    SortedMap<Integer, Integer> named = counts(after);
    TreeMap<Integer, Long> since = new TreeMap<>();
    named.keySet().forEach(node -> since.put(node, holders.getOrDefault(node, version)));
    return new SliceMap(after, since, named);
  }

  /** False as long as every storage node keeps all pages. */
  public boolean isListed() {
    return slices.length > 0;
  }

  /**
   * Where the slice is.
   *
   * @throws IndexOutOfBoundsException when there is no list
   */
  public Slice slice(int number) {
    return slices[number];
  }

  /** By number; empty when there is no list. */
  public List<Slice> slices() {
    return Collections.unmodifiableList(Arrays.asList(slices));
  }

  /**
   * The nodes that are named for any slice, and since when each of them has been without
   * interruption, as a version of the map: the tenure of its subscriptions, since a node reads each
   * stream once for all its slices.
   */
  public SortedMap<Integer, Long> holders() {
    return holders;
  }

  /** The slices for which the map names the node: those that it has, and those that arrive. */
  public BucketSet namedAt(int node) {
    return which(number -> slices[number].names(node));
  }

  /** The slices of which the node is a replica. */
  public BucketSet replicasAt(int node) {
    return which(number -> slices[number].isReplica(node));
  }

  /** The slices for which a move is under way. */
  public BucketSet moving() {
    return which(number -> slices[number].isMoving());
  }

  private BucketSet which(IntPredicate chosen) {
    BitSet bits = new BitSet();
    for (int number = 0; number < slices.length; number++) {
      bits.set(number, chosen.test(number));
    }
    return BucketSet.of(bits);
  }

  /** The number of slices for which the map names the node. */
  public int count(int node) {
    return counts.getOrDefault(node, 0);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || other instanceof SliceMap that
            && hash == that.hash
            && Arrays.equals(slices, that.slices)
            && holders.equals(that.holders);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "SliceMap[holders=" + holders + ", moving=" + moving() + "]";
  }
}
