package io.gauss.compute.node;

import io.gauss.compute.ddl.DdlServices;
import io.gauss.compute.ddl.OrphanTrees;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.Transactions;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes remains of other nodes, or of this node's earlier lives, from its store. */
record NodeLeftovers(Foundations foundations, DdlServices ddl) implements Leftovers {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLeftovers.class);

  @Override
  public void ofSlot(int slot) {
    Engine engine = foundations.node().engine();
    Transactions transactions = foundations.transactions();
    EngineContext ctx = engine.newContext();
    SqlLayer.dropTemporary(foundations, ddl, ctx, slot);
    drop(ctx, slot);
    int extents = engine.spaces().adopt(ctx, slot);
    int pages = transactions.adoptPurgeList(ctx, slot);
    LOG.info(
        "{} extents of slot {} are this node's now, and {} pages to give back",
        extents,
        slot,
        pages);
  }

  @Override
  public void ofOwn() {
    drop(foundations.node().engine().newContext(), foundations.transactions().node());
  }

  private void drop(EngineContext ctx, int slot) {
    List<Integer> trees = foundations.store().settledTrees(ctx);
    OrphanTrees.drop(
        ctx,
        foundations.store(),
        trees,
        ddl.catalog(),
        () ->
            Recovery.committedCatalog(
                foundations.node(), foundations.transactions(), foundations.store()),
        maker -> maker == slot);
  }
}
