package io.gauss.compute.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.storage.api.PageReader;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** That the comparison of pages finds what differs, wherever it is. */
class StoreEqualsBufferCheckerTest {
  private static final long PAGE = PageId.of(9, 1);
  private static final int AT = 500;

  private final TestEngine engine = new TestEngine(8);
  private final EngineContext ctx = engine.newContext();

  @BeforeEach
  void writeAPage() {
    engine.pool().pin(ctx, PAGE);
    ctx.mtr().begin(200);
    try (PageGuard guard = new PageGuard()) {
      engine.pool().write(ctx, PAGE, guard);
      Pages.format(ctx.mtr(), guard);
      Pages.write(ctx.mtr(), guard, AT, 77);
      ctx.mtr().commit();
    }
    engine.pool().unpin(PAGE);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private void check(Map<String, PageReader> stores) {
    new StoreEqualsBufferChecker(engine.pool(), () -> stores, engine.log()).check(ctx);
  }

  /** The engine's store, with the bits of a byte of every page turned as they are read. */
  private PageReader turning(int at, int bits) {
    return (pageId, stream, floor, destination) ->
        engine
            .store()
            .readPage(pageId, stream, floor, destination)
            .thenApply(
                lsn -> {
                  turn(destination + at, bits);
                  return lsn;
                });
  }

  private static void turn(long address, int bits) {
    Memory.putByte(address, Memory.getByte(address) ^ bits);
  }

  @Test
  void pagesThatAreTheSamePass() {
    check(Map.of("one", engine.store(), "another", engine.store()));
  }

  @Test
  void aByteThatDiffersInMemoryIsFound() {
    turnInThePool(AT + 3);
    IllegalStateException found =
        assertThrows(IllegalStateException.class, () -> check(Map.of("a", engine.store())));
    turnInThePool(AT + 3);
    assertTrue(found.getMessage().contains(PageId.toString(PAGE)), found.getMessage());
    assertTrue(found.getMessage().contains("at byte " + (AT + 3)), found.getMessage());
  }

  private void turnInThePool(int at) {
    try (PageGuard guard = new PageGuard()) {
      engine.pool().read(ctx, PAGE, guard);
      turn(guard.address() + at, 4);
    }
  }

  @Test
  void aByteThatDiffersInOneOfSeveralStoresIsFoundWithItsName() {
    IllegalStateException found =
        assertThrows(
            IllegalStateException.class,
            () -> check(Map.of("good", engine.store(), "bad", turning(8191, 1))));
    assertTrue(found.getMessage().contains("differs from that of bad"), found.getMessage());
  }

  @Test
  void everyByteButTheChecksumCounts() {
    int checksum = PageLayout.CHECKSUM;
    for (int at = 0; at < PageLayout.PAGE_BYTES; at += 1) {
      Map<String, PageReader> stores = Map.of("a", turning(at, 128));
      if (at >= checksum && at < checksum + 4) {
        check(stores);
      } else {
        assertThrows(IllegalStateException.class, () -> check(stores), "byte " + at);
      }
    }
  }

  @Test
  void aStoreThatIsAwayIsLeftOutAsLongAsAnotherIsThere() {
    PageReader away =
        (pageId, stream, floor, destination) ->
            CompletableFuture.failedFuture(
                new GaussException(SqlState.CONNECTION_FAILURE, "not there"));
    check(Map.of("away", away, "there", engine.store()));
    GaussException alone = assertThrows(GaussException.class, () -> check(Map.of("away", away)));
    assertEquals(SqlState.CONNECTION_FAILURE, alone.state());
  }

  @Test
  void aPageThatAStoreCannotReadForDamageIsFound() {
    PageReader damaged =
        (pageId, stream, floor, destination) ->
            CompletableFuture.failedFuture(
                new GaussException(SqlState.DATA_CORRUPTED, "page 9.1 is damaged"));
    GaussException found =
        assertThrows(GaussException.class, () -> check(Map.of("a", engine.store(), "b", damaged)));
    assertEquals(SqlState.DATA_CORRUPTED, found.state());
  }
}
