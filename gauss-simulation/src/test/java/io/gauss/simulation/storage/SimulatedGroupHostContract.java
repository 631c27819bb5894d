package io.gauss.simulation.storage;

import io.gauss.storage.raft.GroupHostContract;
import io.gauss.storage.raft.GroupNodes;
import io.gauss.storage.raft.GroupReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;

/** Groups of the simulation keep the contract of those of Ratis. */
class SimulatedGroupHostContract extends GroupHostContract {
  private final List<SimulatedGroupNodes> made = new ArrayList<>();

  @Override
  protected GroupNodes nodes(int count, String name, IntFunction<GroupReplica.Factory> replicas) {
    SimulatedGroupNodes nodes =
        new SimulatedGroupNodes(count, Links.WHOLE, LogFaults.none(), replicas);
    made.add(nodes);
    return nodes;
  }

  @AfterEach
  void endTheWorlds() {
    made.forEach(nodes -> nodes.groups().close());
  }
}
