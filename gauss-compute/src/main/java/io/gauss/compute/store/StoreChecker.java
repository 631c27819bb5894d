package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.compute.engine.Checker;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeChecker;
import java.util.List;

/** Checks the structure of every tree of a node, catalog included. Runs while nobody writes. */
public final class StoreChecker implements Checker {
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
      if (space < SystemSpaces.CATALOG || !BTree.isFormatted(ctx, store.pool(), space)) {
        continue;
      }
      List<String> problems = TreeChecker.check(store.tree(space).btree(), ctx).problems();
      if (!problems.isEmpty()) {
        throw new IllegalStateException(
            PageId.toString(PageId.of(space, BTree.ROOT)) + ": " + String.join("; ", problems));
      }
    }
  }
}
