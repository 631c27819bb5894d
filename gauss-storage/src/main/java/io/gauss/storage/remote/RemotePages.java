package io.gauss.storage.remote;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TransportException;
import io.gauss.storage.api.PageBatch;
import io.gauss.storage.api.PageReader;
import io.gauss.storage.wire.PageReadLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pages from storage nodes, each of which has all of them.
 *
 * <p>A read goes to the replica that has recently answered fastest. When it fails, or is slow to
 * answer (dead, paused, or behind the floor), the next one is also asked, and the first answer
 * counts. So one of three storage nodes may fail or be slow. When all have failed they are asked
 * again until the time is up. Thread-safe; nothing blocks.
 */
public final class RemotePages implements PageReader, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RemotePages.class);

  /** One read in this many goes to another replica, to measure its response time. */
  private static final int EXPLORE = 64;

  /**
   * Another replica is asked after so many times as long as the fastest has lately taken, if that
   * is longer than the setting: where all are slow, asking several makes all of them slower.
   */
  private static final int USUAL_TIMES = 4;

  /** But not after more than so many times the setting. */
  private static final int MOST_TIMES = 10;

  private static final Duration ONLY_WAIT = Duration.ofSeconds(5);

  private final Settings settings;
  private final ByteBufAllocator allocator;
  private volatile List<PageReplica> replicas;
  private final ScheduledExecutorService timer;
  private final LongAdder hedged = new LongAdder();
  private final LongAdder failedOver = new LongAdder();
  private volatile boolean closed;

  /**
   * @param hedgeAfter how long an answer may take at least before another replica is also asked
   * @param retryAfter pause after all replicas failed
   * @param timeout of a read
   */
  public record Settings(Duration hedgeAfter, Duration retryAfter, Duration timeout) {
    public static final Settings DEFAULTS =
        new Settings(Duration.ofMillis(20), Duration.ofMillis(50), Duration.ofSeconds(30));

    public Settings withTimeout(Duration newTimeout) {
      return new Settings(hedgeAfter, retryAfter, newTimeout);
    }
  }

  /**
   * @param peers storage nodes; the caller closes them
   */
  public RemotePages(Settings settings, ByteBufAllocator allocator, List<Peer> peers) {
    this.settings = settings;
    this.allocator = allocator;
    replicas(peers);
    this.timer = Environment.scheduler("gauss-page-retry");
  }

  /** From now on these replicas are used, 1 to 64 of them. */
  void replicas(List<Peer> peers) {
    if (peers.isEmpty() || peers.size() > Long.SIZE) {
      throw new IllegalArgumentException(peers.size() + " storage nodes");
    }
    replicas = peers.stream().map(PageReplica::new).toList();
  }

  @Override
  public CompletableFuture<Long> readPage(
      long pageId, int streamId, long atLeastOffset, long destination) {
    return readPages(PageBatch.of(pageId, streamId, atLeastOffset), destination)
        .thenApply(lsns -> lsns[0]);
  }

  /**
   * Reads pages from one storage node that has all of them at the batch's minimum versions; waits
   * for such a node, bounded by the timeout.
   *
   * @param destination off-heap address of 8 KiB for each page, in the batch's order; must stay
   *     valid until the future completes
   * @return the pages' LSNs; 0 for one that was never written. Fails as {@link #readPage} does, for
   *     all of them if one fails
   */
  public CompletableFuture<long[]> readPages(PageBatch batch, long destination) {
    Read read = new Read(batch, destination);
    if (closed) {
      read.future.completeExceptionally(closedError());
    } else {
      read.begin();
    }
    return read.future;
  }

  /** Pages of one particular storage node; reads fail after seconds. */
  PageReader only(Peer peer) {
    PageCopies copies = new PageCopies(allocator, () -> List.of(peer), ONLY_WAIT);
    return (pageId, streamId, atLeastOffset, destination) ->
        copies
            .read(pageId, Map.of(streamId, atLeastOffset), destination)
            .thenApply(giver -> Memory.getLong(destination + PageLayout.LSN));
  }

  private static GaussException closedError() {
    return new GaussException(SqlState.CONNECTION_FAILURE, "storage is closed");
  }

  /** Reads that asked a second replica because the first was slow. */
  long hedged() {
    return hedged.sum();
  }

  /** Reads that asked another replica because one failed. */
  public long failedOver() {
    return failedOver.sum();
  }

  @Override
  public void close() {
    closed = true;
    timer.shutdown(); // scheduled actions still run, and notice that this is closed
  }

  /** A read under way. The monitor guards everything except the future. */
  private final class Read {
    private final PageBatch batch;
    private final long destination;
    private final long start = Environment.nanoTime();
    private final CompletableFuture<long[]> future = new CompletableFuture<>();
    private List<PageReplica> round = replicas;
    private long asked; // bit per replica of this round
    private int underWay;
    private boolean mayRecover; // a replica of this round had a temporary failure
    private boolean done;
    private ScheduledFuture<?> alarm;

    Read(PageBatch batch, long destination) {
      this.batch = batch;
      this.destination = destination;
    }

    void begin() {
      askNext();
      schedule(hedgeAfter());
    }

    private Duration hedgeAfter() {
      long least = settings.hedgeAfter().toNanos();
      long usual = replicas.stream().mapToLong(PageReplica::expectedNanos).min().orElse(0);
      return Duration.ofNanos(Math.clamp(USUAL_TIMES * usual, least, MOST_TIMES * least));
    }

    private synchronized void schedule(Duration after) {
      if (done) {
        return;
      }
      try {
        alarm = timer.schedule(this::wake, after.toNanos(), TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("closed meanwhile", e);
        fail(closedError());
      }
    }

    /** Neither answer nor failure for a while, or the pause after a round of failures is over. */
    private void wake() {
      if (closed) {
        fail(closedError());
        return;
      }
      if (Environment.nanoTime() - start > settings.timeout().toNanos()) {
        fail(
            new GaussException(
                SqlState.CANNOT_CONNECT_NOW,
                "no storage node gave "
                    + pages()
                    + " within "
                    + settings.timeout().toMillis()
                    + " ms"));
        return;
      }
      boolean again;
      synchronized (this) {
        again = !done && underWay == 0;
        if (again) {
          round = replicas;
          asked = 0;
          mayRecover = false;
        }
      }
      if (!again) {
        hedged.increment();
      }
      askNext();
      schedule(again ? hedgeAfter() : settings.retryAfter());
    }

    private void askNext() {
      PageReplica next;
      int wait;
      synchronized (this) {
        next = done ? null : choose();
        if (next == null) {
          return;
        }
        underWay++;
        long left = settings.timeout().toNanos() - (Environment.nanoTime() - start);
        wait = (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left));
      }
      ask(next, wait);
    }

    /** The fastest replica that was not asked yet; null when all were. */
    private PageReplica choose() {
      int best = -1;
      boolean explore = asked == 0 && Environment.random().nextInt(EXPLORE) == 0;
      int offset = explore ? Environment.random().nextInt(round.size()) : 0;
      for (int i = 0; i < round.size(); i++) {
        int candidate = (i + offset) % round.size();
        if ((asked & (1L << candidate)) == 0) {
          if (best < 0
              || (!explore
                  && round.get(candidate).expectedNanos() < round.get(best).expectedNanos())) {
            best = candidate;
          }
        }
      }
      if (best < 0) {
        return null;
      }
      asked |= 1L << best;
      return round.get(best);
    }

    private void ask(PageReplica replica, int waitMillis) {
      long sent = Environment.nanoTime();
      int bytes = PageReadLayout.requestBytes(batch.floors(), batch.pages());
      ByteBuf request =
          PageReadLayout.write(allocator.directBuffer(bytes, bytes), batch, waitMillis);
      replica
          .peer()
          .call(
              StorageMessages.READ_PAGES, request, TimeUnit.MILLISECONDS.toNanos(waitMillis + 100L))
          .whenComplete(
              (reply, error) -> {
                if (error == null) {
                  arrived(replica, reply, Environment.nanoTime() - sent);
                } else {
                  failed(replica, error);
                }
              });
    }

    private void arrived(PageReplica replica, ByteBuf reply, long nanos) {
      try {
        PageReadLayout.checkReply(reply, batch.pages(), replica.peer().address());
        replica.answered(nanos);
        boolean mine;
        synchronized (this) {
          underWay--;
          mine = !done;
          done = true;
          cancelAlarm();
        }
        if (mine) {
          future.complete(take(reply));
        }
      } catch (GaussException e) {
        failed(replica, e);
      } finally {
        reply.release();
      }
    }

    private long[] take(ByteBuf reply) {
      int pages = batch.pages();
      long[] lsns = new long[pages];
      for (int i = 0; i < pages; i++) {
        lsns[i] = reply.getLongLE(reply.readerIndex() + PageReadLayout.lsnAt(i));
      }
      // The images are contiguous there, as they will be here.
      int images = reply.readerIndex() + PageReadLayout.imageAt(pages, 0);
      reply.getBytes(images, Memory.buffer(destination, pages * PageLayout.PAGE_BYTES));
      return lsns;
    }

    /** For messages. */
    private String pages() {
      String first = "page " + PageId.toString(batch.pageId(0));
      return batch.pages() == 1 ? first : first + " and " + (batch.pages() - 1) + " others";
    }

    private void failed(PageReplica replica, Throwable error) {
      LOG.debug("{} from {}: {}", pages(), replica.peer().address(), error);
      replica.failed();
      boolean next;
      synchronized (this) {
        underWay--;
        mayRecover |= !isFinal(error);
        next = !done && Long.bitCount(asked) < round.size();
      }
      if (closed) {
        fail(closedError());
      } else if (next) {
        failedOver.increment();
        askNext();
      } else {
        failIfFinal(error);
      }
    }

    /** A retry does not help against damage; it may against an absent or lagging replica. */
    private static boolean isFinal(Throwable error) {
      return error instanceof TransportException failure
          && failure.reason() == TransportException.Reason.FAILED
          && failure.state() != SqlState.INSUFFICIENT_RESOURCES;
    }

    private void failIfFinal(Throwable error) {
      boolean all;
      synchronized (this) {
        all = !done && underWay == 0 && !mayRecover;
      }
      if (all) {
        fail(((TransportException) error).toGauss());
      }
    }

    private void fail(GaussException error) {
      synchronized (this) {
        if (done) {
          return;
        }
        done = true;
        cancelAlarm();
      }
      future.completeExceptionally(error);
    }

    private void cancelAlarm() {
      if (alarm != null) {
        alarm.cancel(false);
      }
    }
  }
}
