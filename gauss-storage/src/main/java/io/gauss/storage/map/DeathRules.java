package io.gauss.storage.map;

import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Death.Evidence;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The consequences of the end of an epoch: the barrier, the recoverer, the take-over (rules 10 to
 * 13).
 */
final class DeathRules {
  private DeathRules() {}

  static void declareDead(MapDraft draft, MapNode node, Evidence evidence) {
    draft.put(node.withState(NodeState.DEAD));
    draft.joins.remove(node.epoch());
    draft.suspensions.remove(node.epoch());
    stopWaitingFor(draft, node.id());
    SortedSet<Integer> others = draft.liveHolders();
    SortedSet<Integer> raise = node.slot() != 0 ? others : Collections.emptySortedSet();
    draft.put(
        new Death(node.epoch(), node.id(), node.slot(), evidence, others, raise, 0, 0, false));
    nameRecoverers(draft);
    if (node.has(Role.MEMORY)) {
      BucketRules.rehome(draft, node.id());
    }
    forgetInstalled(draft);
  }

  /** A dead node owes no acknowledgement, and is no recoverer any more. */
  private static void stopWaitingFor(MapDraft draft, int node) {
    for (Join join : new ArrayList<>(draft.joins.values())) {
      SortedSet<Integer> pending = without(join.pending(), node);
      draft.joins.put(join.epoch(), new Join(join.epoch(), join.node(), pending, join.clock()));
    }
    for (Death death : new ArrayList<>(draft.deaths.values())) {
      boolean lost = death.recoverer() == node;
      draft.put(
          new Death(
              death.epoch(),
              death.node(),
              death.slot(),
              death.evidence(),
              without(death.installPending(), node),
              without(death.raisePending(), node),
              death.clock(),
              lost ? 0 : death.recoverer(),
              !lost && death.takenOver()));
    }
    BucketRules.stopWaitingFor(draft, node);
  }

  static SortedSet<Integer> without(SortedSet<Integer> set, int node) {
    SortedSet<Integer> rest = new TreeSet<>(set);
    rest.remove(node);
    return rest;
  }

  /**
   * Names a recoverer for each death with a stream and without one: whoever recovers another life
   * of the node, otherwise the node itself if it is back, otherwise the least loaded serving
   * compute node.
   *
   * <p>A node that is back recovers nothing before its own slot is free. If it had to wait for
   * another node here, the two could wait for each other for ever. With this rule they cannot: a
   * node waits only for one that served before it was back itself. And since the lives of a node
   * are recovered in their order, none may be given to the node while another one has a later one.
   */
  static void nameRecoverers(MapDraft draft) {
    for (Death death : new ArrayList<>(draft.deaths.values())) {
      if (death.hasStream() && death.recoverer() == 0) {
        recoverer(draft, death.node())
            .ifPresent(node -> draft.put(with(death, death.clock(), node, death.takenOver())));
      }
    }
  }

  private static Optional<Integer> recoverer(MapDraft draft, int dead) {
    return draft.deaths.values().stream()
        .filter(death -> death.node() == dead && death.recoverer() != 0)
        .map(Death::recoverer)
        .findFirst()
        .or(() -> leastLoaded(draft, dead).map(MapNode::id));
  }

  private static Optional<MapNode> leastLoaded(MapDraft draft, int dead) {
    return draft.nodes(n -> n.has(Role.COMPUTE) && n.state().isServing() && !n.evicted()).stream()
        .min(
            Comparator.comparing((MapNode n) -> n.id() != dead)
                .thenComparing(n -> n.state() != NodeState.UP)
                .thenComparing(n -> n.state() == NodeState.DRAINING)
                .thenComparing(n -> recoveries(draft, n.id()))
                .thenComparing(MapNode::id));
  }

  private static long recoveries(MapDraft draft, int node) {
    return draft.deaths.values().stream().filter(d -> d.recoverer() == node).count();
  }

  private static Death with(Death death, long clock, int recoverer, boolean takenOver) {
    return new Death(
        death.epoch(),
        death.node(),
        death.slot(),
        death.evidence(),
        death.installPending(),
        death.raisePending(),
        clock,
        recoverer,
        takenOver);
  }

  static MapResult acknowledge(MapDraft draft, MapCommand.AcknowledgeDeath command) {
    if (draft.live(command.node(), command.epoch()) == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    Death death = draft.deaths.get(command.deadEpoch());
    if (death == null) {
      return MapResult.done();
    }
    boolean raised = draft.isSealed(death) && command.clock() >= lastLsn(draft, death);
    draft.put(
        new Death(
            death.epoch(),
            death.node(),
            death.slot(),
            death.evidence(),
            without(death.installPending(), command.node()),
            raised ? without(death.raisePending(), command.node()) : death.raisePending(),
            Math.max(death.clock(), command.clock()),
            death.recoverer(),
            death.takenOver()));
    forgetInstalled(draft);
    return MapResult.done();
  }

  /**
   * Pages of a dead node are granted once the barrier is complete, by homes to any node: all of
   * them raise their clocks to this map's floor, so a write there is above every snapshot that has
   * read a copy of the page (rule 10).
   */
  static void raiseFloor(MapDraft draft) {
    for (Death death : draft.deaths.values()) {
      if (death.isAcknowledged() && draft.isSealed(death)) {
        draft.clockFloor = Math.max(draft.clockFloor, death.clock());
      }
    }
  }

  private static long lastLsn(MapDraft draft, Death death) {
    MapStream stream = draft.streams.get(death.epoch());
    return stream == null ? 0 : stream.lastLsn();
  }

  /** A node without a stream leaves nothing to recover: its death is complete once installed. */
  private static void forgetInstalled(MapDraft draft) {
    List<Integer> over =
        draft.deaths.values().stream()
            .filter(d -> !d.hasStream() && d.isInstalled())
            .map(Death::epoch)
            .toList();
    over.forEach(draft.deaths::remove);
  }

  static MapResult takeOver(MapDraft draft, MapCommand.TakeOver command) {
    if (draft.live(command.node(), command.epoch()) == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    Death death = draft.deaths.get(command.deadEpoch());
    if (death == null || death.recoverer() != command.node()) {
      return MapResult.invalid("node " + command.node() + " is not the recoverer");
    }
    if (death.takenOver()) {
      return MapResult.done();
    }
    if (!draft.isSealed(death)) {
      return MapResult.notYet("the stream is not sealed yet");
    }
    if (!death.isInstalled()) {
      return MapResult.notYet("nodes " + death.installPending() + " have not acknowledged yet");
    }
    if (!death.raisePending().isEmpty()) {
      return MapResult.notYet("nodes " + death.raisePending() + " have not raised their clocks");
    }
    if (command.clock() < Math.max(death.clock(), lastLsn(draft, death))) {
      return MapResult.notYet("the clock has to be raised first");
    }
    draft.put(with(death, death.clock(), death.recoverer(), true));
    return MapResult.done();
  }

  static MapResult finish(MapDraft draft, MapCommand.FinishRecovery command) {
    if (draft.live(command.node(), command.epoch()) == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    Death death = draft.deaths.get(command.deadEpoch());
    if (death == null) {
      return MapResult.done();
    }
    if (death.recoverer() != command.node() || !death.takenOver()) {
      return MapResult.invalid("node " + command.node() + " has not taken the epoch over");
    }
    draft.deaths.remove(death.epoch());
    return MapResult.done();
  }
}
