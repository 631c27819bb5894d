package io.gauss.storage.local.log;

import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Threads;
import io.gauss.storage.api.LogStream.TailListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a stream on its own platform thread and hands each durable batch to the listener.
 *
 * <p>It reads the segment files even when it is at the end: the bytes are in the system's page
 * cache then, one read per group of appends costs a few microseconds on this thread, and the writer
 * keeps no copy for followers. A listener that blocks therefore delays only itself.
 */
final class LogTail implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LogTail.class);

  private final LocalLogStream stream;
  private final SegmentReader reader;
  private final TailListener listener;
  private final Thread thread;
  private volatile boolean closed;

  LogTail(LocalLogStream stream, SegmentReader reader, TailListener listener) {
    this.stream = stream;
    this.reader = reader;
    this.listener = listener;
    this.thread = Environment.thread("gauss-log-tail-" + stream.streamId(), this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try (reader) {
      while (!closed) {
        while (!closed && reader.next()) {
          listener.batch(
              stream.streamId(),
              reader.offset(),
              reader.firstLsn(),
              reader.lastLsn(),
              reader.bytes());
        }
        stream.awaitDurableBeyond(reader.nextOffset(), () -> closed);
      }
    } catch (RuntimeException | Error e) {
      if (!closed) {
        LOG.error(
            "the tail of stream {} stops at offset {}", stream.streamId(), reader.nextOffset(), e);
        listener.stopped(reader.nextOffset(), e);
      }
    } finally {
      stream.forget(this);
    }
  }

  @Override
  public void close() {
    closed = true;
    stream.wakeTails();
    if (Thread.currentThread() != thread) {
      Threads.join(thread);
    }
  }
}
