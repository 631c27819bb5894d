package io.gauss.compute.txn.undo;

import io.gauss.common.memory.Memory;
import io.gauss.common.memory.Slab;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.mtr.Attachment;
import io.gauss.compute.mtr.EngineContext;

/**
 * A session's copy of the other node's undo page that it read last. That node continues writing the
 * page, and revokes the right to read it for that; the records that were on the page do not change,
 * so the copy is as good as the page for any record that it has. One thread at a time.
 */
final class UndoCopy {
  private static final Attachment<UndoCopy> COPY = new Attachment<>(ctx -> new UndoCopy());

  private final Slab memory = Slab.allocate(PageLayout.PAGE_BYTES);
  private long pageId;

  private UndoCopy() {}

  /** The context's copy, null when it has read no such page. */
  static UndoCopy of(EngineContext ctx) {
    return COPY.orNull(ctx);
  }

  /** Copies a page, whose latch the caller holds. */
  static void keep(EngineContext ctx, long pageId, long page) {
    UndoCopy copy = COPY.of(ctx);
    copy.pageId = pageId;
    Memory.copy(page, copy.memory.address(), PageLayout.PAGE_BYTES);
  }

  /** Address of the page's bytes, 0 when it is another page. */
  long page(long id) {
    return id == pageId ? memory.address() : 0;
  }
}
