package io.gauss.storage.map;

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

  private void note() {
    versions.add(run.map());
  }

  private void done(MapCommand command) {
    run.done(command);
    note();
  }

  private void deathAndReturn(long clock) {
    int dead = run.node(DIES).epoch();
    run.expire(DIES);
    note();
    done(new MapCommand.StreamSealed(dead, clock, clock + 1));
    final Registered back = run.registered(DIES, Role.COMPUTE);
    note();
    long acknowledged = clock + 2;
    for (MapNode node : List.copyOf(run.map().nodes().values())) {
      Death death = run.map().deaths().get(dead);
      if (death.installPending().contains(node.id())) {
        done(new MapCommand.AcknowledgeDeath(node.id(), node.epoch(), dead, ++acknowledged));
      }
    }
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
