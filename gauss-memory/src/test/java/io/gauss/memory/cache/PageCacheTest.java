package io.gauss.memory.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which pages are kept, and that they are kept whole. */
class PageCacheTest {
  private static final int SLOTS = 1_000;

  private final Arena arena = Arena.ofConfined();
  private final long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 8);
  private final Set<Long> evicted = new HashSet<>();
  private final PageCache cache = new PageCache(SLOTS * (long) SlotLayout.BYTES, evicted::add);

  @AfterEach
  void giveItBack() {
    arena.close();
  }

  @Test
  void aPageThatWasReleasedIsFoundWithItsBytes() {
    assertEquals(0, cache.find(7));
    put(7, 100);
    long slot = cache.find(7);
    assertNotEquals(0, slot);
    assertEquals(PageSlot.Verdict.GOOD, new PageSlot().judge(slot, 7));
    assertEquals(100, PageSlot.lsn(slot));
    assertEquals(SlotKind.PAGE, PageSlot.kind(slot));
    assertEquals(107, Memory.getLong(PageSlot.bytes(slot)));
    assertEquals(1, cache.hits());
    assertEquals(1, cache.misses());
  }

  private boolean put(long id, long lsn) {
    Memory.putLong(page, id + lsn);
    return cache.put(id, SlotKind.PAGE, lsn, 1, page);
  }

  @Test
  void anOlderPageDoesNotReplaceANewerOne() {
    put(7, 100);
    assertFalse(put(7, 99));
    assertEquals(100, PageSlot.lsn(cache.find(7)));
    assertTrue(cache.put(7, SlotKind.PAGE, 101, 2, page));
    assertEquals(SlotKind.PAGE, PageSlot.kind(cache.find(7)));
    assertEquals(2, PageSlot.stream(cache.find(7)));
    assertEquals(1, cache.size());
  }

  @Test
  void aPageThatWasTakenOutIsGoneAlsoForWhoKnowsItsSlot() {
    put(7, 100);
    long slot = cache.find(7);
    assertTrue(cache.remove(7));
    assertFalse(cache.remove(7));
    assertEquals(0, cache.find(7));
    assertEquals(PageSlot.Verdict.OTHER, new PageSlot().judge(slot, 7));
  }

  @Test
  void memoryIsBoundedAndWhoGoesIsTold() {
    for (int i = 1; i <= 5 * SLOTS; i++) {
      put(i, 1);
    }
    assertTrue(cache.size() <= SLOTS);
    assertEquals(5 * SLOTS, cache.size() + evicted.size());
    assertEquals(evicted.size(), cache.evictions());
    for (int i = 1; i <= 5 * SLOTS; i++) {
      assertEquals(evicted.contains((long) i), cache.find(i) == 0);
    }
    assertEquals(SLOTS * (long) SlotLayout.BYTES, cache.bytes());
  }

  @Test
  void aScanDoesNotPushOutWhatIsUsed() {
    int hot = SLOTS / 2;
    for (int i = 1; i <= hot; i++) {
      put(i, 1);
    }
    for (int round = 0; round < 10; round++) {
      for (int i = 1; i <= hot; i++) {
        cache.find(i);
      }
    }
    for (int i = 1; i <= 20 * SLOTS; i++) {
      put(1_000_000 + i, 1);
    }
    int left = 0;
    for (int i = 1; i <= hot; i++) {
      left += cache.find(i) != 0 ? 1 : 0;
    }
    assertTrue(left > hot * 9 / 10, left + " of " + hot + " are left");
  }

  @Test
  void aCacheWithoutRoomIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new PageCache(8_192, id -> {}));
  }
}
