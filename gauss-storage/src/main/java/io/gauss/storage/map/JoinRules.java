package io.gauss.storage.map;

import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Refused;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Joining, always under a new epoch. A registered compute node becomes a receiver of broadcasts;
 * every live compute node acknowledges that with its clock; the node raises its own to the highest
 * of them, and to the last LSN of every sealed stream; then it serves.
 */
final class JoinRules {
  private static final int MAX_NAME = 255;

  private JoinRules() {}

  static MapResult register(MapDraft draft, MapCommand.Register command) {
    if (!draft.cluster.equals(command.cluster())) {
      return new Refused(
          Refusal.WRONG_CLUSTER,
          "the node belongs to cluster " + command.cluster() + ", this is " + draft.cluster);
    }
    if (draft.formatVersion < command.lowestFormat()
        || draft.formatVersion > command.highestFormat()) {
      return new Refused(
          Refusal.UNKNOWN_FORMAT,
          "the cluster has format version %d, the node knows %d to %d"
              .formatted(draft.formatVersion, command.lowestFormat(), command.highestFormat()));
    }
    MapNode known = find(draft, command);
    if (known != null && known.isLive() && known.incarnation() == command.incarnation()) {
      return registered(known);
    }
    MapResult refused = refusal(draft, command, known);
    if (refused != null) {
      return refused;
    }
    return admit(draft, command, known);
  }

  /** The entry that the node had, by its number or by the incarnation of an earlier attempt. */
  private static MapNode find(MapDraft draft, MapCommand.Register command) {
    if (command.node() != 0) {
      return draft.nodes.get(command.node());
    }
    return draft.nodes.values().stream()
        .filter(n -> n.incarnation() == command.incarnation())
        .findFirst()
        .orElse(null);
  }

  /** Null when the node may join. */
  private static MapResult refusal(MapDraft draft, MapCommand.Register command, MapNode known) {
    if (command.node() < 0 || command.node() > MapNode.MAX_ID || draft.nextNode > MapNode.MAX_ID) {
      return MapResult.invalid("node number " + command.node());
    }
    if (command.incarnation() == 0 || command.roles().isEmpty()) {
      return MapResult.invalid("a node needs a role and an incarnation");
    }
    if (command.zone().length() > MAX_NAME) {
      return MapResult.invalid("zone of more than " + MAX_NAME + " characters");
    }
    long purposes = command.endpoints().stream().map(Endpoint::purpose).distinct().count();
    if (purposes != command.endpoints().size()
        || command.endpoints().stream().noneMatch(e -> e.purpose() == Endpoint.Purpose.PEER)) {
      return MapResult.invalid("a node needs one address for peers, and one at most per purpose");
    }
    if (command.node() != 0 && command.follows() != (known == null ? 0 : known.epoch())) {
      return new Refused(
          Refusal.WRONG_EPOCH,
          "node %d had epoch %d when it registered, which is over"
              .formatted(command.node(), command.follows()));
    }
    if (known != null && !sameNode(known, command)) {
      return MapResult.invalid(
          "node %d is %s with roles %s; it cannot come back as this"
              .formatted(known.id(), known.state(), known.orderedRoles()));
    }
    if (known != null && known.isLive() && known.holdsLease()) {
      return MapResult.notYet("node " + known.id() + " still holds a lease as another process");
    }
    // The dead epoch's possible late appends must be settled before its slot gets a new writer.
    if (known != null
        && draft.deaths.values().stream()
            .anyMatch(d -> d.node() == known.id() && !draft.isSealed(d))) {
      return MapResult.notYet("the last stream of node " + known.id() + " is not sealed yet");
    }
    if (command.roles().contains(Role.COMPUTE)) {
      int stores = StreamRules.candidates(draft, 0).size();
      int itself = command.roles().contains(Role.STORAGE) ? 1 : 0;
      int wanted = draft.settings.get(ClusterSetting.STREAM_REPLICAS);
      if ((known == null || known.slot() == 0) && stores + itself < wanted) {
        return MapResult.notYet(
            "a stream needs %d storage nodes, there are %d".formatted(wanted, stores + itself));
      }
      if ((known == null || known.slot() == 0) && freeSlot(draft) == 0) {
        return MapResult.invalid("all " + MapNode.MAX_SLOT + " compute slots are taken");
      }
    }
    return null;
  }

  private static boolean sameNode(MapNode known, MapCommand.Register command) {
    return known.state() != NodeState.REMOVED
        && known.roles().equals(command.roles())
        // A process that was declared dead draws a new incarnation; the old one is in a late
        // message.
        && known.incarnation() != command.incarnation();
  }

