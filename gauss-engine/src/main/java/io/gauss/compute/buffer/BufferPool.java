package io.gauss.compute.buffer;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.memory.Slab;
import io.gauss.common.page.PageLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.buffer.FrameSupply.Drop;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.wait.WaitCause;
import io.gauss.compute.wait.WaitCounter;
import io.gauss.compute.wait.WouldBlockException;
import io.gauss.storage.api.PageReader;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Frames in one slab, found by page id, reached through guards.
 *
 * <p>Pages come in from the page store when they are missed and are never written back: a page that
 * changed has its redo in the log, the page store folds it, and eviction merely drops the frame
 * once the page's LSN is durable (log first).
 *
 * <p>Lock order: frame latches (parents before children, left before right, undo pages last), then
 * one stripe of the hash table or of the latch queues, which are leaves: threads never wait inside.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>A page is in at most one frame; one load runs for it at a time, and no latch is held over
 *       it.
 *   <li>A pinned, latched, queued-for or loading frame is not evicted. Pins change under the
 *       stripe's lock or while the pinner has a pin or a latch already; eviction holds the latch
 *       and the stripe's lock while it checks.
 *   <li>Bytes are read under a shared or exclusive latch and changed under an exclusive one, only
 *       by {@code Mtr.commit}.
 *   <li>The right of a page is checked after latching, so that a page whose right was taken away is
 *       not used.
 * </ul>
 *
 * <p>Not kept: fairness of loads for frames; a pool with fewer frames than its users pin at once
 * fails with 53200.
 */
public final class BufferPool {
  /**
   * After so many copies that had gone again before the thread came to them, a reader asks for the
   * right to write: then the page stays until it has been read.
   */
  private static final int MOST_IN_VAIN = 2;

  // Freed with the pool object: guards access the slab by address, so nothing may free it while
  // they do.
  private final Slab memory;
  private final long slab;
  private final Frames frames;
  private final Latches latches;
  private final EvictionPolicy policy;
  private final PageLoad[] loads; // by frame, under the stripe's lock of the page
  private final PageSource source;
  private final FrameSupply supply;
  private final FrameRights rights;
  private final PageRetainer retained;
  private final PoolInspection look;
  private final PageReadAhead ahead;
  private final MovablePages moves;
  private final PageTransfers transfers = new PageTransfers();

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final WaitCounter loadWaits = new WaitCounter();

  /** A pool of a node that owns all its pages. */
  public BufferPool(PoolSettings settings, PageReader store, LogBuffer log) {
    this(settings, log, pool -> new StoredPages(pool, store, log));
  }

  /**
   * @param source gets the pool before it is complete, and must not use it yet
   */
  BufferPool(PoolSettings settings, LogBuffer log, Function<BufferPool, PageSource> source) {
    int count = settings.frames();
    this.memory = Slab.allocate((long) count * PageLayout.PAGE_BYTES);
    this.slab = memory.address();
    this.frames = new Frames(count);
    this.latches = new Latches(frames);
    this.policy = new SecondChanceClock(frames);
    this.loads = new PageLoad[count];
    this.source = source.apply(this);
    this.supply = new FrameSupply(frames, latches, policy, settings, log, this.source, slab);
    this.rights = new FrameRights(this, frames, latches, supply);
    this.ahead = new PageReadAhead(this, frames, supply, this.source);
    this.moves = new PoolMoves(this, frames, supply, ahead, this.source);
    this.look = new PoolInspection(this, frames, latches, log);
    this.retained = new PageRetainer(this, frames, this.source);
  }

  /**
   * Latches a page shared. Loads it first when it is not resident, which waits: the context must
   * hold no latch then (asserted), and on an event loop {@code WouldBlockException} is thrown. A
   * resident page whose latch is taken is waited for briefly; that is legal with other latches
   * held, in latch order (parents before children, left before right, undo pages last).
   *
   * @throws PageAwayException when latches are held, and another node has taken the right to the
   *     page since it was pinned
   */
  public void read(EngineContext ctx, long pageId, PageGuard guard) {
    if (!tryLatch(ctx, pageId, guard, false)) {
      latchSlowly(ctx, pageId, guard, PageIntent.READ, false);
    }
  }

  /**
   * As {@link #read}, for a caller that will probably write the page next: a page that is not here
   * is fetched with the right to write it, unless that is worse for other nodes.
   */
  public void readToWrite(EngineContext ctx, long pageId, PageGuard guard) {
    if (!tryLatch(ctx, pageId, guard, false)) {
      latchSlowly(ctx, pageId, guard, PageIntent.READ_TO_WRITE, false);
    }
  }

