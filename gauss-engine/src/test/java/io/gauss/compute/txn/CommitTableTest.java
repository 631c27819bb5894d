package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.page.UndoTableLayout;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CommitTableTest {
  @Test
  void sequencesThatARestartSkippedWereNeverUsed() {
    CommitTable table = new CommitTable();
    table.add(new CommitTable.Chunk(3, 1));
    long later = 4 + UndoSegment.RESTART_SKIP_CHUNKS;
    table.add(new CommitTable.Chunk(later, 2));
    assertEquals(CommitTable.ACTIVE, table.get(3 * UndoTableLayout.ENTRIES));
    assertEquals(CommitTable.NEVER, table.get(4 * UndoTableLayout.ENTRIES));
    assertEquals(CommitTable.OVERWRITTEN, table.get(2 * UndoTableLayout.ENTRIES));
    assertEquals(CommitTable.ACTIVE, table.get(later * UndoTableLayout.ENTRIES));
  }

  @Test
  void anyHistoryAgreesWithAMap() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("CommitTableTest gauss.seed=" + seed);
    Random random = new Random(seed);
    CommitTable table = new CommitTable();
    TreeMap<Long, Long> twin = new TreeMap<>();
    long number = 0;
    table.add(new CommitTable.Chunk(0, 1));
    long oldest = 0;
    long overwritten = 0;
    for (int step = 0; step < 5000; step++) {
      int what = random.nextInt(10);
      if (what == 0) {
        number += random.nextInt(20) == 0 ? 1 + UndoSegment.RESTART_SKIP_CHUNKS : 1;
        table.add(new CommitTable.Chunk(number, 1));
      } else if (what == 1 && table.chunks() > 1) {
        long dropped = table.dropOldest().number;
        for (long value : chunk(twin, dropped).values()) {
          overwritten = Math.max(overwritten, value);
        }
        chunk(twin, dropped).clear();
        oldest = table.oldest().number;
      } else {
        long sequence = number * UndoTableLayout.ENTRIES + random.nextInt(UndoTableLayout.ENTRIES);
        long value = (random.nextBoolean() ? 1 : -1) * (1000L + step);
        table.set(sequence, value);
        twin.put(sequence, value);
      }
      assertEquals(overwritten, table.overwrittenCsn(), "seed " + seed);
      for (long sequence : twin.keySet()) {
        if (random.nextInt(50) == 0) {
          assertEquals(twin.get(sequence), table.get(sequence), "seed " + seed);
        }
      }
      if (oldest > 0) {
        assertEquals(
            CommitTable.OVERWRITTEN,
            table.get(oldest * UndoTableLayout.ENTRIES - 1),
            "seed " + seed);
      }
    }
  }

  private static java.util.SortedMap<Long, Long> chunk(TreeMap<Long, Long> twin, long number) {
    return twin.subMap(number * UndoTableLayout.ENTRIES, (number + 1) * UndoTableLayout.ENTRIES);
  }
}
