package io.gauss.compute.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.CloseStack;
import io.gauss.compute.store.Store;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.base.TransactionSettings;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * First phase of a compute node's start: its place in the cluster, if it has one, the engine with
 * all redo done, and transactions that are not recovered yet.
 */
record Foundations(NodeEngine node, Transactions transactions, Store store) {
  /**
   * @param opened gets the resources to close
   */
  static Foundations open(
      NodeSettings settings,
      MeterRegistry registry,
      Membership.Transports transports,
      CloseStack opened) {
    NodeEngine node = NodeEngine.open(settings, registry, transports, opened);
    Transactions transactions =
        new Transactions(
            node.engine().log(),
            node.engine().pool(),
            node.engine().spaces(),
            TransactionSettings.DEFAULT.advisoryLocks(
                settings.get(NodeSettingTable.ADVISORY_LOCKS)),
            Environment::nanoTime,
            node.peers(),
            node::deadlockHost);
    opened.add(transactions::stop);
    node.join(transactions, registry);
    return new Foundations(
        node, transactions, new Store(node.engine().pool(), node.engine().spaces(), transactions));
  }
}