  /** A transaction that read the page in order to write a row has to wait for that row. */
  public void rowIsTaken(long pageId) {
    source.rowIsTaken(pageId);
  }

  /** Latches a page exclusively for writing; otherwise as {@link #read}. */
  public void write(EngineContext ctx, long pageId, PageGuard guard) {
    if (!tryLatch(ctx, pageId, guard, true)) {
      latchSlowly(ctx, pageId, guard, PageIntent.WRITE, false);
    }
  }

  /** As {@link #read}, but false at once when the page is not resident or its latch is not free. */
  public boolean tryRead(EngineContext ctx, long pageId, PageGuard guard) {
    return tryLatch(ctx, pageId, guard, false);
  }

  /**
   * As {@link #write}, for a page that is {@linkplain #retain retained}: does not wait for the
   * right.
   *
   * @throws PageAwayException when the right has gone nevertheless, which is rare
   */
  public void writeKept(EngineContext ctx, long pageId, PageGuard guard) {
    if (!tryLatch(ctx, pageId, guard, true)) {
      latchSlowly(ctx, pageId, guard, PageIntent.WRITE, true);
    }
  }

  /**
   * As {@link #write}, but false at once when the page is not resident or its latch is not free.
   */
  public boolean tryWrite(EngineContext ctx, long pageId, PageGuard guard) {
    return tryLatch(ctx, pageId, guard, true);
  }

  /**
   * Makes a page resident and keeps it so until {@link #unpin}: later guards never wait for I/O. If
   * other nodes also want the page, the right to it may still go, and a caller that takes a guard
   * with other latches held has to expect {@link PageAwayException}. May wait now.
   */
  public void pin(EngineContext ctx, long pageId) {
    pin(ctx, pageId, PageIntent.READ);
  }

  /** As {@link #pin}, and gets the right to write the page. */
  public void pinToWrite(EngineContext ctx, long pageId) {
    pin(ctx, pageId, PageIntent.WRITE);
  }

  void pin(EngineContext ctx, long pageId, PageIntent intent) {
    synchronized (stripe(pageId)) {
      int frame = frames.findLocked(pageId);
      if (frame >= 0 && allows(frame, intent.isToWrite())) {
        frames.addPins(frame, 1);
        return;
      }
    }
    loadPinned(ctx, pageId, intent);
  }

  /**
   * Gets the right to write a page and retains it until {@link #releaseRetained}, for seconds at
   * most: for mini-transactions of several pages that other nodes also want, after an attempt has
   * failed with {@link PageAwayException}. Several pages are retained in ascending order of their
   * ids, so that no two nodes wait for each other ({@link RetainedPages}); undo pages, which one
   * node alone writes, before all others. May wait; no latch may be held, and while pages are
   * retained the caller may wait only for further ones.
   */
  public void retain(EngineContext ctx, long pageId) {
    retained.retain(ctx, pageId);
  }

  /** Releases a page that was {@linkplain #retain retained}: other nodes may get it. */
  public void releaseRetained(EngineContext ctx, long pageId) {
    retained.releaseRetained(ctx, pageId);
  }

  public void unpin(long pageId) {
    synchronized (stripe(pageId)) {
      int frame = frames.findLocked(pageId);
      if (frame < 0) {
        throw Invariant.broken("page " + PageId.toString(pageId) + " is not pinned");
      }
      frames.addPins(frame, -1);
    }
  }

  /**
   * Makes a frame for a page that is fresh (its number comes from the space allocator), pinned,
   * zeroed, without reading storage. The first record against it must be a format or image record.
   * A page that is resident already is merely pinned. May wait for a frame, and until the page's
   * home knows that this node owns it (rule 19).
   */
  public void pinFresh(EngineContext ctx, long pageId) {
    if (source.isShared()) {
      pin(ctx, pageId, PageIntent.FRESH);
      return;
    }
    int spare = supply.take(ctx);
    Memory.zero(address(spare), PageLayout.PAGE_BYTES);
    int resident;
    synchronized (stripe(pageId)) {
      resident = frames.findLocked(pageId);
      if (resident < 0) {
        frames.addPins(spare, 1);
        install(spare, pageId, PageRight.OWNED, null);
        return;
      }
    }
    supply.giveBack(spare);
    pin(ctx, pageId, PageIntent.WRITE);
  }

