package io.gauss.storage.map;

import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Streams, their placement, and the storage nodes that keep them. */
final class StreamRules {
  private StreamRules() {}

  /**
   * Chooses the storage nodes of a slot's streams: as leader the one of the writer's own host, else
   * one of its zone that leads few streams; as others nodes in other zones that keep few.
   */
  static StreamGroup place(MapDraft draft, int slot, MapNode writer) {
    List<MapNode> free = new ArrayList<>(candidates(draft, writer.id()));
    Comparator<MapNode> wellFirst = Comparator.comparing(n -> n.state() == NodeState.SUSPECT);
    MapNode leader =
        Collections.min(
            free,
            wellFirst
                .thenComparing(n -> !isOnOneHost(n, writer))
                .thenComparing(n -> !n.zone().equals(writer.zone()))
                .thenComparing(n -> leads(draft, n.id()))
                .thenComparing(MapNode::id));
    List<MapNode> chosen = new ArrayList<>(List.of(leader));
    free.remove(leader);
    while (!free.isEmpty() && chosen.size() < draft.settings.get(ClusterSetting.STREAM_REPLICAS)) {
      MapNode next =
          Collections.min(
              free,
              wellFirst
                  .thenComparing(
                      n -> chosen.stream().filter(c -> c.zone().equals(n.zone())).count())
                  .thenComparing(n -> replicas(draft, n.id()))
                  .thenComparing(MapNode::id));
      chosen.add(next);
      free.remove(next);
    }
    return StreamGroup.founded(
        slot, chosen.stream().map(MapNode::id).sorted().toList(), leader.id());
  }

  private static boolean isOnOneHost(MapNode one, MapNode other) {
    Optional<String> host = one.endpoint(Endpoint.Purpose.PEER).map(Endpoint::host);
    return host.isPresent()
        && host.equals(other.endpoint(Endpoint.Purpose.PEER).map(Endpoint::host));
  }

  /** Storage nodes that take new streams; one that also computes may keep its own. */
  static List<MapNode> candidates(MapDraft draft, int writer) {
    return draft.nodes(
        n ->
            n.has(Role.STORAGE)
                && (n.state() == NodeState.UP
                    || n.state() == NodeState.SUSPECT
                    || (n.id() == writer && n.isLive())));
  }

  private static long replicas(MapDraft draft, int node) {
    return draft.streamGroups.values().stream().filter(g -> g.replicas().contains(node)).count();
  }

  private static long leads(MapDraft draft, int node) {
    return draft.streamGroups.values().stream().filter(g -> g.preferredLeader() == node).count();
  }

  static MapResult sealed(MapDraft draft, MapCommand.StreamSealed command) {
    MapStream stream = draft.streams.get(command.epoch());
    if (stream == null) {
      return MapResult.done();
    }
    if (stream.sealed()) {
      return stream.end() == command.end() && stream.lastLsn() == command.lastLsn()
          ? MapResult.done()
          : MapResult.invalid(
              "stream of epoch %d was sealed at %d, not at %d"
                  .formatted(stream.epoch(), stream.end(), command.end()));
    }
    Death death = draft.deaths.get(command.epoch());
    if (death == null) {
      return MapResult.invalid("the writer of epoch " + command.epoch() + " is alive");
    }
    if (command.end() < 0 || command.lastLsn() < 0) {
      return MapResult.invalid("end " + command.end() + ", LSN " + command.lastLsn());
    }
    draft.streams.put(stream.epoch(), stream.sealedAt(command.end(), command.lastLsn()));
    draft.clockFloor = Math.max(draft.clockFloor, command.lastLsn());
    return MapResult.done();
  }

  static MapResult forget(MapDraft draft, MapCommand.ForgetStream command) {
    MapStream stream = draft.streams.get(command.epoch());
    if (stream == null) {
      return MapResult.done();
    }
    if (!stream.sealed() || draft.deaths.containsKey(command.epoch())) {
      return MapResult.notYet("the stream of epoch " + command.epoch() + " is still needed");
    }
    draft.streams.remove(command.epoch());
    return MapResult.done();
  }

  static MapResult changeReplicas(MapDraft draft, MapCommand.ChangeReplicas command) {
    if (!draft.streamGroups.containsKey(command.slot())) {
      return MapResult.invalid("there is no stream of slot " + command.slot());
    }
    List<Integer> replicas = command.replicas().stream().sorted().toList();
    if (replicas.isEmpty()
        || new HashSet<>(replicas).size() != replicas.size()
        || !replicas.contains(command.preferredLeader())) {
      return MapResult.invalid("replicas " + replicas + ", leader " + command.preferredLeader());
    }
    for (int id : replicas) {
      MapNode node = draft.nodes.get(id);
      if (node == null || !node.isLive() || !node.has(Role.STORAGE)) {
        return MapResult.invalid("node " + id + " is no live storage node");
      }
    }
    draft.streamGroups.computeIfPresent(
        command.slot(), (slot, group) -> group.movedTo(replicas, command.preferredLeader()));
    return MapResult.done();
  }

  static MapResult retireStorage(MapDraft draft, MapCommand.RetireStorage command) {
    MapNode node = draft.nodes.get(command.node());
    if (node == null || !node.has(Role.STORAGE) || node.holdsLease()) {
      return MapResult.invalid("node " + command.node() + " is no node that only stores");
    }
    List<Integer> kept =
        draft.streamGroups.values().stream()
            .filter(group -> group.replicas().contains(node.id()))
            .map(StreamGroup::slot)
            .toList();
    if (!kept.isEmpty()) {
      // Without its member of a group there may be no majority.
      return MapResult.notYet(
          "storage node %d is to keep streams %s, which have to move first"
              .formatted(node.id(), kept));
    }
    MapResult keeps = SliceRules.keeps(draft, node);
    if (keeps != null) {
      return keeps;
    }
    if (node.isLive()) {
      draft.joins.remove(node.epoch());
      draft.put(node.withState(NodeState.DEAD));
    }
    return MapResult.done();
  }
}
