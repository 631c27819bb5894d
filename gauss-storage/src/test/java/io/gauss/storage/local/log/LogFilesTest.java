package io.gauss.storage.local.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.api.LogStreamFixture;
import io.gauss.storage.raft.RaftNodes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log's files as a tool reads them, while the stream has them open or after it was closed. */
class LogFilesTest extends LogStreamFixture {
  @TempDir Path directory;

  @Override
  protected LogStream open() {
    return LocalLogStream.open(
        directory.resolve("log"), 1, LogSettings.defaults().withSegmentBytes(16 << 10));
  }

  private LogFiles files() {
    return LogFiles.open(directory.resolve("log"));
  }

  private static void assertReads(LogReader reader, List<Batch> expected) {
    for (Batch batch : expected) {
      assertTrue(reader.next(), "the batch at " + batch.offset() + " is there");
      assertEquals(batch.offset(), reader.offset());
      assertEquals(batch.firstLsn(), reader.firstLsn());
      assertEquals(batch.lastLsn(), reader.lastLsn());
      assertEquals(batch.bytes(), reader.bytes());
    }
    assertFalse(reader.next(), "nothing follows the last batch");
  }

  private void writeMany() {
    for (int i = 0; i < 40; i++) {
      write(1500);
    }
  }

  @Test
  void allBatchesAreReadWhileTheStreamIsOpenAndAfterwards() {
    write(1, 100, 7);
    writeMany();
    assertEquals(1, files().streamId());
    assertReads(files().read(0), written);
    stream.close();
    assertReads(files().read(0), written);
  }

  @Test
  void aReaderGoesOnWithWhatIsWrittenLater() {
    write(10);
    try (LogReader reader = files().read(0)) {
      assertReads(reader, written);
      for (int i = 0; i < 30; i++) {
        write(1500);
        assertReads(reader, written.subList(written.size() - 1, written.size()));
      }
    }
  }

  @Test
  void theEndIsThatOfTheStream() {
    write(10);
    assertEquals(new LogFiles.End(stream.endOffset(), stream.lastLsn()), files().end());
    writeMany();
    assertEquals(new LogFiles.End(stream.endOffset(), stream.lastLsn()), files().end());
  }

  @Test
  void anEmptyLogHasNothing() {
    assertEquals(new LogFiles.End(0, 0), files().end());
    assertEquals(0, files().startOffset());
    assertFalse(files().read(0).next());
    assertEquals(OptionalLong.empty(), files().locate(1));
  }

  @Test
  void batchesAreLocatedByLsn() {
    writeMany();
    for (Batch batch : written) {
      assertEquals(OptionalLong.of(batch.offset()), files().locate(batch.lastLsn()));
      assertEquals(OptionalLong.of(batch.offset()), files().locate(batch.firstLsn() - 1));
    }
    assertEquals(OptionalLong.empty(), files().locate(stream.lastLsn() + 1));
  }

  @Test
  void whatWasTrimmedIsRefusedAlsoToAReaderThatIsUnderWay() {
    writeMany();
    LogFiles before = files();
    LogReader reader = before.read(0);
    assertTrue(reader.next());
    stream.trim(written.get(30).offset());
    RaftNodes.await(
        "trimmed segments are used again, as more is written",
        () -> {
          write(1500);
          return files().startOffset() > written.get(20).offset();
        });
    assertTrimmed(
        () -> {
          while (reader.next()) {
            assertEquals(written.get(0).bytes().remaining(), reader.bytes().remaining());
          }
        });
    assertTrue(files().startOffset() > 0);
    assertTrimmed(() -> files().read(0));
    assertTrimmed(() -> files().locate(written.get(0).lastLsn()));
    assertEquals(
        OptionalLong.of(written.get(31).offset()), files().locate(written.get(31).lastLsn()));
  }

  /** As a tool that looked at the directory a moment before. */
  @Test
  void theSegmentsAreLookedForAgainWhenThoseThatWereListedAreTrimmed() {
    write(1500);
    LogFiles before = files();
    LogFiles beforeEnd = files();
    writeMany();
    stream.trim(stream.endOffset());
    RaftNodes.await(
        "trimmed segments are used again, as more is written",
        () -> {
          write(1500);
          return files().startOffset() > written.get(30).offset();
        });
    Batch last = written.getLast();
    assertEquals(OptionalLong.of(last.offset()), before.locate(last.lastLsn()));
    assertEquals(new LogFiles.End(stream.endOffset(), stream.lastLsn()), beforeEnd.end());
  }

  private static void assertTrimmed(org.junit.jupiter.api.function.Executable action) {
    GaussException refused = assertThrows(GaussException.class, action);
    assertEquals(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, refused.state(), refused.getMessage());
  }

  @Test
  void whatIsDamagedIsNotPassedOver() throws IOException {
    writeMany();
    stream.close();
    Path first;
    try (Stream<Path> all = Files.list(directory.resolve("log"))) {
      first =
          all.filter(f -> f.getFileName().toString().startsWith("segment-"))
              .sorted()
              .findFirst()
              .orElseThrow();
    }
    try (RandomAccessFile file = new RandomAccessFile(first.toFile(), "rw")) {
      file.seek(LogSegmentLayout.FRAMES + 2000);
      int there = file.read();
      file.seek(LogSegmentLayout.FRAMES + 2000);
      file.write(there ^ 1);
    }
    LogReader reader = files().read(0);
    assertTrue(reader.next());
    GaussException damaged = assertThrows(GaussException.class, reader::next);
    assertEquals(SqlState.DATA_CORRUPTED, damaged.state());
    assertTrue(damaged.getMessage().contains(first.toString()), damaged.getMessage());
  }

  @Test
  void aSegmentWithoutAHeadIsDamageUnlessItIsTheLast() throws IOException {
    writeMany();
    stream.close();
    Path second = directory.resolve("log").resolve(LogSegmentLayout.fileName(2));
    try (RandomAccessFile file = new RandomAccessFile(second.toFile(), "rw")) {
      file.write(new byte[LogSegmentLayout.HEAD_BYTES]);
    }
    GaussException damaged = assertThrows(GaussException.class, this::files);
    assertEquals(SqlState.DATA_CORRUPTED, damaged.state());
    assertTrue(damaged.getMessage().contains(second.toString()), damaged.getMessage());
  }

  @Test
  void nothingInTheDirectoryChanges() throws IOException {
    writeMany();
    stream.close();
    TreeMap<String, List<Object>> before = contents();
    LogReader reader = files().read(0);
    while (reader.next()) {
      assertTrue(reader.bytes().hasRemaining());
    }
    reader.close();
    assertEquals(before, contents());
  }

  private TreeMap<String, List<Object>> contents() throws IOException {
    TreeMap<String, List<Object>> contents = new TreeMap<>();
    try (Stream<Path> all = Files.list(directory.resolve("log"))) {
      for (Path file : all.toList()) {
        contents.put(
            file.toString(), List.of(Files.size(file), Files.getLastModifiedTime(file).toMillis()));
      }
    }
    return contents;
  }

  @Test
  void whereThereIsNoLogThatIsSaid() {
    GaussException none =
        assertThrows(GaussException.class, () -> LogFiles.open(directory.resolve("other")));
    assertEquals(SqlState.IO_ERROR, none.state());
    assertTrue(none.getMessage().startsWith("no log can be read in "), none.getMessage());
  }
}
