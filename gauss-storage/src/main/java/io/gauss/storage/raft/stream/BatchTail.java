package io.gauss.storage.raft.stream;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.LogStream.TailListener;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a stream on its own platform thread and hands each durable batch to the listener. A
 * listener that blocks delays only itself.
 */
final class BatchTail implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BatchTail.class);

  private final int stream;
  private final BatchReader reader;
  private final TailListener listener;
  private final Consumer<BatchTail> ended;
  private final Thread thread;
  private volatile boolean closed;

  /**
   * @param reader waits a little at the end before it reports that there is nothing more
   * @param ended called on the tail's thread when the tail ends
   */
  BatchTail(int stream, BatchReader reader, TailListener listener, Consumer<BatchTail> ended) {
    this.ended = ended;
    this.stream = stream;
    this.reader = reader;
    this.listener = listener;
    this.thread = Environment.thread("gauss-stream-tail-" + stream, this::run);
  }

  BatchTail start() {
    thread.start();
    return this;
  }

  private void run() {
    try (reader) {
      while (!closed) {
        if (reader.next() && !closed) {
          listener.batch(
              stream, reader.offset(), reader.firstLsn(), reader.lastLsn(), reader.bytes());
        }
      }
    } catch (RuntimeException | Error e) {
      if (!closed) {
        LOG.debug("the tail of stream {} stops at offset {}", stream, reader.nextOffset(), e);
        listener.stopped(reader.nextOffset(), e);
      }
    } finally {
      ended.accept(this);
    }
  }

  /** The listener will not be called for another batch. */
  void stop() {
    closed = true;
  }

  /** Returns when the listener will not be called again. */
  @Override
  public void close() {
    stop();
    boolean interrupted = false;
    while (Thread.currentThread() != thread && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
