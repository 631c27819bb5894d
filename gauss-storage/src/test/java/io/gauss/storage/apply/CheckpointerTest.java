package io.gauss.storage.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.api.CheckpointPace;
import io.gauss.storage.api.DurableImages;
import io.gauss.storage.api.LogSource;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When checkpoints are made. */
class CheckpointerTest {
  private static final int STREAM = 3;

  private long written;
  private long checkpointed;
  private long batches;
  private final List<Long> trims = new ArrayList<>();

  private final Checkpointer checkpointer =
      new Checkpointer(List.of(new Source()), new Store(), 1_000_000, Duration.ofDays(1), 100);

  @Test
  void oneIsMadeAfterSoManyBytes() {
    written = 999_999;
    checkpointer.runIfDue();
    assertEquals(List.of(), trims);
    written = 1_000_000;
    checkpointer.runIfDue();
    assertEquals(List.of(1_000_000L), trims);
  }

  /** Each batch takes memory as long as it is in the log, however small it is. */
  @Test
  void oneIsMadeAfterSoManyBatches() {
    written = 990;
    batches = 99;
    checkpointer.runIfDue();
    assertEquals(List.of(), trims);
    written = 1000;
    batches = 100;
    checkpointer.runIfDue();
    assertEquals(List.of(1000L), trims);
    checkpointer.runIfDue();
    assertEquals(List.of(1000L), trims, "nothing was written since");
  }

  private final class Source implements LogSource {
    @Override
    public int streamId() {
      return STREAM;
    }

    @Override
    public long startOffset() {
      return 0;
    }

    @Override
    public long endOffset() {
      return written;
    }

    @Override
    public long durableOffset() {
      return written;
    }

    @Override
    public LogStream.LogReader read(long fromOffset) {
      throw new UnsupportedOperationException();
    }

    @Override
    public AutoCloseable tail(long fromOffset, LogStream.TailListener listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public OptionalLong locate(long csn) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long batchesInMemory(long fromOffset) {
      return batches;
    }

    @Override
    public void trim(long offset) {
      trims.add(offset);
      batches = 0;
    }
  }

  private final class Store implements PageStore {
    @Override
    public void apply(int streamId, long offset, ByteBuffer mtrs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long appliedOffset(int streamId) {
      return written;
    }

    @Override
    public CompletableFuture<Long> readPage(long pageId, long destination) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Long> readPage(
        long pageId, int streamId, long offset, long destination) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> reached(int streamId, long offset, long nanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CheckpointResult checkpoint(CheckpointPace pace) {
      checkpointed = written;
      return new CheckpointResult(Map.of(STREAM, written), 0, 0, 0);
    }

    @Override
    public void standIn(DurableImages images) {}

    @Override
    public long checkpointOffset(int streamId) {
      return checkpointed;
    }

    @Override
    public List<Progress> progress() {
      return List.of();
    }

    @Override
    public long pendingBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }
}
