package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.page.TreePage;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Attachment;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.tree.TreeScan;
import io.gauss.compute.txn.undo.PurgeNote;

/**
 * A session's working state in the row store, kept with its {@link EngineContext}. One thread at a
 * time.
 */
final class StoreSession {
  private static final Attachment<StoreSession> SESSION = new Attachment<>(StoreSession::new);
  private static final int REMEMBERED_LEAVES = 16;

  final EngineContext ctx;
  final TreeCursor cursor;
  final ScratchMemory scratch = new ScratchMemory();
  final LeafPlan leafPlan = new LeafPlan();
  final ListedUndo listedUndo = new ListedUndo();
  final VersionReader versions;
  final RowTrail trail = new RowTrail();
  final PageGuard overflowGuard = new PageGuard();
  final Runnable releaseLeaf;

  // By space: the leaf of the last insert that was in ascending order, where the next one is tried
  // first.
  private final long[] insertLeaves = new long[REMEMBERED_LEAVES];
  private boolean wantOldBytesRoom;
  private boolean wantNote;
  private TreeScan scan;

  private StoreSession(EngineContext ctx) {
    this.ctx = ctx;
    this.cursor = TreeCursor.of(ctx);
    this.versions = new VersionReader(ctx, scratch);
    this.releaseLeaf = cursor.guard::close;
  }

  static StoreSession of(EngineContext ctx) {
    return SESSION.of(ctx);
  }

  long insertLeaf(int space) {
    long leaf = insertLeaves[space & (REMEMBERED_LEAVES - 1)];
    return PageId.space(leaf) == space ? leaf : 0;
  }

  void insertLeaf(int space, long leaf) {
    insertLeaves[space & (REMEMBERED_LEAVES - 1)] = leaf;
  }

  /**
   * Bytes of an old row for which the next attempt to write reserves undo: the estimate, or the
   * maximum after an attempt that found more.
   */
  int oldBytesRoom(int estimate) {
    int room =
        wantOldBytesRoom
            ? TreePage.MAX_RECORD_BYTES
            : Math.min(estimate, TreePage.MAX_RECORD_BYTES);
    wantOldBytesRoom = false;
    return room;
  }

  void wantOldBytesRoom() {
    wantOldBytesRoom = true;
  }

  /** A place in the purge list for the next attempt to write, when it needs one. Close it. */
  PurgeNote note(Store store) {
    if (!wantNote) {
      return null;
    }
    wantNote = false;
    return store.transactions().purgeList().prepare(ctx, 1);
  }

  /** The next attempt removes a reference to a chain from its leaf. */
  void wantNote() {
    wantNote = true;
  }

  /** A scan for the store's own look-ups. */
  TreeScan scan() {
    if (scan == null) {
      scan = new TreeScan(ctx);
    }
    return scan;
  }
}
