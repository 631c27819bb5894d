package io.gauss.storage.map;

import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;

/** Changes by operators: the cluster itself, its settings, and the removal of nodes. */
final class ClusterRules {
  private ClusterRules() {}

  static MapResult init(MapDraft draft, MapCommand.InitCluster command) {
    if (command.cluster() == null) {
      return MapResult.invalid("a cluster needs an identity");
    }
    if (draft.cluster != null) {
      return draft.cluster.equals(command.cluster())
          ? MapResult.done()
          : MapResult.invalid("these storage nodes belong to cluster " + draft.cluster);
    }
    if (command.formatVersion() < 1) {
      return MapResult.invalid("format version " + command.formatVersion());
    }
    if (command.settings().problem().isPresent()) {
      return MapResult.invalid(command.settings().problem().get());
    }
    draft.cluster = command.cluster();
    draft.settings = command.settings();
    draft.formatVersion = command.formatVersion();
    return MapResult.done();
  }

  static MapResult changeSetting(MapDraft draft, MapCommand.ChangeSetting command) {
    ClusterSettings changed = draft.settings.with(command.setting(), command.value());
    if (changed.problem().isPresent()) {
      return MapResult.invalid(changed.problem().get());
    }
    draft.settings = changed;
    return MapResult.done();
  }

  static MapResult drain(MapDraft draft, MapCommand.Drain command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    if (node.state() == NodeState.JOINING) {
      return MapResult.notYet("node " + node.id() + " is still joining");
    }
    if (node.has(Role.MEMORY) && !othersKeepBuckets(draft, node)) {
      return MapResult.invalid("no other memory node is there to take over from " + node.id());
    }
    draft.put(node.withState(NodeState.DRAINING));
    return MapResult.done();
  }

  private static boolean othersKeepBuckets(MapDraft draft, MapNode leaving) {
    return !draft
        .nodes(
            n ->
                n.id() != leaving.id()
                    && n.has(Role.MEMORY)
                    && n.state().isServing()
                    && n.state() != NodeState.DRAINING
                    && !n.evicted())
        .isEmpty();
  }

  static MapResult remove(MapDraft draft, MapCommand.RemoveNode command) {
    MapNode node = draft.nodes.get(command.node());
    if (node == null) {
      return MapResult.invalid("there is no node " + command.node());
    }
    if (node.state() == NodeState.REMOVED) {
      return MapResult.done();
    }
    if (node.isLive()) {
      return MapResult.notYet("node " + node.id() + " is alive; drain or stop it first");
    }
    if (draft.deaths.values().stream().anyMatch(d -> d.node() == node.id())) {
      return MapResult.notYet("node " + node.id() + " is not recovered yet");
    }
    if (draft.streamGroups.values().stream().anyMatch(g -> g.replicas().contains(node.id()))) {
      return MapResult.notYet("node " + node.id() + " still is a replica of streams");
    }
    MapResult keeps = SliceRules.keeps(draft, node);
    if (keeps != null) {
      return keeps;
    }
    draft.put(node.withState(NodeState.REMOVED));
    return MapResult.done();
  }
}
