package io.gauss.storage.map.client;

import io.gauss.storage.map.api.BucketBalance;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.message.MapAnswer;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The cluster map as lines of text for operators. */
public final class ClusterMapText {
  private static final String NODE = "%-5s %-16s %-9s %6s %5s %9s  %s%n";
  private static final String STREAM = "%-5s %6s %-7s %14s  %-12s %s%n";

  private final StringBuilder text = new StringBuilder();
  private final MapAnswer.Status status;
  private final ClusterMap map;

  private ClusterMapText(MapAnswer.Status status) {
    this.status = status;
    this.map = status.map();
  }

  /** Nodes, streams, operations under way, and slices. */
  public static String render(MapAnswer.Status status) {
    ClusterMapText text = new ClusterMapText(status);
    text.head();
    text.nodes();
    text.streams();
    text.underWay();
    text.slices();
    return text.text.toString();
  }

  private void line(String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments));
  }

  private void head() {
    line(
        "cluster %s, format %d, map version %d, led by storage node %s%n%n",
        map.cluster(),
        map.formatVersion(),
        map.version(),
        status.leader() == 0 ? "?" : status.leader());
  }

  private void nodes() {
    line(NODE, "node", "role", "state", "epoch", "slot", "lease", "address");
    for (MapNode node : map.nodes().values()) {
      Integer lease = status.leaseMillis().get(node.id());
      line(
          NODE,
          node.id(),
          roles(node),
          state(node),
          node.epoch(),
          node.slot() == 0 ? "-" : node.slot(),
          lease == null ? "-" : lease + " ms",
          node.endpoints().stream().map(ClusterMapText::endpoint).collect(Collectors.joining(" ")));
    }
  }

  private String state(MapNode node) {
    if (node.evicted() && node.isLive()) {
      return "EVICTED";
    }
    return node.isLive() && map.suspension(node.epoch()) != 0 ? "SUSPENDED" : node.state().name();
  }

  private static String roles(MapNode node) {
    return node.orderedRoles().stream()
        .map(role -> role.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(","));
  }

  private static String endpoint(Endpoint endpoint) {
    return endpoint.purpose().name().toLowerCase(Locale.ROOT) + "=" + endpoint;
  }

  private void streams() {
    if (map.streams().isEmpty()) {
      return;
    }
    line("%n");
    line(STREAM, "slot", "epoch", "state", "end", "replicas", "preferred leader");
    for (MapStream stream : map.streams().values()) {
      StreamGroup group = map.streamGroups().get(stream.slot());
      line(
          STREAM,
          stream.slot(),
          stream.epoch(),
          stream.sealed() ? "SEALED" : "OPEN",
          stream.sealed() ? stream.end() : "-",
          ids(group.replicas()),
          group.preferredLeader());
    }
  }

  private void moves() {
    Map<String, BitSet> together = new TreeMap<>();
    map.buckets()
        .moves()
        .forEach(
            (bucket, move) -> {
              int home = map.buckets().home(bucket);
              together
                  .computeIfAbsent(move(home == move.to() ? 0 : home, move.to()), m -> new BitSet())
                  .set(bucket);
            });
    together.forEach((where, buckets) -> moves("buckets", where, buckets));
  }

  /**
   * Where something moves.
   *
   * @param from 0 = it leaves no node
   */
  private static String move(int from, int to) {
    return "node " + to + (from == 0 ? "" : " from " + from);
  }

  private void moves(String what, String where, BitSet which) {
    line("%d %s move to %s: %s%n", which.cardinality(), what, where, BucketSet.of(which));
  }

  private void slices() {
    SliceMap slices = map.slices();
    if (!slices.isListed()) {
      return;
    }
    line("%n");
    slices
        .holders()
        .keySet()
        .forEach(node -> line("node %d keeps %d slices%n", node, slices.replicasAt(node).size()));
    Map<String, BitSet> together = new TreeMap<>();
    slices
        .moving()
        .forEach(
            number -> {
              Slice slice = slices.slice(number);
              together
                  .computeIfAbsent(move(slice.from(), slice.to()), m -> new BitSet())
                  .set(number);
            });
    together.forEach((where, which) -> moves("slices", where, which));
    int wanted = map.settings().get(ClusterSetting.SLICE_REPLICAS);
    long lacking = slices.slices().stream().filter(s -> s.replicaCount() < wanted).count();
    if (lacking > 0) {
      line("%d slices are at fewer than %d nodes%n", lacking, wanted);
    }
  }

  private static String ids(Iterable<Integer> ids) {
    StringBuilder joined = new StringBuilder();
    for (int id : ids) {
      joined.append(joined.isEmpty() ? "" : ",").append(id);
    }
    return joined.toString();
  }

  private void underWay() {
    List<MapNode> memory = map.live(Role.MEMORY);
    if (!memory.isEmpty() || !map.joins().isEmpty() || !map.deaths().isEmpty()) {
      line("%n");
    }
    for (MapNode node : memory) {
      line("node %d is home of %d buckets%n", node.id(), map.buckets().count(node.id()));
    }
    moves();
    int left = BucketBalance.left(map);
    if (left > 0) {
      line(
          "%d buckets are to move%s%n",
          left, BucketBalance.isQuiet(map) ? "" : ", once nobody is dead, silent or on the way in");
    }
    for (BucketMap.Rebuild rebuild : map.buckets().rebuilds().values()) {
      line(
          "%d buckets are rebuilt and wait for nodes %s%n",
          rebuild.buckets().size(), ids(rebuild.pending()));
    }
    for (Join join : map.joins().values()) {
      line("node %d joins%s%n", join.node(), waiting(join.pending()));
    }
    for (Death death : map.deaths().values()) {
      line(
          "epoch %d of node %d has ended (%s): %s%n",
          death.epoch(), death.node(), evidence(death), step(death));
    }
  }

  private static String evidence(Death death) {
    return switch (death.evidence()) {
      case LEASE_ENDED -> "its lease ended";
      case PROOF_OF_EXIT -> "its process ended";
      case LEFT -> "it left";
    };
  }

  private String step(Death death) {
    if (!map.isSealed(death)) {
      return "its stream is being sealed";
    }
    if (!death.isInstalled()) {
      return "nodes " + ids(death.installPending()) + " have not taken note of it yet";
    }
    if (!death.raisePending().isEmpty()) {
      return "nodes " + ids(death.raisePending()) + " have not raised their clocks yet";
    }
    if (death.recoverer() == 0) {
      return "nobody can recover it yet";
    }
    return (death.takenOver() ? "rolled back by node " : "to be taken over by node ")
        + death.recoverer();
  }

  private static String waiting(Iterable<Integer> pending) {
    String ids = ids(pending);
    return ids.isEmpty() ? "" : " and waits for nodes " + ids;
  }
}
