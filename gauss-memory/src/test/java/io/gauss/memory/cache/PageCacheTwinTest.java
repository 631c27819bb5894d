package io.gauss.memory.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random operations on a cache and on a HashMap; {@code -Dgauss.seed} repeats a run. */
class PageCacheTwinTest {
  private static final int SLOTS = 64;
  private static final int OPERATIONS = 50_000;

  private final long seed = Long.getLong("gauss.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Map<Long, Content> twin = new HashMap<>();
  private final PageSlot slots = new PageSlot();

  private record Content(SlotKind kind, long lsn, int stream, long bytes) {}

  @Test
  void whatACacheHasIsWhatWasPutThereLast() {
    try (Arena arena = Arena.ofConfined()) {
      long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 8);
      PageCache cache = new PageCache(SLOTS * (long) SlotLayout.BYTES, twin::remove);
      for (int i = 0; i < OPERATIONS; i++) {
        step(cache, page, 1 + (long) (SLOTS * Math.abs(random.nextGaussian())));
        assertEquals(twin.size(), cache.size(), said(i));
        assertTrue(cache.size() <= SLOTS, said(i));
      }
      for (long id : twin.keySet()) {
        check(cache, id);
      }
    }
  }

  private void step(PageCache cache, long page, long id) {
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        Content content =
            new Content(
                SlotKind.PAGE, random.nextInt(1_000), random.nextInt(1 << 16), random.nextLong());
        Content before = twin.get(id);
        boolean isNewer = before == null || before.lsn() <= content.lsn();
        if (isNewer) {
          twin.put(id, content); // before, since it may not be admitted
        }
        Memory.putLong(page + 8L * random.nextInt(1_024), random.nextLong());
        Memory.putLong(page, content.bytes());
        assertEquals(
            isNewer,
            cache.put(id, content.kind(), content.lsn(), content.stream(), page),
            said(id));
      }
      case 2 -> assertEquals(twin.remove(id) != null, cache.remove(id), said(id));
      default -> check(cache, id);
    }
  }

  private void check(PageCache cache, long id) {
    long slot = cache.find(id);
    Content known = twin.get(id);
    assertEquals(known != null, slot != 0, said(id));
    if (known != null) {
      assertEquals(PageSlot.Verdict.GOOD, slots.judge(slot, id), said(id));
      assertEquals(
          known,
          new Content(
              PageSlot.kind(slot),
              PageSlot.lsn(slot),
              PageSlot.stream(slot),
              Memory.getLong(PageSlot.bytes(slot))),
          said(id));
    }
  }

  private String said(long what) {
    return "seed " + seed + ", " + what;
  }
}
