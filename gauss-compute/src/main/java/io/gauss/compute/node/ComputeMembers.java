package io.gauss.compute.node;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.EpochSteps;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The other compute nodes by slot, for components that keep state by slot: which node is live in
 * which epoch. The end of one epoch is always reported before the beginning of the next one in the
 * same slot, whichever the cluster map shows first. Thread-safe.
 */
final class ComputeMembers implements EpochSteps.Follower {
  private final int self;
  private final EpochSteps steps = new EpochSteps();
  private final Map<Integer, Member> members = new HashMap<>(); // by slot, under this lock
  private final Map<Integer, CompletableFuture<Void>> ends = new HashMap<>(); // by dead epoch
  private Listener listener;

  private record Member(int node, int slot, int epoch) {}

  /** A component that keeps state by slot. Called in order, under a lock: must not block. */
  interface Listener {
    void joined(int slot, int epoch);

    /** Completes when nothing that came from the node is used any more. */
    CompletableFuture<Void> died(int slot);
  }

  /**
   * @param self number of this node
   */
  ComputeMembers(int self) {
    this.self = self;
  }

  /** Reports all live nodes to the listener, and from now on those that come and go. */
  synchronized void attach(Listener to) {
    listener = to;
    members.values().forEach(member -> to.joined(member.slot(), member.epoch()));
  }

  synchronized void follow(ClusterMap map) {
    steps.follow(map, this);
    ends.keySet().removeIf(epoch -> !map.deaths().containsKey(epoch) && ends.get(epoch).isDone());
  }

  @Override
  public void ended(EpochSteps.Life life) {
    died(life.slot(), life.epoch());
  }

  @Override
  public void began(MapNode node) {
    if (node.has(Role.COMPUTE)) {
      joined(node);
    }
  }

  /** Returns when all listeners have been notified. */
  synchronized void joined(MapNode node) {
    Member before = members.get(node.slot());
    if (node.id() == self || (before != null && before.epoch() >= node.epoch())) {
      return;
    }
    if (before != null) {
      died(before.slot(), before.epoch());
    }
    members.put(node.slot(), new Member(node.id(), node.slot(), node.epoch()));
    if (listener != null) {
      listener.joined(node.slot(), node.epoch());
    }
  }

  /** Completes when nothing that came from this epoch is used any more; may be called again. */
  synchronized CompletableFuture<Void> died(int slot, int epoch) {
    Member member = members.get(slot);
    if (member != null && member.epoch() == epoch) {
      members.remove(slot);
      if (listener != null) {
        ends.put(epoch, listener.died(slot));
      }
    }
    CompletableFuture<Void> end = ends.get(epoch);
    return end == null ? CompletableFuture.completedFuture(null) : end;
  }

  /** The slot of a node in this epoch; 0 when it is not live. */
  synchronized int slotOf(int node, int epoch) {
    for (Member member : members.values()) {
      if (member.node() == node && member.epoch() == epoch) {
        return member.slot();
      }
    }
    return 0;
  }
}
