package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.VersionHeader;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.log.Mtr;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.LeafPurge;
import io.gauss.compute.txn.PurgeHorizon;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Reclaims what no snapshot can see any more: deleted records, leaves that became empty, overflow
 * chains of versions that were replaced. Called by the background sweep for leaves that
 * transactions noted, and by inserts on a full leaf.
 *
 * <p>What waits here for the horizon (unlinked pages, replaced chains) is kept in memory: a crash
 * leaves such pages unused, never used twice.
 */
final class TreePurge implements LeafPurge {
  /** MTR bytes for removing any number of records of one leaf. */
  static final int MTR_BYTES = 1024;

  private record UnlinkedPage(long pageId, long lsn) {}

  private final Store store;
  private final ConcurrentLinkedQueue<UnlinkedPage> unlinked = new ConcurrentLinkedQueue<>();

  // First page of a replaced chain -> xid that replaced it, Xid.NONE when nobody sees it already.
  private final ConcurrentHashMap<Long, Long> replacedChains = new ConcurrentHashMap<>();

  TreePurge(Store store) {
    this.store = store;
  }

  @Override
  public void purge(EngineContext ctx, long pageId) {
    if (store.isDropped(PageId.space(pageId))) {
      return;
    }
    StoreSession session = StoreSession.of(ctx);
    TreeCursor cursor = session.cursor;
    Mtr mtr = ctx.mtr();
    boolean empty;
    long[] chains = null;
    try {
      mtr.begin(MTR_BYTES);
      store.pool().write(ctx, pageId, cursor.guard);
      long page = cursor.guard.address();
      if (PageView.type(page) != PageType.TREE
          || PageView.level(page) != 0
          || PageView.isUnlinked(page)) {
        return;
      }
      chains = removeDead(mtr, cursor.guard);
      empty = PageView.slotCount(page) == 0;
    } finally {
      cursor.guard.close();
      mtr.abandon();
    }
    freeChains(PageId.space(pageId), chains);
    if (empty) {
      BTree tree = store.tree(PageId.space(pageId)).btree();
      if (tree.unlink(ctx, PageId.number(pageId))) {
        unlinked.add(new UnlinkedPage(pageId, mtr.lsnOf(0)));
      }
    }
    freeWaiting(session);
  }

  private static final long[] NOTHING_REMOVED = {};

  /**
   * Removes the leaf's dead records by the open MTR, which is committed then.
   *
   * @return null when there was nothing to remove and the MTR is still open, else overflow chains
   *     to free
   */
  long[] removeDead(Mtr mtr, PageGuard leaf) {
    PurgeHorizon horizon = store.transactions().horizon();
    long page = leaf.address();
    int count = PageView.slotCount(page);
    int dead = 0;
    long[] chains = NOTHING_REMOVED;
    for (int i = 0; i < count; i++) {
      long header = TreePage.version(page, i);
      if (!VersionHeader.isDeleted(header) || !horizon.passed(VersionHeader.xid(header))) {
        continue;
      }
      if (dead++ == 0) {
        mtr.startRecord(leaf, RedoType.REMOVE_MANY);
      }
      mtr.putShort(i);
      if (VersionHeader.isOverflow(header)) {
        chains = java.util.Arrays.copyOf(chains, chains.length + 1);
        chains[chains.length - 1] = Memory.getInt(TreePage.rowAddress(page, i)) & 0xFFFF_FFFFL;
      }
    }
    if (dead == 0) {
      return null;
    }
    mtr.endRecord();
    mtr.commit();
    return chains;
  }

  /** Leaves chains that nobody refers to any more to the background, since freeing may wait. */
  void freeChains(int space, long[] chains) {
    if (chains != null) {
      for (long first : chains) {
        replacedChains.put(PageId.of(space, (int) first), Xid.NONE);
      }
    }
  }

  /**
   * The version that refers to the chain was replaced by {@code xid}: free it when nobody sees it
   * any more.
   */
  void chainReplaced(int space, int first, long xid) {
    replacedChains.put(PageId.of(space, first), xid);
  }

  /** The version that refers to the chain was put back. */
  void chainRestored(int space, int first) {
    replacedChains.remove(PageId.of(space, first));
  }

  void forget(int space) {
    unlinked.removeIf(page -> PageId.space(page.pageId) == space);
    replacedChains.keySet().removeIf(page -> PageId.space(page) == space);
  }

  private void freeWaiting(StoreSession session) {
    PurgeHorizon horizon = store.transactions().horizon();
    long lsn = horizon.lsn();
    UnlinkedPage page;
    while ((page = unlinked.peek()) != null && page.lsn <= lsn && unlinked.remove(page)) {
      if (!store.isDropped(PageId.space(page.pageId))) {
        store.spaces().free(session.ctx, PageId.space(page.pageId), PageId.number(page.pageId));
      }
    }
    for (Map.Entry<Long, Long> chain : replacedChains.entrySet()) {
      if (horizon.passed(chain.getValue()) && replacedChains.remove(chain.getKey()) != null) {
        long id = chain.getKey();
        if (!store.isDropped(PageId.space(id))) {
          store.overflow().free(session, PageId.space(id), PageId.number(id));
        }
      }
    }
  }

  static int chainOf(byte[] reference, int offset) {
    return LeafRecords.i32(reference, offset + OverflowPage.REFERENCE_PAGE);
  }
}
