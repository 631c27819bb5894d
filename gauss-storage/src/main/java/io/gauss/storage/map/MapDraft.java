package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.api.StreamGroup;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * A cluster map that is being changed by one command. Not thread-safe; lives as long as one call of
 * {@link ClusterMapTransitions#apply}.
 */
final class MapDraft {
  private final ClusterMap before;
  UUID cluster;
  int formatVersion;
  ClusterSettings settings;
  int nextNode;
  int nextEpoch;
  long clockFloor;
  final TreeMap<Integer, MapNode> nodes;
  final TreeMap<Integer, StreamGroup> streamGroups;
  final TreeMap<Integer, MapStream> streams;
  final TreeMap<Integer, Join> joins;
  final TreeMap<Integer, Death> deaths;
  final TreeMap<Integer, Long> suspensions;
  BucketMap buckets;
  SliceMap slices;

  MapDraft(ClusterMap map) {
    before = map;
    cluster = map.cluster();
    formatVersion = map.formatVersion();
    settings = map.settings();
    nextNode = map.nextNode();
    nextEpoch = map.nextEpoch();
    clockFloor = map.clockFloor();
    nodes = new TreeMap<>(map.nodes());
    streamGroups = new TreeMap<>(map.streamGroups());
    streams = new TreeMap<>(map.streams());
    joins = new TreeMap<>(map.joins());
    deaths = new TreeMap<>(map.deaths());
    suspensions = new TreeMap<>(map.suspensions());
    buckets = map.buckets();
    slices = map.slices();
  }

  /** Version that the map gets if it changes. */
  long nextVersion() {
    return before.version() + 1;
  }

  void put(MapNode node) {
    nodes.put(node.id(), node);
  }

  void put(Death death) {
    deaths.put(death.epoch(), death);
  }

  /** The node if this is its live epoch, else null. */
  MapNode live(int node, int epoch) {
    MapNode entry = nodes.get(node);
    return entry != null && entry.epoch() == epoch && entry.isLive() ? entry : null;
  }

  List<MapNode> nodes(Predicate<MapNode> which) {
    return nodes.values().stream().filter(which).toList();
  }

  SortedSet<Integer> ids(Predicate<MapNode> which) {
    SortedSet<Integer> ids = new TreeSet<>();
    for (MapNode node : nodes.values()) {
      if (which.test(node)) {
        ids.add(node.id());
      }
    }
    return ids;
  }

  /** Live nodes that hold pages, locks or directory entries, and so must learn of deaths. */
  SortedSet<Integer> liveHolders() {
    return ids(n -> n.isLive() && (n.has(Role.COMPUTE) || n.has(Role.MEMORY)));
  }

  boolean isSealed(Death death) {
    MapStream stream = streams.get(death.epoch());
    return !death.hasStream() || (stream != null && stream.sealed());
  }

  /** Renewals alone leave the version as it is. */
  ClusterMap build() {
    ClusterMap same = build(before.version());
    if (same.equals(before)) {
      return before;
    }
    return sameButForRenewals(same) ? same : build(nextVersion());
  }

  private boolean sameButForRenewals(ClusterMap after) {
    if (!after.nodes().keySet().equals(before.nodes().keySet())) {
      return false;
    }
    TreeMap<Integer, MapNode> aligned = new TreeMap<>();
    for (Map.Entry<Integer, MapNode> entry : after.nodes().entrySet()) {
      MapNode was = before.nodes().get(entry.getKey());
      aligned.put(entry.getKey(), entry.getValue().withRenewals(was.lease().renewals()));
    }
    return before.equals(
        new ClusterMap(
            after.version(),
            after.cluster(),
            after.formatVersion(),
            after.settings(),
            after.nextNode(),
            after.nextEpoch(),
            after.clockFloor(),
            aligned,
            after.streamGroups(),
            after.streams(),
            after.joins(),
            after.deaths(),
            after.buckets(),
            after.suspensions(),
            after.slices()));
  }

  private ClusterMap build(long version) {
    return new ClusterMap(
        version,
        cluster,
        formatVersion,
        settings,
        nextNode,
        nextEpoch,
        clockFloor,
        nodes,
        streamGroups,
        streams,
        joins,
        deaths,
        buckets,
        suspensions,
        slices);
  }
}
