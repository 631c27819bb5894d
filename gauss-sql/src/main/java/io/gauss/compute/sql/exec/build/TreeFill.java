package io.gauss.compute.sql.exec.build;

import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.store.RowRun;
import io.gauss.compute.store.VersionedTree;

/**
 * Fills a new tree with rows in key order. No other thread uses the tree yet. Belongs to one
 * statement.
 */
final class TreeFill {
  private static final int RUN_BYTES = 64 * 1024;

  private final ExecContext ctx;
  private final VersionedTree tree;
  private final RowRun run = new RowRun();

  TreeFill(ExecContext ctx, VersionedTree tree) {
    this.ctx = ctx;
    this.tree = tree;
  }

  void add(byte[] key, int keyOffset, int keyLength, byte[] row, int rowOffset, int rowLength) {
    run.add(key, keyOffset, keyLength, row, rowOffset, rowLength);
    if (run.size() >= RUN_BYTES) {
      finish();
    }
  }

  /** Inserts the rows added last. */
  void finish() {
    if (!tree.insert(ctx.transaction, run)) {
      throw new IllegalStateException("a key is in the new tree of space " + tree.space());
    }
    run.clear();
  }
}
