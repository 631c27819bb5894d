package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult.Registered;
import java.util.ArrayList;
import java.util.List;

/**
 * All versions of a cluster map while a compute node dies, comes back before it is recovered, and
 * does so once more: for tests of followers, which may miss any of them (rule 35).
 */
public final class MapHistory {
  public static final int MEMORY = 2;

  /** A compute node in slot 1, whose follower is tested, for example. */
  public static final int STAYS = 3;

  /** The compute node that dies. */
  public static final int DIES = 4;

  public static final int DIES_SLOT = 2;

  /** A bucket that moves alone. */
  public static final int MOVED = 17;

  /** Clocks with which deaths are acknowledged are above this one. */
  public static final long CLOCK = 0x10_000;

  private final MapRun run = MapRun.withStorage(1);
  private final List<ClusterMap> versions = new ArrayList<>();

  private MapHistory() {}

  /** The first one has all nodes up; in the last one the node lives for the third time. */
  public static List<ClusterMap> twoDeathsAndReturns() {
    MapHistory history = new MapHistory();
    history.run.join(0, Role.MEMORY);
    for (int i = 0; i < 3; i++) {
      history.run.join(0, Role.COMPUTE);
    }
    history.note();
    history.deathAndReturn(CLOCK);
    history.deathAndReturn(2 * CLOCK);
    return List.copyOf(history.versions);
  }

  /**
   * The node that recovers a dead one dies as well and comes back, and is the recoverer of both:
   * the third node is still joining. In the first version nobody is dead.
   */
  public static List<ClusterMap> recovererDiesAndReturns() {
    MapHistory history = new MapHistory();
    history.run.join(0, Role.MEMORY);
    for (int i = 0; i < 2; i++) {
      history.run.join(0, Role.COMPUTE);
    }
    history.run.registered(0, Role.COMPUTE);
    history.note();
    int dead = history.deathAndSeal(DIES, CLOCK);
    history.acknowledge(dead, CLOCK);
    int recoverer = history.deathAndSeal(STAYS, 2 * CLOCK);
    final Registered back = history.run.registered(STAYS, Role.COMPUTE);
    history.note();
    history.run.acknowledgeJoin(back.epoch(), 2 * CLOCK);
    history.done(new MapCommand.FinishJoin(STAYS, back.epoch(), 3 * CLOCK));
    history.acknowledge(recoverer, 3 * CLOCK);
    return List.copyOf(history.versions);
  }

  /**
   * Two memory nodes start before the compute nodes, which get pages from both; then the second
   * memory node dies. In the first version it has not joined.
   */
  public static List<ClusterMap> bucketsLeaveAndReturn() {
    MapHistory history = new MapHistory();
    history.run.join(0, Role.MEMORY);
    history.note();
    int second = history.run.join(0, Role.MEMORY).node();
    history.note();
    history.run.join(0, Role.COMPUTE);
    history.note();
    history.run.expire(second);
    history.note();
    return List.copyOf(history.versions);
  }

  /**
   * A node that has died and is back dies once more, when the recovery of its first life ends; a
   * second memory node dies at the same time. In the first version the node's first life is over
   * and its second one is there.
   */
  public static List<ClusterMap> twoLivesEndAsAMemoryNodeDoes() {
    MapHistory history = new MapHistory();
    history.run.join(0, Role.MEMORY);
    for (int i = 0; i < 2; i++) {
      history.run.join(0, Role.COMPUTE);
    }
    int other = history.run.join(0, Role.MEMORY).node();
    history.moveOneBucketTo(other);
    int dead = history.deathAndSeal(DIES, CLOCK);
    final Registered back = history.run.registered(DIES, Role.COMPUTE);
    history.run.acknowledgeJoin(back.epoch(), CLOCK + 1);
    history.run.done(new MapCommand.FinishJoin(DIES, back.epoch(), CLOCK + 1));
    history.versions.clear();
    history.note();
    history.acknowledge(dead, CLOCK);
    history.takeOverAndFinish(dead, 2 * CLOCK);
    history.run.expire(DIES);
    history.note();
    history.run.expire(other);
    history.note();
    return List.copyOf(history.versions);
  }

  /**
   * A memory node without one of the buckets dies, is back under a new epoch, and gets that one. In
   * the first version its first life is there.
   */
  public static List<ClusterMap> memoryNodeReturns() {
    MapHistory history = new MapHistory();
    history.run.join(0, Role.MEMORY);
    history.run.join(0, Role.COMPUTE);
    int other = history.run.join(0, Role.MEMORY).node();
    history.moveOneBucketTo(other);
    history.note();
    history.run.expire(MEMORY);
    history.run.join(MEMORY, Role.MEMORY);
    history.run.expire(other);
    history.note();
    return List.copyOf(history.versions);
  }

  private void moveOneBucketTo(int memory) {
    int epoch = run.node(MEMORY).epoch();
    BucketSet moved = BucketSet.of(MOVED);
    run.done(new MapCommand.MoveBuckets(memory, moved));
    run.done(new MapCommand.GiveBuckets(MEMORY, epoch, run.map().version(), moved));
    run.done(
        new MapCommand.FinishBucketMoves(
            memory, run.node(memory).epoch(), run.map().version(), moved));
  }

  private void note() {
    versions.add(run.map());
  }

  private void done(MapCommand command) {
    run.done(command);
    note();
  }

  private int deathAndSeal(int node, long clock) {
    int dead = run.node(node).epoch();
    run.expire(node);
    note();
    done(new MapCommand.StreamSealed(dead, clock, clock + 1));
    return dead;
  }

  /** The highest clock of the acknowledgements. */
  private long acknowledge(int dead, long clock) {
    long acknowledged = clock + 2;
    for (MapNode node : List.copyOf(run.map().nodes().values())) {
      Death death = run.map().deaths().get(dead);
      if (death.installPending().contains(node.id())) {
        done(new MapCommand.AcknowledgeDeath(node.id(), node.epoch(), dead, ++acknowledged));
      }
    }
    return acknowledged;
  }

  private void takeOverAndFinish(int dead, long clock) {
    MapNode heir = run.node(run.map().deaths().get(dead).recoverer());
    done(new MapCommand.TakeOver(heir.id(), heir.epoch(), dead, clock));
    done(new MapCommand.FinishRecovery(heir.id(), heir.epoch(), dead));
  }

  private void deathAndReturn(long clock) {
    int dead = deathAndSeal(DIES, clock);
    final Registered back = run.registered(DIES, Role.COMPUTE);
    note();
    long acknowledged = acknowledge(dead, clock);
    MapNode heir = run.node(run.map().deaths().get(dead).recoverer());
    done(new MapCommand.TakeOver(heir.id(), heir.epoch(), dead, acknowledged));
    for (int pending : List.copyOf(run.map().joins().get(back.epoch()).pending())) {
      done(
          new MapCommand.AcknowledgeJoin(
              pending, run.node(pending).epoch(), back.epoch(), acknowledged));
    }
    done(new MapCommand.FinishJoin(DIES, back.epoch(), acknowledged));
    done(new MapCommand.FinishRecovery(heir.id(), heir.epoch(), dead));
  }
}
