package io.gauss.storage.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.id.Lsn;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every log stream must do. An implementation's test extends this. */
@Timeout(120)
public abstract class LogStreamContract {
  protected static final long TIMEOUT_SECONDS = 30;

  /** A batch as a test remembers it. */
  protected record Batch(long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
    public Batch {}

    public long end() {
      return offset + bytes.remaining();
    }
  }

  protected LogStream stream;
  protected final List<Batch> written = new ArrayList<>();
  private long nextLsn = Lsn.of(1, 1);

  /** Opens the stream; the first time it is empty, later it is the same one again. */
  protected abstract LogStream open();

  @BeforeEach
  void openStream() {
    stream = open();
  }

  @AfterEach
  void closeStream() {
    stream.close();
  }

  protected void reopen() {
    stream.close();
    stream = open();
  }

  /** A batch of MTRs that follows the last one written. */
  protected Batch nextBatch(long offset, int payloadBytes) {
    long first = nextLsn;
    ByteBuffer bytes = TestMtrs.single(first, payloadBytes, first);
    nextLsn += Lsn.STEP;
    return new Batch(offset, first, first, bytes);
  }

  protected CompletableFuture<AppendResult> append(int epoch, Batch batch) {
    CompletableFuture<AppendResult> result = new CompletableFuture<>();
    stream.append(
        epoch, batch.offset(), batch.firstLsn(), batch.lastLsn(), batch.bytes(), result::complete);
    return result;
  }

  protected AppendResult appendAndWait(int epoch, Batch batch) {
    return await(append(epoch, batch));
  }

