package io.gauss.compute.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.PageRecords;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SpacesTest {

  @Test
  void theFirstPageOfANewSpaceIsPageOne() {
    try (TestEngine engine = new TestEngine(16)) {
      EngineContext ctx = engine.newContext();
      int space = engine.spaces().create(ctx);
      assertEquals(SystemSpaces.FIRST_USER, space);
      assertEquals(1, reserveAndUse(engine, ctx, space));
      assertEquals(2, reserveAndUse(engine, ctx, space));
    }
  }

  @Test
  void dataOfAnotherFormatIsRefusedWithBothVersions() {
    TestEngine engine = new TestEngine(16);
    EngineContext ctx = engine.newContext();
    long meta = PageId.of(SystemSpaces.SYSTEM, SystemSpaces.META_PAGE);
    engine.pool().pin(ctx, meta);
    try (PageGuard guard = new PageGuard()) {
      ctx.mtr().begin(SpaceRecords.writeBytes(4));
      engine.pool().write(ctx, meta, guard);
      PageRecords.writeInt(ctx.mtr(), guard, MetaLayout.VERSION, 1);
      ctx.mtr().commit();
    }
    engine.pool().unpin(meta);
    engine.quiesce();
    GaussException e = assertThrows(GaussException.class, () -> engine.restart(16));
    assertEquals("the data has format version 1; this is version 4", e.getMessage());
  }

  @Test
  void spacesSurviveARestartAndDroppedNumbersAreNotUsedAgain() {
    TestEngine engine = new TestEngine(16);
    EngineContext ctx = engine.newContext();
    int kept = engine.spaces().create(ctx);
    int dropped = engine.spaces().create(ctx);
    engine.spaces().drop(ctx, dropped);
    try (TestEngine restarted = engine.restart(16)) {
      assertTrue(restarted.spaces().exists(kept));
      assertFalse(restarted.spaces().exists(dropped));
      assertEquals(dropped + 1, restarted.spaces().create(restarted.newContext()));
    }
  }

  private static int stateOf(TestEngine engine, int space) {
    try (PageGuard directory = new PageGuard()) {
      engine.pool().read(engine.newContext(), SpaceDirectoryLayout.pageId(space), directory);
      return SpaceDirectoryLayout.state(directory.address(), space);
    }
  }

  private static long clock(TestEngine engine) {
    return engine.clock().now();
  }

  @Test
  void aDroppedSpaceIsGivenBackWhenAllSnapshotsAreNewerAlsoAfterARestart() {
    TestEngine engine = new TestEngine(16);
    EngineContext ctx = engine.newContext();
    int first = engine.spaces().create(ctx);
    int second = engine.spaces().create(ctx);
    long before = clock(engine);
    engine.spaces().drop(ctx, first);
    assertEquals(0, engine.spaces().dropped().giveBack(ctx, before), "a snapshot may see it");
    assertEquals(SpaceDirectoryLayout.DROPPED, stateOf(engine, first));
    engine.spaces().drop(ctx, second);
    try (TestEngine restarted = engine.restart(16)) {
      EngineContext after = restarted.newContext();
      assertEquals(0, restarted.spaces().dropped().giveBack(after, before));
      restarted.clock().observe(clock(engine) + 1_000_000);
      assertEquals(2, restarted.spaces().dropped().giveBack(after, clock(restarted)));
      assertEquals(SpaceDirectoryLayout.UNNEEDED, stateOf(restarted, first));
      assertEquals(SpaceDirectoryLayout.UNNEEDED, stateOf(restarted, second));
      assertTrue(restarted.spaces().dropped().isEmpty());
      assertFalse(restarted.spaces().exists(after, first));
      assertEquals(second + 1, restarted.spaces().create(after), "no number is used again");
    }
    try (TestEngine again = engine.restart(16)) {
      assertTrue(again.spaces().dropped().isEmpty());
    }
  }

  @Test
  void noPageIsGivenOutTwiceOverRestartsAndAllAreFoundAgain() {
    long seed = Seeds.next();
    Random random = new Random(seed);
    TestEngine engine = new TestEngine(32);
    EngineContext ctx = engine.newContext();
    int space = engine.spaces().create(ctx);
    Set<Integer> used = new HashSet<>();
    int highest = 0;
    for (int step = 0; step < 3000; step++) {
      int choice = random.nextInt(100);
      if (choice < 60) {
        int number = engine.spaces().reserve(ctx, space);
        highest = Math.max(highest, number);
        assertTrue(!used.contains(number), "page " + number + " given out twice");
        if (random.nextInt(5) == 0) {
          engine.spaces().unreserve(ctx, space, number);
        } else {
          use(engine, ctx, space, number);
          used.add(number);
        }
      } else if (choice < 99) {
        if (!used.isEmpty()) {
          int number = used.stream().skip(random.nextInt(used.size())).findFirst().orElseThrow();
          engine.spaces().free(ctx, space, number);
          used.remove(number);
        }
      } else {
        if (random.nextBoolean()) {
          engine.spaces().reserve(ctx, space); // lost by the crash, found again later
        }
        engine = engine.restart(32);
        ctx = engine.newContext();
      }
    }
    // Everything up to the extents' end is given out in the end: nothing leaked.
    int all = SpaceMapLayout.firstPage(SpaceMapLayout.extentOf(highest) + 1) - 1;
    Set<Integer> missing = new HashSet<>();
    for (int number = 1; number <= all; number++) {
      if (!used.contains(number)) {
        missing.add(number);
      }
    }
    for (int tries = 0; !missing.isEmpty(); tries++) {
      assertTrue(tries < 20 * all, "leaked: " + missing);
      int number = reserveAndUse(engine, ctx, space);
      assertTrue(used.add(number), "page " + number + " given out twice");
      missing.remove(number);
    }
    engine.close();
  }

  @Test
  void aFreedPageKeepsItsGenerationForTheNextUser() {
    try (TestEngine engine = new TestEngine(16);
        PageGuard guard = new PageGuard()) {
      EngineContext ctx = engine.newContext();
      int space = engine.spaces().create(ctx);
      int number = reserveAndUse(engine, ctx, space);
      engine.spaces().free(ctx, space, number);
      assertEquals(number, engine.spaces().reserve(ctx, space));
      engine.pool().read(ctx, PageId.of(space, number), guard);
      assertTrue(Memory.getLong(guard.address() + PageLayout.LSN) != 0);
    }
  }

  @Test
  void aSpaceGrowsPastItsFirstMapPage() {
    TestEngine engine = new TestEngine(64);
    EngineContext ctx = engine.newContext();
    int space = engine.spaces().create(ctx);
    int number = 0;
    while (number < SpaceMapLayout.PAGES + 200) {
      number = engine.spaces().reserve(ctx, space);
      assertTrue(number % SpaceMapLayout.PAGES != 0, "a map page was given out");
      engine.pool().unpin(PageId.of(space, number)); // as if it leaked: nothing is written
    }
    try (TestEngine restarted = engine.restart(64)) {
      EngineContext after = restarted.newContext();
      assertTrue(reserveAndUse(restarted, after, space) >= SpaceMapLayout.PAGES);
    }
  }

  private static int reserveAndUse(TestEngine engine, EngineContext ctx, int space) {
    int number = engine.spaces().reserve(ctx, space);
    use(engine, ctx, space, number);
    return number;
  }

  private static void use(TestEngine engine, EngineContext ctx, int space, int number) {
    long id = PageId.of(space, number);
    ctx.mtr().begin(200);
    try (PageGuard guard = new PageGuard()) {
      engine.pool().write(ctx, id, guard);
      Pages.format(ctx.mtr(), guard);
      ctx.mtr().commit();
    }
    engine.pool().unpin(id);
  }
}
