package io.gauss.storage.map;

import io.gauss.storage.map.api.Death.Evidence;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Refused;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import java.util.ArrayList;
import java.util.List;

/**
 * Leases and how they end. A lease expires only if no renewal was committed since the one from
 * which the leader counted; it ends earlier only on proof of exit (rule 9).
 */
final class LeaseRules {
  private LeaseRules() {}

  static MapResult renew(MapDraft draft, MapCommand.RenewLeases command) {
    List<RenewalAnswer> answers = new ArrayList<>();
    for (MapCommand.Renewal renewal : command.renewals()) {
      answers.add(renew(draft, renewal));
    }
    return new MapResult.Renewed(answers);
  }

  private static RenewalAnswer renew(MapDraft draft, MapCommand.Renewal renewal) {
    MapNode node = draft.live(renewal.node(), renewal.epoch());
    if (node == null) {
      return RenewalAnswer.DEAD;
    }
    if (node.evicted()) {
      return RenewalAnswer.EVICTED;
    }
    if (renewal.number() > node.lease().renewals()) {
      MapNode renewed = node.withRenewals(renewal.number());
      draft.put(renewed.state() == NodeState.SUSPECT ? renewed.withState(NodeState.UP) : renewed);
    }
    return RenewalAnswer.GRANTED;
  }

  static MapResult suspect(MapDraft draft, MapCommand.Suspect command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    if (node.lease().renewals() != command.renewal()) {
      return renewedMeanwhile(node);
    }
    if (node.state() == NodeState.UP) {
      draft.put(node.withState(NodeState.SUSPECT));
    }
    return MapResult.done();
  }

  static MapResult evict(MapDraft draft, MapCommand.Evict command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    if (!node.holdsLease()) {
      return MapResult.invalid("node " + node.id() + " holds no lease");
    }
    draft.put(node.asEvicted());
    return MapResult.done();
  }

  static MapResult expire(MapDraft draft, MapCommand.ExpireLease command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return alreadyDead(draft, command.node(), command.epoch());
    }
    if (!node.holdsLease()) {
      return MapResult.invalid("node " + node.id() + " holds no lease");
    }
    if (node.lease().renewals() != command.renewal()) {
      return renewedMeanwhile(node);
    }
    DeathRules.declareDead(draft, node, Evidence.LEASE_ENDED);
    return MapResult.done();
  }

  static MapResult declareExited(MapDraft draft, MapCommand.DeclareExited command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return alreadyDead(draft, command.node(), command.epoch());
    }
    if (node.incarnation() != command.incarnation()) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    if (!node.holdsLease()) {
      // A storage node that is down keeps its place: the Raft groups continue without it.
      draft.put(node.state() == NodeState.UP ? node.withState(NodeState.SUSPECT) : node);
      return MapResult.done();
    }
    DeathRules.declareDead(draft, node, Evidence.PROOF_OF_EXIT);
    return MapResult.done();
  }

  static MapResult leave(MapDraft draft, MapCommand.Leave command) {
    MapNode node = draft.live(command.node(), command.epoch());
    if (node == null) {
      return alreadyDead(draft, command.node(), command.epoch());
    }
    if (!node.holdsLease()) {
      draft.put(node.state() == NodeState.UP ? node.withState(NodeState.SUSPECT) : node);
      return MapResult.done();
    }
    DeathRules.declareDead(draft, node, Evidence.LEFT);
    return MapResult.done();
  }

  private static MapResult alreadyDead(MapDraft draft, int node, int epoch) {
    MapNode entry = draft.nodes.get(node);
    return entry != null && entry.epoch() >= epoch
        ? MapResult.done()
        : MapResult.wrongEpoch(node, epoch);
  }

  private static MapResult renewedMeanwhile(MapNode node) {
    return new Refused(
        Refusal.RENEWED, "node " + node.id() + " has renewed its lease in the meantime");
  }
}
