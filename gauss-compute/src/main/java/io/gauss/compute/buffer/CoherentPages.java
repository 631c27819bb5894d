package io.gauss.compute.buffer;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageChecksum;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.log.LogBuffer;
import io.gauss.memory.bucket.PageBuckets;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.holder.PageFrames;
import io.gauss.memory.holder.PageHolders;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * The pages of a node among others: a page comes with the right to read or write it, from its home,
 * from another node or from a page store, and goes back to its home.
 *
 * <p>Each page belongs to a lane, by its bucket: one thread on which all changes of rights happen,
 * so that the state of a page and its frame's right change together.
 *
 * <p>Thread-safe.
 */
public final class CoherentPages implements PageSource, AutoCloseable {
  /** Local threads that waited for a page have it for so long before others get it. */
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * Who needs several pages together keeps those that he has for so long at most. The order in
   * which they are got excludes that two nodes wait for each other, so this is for what nobody has
   * thought of, and for nodes that stand still.
   */
  private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long TURN_POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  private final BufferPool pool;
  private final LogBuffer log;
  private final PageFetch fetch;
  private final ByteBufAllocator allocator;
  private final PageLane[] lanes;

  private CoherentPages(
      BufferPool pool,
      LogBuffer log,
      PageFetch fetch,
      int self,
      int lanes,
      Outbox out,
      ByteBufAllocator allocator) {
    this.pool = pool;
    this.log = log;
    this.fetch = fetch;
    this.allocator = allocator;
    this.lanes = new PageLane[lanes];
    for (int i = 0; i < lanes; i++) {
      this.lanes[i] = new PageLane(i);
      this.lanes[i].holders(new PageHolders(self, new LaneFrames(this.lanes[i]), out));
    }
  }

  /** A pool and where its pages come from. */
  public record Of(BufferPool pool, CoherentPages pages) {}

  /**
   * A pool of a node among others.
   *
   * @param self slot of this node
   * @param lanes number of threads for what other nodes want
   */
  public static Of pool(
      PoolSettings settings,
      LogBuffer log,
      PageFetch fetch,
      int self,
      int lanes,
      Outbox out,
      ByteBufAllocator allocator) {
    CoherentPages[] pages = new CoherentPages[1];
    BufferPool pool =
        new BufferPool(
            settings,
            log,
            made -> {
              pages[0] = new CoherentPages(made, log, fetch, self, lanes, out, allocator);
              return pages[0];
            });
    return new Of(pool, pages[0]);
  }

  // ---- what this node wants

