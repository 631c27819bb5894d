package io.gauss.storage.apply;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.health.Problem;
import io.gauss.storage.api.LogSource;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.api.Storage;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds a stream to a page store: first the redo since the store's checkpoint, then redo as it
 * becomes durable.
 *
 * <p>{@link #recover} and {@link #follow} are for one thread; the rest is thread-safe.
 */
@SuppressWarnings("try") // close() throws the exceptions of a stream's tail
public final class StreamFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamFollower.class);

  private final LogSource stream;
  private final PageStore store;
  private long recovered;
  private AutoCloseable tail;
  private boolean closed;
  private volatile Problem problem;

  public StreamFollower(LogSource stream, PageStore store) {
    this.stream = stream;
    this.store = store;
  }

  /**
   * Applies the stream from the store's checkpoint to its durable end; returns the number of bytes.
   *
   * @throws GaussException XX001 when the stream does not hold the checkpoint's offset
   */
  public long recover() {
    int id = stream.streamId();
    long from = store.checkpointOffset(id);
    if (from < stream.startOffset() || from > stream.endOffset()) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "the page store's checkpoint is at log offset "
              + from
              + ", but stream "
              + id
              + " holds "
              + stream.startOffset()
              + " to "
              + stream.endOffset());
    }
    recovered = from;
    try (LogStream.LogReader reader = stream.read(from)) {
      while (reader.next()) {
        FaultPoints.hit("redo.batch");
        recovered = reader.offset() + reader.bytes().remaining();
        store.apply(id, reader.offset(), reader.bytes());
      }
    }
    return recovered - from;
  }

  /** Follows the stream from where {@link #recover} ended. */
  public void follow(Storage.Listener listener) {
    followFrom(recovered, listener);
  }

  private synchronized void followFrom(long offset, Storage.Listener listener) {
    if (!closed) {
      tail = stream.tail(offset, new Apply(listener));
    }
  }

  /**
   * Whether the log before this point is missing because the replica was rebuilt: the pages then
   * contain its changes.
   */
  private boolean wasRebuilt(long stoppedAt) {
    long start = stream.startOffset();
    return stream.isReplica()
        && stoppedAt < start
        && store.checkpointOffset(stream.streamId()) >= start;
  }

  /**
   * Follows the stream from the store's checkpoint on, instead of {@link #recover} and {@link
   * #follow}. This is for a store with several streams: their redo must be delivered concurrently,
   * since each may wait for records of another and the memory for waiting records is limited. The
   * stream may end before the checkpoint for a while, as it does on a replica that was just
   * started.
   *
   * @throws GaussException 55000 when the stream was trimmed beyond the checkpoint
   */
  public void followFromCheckpoint(Storage.Listener listener) {
    recovered = store.checkpointOffset(stream.streamId());
    follow(listener);
  }

  /** Why the store is no longer fed; null while it is. */
  public Problem problem() {
    return problem;
  }

  private final class Apply implements LogStream.TailListener {
    private final Storage.Listener listener;

    Apply(Storage.Listener listener) {
      this.listener = listener;
    }

    @Override
    public void batch(int streamId, long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
      FaultPoints.hit("redo.follow");
      int length = bytes.remaining();
      store.apply(streamId, offset, bytes);
      listener.applied(offset + length);
    }

    @Override
    public void stopped(long offset, Throwable cause) {
      if (wasRebuilt(offset)) {
        long on = store.appliedOffset(stream.streamId());
        LOG.info("the page store continues with stream {} at {}", stream.streamId(), on);
        followFrom(on, listener);
        return;
      }
      LOG.error("the page store cannot take the log from offset {} on", offset, cause);
      problem =
          new Problem("the page store does not follow the log since offset " + offset, "" + cause);
      listener.stopped(offset, cause);
    }
  }

  @Override
  public void close() throws Exception {
    AutoCloseable opened;
    synchronized (this) {
      closed = true;
      opened = tail;
    }
    if (opened != null) {
      opened.close(); // not under the lock: the tail's thread may need it
    }
  }
}
