package io.gauss.simulation.storage;

import io.gauss.storage.raft.GroupNodes;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.map.ClusterMapGroupContract;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;

/** The map's group in the simulation. */
class SimulatedMapGroupContract extends ClusterMapGroupContract {
  private SimulatedGroupNodes made;

  @Override
  protected GroupNodes nodes(IntFunction<GroupReplica.Factory> replicas) {
    made = new SimulatedGroupNodes(3, Links.WHOLE, LogFaults.some(), replicas);
    return made;
  }

  @AfterEach
  void endTheWorld() {
    made.groups().close();
  }
}
