package io.gauss.compute.buffer;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageChecksum;
import io.gauss.common.page.PageLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.wait.WaitCounter;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.holder.PageFrames;
import io.gauss.memory.holder.PageFrames.Source;
import io.gauss.memory.holder.TransferListener;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.LongStream;

/**
 * The pages of a node of a cluster: a page comes with the right to read or write it, from its home,
 * from another node or from a page store, and goes back to its home.
 *
 * <p>Each page belongs to a lane, by its bucket: one thread makes all changes of rights, so that
 * the state of a page and its frame's right change together.
 *
 * <p>Thread-safe.
 */
public final class CoherentPages implements PageSource, AutoCloseable {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final int LOOKS_WITHIN_WAIT = 10;

  /** How long a page is requested again while its home has no room. */
  private static final long ROOM_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long ROOM_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final BufferPool pool;
  private final LogBuffer log;
  private final PageFetch fetch;
  private final RightRetention kept;
  private final ContendedPages contended = new ContendedPages();
  private final ByteBufAllocator allocator;
  private final PageLane[] lanes;
  private volatile GaussException over; // why no page comes any more; null while pages come
  private final Map<Source, WaitCounter> gets = new EnumMap<>(Source.class);

  private CoherentPages(
      BufferPool pool,
      LogBuffer log,
      PageFetch fetch,
      RightRetention kept,
      int self,
      int lanes,
      Supplier<Outbox> out,
      ByteBufAllocator allocator) {
    this.pool = pool;
    this.kept = kept;
    this.log = log;
    this.fetch = fetch;
    this.allocator = allocator;
    for (Source source : Source.values()) {
      gets.put(source, new WaitCounter());
    }
    this.lanes = new PageLane[lanes];
    for (int i = 0; i < lanes; i++) {
      Outbox own = out.get();
      this.lanes[i] = new PageLane(i, own);
      this.lanes[i].join(new LaneFrames(this.lanes[i]), self);
    }
  }

  /** A pool and where its pages come from. */
  public record Of(BufferPool pool, CoherentPages pages) {}

  /**
   * A pool of a node of a cluster.
   *
   * @param self slot of this node
   * @param lanes number of threads for other nodes' requests
   * @param out takes the messages of each lane
   */
  public static Of pool(
      PoolSettings settings,
      LogBuffer log,
      PageFetch fetch,
      int self,
      int lanes,
      Supplier<Outbox> out,
      ByteBufAllocator allocator) {
    CoherentPages[] pages = new CoherentPages[1];
    BufferPool pool =
        new BufferPool(
            settings,
            log,
            made -> {
              pages[0] =
                  new CoherentPages(made, log, fetch, settings.kept(), self, lanes, out, allocator);
              return pages[0];
            });
    return new Of(pool, pages[0]);
  }

  // ---- requests of this node

  @Override
  public void want(long pageId, int frame, PageIntent intent) {
    PageLane lane = lane(pageId);
    lane.execute(
        () -> {
          if (over != null && !lane.holders().isLoading(pageId)) {
            pool.rights().failed(pageId, over);
            return;
          }
          switch (intent) {
            case READ ->
                lane.holders()
                    .need(pageId, kept == RightRetention.UNTIL_WANTED ? Mode.READ : Mode.WRITE);
            case READ_TO_WRITE ->
                lane.holders().need(pageId, isForCopies(pageId) ? Mode.READ : Mode.WRITE);
            case WRITE -> lane.holders().need(pageId, Mode.WRITE);
            case RETAIN -> lane.holders().retain(pageId);
            case FRESH -> {
              lane.fresh().add(pageId);
              lane.holders().need(pageId, Mode.WRITE);
            }
          }
        });
  }

