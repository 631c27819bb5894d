package io.gauss.compute.sql.exec.spill;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.ByteSink;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a transaction remembers when the disk has become full for it: a statement fails, is taken
 * back to a savepoint, and the transaction goes on.
 */
class FullDiskTest {
  private static final int BUDGET = 2_000;
  private static final int RECORD = 100;
  private static final int WITH_LENGTH = RECORD + 4;
  private static final long MUCH = 1L << 40;
  private static final int MOST_ROOM = 40_000; // little more than what is written at once

  @TempDir private Path directory;

  private final SmallDisk disk = new SmallDisk();
  private RecordLog log;

  @BeforeEach
  void open() {
    TemporaryFiles files = disk.files(directory);
    log =
        new RecordLog(
            new WorkMemory() {
              @Override
              public long workMemoryBytes() {
                return BUDGET;
              }

              @Override
              public TemporaryFiles temporaryFiles() {
                return files;
              }

              @Override
              public void beforeWait() {}
            },
            (before, now) -> {});
  }

  private static byte[] record(int number) {
    byte[] record = new byte[RECORD];
    Arrays.fill(record, (byte) number);
    return record;
  }

  private static void assertFull(Runnable action) {
    assertEquals(SqlState.DISK_FULL, assertThrows(GaussException.class, action::run).state());
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

  /** What there was no room for is not written when the others are read. */
  @Test
  void recordsForWhichThereIsRoomAreReadOnAFullDisk() {
    List<byte[]> twin = new ArrayList<>();
    disk.room(MUCH);
    while (disk.written() == 0) {
      twin.add(record(twin.size()));
      log.add(twin.getLast(), 0, RECORD);
    }
    disk.room(0);
    assertFull(
        () -> {
          while (true) {
            byte[] next = record(twin.size());
            log.add(next, 0, RECORD);
            twin.add(next);
          }
        });
    log.truncate(twin.size());
    assertFull(() -> expect(twin)); // some of them are in the buffer
    int inMemory = BUDGET / WITH_LENGTH;
    disk.room((long) (twin.size() - inMemory) * WITH_LENGTH - disk.written());
    expect(twin);
    disk.room(MUCH);
    twin.add(record(twin.size()));
    log.add(twin.getLast(), 0, RECORD);
    expect(twin);
  }

  @Test
  void isAListThatIsCutAtItsEndThoughItsDiskIsFullNowAndThen() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("FullDiskTest -Dgauss.seed=" + seed);
    Random random = new Random(seed);
    List<byte[]> twin = new ArrayList<>();
    int failed = 0;
    for (int step = 0; step < 20_000; step++) {
      int action = random.nextInt(100);
      if (action < 2) {
        disk.room(random.nextInt(MOST_ROOM));
      } else if (action < 97) {
        byte[] record = new byte[random.nextInt(random.nextInt(1, 700))];
        random.nextBytes(record);
        try {
          log.add(record, 0, record.length);
          twin.add(record);
        } catch (GaussException e) {
          assertEquals(SqlState.DISK_FULL, e.state());
          failed++;
          log.truncate(twin.size());
        }
      } else if (action < 98) {
        int count = random.nextInt(50) == 0 ? 0 : Math.max(0, twin.size() - random.nextInt(100));
        log.truncate(count);
        twin = new ArrayList<>(twin.subList(0, count));
      } else if (random.nextInt(10) == 0) {
        disk.room(MUCH);
        expect(twin);
        disk.room(random.nextInt(MOST_ROOM));
      }
    }
    disk.room(MUCH);
    expect(twin);
    assertTrue(failed > 10, "the disk was full " + failed + " times");
  }
}
