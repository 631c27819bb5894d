package io.gauss.storage.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The contract of every log stream towards its writer. An implementation's test extends this; the
 * contract towards followers is in {@link LogSourceContract}.
 */
public abstract class LogStreamContract extends LogStreamFixture {
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

  @Test
  void readingFromBehindTheEndIsRefused() {
    write(10);
    long behind = stream.endOffset() + 1;
    assertThrows(IllegalArgumentException.class, () -> stream.read(behind));
    assertThrows(
        IllegalArgumentException.class,
        () -> stream.tail(behind, (id, offset, firstLsn, lastLsn, bytes) -> {}));
  }
}
