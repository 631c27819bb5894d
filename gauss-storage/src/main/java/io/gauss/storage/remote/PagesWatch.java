package io.gauss.storage.remote;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.StreamCall;
import io.gauss.common.transport.StreamReceiver;
import io.gauss.common.transport.TransportException;
import io.gauss.storage.wire.PagesProgressLayout;
import io.gauss.storage.wire.PagesProgressLayout.PagesProgress;
import io.gauss.storage.wire.PagesProgressLayout.StreamProgress;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the progress of one storage node's pages while this is open, also across reconnects.
 * Thread-safe.
 */
final class PagesWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PagesWatch.class);
  private static final int CREDIT_BYTES = 64 << 10;
  private static final long RETRY_MILLIS = 100;

  private final Peer peer;
  private final Runnable changed;
  private volatile PagesProgress progress = new PagesProgress(0, List.of());
  private volatile long heardNanos = Environment.nanoTime();
  private volatile boolean closed;
  private volatile StreamCall call;

  /**
   * @param changed called on the peer's event loop when there is a report; must not block
   */
  PagesWatch(Peer peer, Runnable changed) {
    this.peer = peer;
    this.changed = changed;
  }

  void open() {
    peer.connected()
        .whenComplete(
            (node, error) -> {
              if (closed) {
                return;
              }
              if (error == null) {
                watch();
              } else {
                openLater();
              }
            });
  }

  private void openLater() {
    Later.run(
        RETRY_MILLIS,
        TimeUnit.MILLISECONDS,
        () -> {
          if (!closed) {
            open();
          }
        });
  }

  private void watch() {
    StreamCall opened =
        peer.stream(
            StorageMessages.WATCH_PAGES,
            Unpooled.EMPTY_BUFFER,
            Peer.NO_DEADLINE,
            CREDIT_BYTES,
            new Receiver());
    call = opened;
    if (closed) {
      opened.cancel();
    }
  }

  private final class Receiver implements StreamReceiver {
    @Override
    public void onItem(StreamCall from, ByteBuf item) {
      try {
        progress = PagesProgressLayout.read(item);
        heardNanos = Environment.nanoTime();
        changed.run();
        from.consumed(item.readableBytes());
      } catch (GaussException e) {
        LOG.error("{} does not say how far its pages are: {}", peer.address(), e.getMessage());
        from.cancel();
      }
    }

    @Override
    public void onEnd(StreamCall from, TransportException failure) {
      if (!closed) {
        openLater();
      }
    }
  }

  PagesProgress progress() {
    return progress;
  }

  /** Offset up to which this node has a stream's records, by its last report; 0 = nothing. */
  long applied(int stream) {
    StreamProgress known = of(stream);
    return known == null ? 0 : known.applied();
  }

  long checkpointed(int stream) {
    StreamProgress known = of(stream);
    return known == null ? 0 : known.checkpointed();
  }

  /**
   * How long the oldest durable record that the node's pages have not applied has been durable
   * there: its last report, plus the time since then if it reported a lag.
   */
  long lagNanos(int stream) {
    StreamProgress known = of(stream);
    return known == null || known.lagNanos() == 0 ? 0 : known.lagNanos() + silentNanos();
  }

  private StreamProgress of(int stream) {
    for (StreamProgress one : progress.streams()) {
      if (one.stream() == stream) {
        return one;
      }
    }
    return null;
  }

  /** How long it has been silent. */
  long silentNanos() {
    return Environment.nanoTime() - heardNanos;
  }

  Peer peer() {
    return peer;
  }

  @Override
  public void close() {
    closed = true;
    StreamCall open = call;
    if (open != null) {
      open.cancel();
    }
  }
}
