package io.gauss.compute.sql.exec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.exec.spill.RecordLog;
import io.gauss.compute.sql.exec.spill.TemporaryFiles;
import io.gauss.compute.sql.exec.spill.WorkMemory;
import io.gauss.compute.type.ByteSink;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log of records is a list that is cut at its end, whatever of it is on disk. */
class RecordLogTest {
  private static final long BUDGET = 2_000;
  private static final int LARGEST_RECORD = 700;

  @TempDir private Path directory;

  private TemporaryFiles files;
  private long taken;
  private int filesMade;
  private boolean mayWait = true;
  private RecordLog log;

  @BeforeEach
  void open() {
    files = new TemporaryFiles(directory);
    WorkMemory memory =
        new WorkMemory() {
          @Override
          public long workMemoryBytes() {
            return BUDGET;
          }

          @Override
          public TemporaryFiles temporaryFiles() {
            filesMade++;
            return files;
          }

          @Override
          public void beforeWait() {
            if (!mayWait) {
              throw new GaussException(SqlState.QUERY_CANCELED, "not now");
            }
          }
        };
    log = new RecordLog(memory, (before, now) -> taken += now - before);
  }

  private void expect(List<byte[]> records) {
    assertEquals(records.size(), log.size());
    RecordLog.Reader reader = log.reader();
    for (byte[] expected : records) {
      ByteSink found = reader.next();
      assertNotNull(found);
      assertArrayEquals(expected, Arrays.copyOf(found.array, found.length));
    }
    assertNull(reader.next());
  }

  @Test
  void isAListThatIsCutAtItsEnd() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("RecordLogTest -Dgauss.seed=" + seed);
    Random random = new Random(seed);
    List<byte[]> twin = new ArrayList<>();
    for (int step = 0; step < 4_000; step++) {
      int action = random.nextInt(100);
      if (action < 90) {
        byte[] record = new byte[random.nextInt(random.nextInt(1, LARGEST_RECORD))];
        random.nextBytes(record);
        try {
          mayWait = random.nextInt(20) > 0;
          log.add(record, 0, record.length);
          twin.add(record);
        } catch (GaussException e) {
          assertEquals(SqlState.QUERY_CANCELED, e.state());
          log.truncate(twin.size());
        } finally {
          mayWait = true;
        }
      } else if (action < 94) {
        expect(twin);
      } else if (action < 99) {
        int count = random.nextInt(twin.size() + 1);
        count = random.nextBoolean() ? Math.max(count, twin.size() - 5) : count;
        log.truncate(count);
        twin = new ArrayList<>(twin.subList(0, count));
      } else if (random.nextInt(10) == 0) {
        log.truncate(0);
        twin.clear();
        assertEquals(0, taken);
      }
      assertTrue(taken <= 2 * BUDGET + LARGEST_RECORD, "bytes of memory: " + taken);
    }
    expect(twin);
    assertTrue(filesMade > 1, "nothing came to disk");
  }

  @Test
  void whatMayNotBeWrittenIsNotThere() {
    mayWait = false;
    byte[] record = new byte[LARGEST_RECORD];
    int added = 0;
    while (log.size() * LARGEST_RECORD < BUDGET - 2 * LARGEST_RECORD) {
      log.add(record, 0, record.length);
      added++;
    }
    log.add(record, 0, record.length);
    assertThrows(GaussException.class, () -> log.add(record, 0, record.length));
    assertEquals(added + 1, log.size());
  }
}