  /**
   * Gives up a reserved page that was not written: unpins it and, when it never was written,
   * forgets the frame.
   *
   * @return whether the page has ever been written
   */
  public boolean dropFresh(long pageId) {
    synchronized (stripe(pageId)) {
      int frame = frames.findLocked(pageId);
      if (frame < 0) {
        throw Invariant.broken("page " + PageId.toString(pageId) + " is not pinned");
      }
      boolean written = pageLsn(frame) != 0;
      frames.addPins(frame, -1);
      if (written
          || source.isShared() // its home knows the owner, and the frame goes by eviction
          || frames.pins(frame) != 0
          || !latches.tryExclusiveIfIdle(frame)) {
        return written;
      }
      frames.unlink(frame, pageId);
      frames.right(frame, PageRight.FREE);
      latches.releaseExclusive(frame);
      supply.giveBack(frame);
      return false;
    }
  }

  /** Whether the pages are shared with other nodes. */
  public boolean isShared() {
    return source.isShared();
  }

  /** A transaction of this node has committed or rolled back: the pages that it used may go. */
  public void transactionEnded() {
    source.transactionEnded();
  }

  /** Whether the page is pinned now. */
  public boolean isPinned(long pageId) {
    return rights.isPinned(pageId);
  }

  /** How often a pinned page had gone to another node before it was latched. */
  public long pagesAway() {
    return retained.aways();
  }

  /** How often pages were retained after such a case. */
  public long pagesRetained() {
    return retained.retains();
  }

  /** Asks for pages to be loaded in the background (read-ahead); never waits. */
  public void prefetch(long[] pageIds, int count) {
    for (int i = 0; i < count && ahead.ask(pageIds[i], PageIntent.READ); ) {
      i++;
    }
  }

  /** Pages that are moved between nodes ahead of their use. */
  public MovablePages moves() {
    return moves;
  }

  /** As {@link #prefetch}, for a page that is fresh and will be reserved soon. */
  public void claimFresh(long pageId) {
    ahead.ask(pageId, PageIntent.FRESH);
  }

  /** Forgets the frames of a dropped space that are not in use now; the others go by eviction. */
  public void forgetSpace(int space) {
    transfers.forget(space);
    for (int frame = 0; frame < frames.count(); frame++) {
      long pageId = frames.pageId(frame);
      if (pageId != PageId.NONE
          && PageId.space(pageId) == space
          && supply.drop(frame, true) == Drop.DONE) {
        supply.giveBack(frame);
      }
    }
  }

  /** Ids of the pages that are resident now, for checkers. */
  public long[] residentPages() {
    return look.residentPages();
  }

  /**
   * Copies a page out for the page store, if it is here, owned, free of writers now and its redo
   * durable (law 3, log before leave). Returns its LSN, or 0. Any thread; never waits.
   */
  public long copyDurable(long pageId, long destination) {
    return look.copyDurable(pageId, destination);
  }

  /**
   * Whether this node owns the page while others read it or want it, so that a writer has to wait
   * for them.
   */
  public boolean isLent(long pageId) {
    return look.isLent(pageId);
  }

  public int frameCount() {
    return frames.count();
  }

  /** Accesses that found their page; sessions add them in batches. */
  public long hits() {
    return hits.sum();
  }

  public long misses() {
    return misses.sum();
  }

  public long evictions() {
    return supply.evictions();
  }

  /** How often a thread parked for a latch. */
  public WaitCounter latchWaits() {
    return latches.waits();
  }

  /** How often a load had to wait for a frame to become free. */
  public WaitCounter frameWaits() {
    return supply.waits();
  }

  /** Waits for a page to be read from storage. */
  public WaitCounter loadWaits() {
    return loadWaits;
  }

  /** Pages that came from other nodes and went there. */
  public PageTransfers transfers() {
    return transfers;
  }

  Latches latches() {
    return latches;
  }

  /** For a page source that shares pages with other nodes. */
  FrameRights rights() {
    return rights;
  }

  private boolean tryLatch(EngineContext ctx, long pageId, PageGuard guard, boolean write) {
    if (guard.isHeld()) {
      throw Invariant.broken("guard holds page " + PageId.toString(guard.pageId()));
    }
    int frame = frames.find(pageId);
    return frame >= 0
        && (write ? latches.tryExclusive(frame) : latches.tryShared(frame))
        && entered(ctx, frame, pageId, guard, write);
  }

