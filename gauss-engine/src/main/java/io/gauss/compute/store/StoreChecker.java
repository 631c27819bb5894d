package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.page.UndoSpaces;
import io.gauss.compute.engine.Checker;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeChecker;
import java.util.List;

/**
 * Checks the structure of every tree of a node, catalog included. A tree in which something seems
 * wrong while the log advances is checked again: catalog trees may be written meanwhile, and a
 * dropped table's trees disappear.
 */
public final class StoreChecker implements Checker {
  private static final int ATTEMPTS = 5;

  private final Store store;

  public StoreChecker(Store store) {
    this.store = store;
  }

  @Override
  public String name() {
    return "trees";
  }

  @Override
  public void check(EngineContext ctx) {
    for (int space : store.spaces().existing()) {
      if (space < SystemSpaces.CATALOG || UndoSpaces.contains(space)) {
        continue;
      }
      List<String> problems = problems(ctx, space);
      if (!problems.isEmpty()) {
        throw new IllegalStateException(
            PageId.toString(PageId.of(space, BTree.ROOT)) + ": " + String.join("; ", problems));
      }
    }
  }

  private List<String> problems(EngineContext ctx, int space) {
    LogBuffer log = store.transactions().log();
    for (int attempt = 1; ; attempt++) {
      ctx.interrupts().check();
      long before = log.clock().now(); // also rises with pages that other nodes have changed
      List<String> problems = List.of();
      if (isThere(ctx, space) && BTree.isFormatted(ctx, store.pool(), space)) {
        problems = TreeChecker.check(store.tree(space).btree(), ctx).problems();
      }
      if (problems.isEmpty() || !isThere(ctx, space)) {
        return List.of();
      }
      if (attempt == ATTEMPTS || log.clock().now() == before) {
        return problems;
      }
    }
  }

  private boolean isThere(EngineContext ctx, int space) {
    return store.spaces().exists(ctx, space) && !store.isDropped(space);
  }
}