  protected static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
  }

  /** Appends batches of that many payload bytes at the end and remembers them. */
  protected void write(int... payloadBytes) {
    for (int bytes : payloadBytes) {
      Batch batch = nextBatch(stream.endOffset(), bytes);
      assertEquals(new AppendResult.Appended(batch.end()), appendAndWait(1, batch));
      written.add(batch);
    }
  }

  protected void assertReadsBack(List<Batch> expected) {
    try (LogReader reader = stream.read(expected.getFirst().offset())) {
      for (Batch batch : expected) {
        assertTrue(reader.next(), "the batch at " + batch.offset() + " is there");
        assertEquals(batch.offset(), reader.offset());
        assertEquals(batch.firstLsn(), reader.firstLsn());
        assertEquals(batch.lastLsn(), reader.lastLsn());
        assertEquals(batch.bytes(), reader.bytes());
      }
      assertFalse(reader.next(), "nothing follows the last batch");
    }
  }

  @Test
  void anEmptyStreamStartsAndEndsAtZero() {
    assertEquals(0, stream.startOffset());
    assertEquals(0, stream.endOffset());
    assertEquals(0, stream.durableOffset());
    assertEquals(0, stream.lastLsn());
    assertEquals(OptionalLong.empty(), stream.locate(1));
    try (LogReader reader = stream.read(0)) {
      assertFalse(reader.next());
    }
  }

  @Test
  void whatIsAppendedIsReadBackNowAndAfterReopening() {
    write(1, 100, 7, 3000, 8, 64);
    assertEquals(written.getLast().end(), stream.durableOffset());
    assertReadsBack(written);
    reopen();
    assertEquals(written.getLast().end(), stream.endOffset());
    assertEquals(written.getLast().end(), stream.durableOffset());
    assertEquals(written.getLast().lastLsn(), stream.lastLsn());
    assertReadsBack(written);
    write(5, 6);
    reopen();
    assertReadsBack(written);
  }

  @Test
  void theCallersBufferKeepsItsPosition() {
    Batch batch = nextBatch(0, 10);
    int remaining = batch.bytes().remaining();
    appendAndWait(1, batch);
    assertEquals(remaining, batch.bytes().remaining());
  }

  @Test
  void appendsInFlightAreAnsweredInTheirOrder() {
    List<Long> ends = Collections.synchronizedList(new ArrayList<>());
    List<Long> expected = new ArrayList<>();
    List<CompletableFuture<AppendResult>> results = new ArrayList<>();
    long offset = 0;
    for (int i = 0; i < 200; i++) {
      Batch batch = nextBatch(offset, i);
      offset = batch.end();
      expected.add(offset);
      CompletableFuture<AppendResult> result = new CompletableFuture<>();
      results.add(result);
      stream.append(
          1,
          batch.offset(),
          batch.firstLsn(),
          batch.lastLsn(),
          batch.bytes(),
          answer -> {
            ends.add(((AppendResult.Appended) answer).endOffset());
            result.complete(answer);
          });
      written.add(batch);
    }
    results.forEach(LogStreamContract::await);
    assertEquals(expected, ends);
    assertReadsBack(written);
  }

  @Test
  void aWrongOffsetIsRefusedAndNamesTheEnd() {
    write(10);
    long end = stream.endOffset();
    assertEquals(new AppendResult.WrongOffset(end), appendAndWait(1, nextBatch(end + 1, 5)));
    assertEquals(new AppendResult.WrongOffset(end), appendAndWait(1, nextBatch(end - 1, 500)));
    assertEquals(end, stream.endOffset());
    assertReadsBack(written);
  }

  @Test
  void aRepeatedAppendIsAnsweredAppendedAndWritesNothing() {
    write(10, 20);
    for (Batch batch : written) {
      assertEquals(new AppendResult.Appended(batch.end()), appendAndWait(1, batch));
    }
    assertReadsBack(written);
  }

  @Test
  void aLowerEpochIsFenced() {
    assertInstanceOf(AppendResult.Appended.class, appendAndWait(5, nextBatch(0, 10)));
    long end = stream.endOffset();
    assertEquals(new AppendResult.Fenced(5), appendAndWait(4, nextBatch(end, 10)));
    assertEquals(end, stream.endOffset());
    reopen();
    assertEquals(new AppendResult.Fenced(5), appendAndWait(4, nextBatch(end, 10)));
  }

  @Test
  void sealingFencesTheWriterForEver() {
    write(10, 20);
    long end = stream.endOffset();
    assertEquals(end, stream.seal(7));
    assertEquals(new AppendResult.Fenced(7), appendAndWait(1, nextBatch(end, 10)));
    assertEquals(end, stream.seal(7));
    assertThrows(GaussException.class, () -> stream.seal(6));
    reopen();
    assertEquals(new AppendResult.Fenced(7), appendAndWait(6, nextBatch(end, 10)));
    assertEquals(end, stream.endOffset());
    assertInstanceOf(AppendResult.Appended.class, appendAndWait(7, nextBatch(end, 10)));
  }

  @Test
  void aReaderStartsAtAnMtrInsideABatch() {
    TestMtrs mtrs = new TestMtrs();
    long first = Lsn.of(1, 1);
    long second = Lsn.of(2, 1);
    mtrs.begin(first).record(1, 1, 0, new byte[30]);
    int mtrBytes = mtrs.take().remaining();
    mtrs.begin(first).record(1, 1, 0, new byte[30]);
    mtrs.begin(second).record(1, 2, 0, new byte[30]);
    Batch both = new Batch(0, first, second, mtrs.take());
    appendAndWait(1, both);
    try (LogReader reader = stream.read(mtrBytes)) {
      assertTrue(reader.next());
      assertEquals(mtrBytes, reader.offset());
      assertEquals(second, reader.firstLsn());
      assertEquals(second, reader.lastLsn());
      assertEquals(both.bytes().slice(mtrBytes, mtrBytes), reader.bytes());
      assertFalse(reader.next());
    }
  }

  @Test
  void aReaderAtTheEndSeesWhatIsAppendedLater() {
    write(10);
    try (LogReader reader = stream.read(stream.endOffset())) {
      assertFalse(reader.next());
      write(20);
      assertTrue(reader.next());
      assertEquals(written.getLast().bytes(), reader.bytes());
      assertFalse(reader.next());
    }
  }

  @Test
  void aTailCatchesUpAndThenFollows() throws Exception {
    write(10, 20, 30);
    BlockingQueue<Batch> seen = new LinkedBlockingQueue<>();
    AutoCloseable tail =
        stream.tail(
            written.get(1).offset(),
            (id, offset, firstLsn, lastLsn, bytes) -> {
              ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
              seen.add(new Batch(offset, firstLsn, lastLsn, copy));
            });
    write(40);
    for (Batch batch : written.subList(1, 4)) {
      assertEquals(batch, seen.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }
    write(50);
    assertEquals(written.getLast(), seen.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    tail.close();
    write(60);
    assertTrue(seen.isEmpty());
  }

  @Test
  void locateFindsTheBatchOfAnLsn() {
    write(10, 3000, 3000, 10);
    for (Batch batch : written) {
      assertEquals(OptionalLong.of(batch.offset()), stream.locate(batch.lastLsn()));
      assertEquals(OptionalLong.of(batch.offset()), stream.locate(batch.firstLsn() - 1));
    }
    assertEquals(OptionalLong.empty(), stream.locate(stream.lastLsn() + 1));
    reopen();
    assertEquals(OptionalLong.of(written.get(2).offset()), stream.locate(written.get(2).lastLsn()));
  }

  @Test
  void trimmingForgetsOnlyWhatLiesBeforeTheOffset() {
    for (int i = 0; i < 40; i++) {
      write(1500);
    }
    int kept = 25;
    stream.trim(written.get(kept).offset());
    assertTrue(stream.startOffset() <= written.get(kept).offset());
    assertReadsBack(written.subList(kept, written.size()));
    reopen();
    assertTrue(stream.startOffset() <= written.get(kept).offset());
    assertReadsBack(written.subList(kept, written.size()));
    if (stream.startOffset() > 0) {
      assertThrows(GaussException.class, () -> stream.read(stream.startOffset() - 1));
    }
    for (int i = 0; i < 40; i++) {
      write(1500);
    }
    assertReadsBack(written.subList(kept, written.size()));
  }

  @Test
  void appendingAfterCloseFails() {
    stream.close();
    assertInstanceOf(AppendResult.Failed.class, appendAndWait(1, nextBatch(0, 10)));
  }
}
