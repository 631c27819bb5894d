package io.gauss.storage.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.redo.MtrLayout;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.local.log.LocalLogStream;
import io.gauss.storage.local.log.LogSettings;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageApply;
import io.gauss.storage.local.pages.PageStoreSettings;
import io.gauss.storage.local.pages.TestApply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that appends, applies and checkpoints is killed at any moment, again and again.
 * Afterwards everything that it reported as durable is in the log, and the page store with the
 * log's tail has the same pages as the whole log applied to empty pages.
 */
@Timeout(600)
class KilledProcessTest {
  private static final int PAGES = 500;

  /**
   * Not the system's: random bytes in its directory of spaces would say that spaces are dropped.
   */
  private static final int SPACE = 7;

  private static final PageApply APPLY = new TestApply();

  @TempDir Path directory;

  @Test
  void nothingAcknowledgedIsLostAndPagesAreWhatTheLogMakesThem() throws Exception {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    try {
      for (int round = 0; round < 3; round++) {
        long acknowledged = runAndKill(random);
        check(acknowledged);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("gauss.seed=" + seed + ": " + e, e);
    }
  }

  /** Returns the highest offset that the process reported as durable. */
  private long runAndKill(Random random) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                KilledProcessTest.class.getName(),
                directory.toString(),
                Long.toString(random.nextLong()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long acknowledged = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      int wanted = 50 + random.nextInt(1500);
      for (int i = 0; i < wanted; i++) {
        acknowledged = offsetIn(lines.readLine(), acknowledged);
      }
      // The handle's method: the process's own would close the pipe with its unread content.
      assertTrue(process.toHandle().destroyForcibly());
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        acknowledged = offsetIn(line, acknowledged);
      }
    } finally {
      process.destroyForcibly();
    }
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return acknowledged;
  }

  private static long offsetIn(String line, long before) {
    assertTrue(line != null, "the process ended by itself");
    return line.startsWith("durable ") && line.endsWith(".")
        ? Long.parseLong(line.substring(8, line.length() - 1))
        : before;
  }

  private void check(long acknowledged) throws Exception {
    try (LocalLogStream stream = openLog(directory);
        LocalPageStore store = openPages(directory)) {
      assertTrue(stream.endOffset() >= acknowledged, "acknowledged up to " + acknowledged);
      assertTrue(store.checkpointOffset(1) <= stream.endOffset());
      try (LogReader reader = stream.read(store.checkpointOffset(1))) {
        while (reader.next()) {
          store.apply(1, reader.offset(), reader.bytes());
        }
      }
      assertEquals(stream.endOffset(), store.appliedOffset(1));
      Map<Long, byte[]> expected = pagesOf(stream);
      long page = Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
      for (Map.Entry<Long, byte[]> entry : expected.entrySet()) {
        store
            .readPage(entry.getKey(), 1, stream.endOffset(), page)
            .orTimeout(60, TimeUnit.SECONDS)
            .join();
        byte[] actual = new byte[PageLayout.PAGE_BYTES];
        Memory.copyOut(page, actual, 0, actual.length);
        assertArrayEquals(
            entry.getValue(), actual, () -> "page " + PageId.toString(entry.getKey()));
      }
    }
  }

  /** All pages, by applying the whole log to empty pages. */
  private static Map<Long, byte[]> pagesOf(LocalLogStream stream) {
    Map<Long, byte[]> pages = new HashMap<>();
    long page = Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
    try (LogReader reader = stream.read(0)) {
      while (reader.next()) {
        long at = Memory.addressOf(reader.bytes());
        long end = at + reader.bytes().remaining();
        while (at < end) {
          long record = at + MtrLayout.HEADER_BYTES;
          for (int i = 0; i < MtrLayout.count(at); i++) {
            byte[] bytes =
                pages.computeIfAbsent(
                    MtrLayout.recordPageId(record), id -> new byte[PageLayout.PAGE_BYTES]);
            Memory.copyIn(bytes, 0, page, bytes.length);
            APPLY.apply(page, record, MtrLayout.recordLsn(MtrLayout.baseLsn(at), i), 1);
            Memory.copyOut(page, bytes, 0, bytes.length);
            record += MtrLayout.recordLength(record);
          }
          at += MtrLayout.length(at);
        }
      }
    }
    return pages;
  }

  private static LocalLogStream openLog(Path directory) {
    return LocalLogStream.open(
        directory.resolve("log"), 1, LogSettings.defaults().withSegmentBytes(1 << 20));
  }

  private static LocalPageStore openPages(Path directory) {
    return LocalPageStore.open(
        directory.resolve("pages"),
        PageStoreSettings.defaults()
            .withApply(APPLY)
            .withMemory(256 << 10, 64 * PageLayout.PAGE_BYTES, 1 << 20));
  }

  /**
   * The process that is killed: appends, lets the store follow, and makes checkpoints continuously.
   */
  public static void main(String[] arguments) {
    Path directory = Path.of(arguments[0]);
    Random random = new Random(Long.parseLong(arguments[1]));
    PrintStream out = System.out;
    LocalLogStream stream = openLog(directory);
    LocalPageStore store = openPages(directory);
    long[] lsns = new long[PAGES];
    pagesOf(stream)
        .forEach(
            (id, bytes) ->
                lsns[PageId.number(id)] = MemorySegment.ofArray(bytes).get(LSN, PageLayout.LSN));
    stream.tail(
        store.checkpointOffset(1),
        (id, offset, firstLsn, lastLsn, bytes) -> store.apply(id, offset, bytes));
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              while (true) {
                store.checkpoint();
              }
            });
    long counter = Lsn.counter(stream.lastLsn()) + 1;
    while (true) {
      TestMtrs mtrs = new TestMtrs();
      long first = Lsn.of(counter, 1);
      for (int m = 0; m < 1 + random.nextInt(5); m++) {
        mtrs.begin(Lsn.of(counter, 1));
        for (int r = 0; r < 1 + random.nextInt(3); r++) {
          int page = random.nextInt(PAGES);
          byte[] payload = new byte[1 + random.nextInt(100)];
          random.nextBytes(payload);
          lsns[page] =
              mtrs.record(
                  lsns[page] == 0 ? TestApply.FORMAT : TestApply.WRITE,
                  PageId.of(SPACE, page),
                  lsns[page],
                  payload);
          counter++;
        }
      }
      long last = mtrs.lastLsn();
      ByteBuffer batch = mtrs.take();
      stream.append(
          1,
          stream.endOffset(),
          first,
          last,
          batch,
          result -> {
            if (result instanceof AppendResult.Appended appended) {
              out.println("durable " + appended.endOffset() + ".");
              out.flush();
            } else {
              throw new IllegalStateException(result.toString());
            }
          });
    }
  }

  private static final java.lang.foreign.ValueLayout.OfLong LSN =
      java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED.withOrder(java.nio.ByteOrder.LITTLE_ENDIAN);
}
