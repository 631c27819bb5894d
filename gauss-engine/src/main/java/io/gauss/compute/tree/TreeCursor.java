package io.gauss.compute.tree;

import io.gauss.common.id.PageId;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Attachment;
import io.gauss.compute.mtr.EngineContext;

/**
 * A session's working state in trees: guards and buffers, reused by every operation. One thread at
 * a time.
 */
public final class TreeCursor {
  private static final Attachment<TreeCursor> CURSOR = new Attachment<>(ctx -> new TreeCursor());

  /** The leaf, or the page that is being worked on. */
  public final PageGuard guard = new PageGuard();

  /** After a search: the key's slot, or {@code ~slot} of the first above it. */
  public int slot;

  final PageGuard parent = new PageGuard();
  final PageGuard left = new PageGuard();
  final PageGuard fresh = new PageGuard();
  final PageGuard fresh2 = new PageGuard();

  private long incomplete;

  /** The context's cursor. */
  public static TreeCursor of(EngineContext ctx) {
    return CURSOR.of(ctx);
  }

  void noteIncomplete(long pageId) {
    incomplete = pageId;
  }

  /**
   * Page number of a split in this space over which a search moved before its separator was posted;
   * 0 = none.
   */
  int takeIncomplete(int space) {
    long page = incomplete;
    if (page == 0 || PageId.space(page) != space) {
      return 0;
    }
    incomplete = 0;
    return PageId.number(page);
  }

  void closeAll() {
    fresh2.close();
    fresh.close();
    guard.close();
    left.close();
    parent.close();
  }
}
