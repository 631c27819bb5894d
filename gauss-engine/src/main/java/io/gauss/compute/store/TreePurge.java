package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.LeafPurge;
import io.gauss.compute.txn.undo.PurgeHorizon;
import io.gauss.compute.txn.undo.PurgeList;
import io.gauss.compute.txn.undo.PurgeNote;

/**
 * Reclaims what no snapshot can see any more: deleted records, leaves that became empty, overflow
 * chains of versions that were replaced or deleted. Called by the background sweep for leaves that
 * transactions noted, and by inserts on a full leaf.
 *
 * <p>An MTR that removes the reference to a page also notes the page in the node's {@link
 * PurgeList}, from which it is given back: now or after a crash.
 */
final class TreePurge implements LeafPurge {
  /** MTR bytes for removing any number of records of one leaf. */
  static final int MTR_BYTES = 1024;

  private static final int[] NO_CHAINS = {};

  private final Store store;

  TreePurge(Store store) {
    this.store = store;
  }

  @Override
  public void purge(EngineContext ctx, long pageId) {
    int space = PageId.space(pageId);
    if (store.isDropped(space) || !store.spaces().exists(ctx, space)) {
      return; // another node may have dropped it, and its pages may be deleted
    }
    StoreSession session = StoreSession.of(ctx);
    int result = MORE;
    while (result == MORE) {
      try {
        result = purgeLeaf(session, pageId);
      } catch (PageAwayException e) {
        result = MORE;
      }
    }
    if (result == EMPTY) {
      unlink(session, pageId);
    }
  }

  @Override
  public long leafOf(EngineContext ctx, byte[] deletion) {
    int space = LeafRecords.i32(deletion, UndoContentLayout.SPACE);
    if (store.isDropped(space) || !store.spaces().exists(ctx, space)) {
      return 0;
    }
    StoreSession session = StoreSession.of(ctx);
    TreeCursor cursor = session.cursor;
    int keyLength = LeafRecords.u16(deletion, UndoContentLayout.KEY_LENGTH);
    BTree tree = store.tree(space).btree();
    try {
      tree.findLeaf(ctx, cursor, deletion, UndoContentLayout.KEY, keyLength, false);
      boolean isThere =
          cursor.slot >= 0
              && VersionHeader.isDeleted(TreePage.version(cursor.guard.address(), cursor.slot));
      return isThere ? cursor.guard.pageId() : 0;
    } finally {
      cursor.guard.close();
    }
  }

  // Results of purging a leaf.
  private static final int DONE = 0;
  private static final int EMPTY = 1;
  private static final int MORE = 2;

  private int purgeLeaf(StoreSession session, long pageId) {
    EngineContext ctx = session.ctx;
    PageGuard leaf = session.cursor.guard;
    int chains = chainsOfDead(session, pageId);
    if (chains < 0) {
      return DONE;
    }
    Mtr mtr = ctx.mtr();
    PurgeNote note = chains == 0 ? null : list().prepare(ctx, chains);
    try {
      mtr.begin(MTR_BYTES + chains * PurgeList.NOTE_BYTES);
      store.pool().write(ctx, pageId, leaf);
      if (!isLeaf(leaf.address())) {
        return DONE;
      }
      boolean removed = removeDead(mtr, leaf, note);
      if (PageView.slotCount(leaf.address()) == 0) {
        return EMPTY;
      }
      return removed && chains == PurgeList.NOTES_MAX ? MORE : DONE;
    } finally {
      leaf.close();
      mtr.abandon();
      if (note != null) {
        note.close();
      }
    }
  }

  /**
   * How many dead records have chains, up to the number that can be noted at once; -1 if the page
   * is no leaf.
   */
  private int chainsOfDead(StoreSession session, long pageId) {
    PageGuard leaf = session.cursor.guard;
    store.pool().read(session.ctx, pageId, leaf);
    try {
      long page = leaf.address();
      if (!isLeaf(page)) {
        return -1;
      }
      int chains = 0;
      int count = PageView.slotCount(page);
      for (int i = 0; i < count && chains < PurgeList.NOTES_MAX; i++) {
        long header = TreePage.version(page, i);
        chains += VersionHeader.isOverflow(header) && isDead(header) ? 1 : 0;
      }
      return chains;
    } finally {
      leaf.close();
    }
  }

  private static boolean isLeaf(long page) {
    return PageView.type(page) == PageType.TREE
        && PageView.level(page) == 0
        && !PageView.isUnlinked(page);
  }

  private boolean isDead(long header) {
    PurgeHorizon horizon = store.transactions().horizon();
    return VersionHeader.isDeleted(header) && horizon.passed(VersionHeader.xid(header));
  }

  private void unlink(StoreSession session, long pageId) {
    BTree tree = store.tree(PageId.space(pageId)).btree();
    try (PurgeNote note = list().prepare(session.ctx, 1)) {
      tree.unlink(session.ctx, PageId.number(pageId), mtr -> note.add(mtr, pageId, Xid.NONE));
    }
  }

  /**
   * Removes the leaf's dead records by the open MTR and commits it.
   *
   * @param note notes their chains; records with chains for which it has no room are left to the
   *     background, and so are all records with chains when it is null
   * @return false when there was nothing to remove and the MTR is still open
   */
  boolean removeDead(Mtr mtr, PageGuard leaf, PurgeNote note) {
    long page = leaf.address();
    int count = PageView.slotCount(page);
    int[] chains = note == null ? NO_CHAINS : new int[note.left()];
    int chainCount = 0;
    int dead = 0;
    boolean leavesSome = false;
    for (int i = 0; i < count; i++) {
      long header = TreePage.version(page, i);
      if (!isDead(header)) {
        continue;
      }
      if (VersionHeader.isOverflow(header)) {
        if (chainCount == chains.length) {
          leavesSome = true;
          continue;
        }
        chains[chainCount++] = OverflowPage.firstPage(TreePage.rowAddress(page, i));
      }
      if (dead++ == 0) {
        mtr.startRecord(leaf, RedoType.REMOVE_MANY);
      }
      mtr.putShort(i);
    }
    if (leavesSome && note == null) {
      store.transactions().purgeSoon(leaf.pageId());
    }
    if (dead == 0) {
      return false;
    }
    mtr.endRecord();
    for (int i = 0; i < chainCount; i++) {
      note.add(mtr, PageId.of(PageId.space(leaf.pageId()), chains[i]), Xid.NONE);
    }
    mtr.commit();
    return true;
  }

  @Override
  public void giveBack(EngineContext ctx) {
    StoreSession session = StoreSession.of(ctx);
    list().giveBack(ctx, entry -> free(session, entry));
  }

  private void free(StoreSession session, PurgeList.Entry entry) {
    int space = PageId.space(entry.pageId());
    int number = PageId.number(entry.pageId());
    if (store.isDropped(space) || !store.spaces().exists(session.ctx, space)) {
      return;
    }
    PageGuard guard = session.overflowGuard;
    boolean isChain;
    store.pool().read(session.ctx, entry.pageId(), guard);
    try {
      long page = guard.address();
      if (PageView.lsn(page) >= entry.lsn()) {
        return; // given back before a crash
      }
      isChain = PageView.type(page) == PageType.OVERFLOW;
    } finally {
      guard.close();
    }
    if (isChain) {
      store.overflow().free(session, space, number, entry.lsn());
    } else {
      store.spaces().free(session.ctx, space, number);
    }
  }

  private PurgeList list() {
    return store.transactions().purgeList();
  }
}
