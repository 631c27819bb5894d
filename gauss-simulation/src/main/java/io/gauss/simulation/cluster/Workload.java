package io.gauss.simulation.cluster;

import java.util.List;
import java.util.function.Consumer;

/**
 * What some clients of a run do beside the {@link Clients}, and what must be so when it is over.
 * Only the threads of the simulation use it.
 */
interface Workload {
  /** Statements that make its tables. */
  List<String> tables();

  /** How many clients do it at a time. */
  default int clients() {
    return 1;
  }

  /** A transaction, or a few, whatever comes of them. */
  void turn(Visit visit);

  /**
   * Looks, when all is over, at what a node has.
   *
   * @param wrong is told what cannot be
   */
  void check(int node, ClientConnection connection, Consumer<String> wrong);
}
