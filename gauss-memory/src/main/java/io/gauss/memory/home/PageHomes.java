package io.gauss.memory.home;

import io.gauss.common.error.GaussException;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.runtime.Environment;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.BucketState;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.cache.PageCache;
import io.gauss.memory.cache.PageSlot;
import io.gauss.memory.cache.SlotKind;
import io.gauss.memory.coherence.DirectoryAction;
import io.gauss.memory.coherence.DirectoryEvent;
import io.gauss.memory.coherence.DirectoryEvent.Want;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.coherence.DirectoryPage.State;
import io.gauss.memory.coherence.DirectoryTable;
import io.gauss.memory.directory.DirectoryEntry;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.storage.map.api.PageBuckets;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

/**
 * The home of the pages of one event loop's buckets: carries out the decisions of {@link
 * DirectoryTable}. It reads the entry, takes the step, writes the entry, then sends the orders.
 *
 * <p>Invariant: an entry has the page's bytes if and only if the cache has them as a released page,
 * with the entry's LSN. When the cache evicts a page, the page's entry is updated before anything
 * else is done.
 */
public final class PageHomes {
  private static final DirectoryEvent DROP_BYTES = new DirectoryEvent.DropBytes();

  private final PageDirectory directory;
  private final PageCache cache;
  private final AppliedMarks applied;
  private final PageOrders orders;
  private final BucketState[] buckets = new BucketState[PageBuckets.BUCKETS];
  private final Long2ObjectHashMap<List<Want>> waiting = new Long2ObjectHashMap<>();
  private final RequestTimes times = new RequestTimes(Environment::nanoTime);
  private final LongArrayList pushedOut = new LongArrayList();
  private final DirectoryEntry entry = new DirectoryEntry();
  private final EntrySweep sweep;
  private volatile long held; // written by the owning thread only
  private long incoming; // address of a released page's bytes while it is handled; 0 = none

  /**
   * @param directory closed by the caller
   * @param cacheBytes size of the page cache
   */
  public PageHomes(
      PageDirectory directory, long cacheBytes, AppliedMarks applied, PageOrders orders) {
    this.directory = directory;
    this.cache = new PageCache(cacheBytes, pushedOut::addLong);
    this.applied = applied;
    this.orders = orders;
    this.sweep = new EntrySweep(directory, applied, this::bucket);
  }

  public PageDirectory directory() {
    return directory;
  }

  public PageCache cache() {
    return cache;
  }

  /** State of the bucket besides its entries. */
  BucketState bucket(int bucket) {
    BucketState state = buckets[bucket];
    if (state == null) {
      state = new BucketState();
      buckets[bucket] = state;
    }
    return state;
  }

  /** Forgets the bucket, which this loop no longer serves or rebuilds. */
  void forget(int bucket) {
    directory.forEach(
        bucket,
        page -> {
          waiting.remove(page);
          times.forget(page);
          cache.remove(page);
          if (directory.find(page, entry)) {
            count(isHeld(entry.state()), false);
          }
        });
    directory.removeBucket(bucket);
    buckets[bucket] = null;
  }

  // ---- what nodes say

  /** Handles an event of the page. */
  public void handle(long page, DirectoryEvent event) {
    try {
      step(page, event);
    } catch (GaussException full) {
      orders.refuse(page, requester(event, full), full.state(), full.getMessage());
    }
    while (!pushedOut.isEmpty()) {
      step(pushedOut.removeAt(pushedOut.size() - 1), DROP_BYTES);
    }
  }

  /** Whose request the event is; others need no new entry. */
  private static int requester(DirectoryEvent event, GaussException failure) {
    return switch (event) {
      case Want want -> want.slot();
      // The page that it asks for anew may have been given back, and its entry dropped.
      case DirectoryEvent.Refused refused -> refused.slot();
      default -> throw failure;
    };
  }

  /**
   * An owner has given the page back.
   *
   * @param bytes address of the page's bytes; 0 = they did not come with it
   */
  void released(long page, int owner, long number, long lsn, long bytes) {
    incoming = bytes;
    try {
      handle(page, new DirectoryEvent.Release(owner, number, lsn, bytes != 0));
    } finally {
      incoming = 0;
    }
  }

  /** A compute node is dead, for all pages of a bucket; see {@link DirectoryEvent.Died}. */
  void died(int bucket, int slot) {
    DirectoryEvent death = new DirectoryEvent.Died(slot);
    directory.forEach(bucket, page -> handle(page, death));
  }

  /** As {@link DirectoryEvent.ReportedLate}, for all pages of a bucket. */
  void reportedLate(int bucket, int slot) {
    DirectoryEvent reported = new DirectoryEvent.ReportedLate(slot);
    directory.forEach(bucket, page -> handle(page, reported));
  }

