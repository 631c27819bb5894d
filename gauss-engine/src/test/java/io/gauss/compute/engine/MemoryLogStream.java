package io.gauss.compute.engine;

import io.gauss.storage.api.LogStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A log stream in memory: what was acknowledged is "durable", callbacks come on the appending
 * thread, tails are told before the callback. A test may make it full, fail, or answer nothing for
 * a while.
 */
public final class MemoryLogStream implements LogStream {
  private final int streamId;
  private final List<Batch> batches = new ArrayList<>();
  private final List<TailListener> tails = new CopyOnWriteArrayList<>();
  private long end;
  private long lastLsn;
  private int epoch;
  private volatile boolean full;
  private volatile Throwable failure;
  private final List<Runnable> held = new ArrayList<>();
  private boolean holding;
  private volatile Runnable beforeAppend = () -> {};

  public MemoryLogStream(int streamId) {
    this.streamId = streamId;
  }

  /** From now on appends are answered DiskFull, until taken back. */
  public void full(boolean isFull) {
    this.full = isFull;
  }

  /** From now on appends are answered Failed. */
  public void fail(Throwable cause) {
    this.failure = cause;
  }

  /** From now on appends are taken and not carried out, until {@link #release}. */
  public synchronized void hold() {
    holding = true;
  }

  /** Carries out what was held back, on this thread, and holds nothing back any more. */
  public void release() {
    while (true) {
      Runnable next;
      synchronized (this) {
        if (held.isEmpty()) {
          holding = false;
          return;
        }
        next = held.removeFirst();
      }
      next.run();
    }
  }

  /** Appends held back. */
  public synchronized int held() {
    return held.size();
  }

  /** Runs on the appending thread before each append, for tests that want appends to take time. */
  public void beforeAppend(Runnable action) {
    this.beforeAppend = action;
  }

  /** Bytes appended so far, for twins. */
  public synchronized byte[] content() {
    byte[] all = new byte[(int) end];
    for (Batch batch : batches) {
      batch.bytes.duplicate().get(0, all, (int) batch.offset, batch.bytes.capacity());
    }
    return all;
  }

  public synchronized int batchCount() {
    return batches.size();
  }

  @Override
  public int streamId() {
    return streamId;
  }

  @Override
  public synchronized long endOffset() {
    return end;
  }

  @Override
  public synchronized long durableOffset() {
    return end;
  }

  @Override
  public void append(
      int writerEpoch,
      long offset,
      long firstLsn,
      long lastBatchLsn,
      ByteBuffer bytes,
      AppendCallback callback) {
    synchronized (this) {
      if (holding) {
        held.add(() -> carryOut(writerEpoch, offset, firstLsn, lastBatchLsn, bytes, callback));
        return;
      }
    }
    carryOut(writerEpoch, offset, firstLsn, lastBatchLsn, bytes, callback);
  }

  private void carryOut(
      int writerEpoch,
      long offset,
      long firstLsn,
      long lastBatchLsn,
      ByteBuffer bytes,
      AppendCallback callback) {
    beforeAppend.run();
    AppendResult result;
    Batch batch = null;
    synchronized (this) {
      if (failure != null) {
        result = new AppendResult.Failed(failure);
      } else if (writerEpoch < epoch) {
        result = new AppendResult.Fenced(epoch);
      } else if (full) {
        result = new AppendResult.DiskFull("memory");
      } else if (offset != end) {
        result = new AppendResult.WrongOffset(end);
      } else {
        ByteBuffer copy =
            ByteBuffer.allocateDirect(bytes.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        copy.put(bytes.duplicate()).flip();
        batch = new Batch(offset, firstLsn, lastBatchLsn, copy);
        batches.add(batch);
        end += copy.capacity();
        lastLsn = lastBatchLsn;
        result = new AppendResult.Appended(end);
      }
    }
    if (batch != null) {
      for (TailListener tail : tails) {
        deliver(batch, tail);
      }
    }
    callback.done(result);
  }

  private void deliver(Batch batch, TailListener listener) {
    listener.batch(
        streamId,
        batch.offset,
        batch.firstLsn,
        batch.lastLsn,
        batch.bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN));
  }

  @Override
  public synchronized long seal(int newEpoch) {
    epoch = newEpoch;
    return end;
  }

  /** Below that of the last seal nothing is appended; 0 = it was never sealed. */
  public synchronized int epoch() {
    return epoch;
  }

  @Override
  public synchronized LogReader read(long fromOffset) {
    List<Batch> all = List.copyOf(batches);
    int[] position = {-1};
    while (position[0] + 1 < all.size() && all.get(position[0] + 1).offset < fromOffset) {
      position[0]++;
    }
    return new LogReader() {
      @Override
      public boolean next() {
        return ++position[0] < all.size();
      }

      @Override
      public long offset() {
        return all.get(position[0]).offset;
      }

      @Override
      public ByteBuffer bytes() {
        return all.get(position[0]).bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
      }

      @Override
      public long firstLsn() {
        return all.get(position[0]).firstLsn;
      }

      @Override
      public long lastLsn() {
        return all.get(position[0]).lastLsn;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public AutoCloseable tail(long fromOffset, TailListener listener) {
    synchronized (this) {
      for (Batch batch : batches) {
        if (batch.offset >= fromOffset) {
          deliver(batch, listener);
        }
      }
      tails.add(listener);
    }
    return () -> tails.remove(listener);
  }

  @Override
  public synchronized OptionalLong locate(long csn) {
    return batches.stream().filter(b -> b.lastLsn >= csn).mapToLong(b -> b.offset).findFirst();
  }

  @Override
  public void trim(long offset) {}

  @Override
  public long startOffset() {
    return 0;
  }

  @Override
  public synchronized long lastLsn() {
    return lastLsn;
  }

  @Override
  public void close() {}

  private record Batch(long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {}
}
