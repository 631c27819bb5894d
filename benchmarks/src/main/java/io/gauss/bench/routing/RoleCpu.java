package io.gauss.bench.routing;

import java.util.Locale;

/**
 * Processor time of all processes of a role, in seconds or, per transaction, in ms; NaN where it is
 * not known, as of nodes on other machines.
 *
 * @param compute nodes, with what they do to learn
 * @param memory nodes
 * @param storage nodes
 * @param client this process
 */
record RoleCpu(double compute, double memory, double storage, double client) {
  RoleCpu since(RoleCpu before) {
    return new RoleCpu(
        compute - before.compute,
        memory - before.memory,
        storage - before.storage,
        client - before.client);
  }

  /** The same as ms per transaction. */
  RoleCpu perTransaction(double transactions) {
    double factor = 1000 / transactions;
    return new RoleCpu(compute * factor, memory * factor, storage * factor, client * factor);
  }

  /** In a line of progress. */
  String shown() {
    return String.format(
        Locale.ROOT,
        "%.2f + %.2f + %.2f, client %.2f ms/transaction",
        compute,
        memory,
        storage,
        client);
  }
}
