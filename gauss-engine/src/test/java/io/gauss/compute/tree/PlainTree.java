package io.gauss.compute.tree;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.common.page.SlottedPage;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;

/** Unversioned puts and removes on a tree, for tests of the structure alone. */
final class PlainTree {
  final BTree tree;

  PlainTree(BTree tree) {
    this.tree = tree;
  }

  /** Inserts or replaces; true when the key was new. */
  boolean put(EngineContext ctx, byte[] key, byte[] row) {
    TreeCursor cursor = TreeCursor.of(ctx);
    Mtr mtr = ctx.mtr();
    while (true) {
      int bytes;
      boolean fresh;
      try {
        mtr.begin(2 * PageLayout.PAGE_BYTES);
        tree.findLeaf(ctx, cursor, key, 0, key.length, true);
        long page = cursor.guard.address();
        int slot = cursor.slot;
        fresh = slot < 0;
        int prefix = TreePage.prefixLength(page);
        if (fresh) {
          bytes = TreePage.leafBytes(key.length - prefix, row.length) + SlottedPage.SLOT_BYTES;
        } else {
          bytes = row.length - TreePage.rowLength(page, slot);
        }
        if (bytes <= 0 || tree.fits(page, bytes)) {
          if (fresh) {
            PageRecords.startInsert(mtr, cursor.guard, ~slot);
            TreePage.startLeafRecord(mtr, key.length - prefix);
            VersionHeader.putNone(mtr);
            mtr.putBytes(key, prefix, key.length - prefix);
          } else {
            int at = TreePage.rowOffset(page, slot);
            PageRecords.startSplice(mtr, cursor.guard, slot, at, TreePage.rowLength(page, slot));
          }
          mtr.putBytes(row, 0, row.length);
          mtr.endRecord();
          mtr.commit();
          return fresh;
        }
      } finally {
        cursor.guard.close();
        mtr.abandon();
      }
      tree.makeRoom(ctx, key, 0, key.length, bytes, fresh);
    }
  }

  /** Removes a key; true when it was there. Unlinks the leaf when it became empty. */
  boolean remove(EngineContext ctx, byte[] key) {
    TreeCursor cursor = TreeCursor.of(ctx);
    Mtr mtr = ctx.mtr();
    int leaf;
    try {
      mtr.begin(256);
      tree.findLeaf(ctx, cursor, key, 0, key.length, true);
      if (cursor.slot < 0) {
        return false;
      }
      PageRecords.remove(mtr, cursor.guard, cursor.slot, 1);
      mtr.commit();
      leaf = PageView.slotCount(cursor.guard.address()) == 0 ? (int) cursor.guard.pageId() : 0;
    } finally {
      cursor.guard.close();
      mtr.abandon();
    }
    if (leaf != 0 && tree.unlink(ctx, leaf, noted -> {})) {
      tree.spaces().free(ctx, tree.space(), leaf);
    }
    return true;
  }

  /** The row of a key, null when there is none. */
  byte[] get(EngineContext ctx, byte[] key) {
    TreeCursor cursor = TreeCursor.of(ctx);
    try {
      tree.findLeaf(ctx, cursor, key, 0, key.length, false);
      return cursor.slot < 0 ? null : row(cursor.guard.address(), cursor.slot);
    } finally {
      cursor.guard.close();
    }
  }

  static byte[] row(long page, int slot) {
    byte[] row = new byte[TreePage.rowLength(page, slot)];
    Memory.copyOut(TreePage.rowAddress(page, slot), row, 0, row.length);
    return row;
  }
}
