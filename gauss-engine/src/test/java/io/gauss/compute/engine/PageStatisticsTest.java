package io.gauss.compute.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.wait.PageStatistics;
import io.gauss.compute.wait.WaitCause;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageStatisticsTest {
  private final EngineContext ctx = new EngineContext(null);
  private final PageStatistics pages = ctx.pages();

  @Test
  void hitsAreReportedToThePoolInBatches() {
    int reported = 0;
    int reports = 0;
    for (int i = 0; i < 5000; i++) {
      if (pages.countHit()) {
        reports++;
        reported += pages.reportHit(i, 0, false);
      }
    }
    assertEquals(5000, pages.hits());
    assertEquals(4096, reported);
    assertEquals(4, reports);
  }

  @Test
  void whoWatchesIsToldOfEachAccessAndTheBatchesStayTheSame() {
    List<Long> seen = new ArrayList<>();
    pages.watch((page, address, write) -> seen.add(page));
    int reported = 0;
    for (int i = 0; i < 1024; i++) {
      assertTrue(pages.countHit());
      reported += pages.reportHit(i, 0, false);
    }
    assertEquals(1024, seen.size());
    assertEquals(1024, reported);
    pages.watch(null);
    assertFalse(pages.countHit());
    assertEquals(1024, seen.size());
  }

  @Test
  void aRemotePageCountsWithTheLastWait() {
    pages.countMiss();
    ctx.waits().waited(WaitCause.PAGE, 50);
    pages.countRemote(PageId.NONE);
    pages.countMiss();
    ctx.waits().waited(WaitCause.PAGE, 7);
    pages.countRemote(PageId.NONE);
    assertEquals(2, pages.misses());
    assertEquals(2, pages.remote());
    assertEquals(57, pages.remoteNanos());
  }

  @Test
  void aPageHasJustComeOnce() {
    pages.countRemote(42);
    assertFalse(pages.hasJustCome(41));
    assertTrue(pages.hasJustCome(42));
    assertFalse(pages.hasJustCome(42));
  }
}
