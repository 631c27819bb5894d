package io.gauss.storage.raft.stream;

import io.gauss.storage.api.LogStream.LogReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Reads batches from a source that returns several at a time. Not thread-safe. */
final class BatchReader implements LogReader {
  /** Returns batches from an offset on; none at the durable end. */
  @FunctionalInterface
  interface Source {
    List<StreamAnswer.Batch> from(long offset);
  }

  private static final int INITIAL_BYTES = 64 << 10;

  private final Source source;
  private final Deque<StreamAnswer.Batch> fetched = new ArrayDeque<>();
  private long next;
  private StreamAnswer.Batch current;
  private ByteBuffer room = ByteBuffer.allocateDirect(INITIAL_BYTES);
  private ByteBuffer bytes;
  private boolean closed;

  BatchReader(long fromOffset, Source source) {
    this.next = fromOffset;
    this.source = source;
  }

  @Override
  public boolean next() {
    if (closed) {
      throw new IllegalStateException("the reader is closed");
    }
    if (fetched.isEmpty()) {
      fetched.addAll(source.from(next));
    }
    current = fetched.poll();
    if (current == null) {
      return false;
    }
    next = current.end();
    bytes = direct(current.bytes());
    return true;
  }

  /** An off-heap copy, since readers pass addresses on. */
  private ByteBuffer direct(ByteBuffer from) {
    if (room.capacity() < from.remaining()) {
      room = ByteBuffer.allocateDirect(Math.max(2 * room.capacity(), from.remaining()));
    }
    return room.duplicate().clear().put(from.duplicate()).flip().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Offset after the batches that were read so far. */
  long nextOffset() {
    return next;
  }

  @Override
  public long offset() {
    return current.offset();
  }

  @Override
  public ByteBuffer bytes() {
    return bytes;
  }

  @Override
  public long firstLsn() {
    return current.firstLsn();
  }

  @Override
  public long lastLsn() {
    return current.lastLsn();
  }

  @Override
  public void close() {
    closed = true;
  }
}
