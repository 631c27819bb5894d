package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.ReplyStream;
import io.gauss.common.transport.Request;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PagesImage;
import io.gauss.storage.raft.stream.StreamService;
import io.gauss.storage.raft.stream.StreamSnapshot;
import io.gauss.storage.wire.RebuildLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends replicas elsewhere the data for their rebuild: the state of a stream's group and, unless
 * they have enough, all pages of this node's store. {@link ReplicaFetch} is the other side.
 *
 * <p>The state defines where reading the log begins. The pages contain the stream at least up to
 * there, since the log is purged only up to a checkpoint.
 *
 * <p>Handlers run on their own threads, which wait for the receiver: two at most; further callers
 * queue. Closed after the transport, whose end wakes them, and before the store.
 */
final class RebuildService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RebuildService.class);

  private static final int THREADS = 2;
  private static final int QUEUE = 16;

  /** Time from the end of the pages until the replica has its group's log. */
  private static final Duration KEEP_LOG = Duration.ofSeconds(60);

  private final LocalPageStore store;
  private final Runnable checkpoint;
  private final StreamService streams;
  private final LogPins pins;
  private final ExecutorService threads = Environment.pool("gauss-rebuild-send-", THREADS);

  /** Rebuilds that may be under way or wait for a thread. */
  private final Semaphore room = new Semaphore(THREADS + QUEUE);

  /**
   * @param checkpoint makes a checkpoint of the store now
   */
  RebuildService(LocalPageStore store, Runnable checkpoint, StreamService streams, LogPins pins) {
    this.store = store;
    this.checkpoint = checkpoint;
    this.streams = streams;
    this.pins = pins;
  }

  void register(Handlers handlers, ByteBufAllocator allocator) {
    handlers.on(StorageMessages.REBUILD, this::admit, request -> serve(request, allocator));
  }

  private void admit(Runnable rebuild) {
    if (!room.tryAcquire()) {
      throw new RejectedExecutionException("too many replicas are being rebuilt from here");
    }
    try {
      threads.execute(
          () -> {
            try {
              rebuild.run();
            } finally {
              room.release();
            }
          });
    } catch (RejectedExecutionException e) {
      room.release();
      throw e;
    }
  }

  private void serve(Request request, ByteBufAllocator allocator) {
    RebuildLayout.Request asked;
    try {
      asked = RebuildLayout.readRequest(request.payload());
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
      return;
    }
    Sender to = new Sender(request.sender().node(), request.openStream(), allocator);
    OptionalLong pin = OptionalLong.empty();
    try {
      if (!reaches(streams.snapshot(asked.stream()), asked)) {
        // The leader has purged more than this node, whose last checkpoint is older.
        checkpoint.run();
        streams.forget(asked.stream()).join();
      }
      pin = OptionalLong.of(pins.pin(kept()));
      send(asked, to);
    } catch (GaussException e) {
      LOG.warn("a replica of stream {} elsewhere is not rebuilt from here", asked.stream(), e);
      to.stream.fail(e.state(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("a replica of stream {} elsewhere is not rebuilt from here", asked.stream(), e);
      to.stream.fail(SqlState.INTERNAL_ERROR, e.toString());
    } finally {
      pin.ifPresent(number -> pins.release(number, KEEP_LOG));
    }
  }

  /** By stream, the lowest offset of the log here now. */
  private Map<Integer, Long> kept() {
    Map<Integer, Long> kept = new TreeMap<>();
    for (int stream : streams.streams()) {
      kept.put(stream, streams.localStart(stream));
    }
    return kept;
  }

  private void send(RebuildLayout.Request asked, Sender to) {
    StreamSnapshot state = streams.snapshot(asked.stream());
    if (!reaches(state, asked)) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "the log of stream "
              + asked.stream()
              + " is kept here from Raft index "
              + (state == null ? 0 : state.raftIndex() + 1)
              + " on, but the leader's begins at "
              + asked.firstAvailable());
    }
    if (asked.has() >= state.end()) {
      sendState(new RebuildLayout.State(state.encode(), false, Map.of()), to);
      to.push(RebuildLayout.writeEnd(to.buffer(RebuildLayout.END_BYTES), 0));
      to.stream.end();
      return;
    }
    try (PagesImage image = store.image()) {
      if (image.offsets().getOrDefault(asked.stream(), 0L) < state.end()) {
        throw new IllegalStateException(
            "pages of " + image.offsets() + " beside the forgotten log of " + state);
      }
      LOG.info(
          "storage node {} gets all pages as of {}, for its replica of stream {}",
          to.receiver,
          image.offsets(),
          asked.stream());
      sendState(new RebuildLayout.State(state.encode(), true, image.offsets()), to);
      long pages = sendPages(image, to);
      to.push(RebuildLayout.writeEnd(to.buffer(RebuildLayout.END_BYTES), pages));
      to.stream.end();
      LOG.info("storage node {} got {} pages", to.receiver, pages);
    }
  }

  private static boolean reaches(StreamSnapshot state, RebuildLayout.Request asked) {
    return state != null && state.raftIndex() >= asked.firstAvailable() - 1;
  }

  private static void sendState(RebuildLayout.State state, Sender to) {
    to.push(RebuildLayout.write(to.buffer(RebuildLayout.stateBytes(state)), state));
  }

  private static long sendPages(PagesImage image, Sender to) {
    long[] ids = new long[RebuildLayout.MAX_PAGES];
    long sent = 0;
    long next = image.nextPage();
    while (next != PageId.NONE && !to.stream.closed()) {
      FaultPoints.hit("rebuild.send");
      // With room for the maximum: the number of pages is known only at the end.
      ByteBuf pages = to.buffer(RebuildLayout.MAX_PAGES * PageLayout.PAGE_BYTES);
      int count = 0;
      try {
        while (next != PageId.NONE && count < ids.length) {
          image.take(pages.nioBuffer(count * PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES));
          ids[count++] = next;
          next = image.nextPage();
        }
        pages.writerIndex(count * PageLayout.PAGE_BYTES);
      } catch (RuntimeException e) {
        pages.release();
        throw e;
      }
      ByteBuf head = RebuildLayout.writePagesHeader(to.buffer(RebuildLayout.idAt(count)), count);
      for (int i = 0; i < count; i++) {
        head.writeLongLE(ids[i]);
      }
      to.push(Unpooled.wrappedBuffer(head, pages));
      sent += count;
    }
    return sent;
  }

  /** Waits until the receiver has room, then sends. */
  private static final class Sender {
    final int receiver;
    final ReplyStream stream;
    private final ByteBufAllocator allocator;
    private final Semaphore changes = new Semaphore(0);

    Sender(int receiver, ReplyStream stream, ByteBufAllocator allocator) {
      this.receiver = receiver;
      this.stream = stream;
      this.allocator = allocator;
      stream.onReady(changes::release);
    }

    ByteBuf buffer(int bytes) {
      return allocator.directBuffer(bytes, bytes);
    }

    void push(ByteBuf item) {
      while (!stream.ready() && !stream.closed()) {
        changes.acquireUninterruptibly();
        changes.drainPermits();
      }
      stream.push(item);
    }
  }

  @Override
  public void close() {
    threads.close();
  }
}
