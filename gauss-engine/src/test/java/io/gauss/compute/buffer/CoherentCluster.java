package io.gauss.compute.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.id.LamportClock;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.engine.MemoryLogStream;
import io.gauss.compute.engine.MemoryPageStore;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.log.LogSettings;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.home.BucketHomes;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.ToCompute;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Several nodes' pools and logs, one home and one page store in this JVM. Messages between two of
 * them are handed over in the order sent, if wished with random delays; clocks travel with them.
 */
public final class CoherentCluster implements AutoCloseable {
  private static final int LANES = 2;
  private static final int CACHED = 16;
  private static final int SPACES_BUCKETS = PageBuckets.BUCKETS;

  private final MemoryPageStore store = new MemoryPageStore();
  private final RightRetention kept;
  private final List<Node> nodes = new ArrayList<>();
  private final PageDirectory directory = new PageDirectory("pages", 50_000);
  private final ExecutorService homeThread = Executors.newSingleThreadExecutor();
  private final DelayedLinks links;
  private final LamportClock homeClock = new LamportClock(200, 0);
  private final BucketHomes home;

  /** Messages are handed over at once. */
  public CoherentCluster(int count, int frames) {
    this(count, frames, RightRetention.UNTIL_WANTED);
  }

  CoherentCluster(int count, int frames, RightRetention kept) {
    this(count, frames, kept, DelayedLinks.none());
  }

  /**
   * @param frames of each node's pool
   */
  public CoherentCluster(int count, int frames, DelayedLinks links) {
    this(count, frames, RightRetention.UNTIL_WANTED, links);
  }

  private CoherentCluster(int count, int frames, RightRetention kept, DelayedLinks links) {
    this.kept = kept;
    this.links = links;
    home =
        new BucketHomes(
            directory,
            CACHED * SlotLayout.BYTES,
            new AppliedMarks(),
            new HomeOutbox(),
            PooledByteBufAllocator.DEFAULT);
    for (int slot = 1; slot <= count; slot++) {
      nodes.add(new Node(slot, frames));
    }
    for (Node node : nodes) {
      for (Node other : nodes) {
        if (other != node) {
          node.pages.joined(other.slot, 1);
        }
      }
    }
    onHome(
        () -> {
          nodes.forEach(node -> home.joined(node.slot, 1));
          for (int bucket = 0; bucket < SPACES_BUCKETS; bucket++) {
            home.take(bucket, 1);
          }
        });
  }

  public Node node(int slot) {
    return nodes.get(slot - 1);
  }

  private void onHome(Runnable task) {
    homeThread.execute(task);
  }

  private final class HomeOutbox implements Outbox {
    @Override
    public void toCompute(int slot, int epoch, ToCompute message) {
      long clock = homeClock.now();
      Node node = node(slot);
      links.send(
          0,
          slot,
          () -> {
            node.clock.observe(clock);
            node.pages.fromHome(List.of((FromHome) message));
          });
    }

    @Override
    public void toHome(int bucket, ToHome message) {
      throw new IllegalStateException("homes do not talk to each other");
    }
  }

  /** The page store that all nodes' logs are folded into. */
  public MemoryPageStore store() {
    return store;
  }

  /** A compute node. */
  public final class Node implements Outbox, AutoCloseable {
    private final int slot;
    private final LamportClock clock;
    private final LogBuffer log;
    private final AutoCloseable tail;
    private final BufferPool pool;
    private final CoherentPages pages;
    private final AtomicBoolean damages = new AtomicBoolean();

    Node(int slot, int frames) {
      this.slot = slot;
      MemoryLogStream stream = new MemoryLogStream(slot);
      this.clock = new LamportClock(slot, 0);
      this.tail =
          stream.tail(0, (id, offset, first, last, bytes) -> store.apply(id, offset, bytes));
      this.log = new LogBuffer(LogSettings.ofRing(1 << 20), clock, stream, 1);
      CoherentPages.Of made =
          CoherentPages.pool(
              new PoolSettings(frames, Duration.ofSeconds(120), kept),
              log,
              this::fetch,
              slot,
              LANES,
              () -> this,
              PooledByteBufAllocator.DEFAULT);
      this.pool = made.pool();
      this.pages = made.pages();
    }

    public BufferPool pool() {
      return pool;
    }

    public int slot() {
      return slot;
    }

    public LogBuffer log() {
      return log;
    }

    public LamportClock clock() {
      return clock;
    }

    /** The next page that this node gives away arrives damaged. */
    public void damageNextGiven() {
      damages.set(true);
    }

    /** Pages of which something is under way. */
    public List<Long> busy() {
      return pages.busy().join();
    }

    /** How this node holds a page. */
    HolderPage holding(long page) {
      return pages.held().join().getOrDefault(page, HolderPage.ABSENT);
    }

    public EngineContext newContext() {
      return new EngineContext(log);
    }

    private CompletableFuture<Long> fetch(
        long page, long leastLsn, Map<Integer, Long> floors, long destination) {
      return store
          .readPage(page, destination)
          .thenApply(
              lsn -> {
                Invariant.check(lsn >= leastLsn, "law 3: a page left before its log was durable");
                return lsn;
              });
    }

    @Override
    public void toCompute(int to, int epoch, ToCompute message) {
      if (message instanceof FromHolder.Given given && damages.getAndSet(false)) {
        int at = given.bytes().readerIndex() + PageLayout.PAGE_BYTES / 2;
        given.bytes().setByte(at, ~given.bytes().getByte(at));
      }
      Node other = node(to);
      long now = clock.now();
      links.send(
          slot,
          to,
          () -> {
            other.clock.observe(now);
            other.pages.fromCompute(slot, 1, List.of((FromHolder) message));
          });
    }

    @Override
    public void toHome(int bucket, ToHome message) {
      long now = clock.now();
      links.send(
          slot,
          0,
          () ->
              onHome(
                  () -> {
                    homeClock.observe(now);
                    home.receive(slot, 1, (ToHome.OfBucket) message);
                  }));
    }

    @Override
    public void close() {
      assertEquals(List.of(), pages.problems());
      pages.close();
      log.close();
      try {
        tail.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
    links.close();
    homeThread.shutdown();
    try {
      homeThread.awaitTermination(120, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    directory.close();
  }
}
