package io.gauss.compute.node;

import io.gauss.common.task.CloseStack;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogStore;
import io.gauss.compute.ddl.OrphanTrees;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.Store;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.Transactions;
import java.util.List;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Second phase of a compute node's start: the trees of the catalog are there, what was active at
 * the end of the log is rolled back, and the catalog is read.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  /** Number of the lock under which the trees of the catalog are made; of no table. */
  private static final int CATALOG_TREES = Integer.MIN_VALUE | SystemSpaces.CATALOG;

  private final NodeEngine node;
  private final Transactions transactions;
  private final Store store;

  private Recovery(Foundations foundations) {
    this.node = foundations.node();
    this.transactions = foundations.transactions();
    this.store = foundations.store();
  }

  /**
   * Recovers the node.
   *
   * @param opened gets what has to be closed
   * @return the catalog as it is then
   */
  static Catalog run(Foundations foundations, CloseStack opened) {
    return new Recovery(foundations).run(opened);
  }

  private Catalog run(CloseStack opened) {
    Engine engine = node.engine();
    engine.step("catalog trees", this::ensureCatalogTrees);
    engine.step("own undo segments", ctx -> node.awaitOwnSlot());
    engine.step(
        "undo",
        ctx -> {
          int active = transactions.recover(ctx);
          LOG.info("{} transactions were active at the end of the log", active);
        });
    opened.add(node::stopServingOthers);
    node.answer(transactions);
    node.recover(transactions);
    Catalog catalog = loadCatalog();
    engine.step("orphan trees", ctx -> dropOrphanTrees(ctx, catalog));
    return catalog;
  }

  /**
   * Of several nodes that start at once in a new cluster one makes the trees. Afterwards no lock is
   * wanted for it: those of dead nodes are had by others only when they are recovered, which nodes
   * may have to do that are about to start.
   */
  private void ensureCatalogTrees(EngineContext ctx) {
    if (store.isThere(ctx, SystemSpaces.CATALOG) && store.isThere(ctx, SystemSpaces.CATALOG + 1)) {
      return;
    }
    Transaction maker = transactions.session(ctx);
    maker.begin(IsolationLevel.READ_COMMITTED);
    try {
      maker.lockTable(CATALOG_TREES, TableLockMode.ACCESS_EXCLUSIVE);
      store.ensure(ctx, SystemSpaces.CATALOG);
      store.ensure(ctx, SystemSpaces.CATALOG + 1);
    } finally {
      maker.rollback();
      maker.close();
    }
  }

  private Catalog loadCatalog() {
    Transaction reader = transactions.session(node.engine().newContext());
    reader.begin(IsolationLevel.READ_COMMITTED);
    try {
      return new Catalog(new CatalogStore(store).load(reader));
    } finally {
      reader.rollback();
      reader.close();
    }
  }

  /**
   * Drops trees that no table has: those that this node may know to be forgotten as it starts, when
   * it makes none.
   */
  private void dropOrphanTrees(EngineContext ctx, Catalog catalog) {
    List<Integer> trees = store.settledTrees(ctx);
    // Found before that: who joins later makes others.
    boolean isAlone = node.isOnlyComputeNode();
    int self = transactions.node();
    IntPredicate makers = isAlone ? OrphanTrees.ALL : maker -> maker == self;
    OrphanTrees.drop(ctx, store, trees, catalog, makers);
  }
}