  /**
   * After latching: hands the page over, or releases the latch when the frame does not hold the
   * page that was meant, or no longer does.
   */
  private boolean entered(
      EngineContext ctx, int frame, long pageId, PageGuard guard, boolean write) {
    int right = frames.right(frame);
    if (frames.pageId(frame) == pageId
        && (write ? PageRight.allowsWrite(right) : PageRight.allowsRead(right))) {
      policy.used(frame);
      guard.hold(this, ctx, frame, pageId, address(frame), write);
      if (ctx.pages().countHit()) {
        hits.add(ctx.pages().reportHit(pageId, address(frame), write));
      }
      return true;
    }
    if (write) {
      latches.releaseExclusive(frame);
    } else {
      latches.releaseShared(frame);
    }
    return false;
  }

  private void latchSlowly(
      EngineContext ctx, long pageId, PageGuard guard, PageIntent intent, boolean retained) {
    boolean write = intent.isToWrite();
    int vain = 0;
    while (true) {
      int frame = frames.find(pageId);
      if (frame < 0) {
        // A page that the lock-free look-up misses may still be there: a miss is decided under the
        // lock.
        synchronized (stripe(pageId)) {
          frame = frames.findLocked(pageId);
        }
      }
      PageUse use = null;
      if (frame < 0 || !allows(frame, write)) {
        if (retained || ctx.latchesHeld() != 0) {
          checkAway(frame);
        }
        use = load(ctx, pageId, vain < MOST_IN_VAIN ? intent : PageIntent.WRITE);
        frame = use.frame;
      }
      boolean isLatched = false;
      try {
        isLatched = latch(ctx, frame, pageId, write) && entered(ctx, frame, pageId, guard, write);
        if (isLatched) {
          return;
        }
      } finally {
        if (use != null) {
          use.end(isLatched);
        }
      }
      vain += use == null ? 0 : 1;
    }
  }

  /**
   * The right to a page is not waited for under latches. If the page was pinned, losing the right
   * is not an error; otherwise the wait that follows fails by law 4 (never wait under a latch).
   */
  private void checkAway(int frame) {
    if (frame >= 0 && frames.pins(frame) != 0 && source.isShared()) {
      retained.away();
      throw PageAwayException.INSTANCE;
    }
  }

  boolean allows(int frame, boolean write) {
    int right = frames.right(frame);
    return write ? PageRight.allowsWrite(right) : PageRight.allowsRead(right);
  }

