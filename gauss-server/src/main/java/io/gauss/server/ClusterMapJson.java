package io.gauss.server;

import io.gauss.storage.map.api.BucketBalance;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.message.MapAnswer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The cluster map as {@code gauss status --json} shows it. */
final class ClusterMapJson {
  private ClusterMapJson() {}

  static Map<String, Object> of(MapAnswer.Status status) {
    ClusterMap map = status.map();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("cluster", map.cluster().toString());
    json.put("version", map.version());
    json.put("leader", status.leader() == 0 ? null : status.leader());
    json.put(
        "nodes",
        map.nodes().values().stream()
            .map(node -> node(map, node, status.leaseMillis().get(node.id())))
            .toList());
    json.put(
        "streams",
        map.streams().values().stream()
            .map(stream -> stream(stream, map.streamGroups().get(stream.slot())))
            .toList());
    json.put("joining", map.joins().keySet());
    json.put("deaths", map.deaths().keySet());
    json.put("suspended", map.suspensions().keySet());
    Map<Integer, Integer> moves = new TreeMap<>();
    map.buckets().moves().forEach((bucket, move) -> moves.put(bucket, move.to()));
    json.put("bucketMoves", moves);
    json.put("bucketsToMove", BucketBalance.left(map));
    return json;
  }

  private static Map<String, Object> node(ClusterMap map, MapNode node, Integer leaseMillis) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", node.id());
    json.put(
        "roles",
        node.orderedRoles().stream().map(role -> role.name().toLowerCase(Locale.ROOT)).toList());
    json.put("state", node.state().name());
    json.put("evicted", node.evicted());
    json.put("epoch", node.epoch());
    json.put("slot", node.slot() == 0 ? null : node.slot());
    json.put("leaseMillis", leaseMillis);
    json.put("buckets", node.has(Role.MEMORY) ? map.buckets().count(node.id()) : null);
    Map<String, String> addresses = new LinkedHashMap<>();
    node.endpoints()
        .forEach(
            endpoint ->
                addresses.put(
                    endpoint.purpose().name().toLowerCase(Locale.ROOT), endpoint.toString()));
    json.put("addresses", addresses);
    return json;
  }

  private static Map<String, Object> stream(MapStream stream, StreamGroup group) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("slot", stream.slot());
    json.put("epoch", stream.epoch());
    json.put("sealed", stream.sealed());
    json.put("end", stream.sealed() ? stream.end() : null);
    json.put("replicas", group == null ? List.of() : group.replicas());
    json.put("preferredLeader", group == null ? null : group.preferredLeader());
    return json;
  }
}
