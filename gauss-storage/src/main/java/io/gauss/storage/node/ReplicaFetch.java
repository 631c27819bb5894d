package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.health.Problem;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.StreamCall;
import io.gauss.common.transport.StreamReceiver;
import io.gauss.common.transport.TransportException;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PagesInstall;
import io.gauss.storage.raft.stream.ReplicaRebuild;
import io.gauss.storage.raft.stream.StreamSnapshot;
import io.gauss.storage.wire.RebuildLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds this node's replicas from other storage nodes, which have all pages made by the purged
 * part of a log: first from the leader, which has as pages what it purged, then from the stream's
 * other replicas. {@link RebuildService} is the other side.
 *
 * <p>One replica at a time: the pages contain all streams, so the next replica usually needs none.
 * An interrupted rebuild restarts from the beginning; pages that are already here only cost the
 * transfer.
 *
 * <p>Thread-safe. Works on its own thread, which waits for the disk and the network.
 */
final class ReplicaFetch implements ReplicaRebuild, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaFetch.class);

  private static final int CREDIT_BYTES = 4 << 20;
  private static final long CONNECT_SECONDS = 5;
  private static final long SILENCE_SECONDS = 60;
  private static final long PAUSE_MILLIS = 1_000;

  private final LocalPageStore store;
  private final IntFunction<List<Integer>> replicas;
  private final IntFunction<Optional<Peer>> peers;
  private final ExecutorService thread = Environment.scheduler("gauss-rebuild");
  private volatile Progress progress;
  private volatile boolean closed;

  /** The rebuild under way. */
  private record Progress(int stream, int from, long pages) {}

  /**
   * @param replicas the storage nodes that keep a stream
   * @param peers connection to a node; empty when it is not known now
   */
  ReplicaFetch(
      LocalPageStore store,
      IntFunction<List<Integer>> replicas,
      IntFunction<Optional<Peer>> peers) {
    this.store = store;
    this.replicas = replicas;
    this.peers = peers;
  }

  @Override
  public CompletableFuture<Optional<StreamSnapshot>> rebuild(
      int stream, OptionalInt leader, long firstAvailable) {
    if (firstAvailable <= 0) {
      return CompletableFuture.completedFuture(Optional.empty()); // the leader has the whole log
    }
    Set<Integer> sources = new LinkedHashSet<>();
    leader.ifPresent(sources::add);
    sources.addAll(replicas.apply(stream));
    return CompletableFuture.supplyAsync(
        () -> Optional.of(fromAny(sources, stream, firstAvailable)), thread);
  }

  private StreamSnapshot fromAny(Set<Integer> sources, int stream, long firstAvailable) {
    GaussException failure =
        new GaussException(
            SqlState.CANNOT_CONNECT_NOW,
            "none of storage nodes " + sources + " is there to rebuild stream " + stream + " from");
    for (int source : sources) {
      Optional<Peer> peer = peers.apply(source);
      if (peer.isPresent() && !closed) {
        try {
          return from(source, peer.get(), stream, firstAvailable);
        } catch (GaussException e) {
          LOG.warn("stream {} cannot be rebuilt from storage node {}", stream, source, e);
          failure.addSuppressed(e);
        }
      }
    }
    pause(); // the leader retries at once
    throw failure;
  }

  private void pause() {
    Environment.await(this, TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS), () -> closed);
  }

  private StreamSnapshot from(int source, Peer peer, int stream, long firstAvailable) {
    long start = Environment.nanoTime();
    connect(peer);
    long has = store.checkpointOffset(stream);
    ByteBuf request =
        RebuildLayout.write(
            PooledByteBufAllocator.DEFAULT.directBuffer(RebuildLayout.REQUEST_BYTES),
            new RebuildLayout.Request(stream, firstAvailable, has));
    Arrivals arrivals = new Arrivals();
    StreamCall call =
        peer.stream(StorageMessages.REBUILD, request, Peer.NO_DEADLINE, CREDIT_BYTES, arrivals);
    progress = new Progress(stream, source, 0);
    try {
      RebuildLayout.State state = state(arrivals, call);
      long pages = install(state, arrivals, call);
      StreamSnapshot snapshot = decode(state.state());
      check(snapshot, stream, firstAvailable);
      LOG.info(
          "the replica of stream {} is rebuilt from storage node {}: {} pages in {} ms, as of {}",
          stream,
          source,
          pages,
          (Environment.nanoTime() - start) / 1_000_000,
          state.pagesFollow() ? state.offsets() : "what was here");
      return snapshot;
    } finally {
      progress = null;
      call.cancel();
      arrivals.drop();
    }
  }

  private static void connect(Peer peer) {
    try {
      Environment.get(peer.connected(), CONNECT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new GaussException(
          SqlState.CONNECTION_FAILURE, "no connection to " + peer.address() + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("this storage node is being closed", e);
    }
  }

  private static RebuildLayout.State state(Arrivals arrivals, StreamCall call) {
    ByteBuf item = arrivals.next();
    try {
      if (RebuildLayout.kind(item) != RebuildLayout.STATE) {
        throw notInOrder();
      }
      return RebuildLayout.readState(item);
    } finally {
      call.consumed(item.readableBytes());
      item.release();
    }
  }

  private long install(RebuildLayout.State state, Arrivals arrivals, StreamCall call) {
    PagesInstall install = store.install();
    long pages = 0;
    try (Arena arena = Arena.ofConfined()) {
      long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
      while (true) {
        ByteBuf item = arrivals.next();
        try {
          if (closed) {
            throw new IllegalStateException("this storage node is being closed");
          }
          int kind = RebuildLayout.kind(item);
          if (kind == RebuildLayout.END) {
            if (RebuildLayout.sent(item) != pages) {
              throw notInOrder();
            }
            break;
          }
          if (kind != RebuildLayout.PAGES || !state.pagesFollow()) {
            throw notInOrder();
          }
          pages += installPages(item, install, page);
          progress = new Progress(progress.stream(), progress.from(), pages);
        } finally {
          call.consumed(item.readableBytes());
          item.release();
        }
      }
    }
    if (state.pagesFollow()) {
      FaultPoints.hit("rebuild.before-offsets");
      install.finish(state.offsets());
    }
    return pages;
  }

  private static int installPages(ByteBuf item, PagesInstall install, long page) {
    FaultPoints.hit("rebuild.install");
    int pages = RebuildLayout.pages(item);
    int at = item.readerIndex();
    for (int i = 0; i < pages; i++) {
      item.getBytes(
          at + RebuildLayout.imageAt(pages, i), Memory.buffer(page, PageLayout.PAGE_BYTES));
      install.page(item.getLongLE(at + RebuildLayout.idAt(i)), page);
    }
    return pages;
  }

  private static StreamSnapshot decode(byte[] state) {
    try {
      return StreamSnapshot.decode(state);
    } catch (IOException e) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, e.getMessage(), e);
    }
  }

  /** Checks that the answer is usable and that this node durably has its state. */
  private void check(StreamSnapshot state, int stream, long firstAvailable) {
    if (state.stream() != stream
        || state.raftIndex() < firstAvailable - 1
        || state.end() > store.checkpointOffset(stream)) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "pages of stream "
              + stream
              + " up to "
              + store.checkpointOffset(stream)
              + " do not fit "
              + state);
    }
  }

  private static GaussException notInOrder() {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION, "the answers that rebuild a replica are not in their order");
  }

  /** The rebuild under way; empty when there is none. */
  List<Problem> problems() {
    Progress now = progress;
    return now == null
        ? List.of()
        : List.of(
            new Problem(
                "the replica of stream " + now.stream() + " is being rebuilt",
                (now.pages() * PageLayout.PAGE_BYTES >> 20)
                    + " MB so far from storage node "
                    + now.from()));
  }

  /** Answers on their way from the event loop to the thread that installs them. */
  private static final class Arrivals implements StreamReceiver {
    private record Arrival(ByteBuf item, TransportException failure) {}

    /** Bounded by the credit. */
    private final BlockingQueue<Arrival> queue = new LinkedBlockingQueue<>();

    private boolean dropped;

    @Override
    public synchronized void onItem(StreamCall call, ByteBuf item) {
      if (!dropped) {
        queue.add(new Arrival(item.retain(), null));
      }
    }

    @Override
    public void onEnd(StreamCall call, TransportException failure) {
      queue.add(new Arrival(null, failure));
    }

    /** The next answer, which the caller releases. */
    ByteBuf next() {
      Arrival arrival;
      try {
        arrival = Environment.poll(queue, SILENCE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("this storage node is being closed", e);
      }
      if (arrival == null) {
        throw new GaussException(
            SqlState.CONNECTION_FAILURE, "nothing was heard for " + SILENCE_SECONDS + " s");
      }
      if (arrival.item() == null) {
        throw arrival.failure() == null ? notInOrder() : arrival.failure().toGauss();
      }
      return arrival.item();
    }

    synchronized void drop() {
      dropped = true;
      for (Arrival arrival = queue.poll(); arrival != null; arrival = queue.poll()) {
        if (arrival.item() != null) {
          arrival.item().release();
        }
      }
    }
  }

  /** Ends the rebuild under way, within the time for one answer; to be closed before the store. */
  @Override
  public void close() {
    closed = true;
    thread.shutdownNow();
    thread.close();
  }
}
