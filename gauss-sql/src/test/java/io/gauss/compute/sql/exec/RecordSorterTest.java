package io.gauss.compute.sql.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.RecordSorter;
import io.gauss.compute.type.ByteSink;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The first rows of a sort are those that sorting everything puts first, ties by arrival. */
class RecordSorterTest {
  private record Row(int key, int arrival) {}

  private final RecordSorter sorter = new RecordSorter();
  private final KeyedRecord record = new KeyedRecord();

  private boolean add(Row row) {
    record.startKey();
    record.sink.putInt(row.key());
    record.endKey();
    if (sorter.isBeyondCut(record.array(), record.keyLength())) {
      return false;
    }
    record.sink.putIntLe(row.arrival());
    sorter.add(record.array(), record.length());
    return true;
  }

  private void expectFirst(List<Row> rows, int keep) {
    sorter.reset(null, keep);
    rows.forEach(this::add);
    sorter.finish();
    List<Row> expected = new ArrayList<>(rows);
    expected.sort(Comparator.comparingInt(Row::key));
    for (Row row : expected.subList(0, Math.min(keep, rows.size()))) {
      byte[] array = sorter.next();
      int payload = sorter.recordOffset() + 4 + Integer.BYTES;
      assertEquals(row.arrival(), ByteSink.getIntLe(array, payload), "keep " + keep);
    }
    sorter.close();
  }

  @Test
  void keepsTheFirstRowsOfAnyOrder() {
    long seed = Long.getLong("gauss.seed", 4711);
    Random random = new Random(seed);
    for (int keep : new int[] {1, 2, 7, 100, 999}) {
      for (int keys : new int[] {1, 3, 1_000_000}) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
          rows.add(new Row(random.nextInt(keys), i));
        }
        expectFirst(rows, keep);
      }
    }
  }

  @Test
  void keepsTheFirstRowsWhenEachIsBetterThanTheLast() {
    expectFirst(descending(3_000), 1);
    expectFirst(descending(3_000), 40);
  }

  @Test
  void turnsAwayRowsBehindTheBarBeforeTheirPayloadIsWritten() {
    sorter.reset(null, 1);
    int taken = 0;
    for (int i = 0; i < 1_000; i++) {
      taken += add(new Row(i, i)) ? 1 : 0;
    }
    assertEquals(18, taken, "rows taken until the bar is there");
    sorter.close();
  }

  @Test
  void nothingComesOutWhenNothingCameIn() {
    expectFirst(List.of(), 5);
    sorter.reset(null, 5);
    sorter.finish();
    assertNull(sorter.next());
    sorter.close();
  }

  private static List<Row> descending(int count) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(new Row(count - i, i));
    }
    return rows;
  }
}