  /** No page comes any more: threads that wait for one, now or later, get the error. */
  public void end(GaussException why) {
    over = why;
    for (PageLane lane : lanes) {
      lane.execute(
          () -> pool.rights().failAll(p -> lane(p) == lane && !lane.holders().isLoading(p), why));
    }
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public boolean release(long pageId, int frame, boolean changed) {
    PageLane lane = lane(pageId);
    lane.execute(() -> lane.holders().evict(pageId));
    return false;
  }

  /** A page that other nodes write all the time should not be taken from them only to be read. */
  private boolean isForCopies(long pageId) {
    return kept == RightRetention.UNTIL_WANTED
        && contended.isContended(pageId, Environment.nanoTime());
  }

  @Override
  public void rowIsTaken(long pageId) {
    contended.note(pageId, Environment.nanoTime());
  }

  @Override
  public void transactionEnded() {
    if (kept == RightRetention.PER_TRANSACTION) {
      for (PageLane lane : lanes) {
        lane.execute(() -> returnPages(lane));
      }
    }
  }

  /**
   * Gives back the pages that came since the last time; pages in use now go with the next return.
   */
  private void returnPages(PageLane lane) {
    List<Long> pages = List.copyOf(lane.toReturn());
    lane.toReturn().clear();
    for (long page : pages) {
      if (pool.rights().isPinned(page) || pool.rights().isKept(page)) {
        lane.toReturn().add(page);
      } else {
        lane.frames().whenDurable(page, () -> lane.holders().evict(page));
      }
    }
  }

  private PageLane lane(long pageId) {
    return lane(PageBuckets.of(pageId));
  }

  private PageLane lane(int bucket) {
    return lanes[bucket % lanes.length];
  }

  // ---- members

  /** Another compute node has joined, in this epoch. */
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

  /** Takes the messages of homes from one frame, in order, and the pages that came with it. */
  public void fromHome(List<FromHome> messages) {
    byLane(
        messages,
        FromHome::bucket,
        (lane, own) -> {
          // The sender announces all the buckets of which it is now the home at once.
          Map<Integer, Long> homes = new HashMap<>();
          for (FromHome message : own) {
            if (message instanceof FromHome.Home home) {
              homes.merge(home.bucket(), home.homeEpoch(), Math::max);
            } else {
              begin(lane, homes);
              lane.step(() -> lane.holders().fromHome(message));
            }
          }
          begin(lane, homes);
        });
  }

  private static void begin(PageLane lane, Map<Integer, Long> homes) {
    if (!homes.isEmpty()) {
      Map<Integer, Long> all = new TreeMap<>(homes);
      homes.clear();
      lane.step(() -> lane.holders().homes(all));
    }
  }

  /** Takes the messages of the compute node in this slot and epoch from one frame, in order. */
  public void fromCompute(int slot, int epoch, List<FromHolder> messages) {
    byLane(
        messages,
        message -> PageBuckets.of(message.page()),
        (lane, own) ->
            own.forEach(
                message -> lane.step(() -> lane.holders().fromCompute(slot, epoch, message))));
  }

  private <M> void byLane(
      List<M> messages, ToIntFunction<M> bucket, BiConsumer<PageLane, List<M>> action) {
    if (messages.size() == 1) {
      PageLane lane = lanes[bucket.applyAsInt(messages.getFirst()) % lanes.length];
      lane.execute(() -> action.accept(lane, messages));
      return;
    }
    List<List<M>> parts = new ArrayList<>();
    for (int i = 0; i < lanes.length; i++) {
      parts.add(new ArrayList<>());
    }
    messages.forEach(message -> parts.get(bucket.applyAsInt(message) % lanes.length).add(message));
    for (int i = 0; i < lanes.length; i++) {
      PageLane lane = lanes[i];
      List<M> own = parts.get(i);
      if (!own.isEmpty()) {
        lane.execute(() -> action.accept(lane, own));
      }
    }
  }

  /** Sets how long threads wait for a page before they get 57P03. */
  public void giveUpAfter(Duration wait) {
    for (PageLane lane : lanes) {
      expire(lane, wait);
    }
  }

  private void expire(PageLane lane, Duration wait) {
    lane.later(
        wait.toNanos() / LOOKS_WITHIN_WAIT,
        () -> {
          lane.holders().expire(wait.toNanos(), page -> late(page, wait));
          expire(lane, wait);
        });
  }

  private static GaussException late(long page, Duration wait) {
    return new GaussException(
            SqlState.CANNOT_CONNECT_NOW,
            "page %s did not come within %d s".formatted(PageId.toString(page), wait.toSeconds()))
        .hint("The memory node that is its home, or the node that has it, does not answer.");
  }

  /** How often, and after how long, wanted pages came from a source. */
  public WaitCounter gets(Source source) {
    return gets.get(source);
  }

  /** Counts the pages of this node of which other nodes have copies. Any thread. */
  public CompletableFuture<Map<SharedPages.Key, Long>> sharers() {
    List<LongStream.Builder> byLane = new ArrayList<>();
    for (int i = 0; i < lanes.length; i++) {
      byLane.add(LongStream.builder());
    }
    pool.rights().forEachLent(page -> byLane.get(PageBuckets.of(page) % lanes.length).accept(page));
    List<CompletableFuture<Map<SharedPages.Key, Long>>> parts = new ArrayList<>();
    for (int i = 0; i < lanes.length; i++) {
      parts.add(SharedPages.count(lanes[i], byLane.get(i).build().toArray()));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              Map<SharedPages.Key, Long> all = new HashMap<>();
              parts.forEach(
                  part -> part.join().forEach((key, count) -> all.merge(key, count, Long::sum)));
              return all;
            });
  }

  /** The problems that keep pages from going where they are wanted; empty if there are none. */
  public List<Problem> problems() {
    return Arrays.stream(lanes).flatMap(lane -> lane.problems().stream()).toList();
  }

