package io.gauss.bench.model;

/**
 * A cluster and its clients.
 *
 * @param compute compute nodes
 * @param memory memory nodes
 * @param storage storage nodes
 * @param processors of each node; of the one machine on which all processes run when {@code
 *     oneMachine}
 * @param oneMachine whether all nodes and the clients share one machine's processors
 * @param clients of all nodes together
 * @param thinkMs time between a client's transactions
 * @param network between the machines, and the disks
 */
record Cluster(
    int compute,
    int memory,
    int storage,
    double processors,
    boolean oneMachine,
    int clients,
    double thinkMs,
    Network network) {

  /**
   * Network and disks.
   *
   * @param oneWayMs from a process to one on another machine
   * @param gigabits that a machine sends in a second
   * @param forceMs a force of a log to disk; a disk does one at a time
   * @param paceMs least time from one append of a node to the next; 0 as it is
   */
  record Network(double oneWayMs, double gigabits, double forceMs, double paceMs) {
    /** Loopback, with the disk of the machine where costs were measured. */
    static final Network LOOPBACK = new Network(0.02, 40, 0.2, 0);

    /** A zone of a data centre: 10 Gbit/s, 0.1 ms there and back, NVMe. */
    static final Network ZONE = new Network(0.05, 10, 0.1, 0);

    Network withOneWay(double ms) {
      return new Network(ms, gigabits, forceMs, paceMs);
    }

    Network withForce(double ms) {
      return new Network(oneWayMs, gigabits, ms, paceMs);
    }

    Network withPace(double ms) {
      return new Network(oneWayMs, gigabits, forceMs, ms);
    }
  }

  int nodes(Tier tier) {
    return switch (tier) {
      case COMPUTE -> compute;
      case MEMORY -> memory;
      case STORAGE -> storage;
    };
  }

  /**
   * One with a memory and a storage node for every four compute nodes, at least two and three.
   *
   * @param clientsPerNode of each compute node, without time to think
   */
  static Cluster ofMachines(int compute, double processors, int clientsPerNode) {
    return new Cluster(
        compute,
        Math.max(2, compute / 4),
        Math.max(3, compute / 4),
        processors,
        false,
        compute * clientsPerNode,
        0,
        Network.ZONE);
  }

  Cluster withNetwork(Network other) {
    return new Cluster(compute, memory, storage, processors, oneMachine, clients, thinkMs, other);
  }
}
