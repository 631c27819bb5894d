package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.Slice.Tenure;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Refused;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/** Which storage nodes keep which slices of the pages (rule 45). */
final class SliceRules {
  private static final MapResult NOT_LISTED =
      MapResult.invalid("every storage node keeps all pages, there is no list of slices");

  private SliceRules() {}

  static MapResult list(MapDraft draft, MapCommand.ListSlices command) {
    if (draft.slices.isListed()) {
      return MapResult.done();
    }
    int storing = draft.nodes(n -> n.has(Role.STORAGE) && n.isLive()).size();
    if (storing < SliceMap.LEAST_NODES) {
      return MapResult.notYet(
          "%d storage nodes keep all pages; slices are for %d or more"
              .formatted(storing, SliceMap.LEAST_NODES));
    }
    List<Integer> nodes = command.nodes();
    if (new HashSet<>(nodes).size() != nodes.size() || nodes.size() < replicas(draft)) {
      return MapResult.invalid(
          "nodes %s, where %d replicas are wanted".formatted(nodes, replicas(draft)));
    }
    for (int id : nodes) {
      MapNode node = draft.nodes.get(id);
      if (node == null || !node.has(Role.STORAGE) || !node.isLive()) {
        return MapResult.invalid("node " + id + " is no live storage node");
      }
    }
    draft.slices = SliceMap.allAt(nodes);
    draft.formatVersion = Math.max(draft.formatVersion, ClusterMap.FORMAT_WITH_SLICES);
    return MapResult.done();
  }

  private static int replicas(MapDraft draft) {
    return draft.settings.get(ClusterSetting.SLICE_REPLICAS);
  }

  static MapResult move(MapDraft draft, MapCommand.MoveSlices command) {
    MapNode to = draft.nodes.get(command.to());
    if (to == null || !to.has(Role.STORAGE) || to.state() != NodeState.UP || to.evicted()) {
      return MapResult.notYet("node " + command.to() + " is no storage node that is UP");
    }
    int wanted = replicas(draft);
    return each(
        draft,
        command.slices(),
        slice -> moved(slice, command.from(), to.id(), wanted, draft.nextVersion()));
  }

  private static Outcome moved(Slice slice, int from, int to, int wanted, long version) {
    boolean isAsked = slice.to() == to && slice.from() == from;
    boolean hasMoved = slice.isReplica(to) && !slice.names(from);
    if (isAsked || hasMoved) {
      return Outcome.changed(slice);
    }
    if (slice.isMoving()) {
      return Outcome.notYet("a slice moves to node " + slice.to());
    }
    if (slice.names(to)) {
      return Outcome.invalid("node " + to + " has a slice already");
    }
    if (from != 0 && !slice.isReplica(from)) {
      return Outcome.invalid("node " + from + " is no replica of a slice");
    }
    int copies = slice.replicaCount();
    if (from == 0 ? copies >= wanted : copies != wanted) {
      return Outcome.notYet(
          "a slice has %d replicas of %d; it %s"
              .formatted(
                  copies,
                  wanted,
                  from == 0
                      ? "needs no other one"
                      : "has to have as many as it needs before one leaves"));
    }
    List<Tenure> tenures = new ArrayList<>(slice.tenures());
    tenures.add(new Tenure(to, version));
    tenures.sort(Comparator.comparing(Tenure::node));
    return Outcome.changed(new Slice(tenures, from, to));
  }

  static MapResult finish(MapDraft draft, MapCommand.FinishSliceMoves command) {
    int node = command.node();
    return draft.live(node, command.epoch()) == null
        ? MapResult.wrongEpoch(node, command.epoch())
        : each(draft, command.slices(), slice -> finished(slice, node, command.since()));
  }

  private static Outcome finished(Slice slice, int node, long since) {
    if (slice.since(node) != since) {
      return Outcome.invalid(
          "node %d is ready for the tenure %d of a slice, the map has %d"
              .formatted(node, since, slice.since(node)));
    }
    return Outcome.changed(
        slice.to() == node ? new Slice(without(slice, slice.from()), 0, 0) : slice);
  }

  static MapResult cancel(MapDraft draft, MapCommand.CancelSliceMoves command) {
    return each(
        draft,
        command.slices(),
        slice -> Outcome.changed(new Slice(without(slice, slice.to()), 0, 0)));
  }

  static MapResult giveUp(MapDraft draft, MapCommand.GiveUpReplicas command) {
    if (command.remaining() < 1) {
      return MapResult.invalid("a slice keeps one replica at least");
    }
    return each(draft, command.slices(), slice -> givenUp(slice, command));
  }

  private static Outcome givenUp(Slice slice, MapCommand.GiveUpReplicas command) {
    int node = command.node();
    if (slice.to() == node) {
      return Outcome.invalid("node " + node + " is no replica of a slice yet");
    }
    if (slice.since(node) > command.known()) {
      return Outcome.invalid("node " + node + " was named for a slice again");
    }
    if (slice.names(node) && slice.replicaCount() <= command.remaining()) {
      return Outcome.notYet(
          "a slice would have %d replicas without node %d"
              .formatted(slice.replicaCount() - 1, node));
    }
    return Outcome.changed(
        slice.names(node) ? new Slice(without(slice, node), 0, slice.to()) : slice);
  }

  private static List<Tenure> without(Slice slice, int node) {
    return slice.tenures().stream().filter(tenure -> tenure.node() != node).toList();
  }

  /** Null when the node may be taken out of the cluster. */
  static MapResult keeps(MapDraft draft, MapNode node) {
    int slices = draft.slices.count(node.id());
    return slices == 0
        ? null
        : MapResult.notYet(
            "storage node %d is to keep %d slices, which have to move first"
                .formatted(node.id(), slices));
  }

  /** What a command does to one of its slices. */
  private record Outcome(Slice after, Refused refused) {
    static Outcome changed(Slice after) {
      return new Outcome(after, null);
    }

    static Outcome notYet(String message) {
      return new Outcome(null, new Refused(Refusal.NOT_YET, message));
    }

    static Outcome invalid(String message) {
      return new Outcome(null, new Refused(Refusal.INVALID, message));
    }
  }

  private static MapResult each(MapDraft draft, BucketSet slices, Function<Slice, Outcome> judge) {
    if (!draft.slices.isListed()) {
      return NOT_LISTED;
    }
    TreeMap<Integer, Slice> changed = new TreeMap<>();
    MapResult result =
        EachByItself.judge(
            slices,
            number -> {
              Slice before = draft.slices.slice(number);
              Outcome outcome = judge.apply(before);
              if (outcome.refused() == null && !outcome.after().equals(before)) {
                changed.put(number, outcome.after());
              }
              return outcome.refused();
            });
    draft.slices = draft.slices.with(changed, draft.nextVersion());
    return result;
  }
}