  /** Pages for which something is under way; for tests. */
  CompletableFuture<List<Long>> busy() {
    List<CompletableFuture<List<Long>>> parts = new ArrayList<>();
    for (PageLane lane : lanes) {
      parts.add(CompletableFuture.supplyAsync(() -> lane.holders().busy(), lane));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> parts.stream().map(CompletableFuture::join).flatMap(List::stream).toList());
  }

  /** How each resident page is held, one lane after the other; for checks. */
  public CompletableFuture<Map<Long, HolderPage>> held() {
    CompletableFuture<Map<Long, HolderPage>> all =
        CompletableFuture.completedFuture(new HashMap<>());
    for (PageLane lane : lanes) {
      all = all.thenApplyAsync(found -> held(lane, found), lane);
    }
    return all;
  }

  private Map<Long, HolderPage> held(PageLane lane, Map<Long, HolderPage> found) {
    for (long page : pool.residentPages()) {
      if (lane(page) == lane) {
        found.put(page, lane.holders().page(page));
      }
    }
    return found;
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
    private final PageTurns turns;

    LaneFrames(PageLane lane) {
      this.lane = lane;
      this.turns =
          new PageTurns(
              Environment::nanoTime,
              lane::later,
              page -> pool.rights().isPinned(page),
              page -> pool.rights().isKept(page));
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
      long address = Memory.addressOf(room);
      pool.rights().copyOut(page, address);
      PageChecksum.set(address);
      return copy.writerIndex(PageLayout.PAGE_BYTES);
    }

    @Override
    public void install(long page, ByteBuf bytes) {
      // Before the frame is touched: it may hold a copy that is good, and read.
      ByteBuffer came = direct(bytes);
      PageChecksum.check(Memory.addressOf(came), page, "another node");
      Memory.copy(Memory.addressOf(came), pool.rights().startInstall(page), PageLayout.PAGE_BYTES);
      Reference.reachabilityFence(came);
      pool.rights().endInstall(page);
    }

    /** The page's bytes off-heap, where transports leave them in the first place. */
    private static ByteBuffer direct(ByteBuf bytes) {
      ByteBuffer page = bytes.nioBuffer(bytes.readerIndex(), PageLayout.PAGE_BYTES);
      return page.isDirect()
          ? page
          : ByteBuffer.allocateDirect(PageLayout.PAGE_BYTES).put(page).flip();
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
                  lane.refused().remove(page);
                  lane.fresh().remove(page); // or it would pass for unwritten when it comes next
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
        lane.execute(action); // it was durable before it came here (law 3, log before leave)
        return;
      }
      log.whenDurable(
          lsn,
          failure -> {
            if (failure == null) {
              lane.execute(action);
            } else {
              lane.later(RETRY_NANOS, () -> whenDurable(page, action));
            }
          });
    }

    @Override
    public void arrived(long page, Runnable over) {
      lane.refused().remove(page);
      lane.fresh().remove(page);
      PageLoad load = pool.rights().arrived(page);
      if (load == null) {
        // No thread waits for it any more, and it has no frame through which it would be evicted.
        if (over != null) {
          over.run();
        }
        lane.execute(() -> lane.holders().evict(page));
      } else if (over != null) {
        turns.begin(page, load::isOwed, over);
      }
    }

    @Override
    public void turnWanted(long page) {
      turns.wanted(page);
    }

    @Override
    public void noRoom(long page, Mode mode, GaussException why) {
      long since = lane.refused().computeIfAbsent(page, p -> Environment.nanoTime());
      if (mode == null || Environment.nanoTime() - since > ROOM_NANOS) {
        failed(page, why);
      } else {
        lane.later(ROOM_PAUSE_NANOS, () -> lane.holders().need(page, mode));
      }
    }

    @Override
    public void failed(long page, GaussException why) {
      lane.refused().remove(page);
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
    public void forEach(BitSet buckets, LongConsumer visitor) {
      pool.rights()
          .forEach(
              false,
              page -> {
                if (buckets.get(PageBuckets.of(page))) {
                  visitor.accept(page);
                }
              });
    }

    @Override
    public TransferListener transfers() {
      return new Transfers();
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

  /** Counts for views and metrics. */
  private final class Transfers implements TransferListener {
    @Override
    public void came(long page, Source source, Mode mode, long nanos, long times) {
      gets.get(source).add(nanos);
      pool.rights().cameFrom(page, source);
      if (kept == RightRetention.PER_TRANSACTION) {
        lane(page).toReturn().add(page);
      }
      pool.transfers().came(page, pool.rights().kind(page), source, mode, nanos, times);
    }

    @Override
    public void given(long page, long turn, long revoke, long force) {
      pool.transfers().given(page, pool.rights().kind(page), turn, revoke, force);
    }

    @Override
    public void confirmed(long page, long nanos) {
      pool.transfers().confirmed(page, nanos);
    }

    @Override
    public void copied(long page, long turn) {
      pool.transfers().copied(page, pool.rights().kind(page), turn);
    }
  }
}
