package io.gauss.storage.map.api;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The state on which the cluster agrees: its nodes, epochs, leases, streams, buckets and settings.
 * An immutable value; it changes only by {@code ClusterMapTransitions}, in the order of the map's
 * Raft log, so that all replicas have the same.
 *
 * <p>Invariants, checked by {@link ClusterMapChecker}: epochs are unique in the cluster and rise;
 * each slot has at most one open stream, that of its live epoch or of one that died and is not
 * sealed yet; every awaited acknowledgement is owed by a live node.
 *
 * @param version rises with every change except lease renewals, so that these do not wake watchers;
 *     0 = no cluster yet
 * @param cluster identifies the cluster; null at version 0
 * @param formatVersion of everything that nodes write; a node that does not know it may not join
 * @param nextNode lowest node number never used
 * @param nextEpoch the next epoch to assign
 * @param clockFloor highest LSN of all sealed streams, and highest clock with which a death was
 *     acknowledged: no node serves with a lower clock, and no page of a dead node is granted with
 *     one
 * @param nodes by id
 * @param streamGroups by slot
 * @param streams by epoch
 * @param joins by epoch of the joining node
 * @param deaths by dead epoch, until recovered
 * @param suspensions by epoch of a live compute node that did not answer another compute node: the
 *     number of the suspension, which is the version of the map that began it
 * @param slices which storage nodes keep which pages
 */
public record ClusterMap(
    long version,
    UUID cluster,
    int formatVersion,
    ClusterSettings settings,
    int nextNode,
    int nextEpoch,
    long clockFloor,
    SortedMap<Integer, MapNode> nodes,
    SortedMap<Integer, StreamGroup> streamGroups,
    SortedMap<Integer, MapStream> streams,
    SortedMap<Integer, Join> joins,
    SortedMap<Integer, Death> deaths,
    BucketMap buckets,
    SortedMap<Integer, Long> suspensions,
    SliceMap slices) {
  /** Format version of clusters that this build creates. */
  public static final int FORMAT_VERSION = 1;

  /** Format version of clusters whose storage nodes keep slices of the pages. */
  public static final int FORMAT_WITH_SLICES = 2;

  /** The map before the cluster is created. */
  public static final ClusterMap EMPTY =
      new ClusterMap(
          0,
          null,
          0,
          ClusterSettings.DEFAULTS,
          1,
          1,
          0,
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          BucketMap.EMPTY,
          new TreeMap<>(),
          SliceMap.NONE);

  public ClusterMap {
    nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
    streamGroups = Collections.unmodifiableSortedMap(new TreeMap<>(streamGroups));
    streams = Collections.unmodifiableSortedMap(new TreeMap<>(streams));
    joins = Collections.unmodifiableSortedMap(new TreeMap<>(joins));
    deaths = Collections.unmodifiableSortedMap(new TreeMap<>(deaths));
    suspensions = Collections.unmodifiableSortedMap(new TreeMap<>(suspensions));
  }

  public boolean isInitialised() {
    return version > 0;
  }

  public Optional<MapNode> node(int id) {
    return Optional.ofNullable(nodes.get(id));
  }

  /** True when this epoch of the node has not been declared dead. */
  public boolean isLive(int node, int epoch) {
    MapNode entry = nodes.get(node);
    return entry != null && entry.epoch() == epoch && entry.isLive();
  }

  /**
   * True when this epoch of the node is over. False for an epoch above the known one: this map is
   * older than that epoch.
   */
  public boolean isDead(int node, int epoch) {
    MapNode entry = nodes.get(node);
    return entry != null && (epoch < entry.epoch() || (epoch == entry.epoch() && !entry.isLive()));
  }

  /** Live nodes of a role, in order of number; joining ones are among them. */
  public List<MapNode> live(Role role) {
    return nodes.values().stream().filter(n -> n.isLive() && n.has(role)).toList();
  }

  /**
   * The compute nodes to which a commit's CSN is sent, without the sender: all live ones, including
   * joining ones (rule 5).
   */
  public List<MapNode> receivers(int sender) {
    return live(Role.COMPUTE).stream().filter(n -> n.id() != sender).toList();
  }

  /** Number of the epoch's suspension; 0 = it is not suspended. */
  public long suspension(int epoch) {
    return suspensions.getOrDefault(epoch, 0L);
  }

  /** The live node that holds the slot. */
  public Optional<MapNode> holder(int slot) {
    return nodes.values().stream().filter(n -> n.isLive() && n.slot() == slot).findFirst();
  }

  /** True when nothing more can be appended to the dead epoch's stream, or it has none. */
  public boolean isSealed(Death death) {
    if (!death.hasStream()) {
      return true;
    }
    MapStream stream = streams.get(death.epoch());
    return stream != null && stream.sealed();
  }

  /**
   * True when pages of the dead epoch may be given to other nodes and queries about its
   * transactions may be answered (rules 10 and 11).
   */
  public boolean mayServePagesOf(Death death) {
    return death.takenOver() || !death.hasStream();
  }

  /** Lowest clock with which this joining node may begin to serve. */
  public long clockToServe(Join join) {
    return Math.max(join.clock(), clockFloor);
  }

  /** True when every stream without a live writer is sealed. */
  public boolean deadStreamsAreSealed() {
    return deaths.values().stream().allMatch(this::isSealed);
  }
}
