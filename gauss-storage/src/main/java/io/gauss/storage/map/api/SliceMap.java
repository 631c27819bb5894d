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
  public static final SliceMap NONE = new SliceMap(new Slice[0], new TreeMap<>());

  private final Slice[] slices;
  private final SortedMap<Integer, Long> holders;
  private final SortedMap<Integer, Integer> counts; // by node that is named
  private final int hash;

  private SliceMap(Slice[] slices, SortedMap<Integer, Long> holders) {
    this.slices = slices;
    this.holders = Collections.unmodifiableSortedMap(holders);
    TreeMap<Integer, Integer> named = new TreeMap<>();
    for (Slice slice : slices) {
      slice.tenures().forEach(tenure -> named.merge(tenure.node(), 1, Integer::sum));
    }
    this.counts = Collections.unmodifiableSortedMap(named);
    this.hash = Arrays.hashCode(slices) * 31 + holders.hashCode();
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
    SliceMap map = new SliceMap(slices.toArray(new Slice[0]), new TreeMap<>(holders));
    if (!map.counts.keySet().equals(map.holders.keySet())) {
      throw new IllegalArgumentException(
          "slices name nodes " + map.counts.keySet() + ", holders are " + map.holders.keySet());
    }
    return map;
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
    TreeMap<Integer, Long> named = new TreeMap<>();
    for (Slice slice : after) {
      for (Slice.Tenure tenure : slice.tenures()) {
        named.computeIfAbsent(tenure.node(), node -> holders.getOrDefault(node, version));
      }
    }
    return new SliceMap(after, named);
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
