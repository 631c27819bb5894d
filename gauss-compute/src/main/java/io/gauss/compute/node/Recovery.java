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
 * Second phase of a compute node's start: creates the trees of the catalog if need be, rolls back
 * the transactions that were active at the end of the log, and reads the catalog.
 */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  /** Number of the lock under which the trees of the catalog are created; belongs to no table. */
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
   * @param opened gets the resources to close
   * @return the catalog after recovery
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
   * Of several nodes that start at once in a new cluster, one creates the trees. Later starts do
   * not take the lock: a lock of a dead node is available only when that node is recovered, and a
   * node that is about to start may have to do that.
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
    return committedCatalog(node, transactions, store);
  }

  /** The catalog that is committed now. May wait, also for the recovery of other nodes. */
  static Catalog committedCatalog(NodeEngine node, Transactions transactions, Store store) {
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
   * Drops trees that belong to no table: those that this node can know to be orphans at its start,
   * while it creates none itself.
   */
  private void dropOrphanTrees(EngineContext ctx, Catalog catalog) {
    List<Integer> trees = store.settledTrees(ctx);
    // The trees were listed before this: a node that joins later creates other trees. The catalog
    // was
    // read earlier, though, and a node that is gone may have made tables since.
    boolean isAlone = node.isOnlyComputeNode();
    int self = transactions.node();
    IntPredicate makers = isAlone ? OrphanTrees.ALL : maker -> maker == self;
    OrphanTrees.drop(ctx, store, trees, catalog, this::loadCatalog, makers);
  }
}