  /**
   * Takes over the entry that the compute nodes' reports give for a page without one (rule 16).
   *
   * @throws GaussException 53200 when there is no room for it
   */
  void rebuilt(long page, DirectoryTable.Step step) {
    directory.findOrCreate(page, entry);
    count(isHeld(entry.state()), isHeld(step.page().state()));
    entry.set(step.page());
    step.actions().forEach(action -> orders.order(page, action, 0, null));
  }

  private void step(long page, DirectoryEvent event) {
    int number = PageBuckets.of(page);
    boolean isKnown = directory.find(page, entry);
    DirectoryPage before =
        isKnown
            ? entry.page(waitingFor(page))
            : DirectoryPage.free(bucket(number).base(), Lsn.NONE);
    DirectoryTable.Step step = DirectoryTable.step(before, event, bucket(number).base());
    DirectoryPage after = step.page();
    if (after.equals(before) && step.actions().isEmpty()) {
      dropUselessBytes(page, after);
      return;
    }
    if (!isKnown) {
      directory.findOrCreate(page, entry);
    }
    count(isHeld(before.state()), isHeld(after.state()));
    entry.set(after);
    if (event instanceof DirectoryEvent.Release && after.hasBytes()) {
      cache.put(page, SlotKind.PAGE, after.lsn(), Lsn.node(after.lsn()), incoming);
    }
    if (after.waiting().isEmpty()) {
      waiting.remove(page);
    } else {
      waiting.put(page, after.waiting());
    }
    for (DirectoryAction action : step.actions()) {
      send(page, action, event, bucket(number).floor());
    }
    noteWaits(page, event, before, after);
    dropUselessBytes(page, after);
  }

  private void noteWaits(
      long page, DirectoryEvent event, DirectoryPage before, DirectoryPage after) {
    if (after.waiting().isEmpty()) {
      if (!before.waiting().isEmpty()) {
        times.forget(page);
      }
      return;
    }
    if (event instanceof Want want && after.waiting().size() > before.waiting().size()) {
      times.waits(page, want.slot());
    }
    for (Want want : before.waiting()) {
      if (!after.waiting().contains(want)) {
        times.continues(page, want.slot());
      }
    }
  }

  /** How long the node's request for the page has waited here, in nanoseconds; 0 = not at all. */
  long waited(long page, int slot) {
    return times.waited(page, slot);
  }

  private List<Want> waitingFor(long page) {
    List<Want> wants = waiting.get(page);
    return wants == null ? List.of() : wants;
  }

  private void send(long page, DirectoryAction action, DirectoryEvent cause, ReadFloor floor) {
    if (action instanceof DirectoryAction.Grant grant) {
      if (grant.fromHome()) {
        // The cache may not have admitted the bytes that have just arrived.
        long bytes =
            cause instanceof DirectoryEvent.Release ? incoming : bytesOf(page, grant.lsn());
        orders.order(page, grant, bytes, null);
      } else {
        // The floor is sent even with an LSN. That LSN is the one with which the page was last
        // given back, and an owner that has died since may have continued from there.
        orders.order(page, grant, 0, floor);
      }
    } else {
      orders.order(page, action, 0, null);
    }
  }

  private long bytesOf(long page, long lsn) {
    long slot = cache.find(page);
    if (slot == 0 || PageSlot.lsn(slot) != lsn) {
      throw Invariant.broken(
          "the bytes of page %s at LSN %s are not here"
              .formatted(PageId.toString(page), Lsn.toString(lsn)));
    }
    return PageSlot.bytes(slot);
  }

  /** Drops cached bytes that the entry no longer refers to. */
  private void dropUselessBytes(long page, DirectoryPage now) {
    if (!now.hasBytes()) {
      cache.remove(page);
    }
  }

  // ---- in between

  /** Drops entries that are no longer needed, a bucket at a time; true when there may be more. */
  public boolean sweep() {
    return sweep.step();
  }

  /** Notes how far page stores have applied a stream; see {@link AppliedMarks#announce}. */
  public void applied(int stream, long offset, long lsn) {
    applied.announce(stream, offset, lsn);
    sweep.marksRose();
  }

  private static boolean isHeld(State state) {
    return state == State.OWNED || state == State.MOVING || state == State.ASKING;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void count(boolean before, boolean after) {
    if (before != after) {
      held += after ? 1 : -1;
    }
  }

  /**
   * Number of pages that compute nodes hold: each needs an entry, here or at another home. Any
   * thread.
   */
  public long held() {
    return held;
  }

  /** Number of pages for which requests wait. */
  public int waiting() {
    return waiting.size();
  }

  /** Number of pages whose waiting requests are timed; the same as {@link #waiting}. */
  public int timed() {
    return times.size();
  }
}
