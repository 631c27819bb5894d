package io.gauss.compute.log;

import static io.gauss.common.invariant.InvariantsHold.expectBroken;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import org.junit.jupiter.api.Test;

class MtrTest {
  private static final long PAGE = PageId.of(7, 3);
  private static final int AT = 1000;

  @Test
  void pagesChangeAtCommitAndNotBefore() {
    try (TestEngine engine = new TestEngine(16);
        PageGuard guard = new PageGuard()) {
      EngineContext ctx = engine.newContext();
      engine.pool().pinFresh(ctx, PAGE);
      ctx.mtr().begin(200);
      engine.pool().write(ctx, PAGE, guard);
      Pages.format(ctx.mtr(), guard);
      Pages.write(ctx.mtr(), guard, AT, 42);
      assertEquals(0, Memory.getLong(guard.address() + PageLayout.LSN));
      long base = ctx.mtr().commit();
      assertEquals(42, Memory.getLong(guard.address() + AT));
      assertEquals(base + Lsn.STEP, Memory.getLong(guard.address() + PageLayout.LSN));
      assertEquals(base + Lsn.STEP, ctx.mtr().lsnOf(1));
    }
  }

  @Test
  void placeholdersGetTheLsnOfTheirRecord() {
    try (TestEngine engine = new TestEngine(16);
        PageGuard guard = new PageGuard()) {
      EngineContext ctx = engine.newContext();
      Mtr mtr = ctx.mtr();
      engine.pool().pinFresh(ctx, PAGE);
      mtr.begin(200);
      engine.pool().write(ctx, PAGE, guard);
      Pages.format(mtr, guard);
      mtr.startRecord(guard, RedoType.WRITE);
      mtr.putShort(AT);
      mtr.putLsnOf(2);
      assertEquals(1, mtr.endRecord());
      Pages.write(mtr, guard, AT + 8, 1);
      mtr.commit();
      assertEquals(mtr.lsnOf(2), Memory.getLong(guard.address() + AT));
    }
  }

  @Test
  void anAbandonedMtrLeavesPagesAndLogAsTheyWere() {
    try (TestEngine engine = new TestEngine(16);
        PageGuard guard = new PageGuard()) {
      EngineContext ctx = engine.newContext();
      engine.pool().pinFresh(ctx, PAGE);
      long before = engine.log().reservedOffset();
      ctx.mtr().begin(100);
      engine.pool().write(ctx, PAGE, guard);
      Pages.format(ctx.mtr(), guard);
      ctx.mtr().abandon();
      assertFalse(ctx.mtr().isOpen());
      assertEquals(0, Memory.getLong(guard.address() + PageLayout.LSN));
      assertEquals(before, engine.log().reservedOffset());
    }
  }

  @Test
  void moreBytesThanReservedAreRefusedBeforeAnythingChanges() {
    try (TestEngine engine = new TestEngine(16);
        PageGuard guard = new PageGuard()) {
      EngineContext ctx = engine.newContext();
      engine.pool().pinFresh(ctx, PAGE);
      ctx.mtr().begin(30);
      engine.pool().write(ctx, PAGE, guard);
      ctx.mtr().startRecord(guard, RedoType.WRITE);
      expectBroken(() -> ctx.mtr().putBytes(new byte[100], 0, 100));
      ctx.mtr().abandon();
    }
  }

  @Test
  void aRecordWhosePageIsNotHeldAnyMoreIsRefused() {
    try (TestEngine engine = new TestEngine(16)) {
      EngineContext ctx = engine.newContext();
      PageGuard guard = new PageGuard();
      engine.pool().pinFresh(ctx, PAGE);
      ctx.mtr().begin(100);
      engine.pool().write(ctx, PAGE, guard);
      Pages.format(ctx.mtr(), guard);
      guard.close();
      expectBroken(() -> ctx.mtr().commit());
      ctx.mtr().abandon();
    }
  }

  @Test
  void beginUnderALatchIsFound() {
    try (TestEngine engine = new TestEngine(16);
        PageGuard guard = new PageGuard()) {
      EngineContext ctx = engine.newContext();
      engine.pool().read(ctx, PAGE, guard);
      expectBroken(() -> ctx.mtr().begin(100));
    }
  }

  @Test
  void aLargeMtrGrowsItsBufferAndGivesItBack() {
    try (TestEngine engine = new TestEngine(16)) {
      EngineContext ctx = engine.newContext();
      Mtr mtr = ctx.mtr();
      engine.pool().pinFresh(ctx, PAGE);
      for (int round = 0; round < 50; round++) {
        try (PageGuard guard = new PageGuard()) {
          mtr.begin(100_000);
          engine.pool().write(ctx, PAGE, guard);
          Pages.format(mtr, guard);
          for (int i = 0; i < 300; i++) {
            mtr.startRecord(guard, RedoType.WRITE);
            mtr.putShort(AT);
            mtr.putBytes(new byte[200], 0, 200);
            mtr.endRecord();
          }
          mtr.commit();
        }
      }
      engine.quiesce();
      assertTrue(engine.stream().endOffset() > 50 * 300 * 200);
    }
  }
}
