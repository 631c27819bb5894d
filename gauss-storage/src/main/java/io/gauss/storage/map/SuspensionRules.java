package io.gauss.storage.map;

import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;

/**
 * Decides which of two compute nodes that cannot reach each other continues without the other. A
 * suspended node stays alive, and serves while all others answer it. It only cannot have others
 * suspended, so when two nodes request the suspension of each other, the first request succeeds.
 * The order of suspensions in the map is what keeps both from continuing: see
 * docs/protocols/clocks.md.
 */
final class SuspensionRules {
  private SuspensionRules() {}

  static MapResult suspend(MapDraft draft, MapCommand.Suspend command) {
    MapNode by = draft.live(command.node(), command.epoch());
    MapNode other = draft.live(command.other(), command.otherEpoch());
    if (by == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    if (other == null) {
      return MapResult.wrongEpoch(command.other(), command.otherEpoch());
    }
    if (!by.has(Role.COMPUTE) || !other.has(Role.COMPUTE) || by.id() == other.id()) {
      return MapResult.invalid("a compute node may have another one suspended");
    }
    if (draft.suspensions.containsKey(by.epoch())) {
      return MapResult.notYet("node " + by.id() + " is suspended itself");
    }
    long present = draft.suspensions.getOrDefault(other.epoch(), 0L);
    if (present == 0 || present == command.known()) {
      // A new number: progress since the previous suspension does not count.
      draft.suspensions.put(other.epoch(), draft.nextVersion());
    }
    return MapResult.done();
  }

  static MapResult resume(MapDraft draft, MapCommand.Resume command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    long present = draft.suspensions.getOrDefault(node.epoch(), 0L);
    if (present == 0) {
      return MapResult.done();
    }
    if (present != command.number()) {
      return MapResult.notYet("node " + node.id() + " was suspended again");
    }
    // A node that registered meanwhile may have a map in which this one is suspended.
    boolean newer =
        !draft
            .nodes(
                n ->
                    n.isLive()
                        && n.has(Role.COMPUTE)
                        && n.id() != node.id()
                        && n.epoch() > command.newestEpoch())
            .isEmpty();
    if (newer) {
      return MapResult.notYet("node " + node.id() + " has not reached all others");
    }
    draft.suspensions.remove(node.epoch());
    return MapResult.done();
  }
}