  @Override
  public void want(long pageId, int frame, PageWish wish) {
    PageLane lane = lane(pageId);
    lane.execute(
        () -> {
          switch (wish) {
            case READ -> lane.holders().need(pageId, Mode.READ);
            case WRITE -> lane.holders().need(pageId, Mode.WRITE);
            case KEEP -> lane.holders().keep(pageId);
            case FRESH -> {
              lane.fresh().add(pageId);
              lane.holders().need(pageId, Mode.WRITE);
            }
          }
        });
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public boolean letGo(long pageId, int frame, boolean changed) {
    PageLane lane = lane(pageId);
    lane.execute(() -> lane.holders().evict(pageId));
    return false;
  }

  private PageLane lane(long pageId) {
    return lane(PageBuckets.of(pageId));
  }

  private PageLane lane(int bucket) {
    return lanes[bucket % lanes.length];
  }

  // ---- members

  /** Another compute node is there from now on, in this epoch. */
  public void joined(int slot, int epoch) {
    for (PageLane lane : lanes) {
      lane.execute(() -> lane.holders().joined(slot, epoch));
    }
  }

  /**
   * Installs the death of a compute node (rule 10); completes when nothing that came from it is
   * used any more.
   */
  public CompletableFuture<Void> died(int slot) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (PageLane lane : lanes) {
      all.add(CompletableFuture.runAsync(() -> lane.holders().died(slot), lane));
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
  }

  // ---- what others say

  /** Takes a message of the home of the page or bucket, and its bytes. */
  public void fromHome(PageMessage message) {
    boolean ofBucket =
        message.kind() == PageMessageKind.HOME
            || message.kind() == PageMessageKind.ASK_AGAIN
            || message.kind() == PageMessageKind.FLOOR;
    PageLane lane = ofBucket ? lane((int) message.page()) : lane(message.page());
    lane.execute(() -> lane.holders().fromHome(message));
  }

  /** Takes a message of the compute node in this slot and epoch, and its bytes. */
  public void fromCompute(int slot, int epoch, PageMessage message) {
    PageLane lane = lane(message.page());
    lane.execute(() -> lane.holders().fromCompute(slot, epoch, message));
  }

  /** What keeps pages from going where they are wanted; empty when nothing does. */
  public List<Problem> problems() {
    return Arrays.stream(lanes).flatMap(lane -> lane.problems().stream()).toList();
  }

  /** Pages of which something is under way; for tests. */
  CompletableFuture<List<Long>> busy() {
    List<CompletableFuture<List<Long>>> parts = new ArrayList<>();
    for (PageLane lane : lanes) {
      parts.add(CompletableFuture.supplyAsync(() -> lane.holders().busy(), lane));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> parts.stream().map(CompletableFuture::join).flatMap(List::stream).toList());
  }

  @Override
  public void close() {
    for (PageLane lane : lanes) {
      lane.close();
    }
  }

  /** The pool's frames, on a lane. */
  private final class LaneFrames implements PageFrames {
    private final PageLane lane;

    LaneFrames(PageLane lane) {
      this.lane = lane;
    }

    @Override
    public HolderPage held(long page) {
      return pool.rights().held(page);
    }

    @Override
    public long lsn(long page) {
      return pool.rights().lsn(page);
    }

    @Override
    public void change(long page, HolderPage now) {
      pool.rights().change(page, right(now), now.number(), now.from());
    }

    private static int right(HolderPage now) {
      return switch (now.right()) {
        case NONE -> PageRight.LOST;
        case SHARED -> PageRight.SHARED;
        case OWNED -> now.mayWrite() ? PageRight.OWNED : PageRight.LENT;
        case LEAVING -> PageRight.LEAVING;
      };
    }

    @Override
    public ByteBuf copy(long page) {
      ByteBuf copy = allocator.directBuffer(PageLayout.PAGE_BYTES);
      ByteBuffer room = copy.nioBuffer(0, PageLayout.PAGE_BYTES);
      long address = MemorySegment.ofBuffer(room).address();
      pool.rights().copyOut(page, address);
      PageChecksum.set(address);
      return copy.writerIndex(PageLayout.PAGE_BYTES);
    }

    @Override
    public void install(long page, ByteBuf bytes) {
      long address = pool.rights().startInstall(page);
      ByteBuffer room =
          MemorySegment.ofAddress(address).reinterpret(PageLayout.PAGE_BYTES).asByteBuffer();
      bytes.getBytes(bytes.readerIndex(), room);
      boolean isWhole = PageChecksum.verify(address);
      pool.rights().endInstall(page);
      if (!isWhole) {
        throw new GaussException(
            SqlState.DATA_CORRUPTED,
            "page " + PageId.toString(page) + " came damaged from another node");
      }
    }

    @Override
    public CompletableFuture<Void> load(long page, long lsn, Map<Integer, Long> floors) {
      long address = pool.rights().startInstall(page);
      if (lsn == 0 && lane.fresh().contains(page)) {
        Memory.zero(address, PageLayout.PAGE_BYTES);
        pool.rights().endInstall(page);
        return CompletableFuture.completedFuture(null);
      }
      return fetch
          .read(page, lsn, floors, address)
          .handleAsync(
              (found, failure) -> {
                pool.rights().endInstall(page);
                if (failure != null) {
                  pool.rights().failed(page, failure);
                  throw new IllegalStateException(failure);
                }
                return null;
              },
              lane);
    }

    @Override
    public void whenDurable(long page, Runnable action) {
      long lsn = pool.rights().lsn(page);
      if (pool.rights().stream(page) != log.streamId() || lsn <= log.durableLsn()) {
        lane.execute(action); // it was durable before it came here (law 3)
        return;
      }
      log.whenDurable(
          lsn,
          failure -> {
            if (failure == null) {
              lane.execute(action);
            } else {
              lane.later(TURN_NANOS, () -> whenDurable(page, action));
            }
          });
    }

    @Override
    public void arrived(long page, Runnable over) {
      lane.fresh().remove(page);
      if (pool.rights().arrived(page)) {
        awaitTurn(page, System.nanoTime(), over);
      } else {
        // Nobody waits for it any more, and no frame is there by which it would be evicted.
        over.run();
        lane.execute(() -> lane.holders().evict(page));
      }
    }

    /** Those who waited for the page have it pinned until they have latched it. */
    private void awaitTurn(long page, long start, Runnable over) {
      lane.later(
          TURN_POLL_NANOS,
          () -> {
            long had = System.nanoTime() - start;
            boolean goesOn =
                pool.rights().isKept(page)
                    ? had < KEEP_NANOS
                    : had < TURN_NANOS && pool.rights().isPinned(page);
            if (goesOn) {
              awaitTurn(page, start, over);
            } else {
              over.run();
            }
          });
    }

    @Override
    public void failed(long page, GaussException why) {
      lane.fresh().remove(page);
      pool.rights().failed(page, why);
    }

    @Override
    public int stream() {
      return log.streamId();
    }

    @Override
    public long durableEnd() {
      return log.durableOffset();
    }

    @Override
    public void forEach(int bucket, LongConsumer visitor) {
      pool.rights()
          .forEach(
              false,
              page -> {
                if (PageBuckets.of(page) == bucket) {
                  visitor.accept(page);
                }
              });
    }

    @Override
    public void forEachShared(LongConsumer visitor) {
      pool.rights()
          .forEach(
              true,
              page -> {
                if (lane(page) == lane) {
                  visitor.accept(page);
                }
              });
    }
  }
}
