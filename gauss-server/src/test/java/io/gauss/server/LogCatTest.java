package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.common.redo.RedoType;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.local.log.LocalLogStream;
import io.gauss.storage.local.log.LogFiles;
import io.gauss.storage.local.log.LogSettings;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code log cat} on the log of one node that has it open. */
@Timeout(300)
class LogCatTest {
  private static final int STREAM = 3;

  @TempDir Path data;
  private LocalLogStream stream;

  @BeforeEach
  void open() {
    stream =
        LocalLogStream.open(
            data.resolve("log"), STREAM, LogSettings.defaults().withSegmentBytes(16 << 10));
  }

  @AfterEach
  void close() {
    stream.close();
  }

  /** Appends an MTR of two records, with LSNs counter and counter + 1. */
  private void append(long counter, int payloadBytes) {
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(Lsn.of(counter, 1));
    mtrs.record(RedoType.INSERT, (7L << 32) | 4, 0, new byte[payloadBytes]);
    mtrs.record(RedoType.REMOVE, (7L << 32) | 5, Lsn.of(1, 1), new byte[4]);
    ByteBuffer bytes = mtrs.take();
    CompletableFuture<AppendResult> done = new CompletableFuture<>();
    stream.append(
        1, stream.endOffset(), Lsn.of(counter, 1), Lsn.of(counter + 1, 1), bytes, done::complete);
    assertInstanceOf(AppendResult.Appended.class, done.orTimeout(60, TimeUnit.SECONDS).join());
  }

  private Commands.Outcome cat(String... more) {
    String[] all = new String[6 + more.length];
    System.arraycopy(
        new String[] {"log", "cat", "--data", data.toString(), "--stream", "" + STREAM},
        0,
        all,
        0,
        6);
    System.arraycopy(more, 0, all, 6, more.length);
    return Commands.run(all);
  }

  /** The lines without the head, their columns with one blank between. */
  private static List<String> records(Commands.Outcome outcome) {
    assertEquals(0, outcome.exitCode(), outcome.error());
    return outcome.out().stream().skip(1).map(line -> line.strip().replaceAll(" +", " ")).toList();
  }

  @Test
  void eachRecordIsALine() {
    append(10, 12);
    append(20, 12);
    assertEquals(
        List.of(
            "16 10@1 1/2 INSERT 7:4 - 32 slot 0: 10 bytes",
            "48 11@1 2/2 REMOVE 7:5 1@1 24 slot 0, 0 of them",
            "88 20@1 1/2 INSERT 7:4 - 32 slot 0: 10 bytes",
            "120 21@1 2/2 REMOVE 7:5 1@1 24 slot 0, 0 of them"),
        records(cat()));
  }

  @Test
  void itBeginsWithTheMtrThatHoldsTheCsnOrTheNextOne() {
    append(10, 12);
    append(20, 12);
    for (String csn : List.of("20@1", "21@1", "15@1", "" + Lsn.of(20, 1))) {
      List<String> records = records(cat("--from-csn", csn));
      assertEquals(2, records.size(), csn);
      assertTrue(records.getFirst().startsWith("88 20@1 1/2"), csn);
    }
    assertEquals(4, records(cat("--from-csn", "0")).size());
    assertEquals(3, records(cat("--from-csn", "5@1", "--limit", "3")).size());
  }

  @Test
  void followingGoesOnUntilTheLimit() {
    append(10, 12);
    CompletableFuture<Commands.Outcome> following =
        CompletableFuture.supplyAsync(() -> cat("--from-csn", "20@1", "--follow", "--limit", "3"));
    append(20, 12);
    append(30, 12);
    List<String> records = records(following.orTimeout(60, TimeUnit.SECONDS).join());
    assertEquals(3, records.size());
    assertTrue(records.getFirst().contains("20@1 1/2"));
    assertTrue(records.getLast().contains("30@1 1/2"));
  }

  @Test
  void statusShowsWhereTheStreamBeginsAndEnds() {
    append(10, 12);
    append(20, 12);
    Commands.Outcome status = Commands.run("status", "--data", data.toString());
    assertEquals(3, status.exitCode(), "no node runs there");
    assertEquals("3 0 144 21@1 - -", status.out().getLast().strip().replaceAll(" +", " "));
  }

  private static void assertRefused(Commands.Outcome outcome, String message) {
    assertEquals(2, outcome.exitCode());
    assertTrue(outcome.error().contains(message), outcome.error());
    assertEquals(List.of(), outcome.out());
  }

  @Test
  void aCsnBehindTheEndIsRefused() {
    append(10, 12);
    assertRefused(cat("--from-csn", "12@1"), "stream 3 has no record at or above it yet");
  }

  /** Trims all but the last segment, and waits until the others are gone or have other names. */
  private long trim() {
    for (int i = 1; i <= 60; i++) {
      append(10L * i, 1500);
    }
    stream.trim(stream.endOffset());
    long start = stream.startOffset();
    assertTrue(start > 0);
    StorageNodes.await(
        "trimmed segments are deleted or used again",
        () -> LogFiles.open(data.resolve("log")).startOffset() == start);
    return start;
  }

  @Test
  void aCsnThatWasTrimmedIsRefused() {
    long start = trim();
    assertRefused(cat("--from-csn", "10@1"), "from LSN 10@1 on were trimmed");
    String first = records(cat("--limit", "1")).getFirst();
    assertTrue(first.startsWith(start + 16 + " "), first);
  }

  /** The command has listed the files before they were trimmed, and reads them afterwards. */
  @Test
  void whatIsTrimmedBetweenTwoLooksIsLookedForAgain() {
    append(5, 12);
    FileLog before = FileLog.open(data, STREAM);
    FileLog beforeRefusal = FileLog.open(data, STREAM);
    FileLog beforeLast = FileLog.open(data, STREAM);
    long start = trim();

    String first = cat(before, Lsn.NONE).get(1);
    assertTrue(first.startsWith(start + 16 + " "), first);
    String last = cat(beforeLast, Lsn.of(600, 1)).get(1);
    assertTrue(last.contains(" 600@1 "), last);
    RefusedException refused =
        assertThrows(RefusedException.class, () -> cat(beforeRefusal, Lsn.of(10, 1)));
    assertTrue(
        refused.getMessage().contains("from LSN 10@1 on were trimmed"), refused.getMessage());
  }

  private static List<String> cat(FileLog log, long csn) {
    StringWriter shown = new StringWriter();
    new LogCatCommand().cat(log, csn, new PrintWriter(shown, true));
    return shown.toString().lines().map(String::strip).toList();
  }

  @Test
  void whatIsNotThereIsSaidToBeNotThere() throws IOException {
    assertRefused(
        Commands.run("log", "cat", "--data", data.toString(), "--stream", "4"),
        "there is no such stream in " + data + "; there is 3");
    assertRefused(cat("--from-csn", "abc"), "not a CSN; one is written as 812@1");
    assertRefused(cat("--from-csn", "5@256"), "not a CSN");
    assertRefused(cat("--from-csn", "-5"), "not a CSN");
    assertRefused(cat("--limit", "0"), "--limit 0");
    assertRefused(
        Commands.run("log", "cat", "--data", data.resolve("none").toString()),
        "there is no such directory");
    Path empty = Files.createDirectory(data.resolve("empty"));
    assertRefused(Commands.run("log", "cat", "--data", empty.toString()), "there is no log");
  }
}