  private static MapResult admit(MapDraft draft, MapCommand.Register command, MapNode known) {
    boolean computes = command.roles().contains(Role.COMPUTE);
    int id = known != null ? known.id() : command.node() != 0 ? command.node() : draft.nextNode;
    int slot = !computes ? 0 : known != null ? known.slot() : freeSlot(draft);
    int epoch = draft.nextEpoch;
    draft.nextEpoch = epoch + 1;
    draft.nextNode = Math.max(draft.nextNode, id + 1);
    boolean leased = computes || command.roles().contains(Role.MEMORY);
    Lease lease =
        leased ? new Lease(draft.settings.get(ClusterSetting.LEASE_DURATION), 0) : Lease.NONE;
    SortedSet<Integer> pending =
        computes ? draft.ids(n -> n.isLive() && n.has(Role.COMPUTE)) : new TreeSet<>();
    MapNode node =
        new MapNode(
            id,
            command.roles(),
            slot,
            command.zone(),
            command.endpoints(),
            command.incarnation(),
            epoch,
            NodeState.JOINING,
            lease,
            false);
    draft.put(node);
    draft.joins.put(epoch, new Join(epoch, id, pending, 0));
    if (known != null) {
      draft.joins.remove(known.epoch());
    }
    if (computes) {
      if (!draft.streamGroups.containsKey(slot)) {
        StreamGroup group = StreamRules.place(draft, slot, node);
        draft.streamGroups.put(slot, group);
      }
      draft.streams.put(epoch, MapStream.open(epoch, slot));
    }
    return registered(node);
  }

  private static MapResult registered(MapNode node) {
    return new MapResult.Registered(
        node.id(), node.slot(), node.epoch(), node.lease().durationMillis());
  }

  /** Lowest slot that no node and no unrecovered epoch has; 0 = none. */
  private static int freeSlot(MapDraft draft) {
    for (int slot = 1; slot <= MapNode.MAX_SLOT; slot++) {
      int wanted = slot;
      boolean taken =
          draft.nodes.values().stream()
                  .anyMatch(n -> n.slot() == wanted && n.state() != NodeState.REMOVED)
              || draft.deaths.values().stream().anyMatch(d -> d.slot() == wanted);
      if (!taken) {
        return slot;
      }
    }
    return 0;
  }

  static MapResult acknowledge(MapDraft draft, MapCommand.AcknowledgeJoin command) {
    if (draft.live(command.node(), command.epoch()) == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    Join join = draft.joins.get(command.joiningEpoch());
    if (join == null || !join.pending().contains(command.node())) {
      return MapResult.done();
    }
    SortedSet<Integer> pending = new TreeSet<>(join.pending());
    pending.remove(command.node());
    long clock = Math.max(join.clock(), command.clock());
    draft.joins.put(join.epoch(), new Join(join.epoch(), join.node(), pending, clock));
    return MapResult.done();
  }

  static MapResult finish(MapDraft draft, MapCommand.FinishJoin command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    Join join = draft.joins.get(command.epoch());
    if (join == null) {
      return MapResult.done();
    }
    if (node.has(Role.COMPUTE)) {
      if (!join.pending().isEmpty()) {
        return MapResult.notYet("nodes " + join.pending() + " have not acknowledged yet");
      }
      // No live node may know the last commits of a dead node, especially after a full restart.
      if (!draft.deaths.values().stream().allMatch(draft::isSealed)) {
        return MapResult.notYet("the streams of dead nodes are not sealed yet");
      }
      if (command.clock() < Math.max(join.clock(), draft.clockFloor)) {
        return MapResult.notYet("the clock has to be raised first");
      }
    }
    draft.joins.remove(command.epoch());
    draft.put(node.withState(NodeState.UP));
    if (node.has(Role.COMPUTE)) {
      DeathRules.nameRecoverers(draft);
    }
    if (node.has(Role.MEMORY)) {
      BucketRules.giveHomeless(draft, List.of(node.id()));
      BucketRules.shareOut(draft);
    }
    return MapResult.done();
  }

  /** Changes where clients connect, and nothing else: nobody's rights depend on it. */
  static MapResult openToClients(MapDraft draft, MapCommand.OpenToClients command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    if (!node.has(Role.COMPUTE) || command.at().purpose() != Endpoint.Purpose.SQL) {
      return MapResult.invalid("clients connect to compute nodes, at an address for SQL");
    }
    if (node.state() == NodeState.JOINING) {
      return MapResult.notYet("node " + node.id() + " is still joining");
    }
    draft.put(node.reachableAt(command.at()));
    return MapResult.done();
  }
}
