package io.gauss.storage.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A stream that is written to batch by batch, for the contracts of writers and followers. */
@Timeout(300)
public abstract class LogStreamFixture {
  protected static final long TIMEOUT_SECONDS = 120;

  /** A batch that a test has written. */
  protected record Batch(long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
    public Batch {}

    public long end() {
      return offset + bytes.remaining();
    }
  }

  protected LogStream stream;
  protected final List<Batch> written = new ArrayList<>();
  protected long nextLsn = Lsn.of(1, 1);

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
    try {
      return Environment.get(future, TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  /** Appends batches with these numbers of payload bytes at the end and records them. */
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
}
