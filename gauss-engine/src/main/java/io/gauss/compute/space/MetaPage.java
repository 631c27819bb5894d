package io.gauss.compute.space;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageType;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;

/**
 * The few values of the database that are kept nowhere else, on one page; see {@link MetaLayout}.
 * Thread-safe.
 */
public final class MetaPage {
  private static final long ID = PageId.of(SystemSpaces.SYSTEM, SystemSpaces.META_PAGE);

  private final BufferPool pool;

  MetaPage(BufferPool pool) {
    this.pool = pool;
  }

  /** Places on the meta page. The order is part of the format. */
  public enum Value {
    /** 1 once the transaction tables are formatted. */
    TRANSACTIONS_FORMATTED,
    /** 1 once the catalog's own tables exist. */
    CATALOG_FORMATTED,
    /** For the catalog's use: the positions of its number ranges. */
    CATALOG_NUMBERS
  }

  public long get(EngineContext ctx, Value value) {
    try (PageGuard guard = new PageGuard()) {
      pool.read(ctx, ID, guard);
      return Memory.getLong(guard.address() + MetaLayout.VALUES + 8L * value.ordinal());
    }
  }

  /**
   * Sets a value in a separate MTR; durable with the caller's log position. No latch may be held.
   */
  public void set(EngineContext ctx, Value value, long newValue) {
    pool.pin(ctx, ID);
    try (PageGuard guard = new PageGuard()) {
      Mtr mtr = ctx.mtr();
      mtr.begin(SpaceRecords.writeBytes(8));
      try {
        pool.write(ctx, ID, guard);
        PageRecords.writeLong(mtr, guard, MetaLayout.VALUES + 8 * value.ordinal(), newValue);
        mtr.commit();
      } finally {
        mtr.abandon();
      }
    } finally {
      pool.unpin(ID);
    }
  }

  boolean exists(EngineContext ctx) {
    try (PageGuard guard = new PageGuard()) {
      pool.read(ctx, ID, guard);
      if (HeldPage.type(guard) != PageType.META) {
        return false;
      }
      int version = Memory.getInt(guard.address() + MetaLayout.VERSION);
      if (Memory.getLong(guard.address() + MetaLayout.MAGIC) != MetaLayout.MAGIC_VALUE
          || version != MetaLayout.CURRENT_VERSION) {
        throw new GaussException(
            SqlState.DATA_CORRUPTED,
            "the data has format version "
                + version
                + "; this is version "
                + MetaLayout.CURRENT_VERSION);
      }
      return true;
    }
  }

  void format(Mtr mtr, PageGuard guard) {
    SpaceRecords.format(mtr, guard, PageType.META);
    PageRecords.writeLong(mtr, guard, MetaLayout.MAGIC, MetaLayout.MAGIC_VALUE);
    PageRecords.writeInt(mtr, guard, MetaLayout.VERSION, MetaLayout.CURRENT_VERSION);
  }
}
