package io.gauss.memory.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.error.GaussException;
import io.gauss.common.id.PageId;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.coherence.DirectoryPage.State;
import io.gauss.storage.map.api.PageBuckets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Random operations on a directory and on a HashMap; {@code -Dgauss.seed} repeats a run. */
class PageDirectoryTwinTest {
  private static final int CAPACITY = 3_000;
  private static final int OPERATIONS = 60_000;

  private final long seed = Long.getLong("gauss.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Map<Long, String> twin = new HashMap<>();
  private final DirectoryEntry entry = new DirectoryEntry();

  @Test
  void aDirectoryIsAHashMapOfEntries() {
    try (PageDirectory directory = new PageDirectory("twin", CAPACITY)) {
      for (int i = 0; i < OPERATIONS; i++) {
        step(directory, page());
        assertEquals(twin.size(), directory.size(), said(i));
      }
      compare(directory);
      for (int bucket = 0; bucket < PageBuckets.BUCKETS; bucket++) {
        directory.removeBucket(bucket);
      }
      assertEquals(0, directory.size(), said(OPERATIONS));
    }
  }

  /** Some extents full, others with a page here and there. */
  private long page() {
    return random.nextBoolean()
        ? PageId.of(3, random.nextInt(64 * 20))
        : PageId.of(1 + random.nextInt(5), random.nextInt(1 << 14));
  }

  private void step(PageDirectory directory, long page) {
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> change(directory, page);
      case 3 -> {
        boolean there = twin.remove(page) != null;
        assertEquals(there, directory.remove(page), said(page));
      }
      default -> {
        String known = twin.get(page);
        assertEquals(known != null, directory.find(page, entry), said(page));
        if (known != null) {
          assertEquals(known, entry.toString(), said(page));
        }
      }
    }
  }

  private void change(PageDirectory directory, long page) {
    try {
      boolean made = directory.findOrCreate(page, entry);
      assertEquals(!twin.containsKey(page), made, said(page));
    } catch (GaussException full) {
      assertEquals(CAPACITY, twin.size(), said(page));
      assertEquals(false, twin.containsKey(page), said(page));
      return;
    }
    State[] states = State.values();
    entry.set(
        new DirectoryPage(
            states[random.nextInt(states.length)],
            random.nextInt(64),
            random.nextInt(64),
            random.nextLong(),
            random.nextLong() & ~1L,
            random.nextLong(),
            random.nextBoolean(),
            List.of()));
    twin.put(page, entry.toString());
  }

  private void compare(PageDirectory directory) {
    Set<Long> found = new HashSet<>();
    for (int bucket = 0; bucket < PageBuckets.BUCKETS; bucket++) {
      int before = found.size();
      directory.forEach(bucket, found::add);
      assertEquals(directory.count(bucket), found.size() - before, said(bucket));
    }
    assertEquals(twin.keySet(), found, said(0));
  }

  private String said(long what) {
    return "seed " + seed + ", " + what;
  }
}