  private boolean latch(EngineContext ctx, int frame, long pageId, boolean write) {
    if (latches.spin(frame, write)) {
      return true;
    }
    if (!ctx.waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    return latches.acquire(frame, pageId, write);
  }

  /** As {@link #load}, for a thread that needs no more than the pin; returns the frame. */
  int loadPinned(EngineContext ctx, long pageId, PageIntent intent) {
    PageUse use = load(ctx, pageId, intent);
    use.leave(true);
    return use.frame;
  }

  /** A frame that a thread has pinned, and the load of its page for which it has waited. */
  private final class PageUse {
    private final int frame;
    private final PageLoad load; // null = the page was here

    PageUse(int frame, PageLoad load) {
      this.frame = frame;
      this.load = load;
    }

    private void leave(boolean hasUsed) {
      if (load != null) {
        load.leave(hasUsed);
      }
    }

    void end(boolean hasUsed) {
      leave(hasUsed);
      frames.addPins(frame, -1);
    }
  }

  /**
   * Gets the page and the right to it unless both are here, and pins its frame. The page stays here
   * until the thread, or another one that waited for it, has ended its use, or for seconds; then
   * the right may go again, because other nodes also want the page.
   */
  private PageUse load(EngineContext ctx, long pageId, PageIntent intent) {
    ctx.beforePage(pageId);
    boolean write = intent.isToWrite();
    int spare = Frames.NONE;
    try {
      while (true) {
        PageLoad load = null;
        int frame;
        boolean starts = false;
        synchronized (stripe(pageId)) {
          frame = frames.findLocked(pageId);
          if (frame >= 0) {
            frames.addPins(frame, 1);
            load = loads[frame];
            if (load == null && !allows(frame, write)) {
              Invariant.check(
                  frames.right(frame) != PageRight.LOADING, "a page's load was ended early");
              load = new PageLoad(pageId);
              loads[frame] = load;
              starts = true;
            }
            if (load != null) {
              load.join();
            }
          } else if (spare >= 0) {
            frame = spare;
            spare = Frames.NONE;
            load = new PageLoad(pageId);
            load.join();
            starts = true;
            frames.addPins(frame, 1);
            install(frame, pageId, PageRight.LOADING, load);
          }
        }
        if (frame < 0) {
          spare = supply.take(ctx);
          continue;
        }
        if (starts) {
          ctx.pages().countMiss();
          misses.increment();
          source.want(pageId, frame, intent);
        }
        if (load != null) {
          awaitLoad(ctx, load, frame);
        }
        if (starts) {
          load.tell(ctx, intent != PageIntent.READ);
        }
        return new PageUse(frame, load);
      }
    } finally {
      if (spare >= 0) {
        supply.giveBack(spare);
      }
    }
  }

  private void awaitLoad(EngineContext ctx, PageLoad load, int frame) {
    boolean loaded = false;
    try {
      await(ctx, load);
      loaded = true;
    } finally {
      if (!loaded) {
        load.leave(false);
        frames.addPins(frame, -1);
      }
    }
  }

  void await(EngineContext ctx, PageLoad load) {
    long start = Environment.nanoTime();
    try {
      load.await(ctx);
    } finally {
      ctx.waits().waited(WaitCause.PAGE, loadWaits.waitedSince(start));
    }
  }

  /**
   * The page, or a stronger right to it, has arrived: its waiters continue. Called on a thread of
   * the page source.
   *
   * @param lsn of the page; 0 when it was never written
   */
  void arrived(long pageId, int frame, long lsn, int right) {
    if (lsn != 0 && Memory.getLong(address(frame) + PageLayout.PAGE_ID) != pageId) {
      long found = Memory.getLong(address(frame) + PageLayout.PAGE_ID);
      String what = "page store returned page %s for page %s";
      failed(
          pageId,
          frame,
          new GaussException(
              SqlState.DATA_CORRUPTED,
              what.formatted(PageId.toString(found), PageId.toString(pageId))));
      return;
    }
    frames.loadedLsn(frame, lsn);
    PageLoad load;
    synchronized (stripe(pageId)) {
      // Both at once: a page that was read ahead has no pin. As soon as its right allows it, it may
      // be evicted, and its frame may then hold another page with another load.
      frames.right(frame, right);
      load = endLoad(frame);
    }
    if (load != null) {
      load.finish(null);
    }
  }

  /** Ends the load that was under way for the frame. The caller holds the stripe's lock. */
  private PageLoad endLoad(int frame) {
    PageLoad load = loads[frame];
    loads[frame] = null;
    return load;
  }

  /**
   * Wakes the waiters for the page, with the error if there is one.
   *
   * @return the load that is over; null when none was under way
   */
  PageLoad wake(long pageId, int frame, Throwable failure) {
    PageLoad load;
    synchronized (stripe(pageId)) {
      load = endLoad(frame);
      if (failure != null && frames.right(frame) == PageRight.LOADING) {
        frames.unlink(frame, pageId);
        frames.right(frame, PageRight.FAILED);
      }
    }
    if (load != null) {
      load.finish(failure);
    }
    return load;
  }

  /** The page does not come: its waiters get the error. */
  void failed(long pageId, int frame, Throwable error) {
    Throwable failure =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    wake(pageId, frame, failure);
  }

  /** Puts a page into an unused frame. The caller holds the stripe's lock. */
  void install(int frame, long pageId, int right, PageLoad load) {
    loads[frame] = load;
    frames.loadedLsn(frame, 0);
    frames.right(frame, right);
    policy.used(frame);
    frames.link(frame, pageId);
  }

  long pageLsn(int frame) {
    return Memory.getLong(address(frame) + PageLayout.LSN);
  }

  long address(int frame) {
    return slab + (long) frame * PageLayout.PAGE_BYTES;
  }

  /** A load of the page that the caller has to have begun; null when one is under way. */
  PageLoad startLoad(long pageId, int frame) {
    synchronized (stripe(pageId)) {
      if (loads[frame] != null) {
        return null;
      }
      loads[frame] = new PageLoad(pageId);
      return loads[frame];
    }
  }

  /** The load under way for the page's frame, or null. */
  PageLoad loadOf(long pageId, int frame) {
    synchronized (stripe(pageId)) {
      return loads[frame];
    }
  }

  Object stripe(long pageId) {
    return frames.stripe(Frames.hash(pageId));
  }
}
