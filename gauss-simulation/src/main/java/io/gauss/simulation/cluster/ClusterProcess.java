package io.gauss.simulation.cluster;

import io.gauss.simulation.SimulatedNode;
import io.gauss.simulation.Simulation;

/**
 * A process of a simulated cluster, from its start to its end.
 *
 * @param number of the cluster's node
 */
record ClusterProcess(Simulation simulation, int number, SimulatedNode node) {
  /** Notes an event in the trace. */
  void note(String what) {
    simulation.event(node + ": " + what);
  }
}
