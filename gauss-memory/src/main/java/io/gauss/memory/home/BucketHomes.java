package io.gauss.memory.home;

import io.gauss.common.error.SqlState;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.PageBuckets;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.coherence.DirectoryAction;
import io.gauss.memory.coherence.DirectoryEvent;
import io.gauss.memory.coherence.DirectoryRebuild;
import io.gauss.memory.coherence.HolderReport;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.ToHome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets that one event loop serves for the compute nodes. Their messages become events of
 * {@link PageHomes}, and its orders become messages to them.
 *
 * <p>A bucket that comes here is <i>rebuilt</i> first: all compute nodes report which of its pages
 * they have (rule 16). Each attempt raises the home's epoch; messages of other epochs are dropped,
 * in both directions. Requests that arrive meanwhile are dropped, since nodes repeat them. Releases
 * that arrive meanwhile are processed when all nodes have reported, since nodes do not repeat them.
 *
 * <p>Belongs to the event loop; nothing blocks.
 */
public final class BucketHomes implements PageOrders {
  private static final Logger LOG = LoggerFactory.getLogger(BucketHomes.class);

  /**
   * Bits of a number below the home's epoch: transfer and share numbers rise across all homes of a
   * page.
   */
  private static final int NUMBER_BITS = 24;

  /** Marks a shut bucket; bit 0 is not a slot. */
  private static final long SHUT = 1;

  private final PageHomes pages;
  private final Outbox out;
  private final ByteBufAllocator allocator;
  private final ByteBuffer incoming = ByteBuffer.allocateDirect(PageLayout.PAGE_BYTES);
  private final Map<Integer, Bucket> buckets = new HashMap<>();
  private final int[] epochs = new int[Slots.MAX + 1];
  private long live = Slots.NONE;
  private IntConsumer onOpen = bucket -> {};

  /**
   * A page that its owner gave back after its own report and before all other nodes had reported.
   *
   * @param lsn of the page; page stores have it, or will
   */
  private record Released(long page, int slot, long number, long lsn) {}

  /** A bucket whose home is here. */
  private static final class Bucket {
    private final int number;
    private long epoch;
    private long missing; // slots that have not reported yet
    private final Map<Long, List<HolderReport>> reports = new HashMap<>();
    private final List<Released> released = new ArrayList<>();

    Bucket(int number) {
      this.number = number;
    }

    boolean isOpen() {
      return missing == Slots.NONE;
    }
  }

  /**
   * @param directory closed by the caller
   * @param cacheBytes size of the page cache
   */
  public BucketHomes(
      PageDirectory directory,
      long cacheBytes,
      AppliedMarks applied,
      Outbox out,
      ByteBufAllocator allocator) {
    this.pages = new PageHomes(directory, cacheBytes, applied, this);
    this.out = out;
    this.allocator = allocator;
  }

  public PageHomes pages() {
    return pages;
  }

  /**
   * Sets the listener for buckets that have moved here or were rebuilt and are now served. It is
   * called on the event loop.
   */
  public void onOpen(IntConsumer listener) {
    onOpen = listener;
  }

  // ---- members and buckets

  /** A compute node is present from now on, in this epoch. */
  public void joined(int slot, int epoch) {
    live = Slots.with(live, slot);
    epochs[slot] = epoch;
    buckets.values().forEach(bucket -> tell(slot, home(bucket)));
  }

  /**
   * A compute node is gone: either it has left and holds nothing, or all live nodes have installed
   * its death and its stream is sealed (rules 10 to 13).
   *
   * @param stream its redo stream
   * @param end offset of the end of that stream
   */
  public void died(int slot, int stream, long end) {
    live = Slots.without(live, slot);
    for (Bucket bucket : buckets.values()) {
      pages.bucket(bucket.number).floor().raise(stream, end);
      if (bucket.isOpen()) {
        pages.died(bucket.number, slot);
        askAgain(bucket);
      } else {
        // Reports made before the death was installed do not count.
        rebuild(bucket, bucket.epoch + 1);
      }
    }
  }

  /**
   * The bucket's home is here from now on.
   *
   * @param epoch above those of all earlier homes
   */
  public void take(int number, long epoch) {
    rebuild(buckets.computeIfAbsent(number, Bucket::new), epoch);
  }

  /** The bucket's home is elsewhere from now on. */
  public void give(int number) {
    buckets.remove(number);
    pages.forget(number);
  }

  /** True when the bucket is here and requests for it are served. */
  public boolean isOpen(int number) {
    Bucket bucket = buckets.get(number);
    return bucket != null && bucket.isOpen();
  }

  private void rebuild(Bucket bucket, long epoch) {
    pages.forget(bucket.number);
    pages.bucket(bucket.number).used(epoch << NUMBER_BITS);
    bucket.epoch = epoch;
    bucket.missing = live;
    bucket.reports.clear();
    // Their releasers have nothing to report about them: the ends of their streams are sufficient.
    bucket.released.clear();
    Slots.forEach(live, slot -> tell(slot, home(bucket)));
    if (bucket.isOpen()) {
      onOpen.accept(bucket.number); // no node is present that could have a page
    }
  }

  /** Buckets for which this epoch has not reported its pages yet. */
  public List<Integer> unreported(int epoch) {
    List<Integer> unreported = new ArrayList<>();
    for (Bucket bucket : buckets.values()) {
      boolean misses = bucket.missing != SHUT && isMissing(bucket, epoch);
      if (misses) {
        unreported.add(bucket.number);
      }
    }
    return unreported;
  }

  private boolean isMissing(Bucket bucket, int epoch) {
    for (int slot = 1; slot <= Slots.MAX; slot++) {
      if (epochs[slot] == epoch && Slots.has(bucket.missing, slot)) {
        return true;
      }
    }
    return false;
  }

  /**
   * @param end of the node's stream: page stores must have applied it before they serve pages that
   *     the node gave back to an earlier home
   */
  private void reported(int slot, int stream, long end, Bucket bucket) {
    pages.bucket(bucket.number).floor().raise(stream, end);
    if (bucket.isOpen()) {
      tell(slot, again(bucket)); // the node has joined later than the bucket moved here
      return;
    }
    bucket.missing = Slots.without(bucket.missing, slot);
    if (bucket.isOpen()) {
      open(bucket);
    }
  }

  private void open(Bucket bucket) {
    PageDirectory directory = pages.directory();
    if (directory.size() + bucket.reports.size() > directory.capacity()) {
      // It stays shut: a page without an entry would be treated as free.
      bucket.missing = SHUT;
      LOG.error(
          "bucket {} cannot be served: its {} pages do not fit into the page directory",
          bucket.number,
          bucket.reports.size());
      return;
    }
    long base = pages.bucket(bucket.number).base();
    bucket.reports.forEach(
        (page, reports) -> pages.rebuilt(page, DirectoryRebuild.of(reports, base, live)));
    bucket.reports.clear();
    bucket.released.forEach(
        gone -> pages.released(gone.page(), gone.slot(), gone.number(), gone.lsn(), 0));
    bucket.released.clear();
    askAgain(bucket);
    onOpen.accept(bucket.number);
  }

  /** Retries to open buckets that had no room. To be called from time to time. */
  public void retry() {
    buckets.values().stream()
        .filter(bucket -> bucket.missing == SHUT)
        .forEach(bucket -> rebuild(bucket, bucket.epoch + 1));
  }

  /** Buckets that cannot be served for want of room. */
  public int shut() {
    return (int) buckets.values().stream().filter(bucket -> bucket.missing == SHUT).count();
  }

  private void askAgain(Bucket bucket) {
    Slots.forEach(live, slot -> tell(slot, again(bucket)));
  }

  // ---- what compute nodes say

  /** Processes a message of the compute node in this slot and epoch, and takes over its bytes. */
  public void receive(int slot, int epoch, ToHome.OfBucket message) {
    try {
      Bucket bucket = buckets.get(message.bucket());
      boolean isMember = Slots.has(live, slot) && epochs[slot] == epoch;
      if (bucket == null || message.homeEpoch() != bucket.epoch || !isMember) {
        LOG.trace("{} of slot {} is out of date", message.kind(), slot);
        return;
      }
      switch (message) {
        case ToHome.Reported reported ->
            reported(slot, reported.stream(), reported.durableEnd(), bucket);
        case ToHome.OfPage ofPage -> {
          if (bucket.isOpen()) {
            handle(slot, ofPage);
          } else {
            report(slot, ofPage, bucket);
          }
        }
      }
    } finally {
      message.release();
    }
  }

  private static void report(int slot, ToHome.OfPage message, Bucket bucket) {
    switch (message) {
      case ToHome.Release gone ->
          bucket.released.add(new Released(gone.page(), slot, gone.number(), gone.lsn()));
      case ToHome.Owns owns -> add(bucket, owns, new HolderReport.Owns(slot, owns.number()));
      case ToHome.Leaving leaving ->
          add(
              bucket,
              leaving,
              new HolderReport.Leaving(slot, leaving.taker(), leaving.number(), leaving.lsn()));
      case ToHome.Want again -> dropped(slot, again);
      case ToHome.Refused again -> dropped(slot, again);
      case ToHome.Confirm again -> dropped(slot, again);
      case ToHome.Dropped again -> dropped(slot, again);
      case ToHome.Kept again -> dropped(slot, again);
      case ToHome.Left again -> dropped(slot, again);
      case ToHome.NotTaken again -> dropped(slot, again);
    }
  }

  private static void add(Bucket bucket, ToHome.OfPage message, HolderReport report) {
    bucket.reports.computeIfAbsent(message.page(), page -> new ArrayList<>(1)).add(report);
  }

  private static void dropped(int slot, ToHome.OfPage message) {
    LOG.trace("{} of slot {} is asked for again when the bucket is open", message.kind(), slot);
  }

  private void handle(int slot, ToHome.OfPage message) {
    long page = message.page();
    switch (message) {
      case ToHome.Want want -> pages.handle(page, new DirectoryEvent.Want(slot, want.mode()));
      case ToHome.Refused refused -> {
        // A request of a node that is gone is obsolete.
        int reader = refused.reader();
        if (epochs[reader] == refused.readerEpoch() && Slots.has(live, reader)) {
          pages.handle(page, new DirectoryEvent.Refused(reader));
        }
      }
      case ToHome.Confirm confirm ->
          pages.handle(page, new DirectoryEvent.Confirm(slot, confirm.number()));
      case ToHome.Release release -> released(slot, release);
      case ToHome.Dropped dropped ->
          pages.handle(page, new DirectoryEvent.Revoked(slot, dropped.number()));
      case ToHome.Kept kept -> pages.handle(page, new DirectoryEvent.Kept(slot, kept.number()));
      case ToHome.Left left ->
          pages.handle(page, new DirectoryEvent.Left(slot, left.number(), left.lsn()));
      case ToHome.NotTaken notTaken ->
          pages.handle(page, new DirectoryEvent.NotTaken(slot, notTaken.number()));
      case ToHome.Owns owns -> throw late(owns);
      case ToHome.Leaving leaving -> throw late(leaving);
    }
  }

  private static IllegalArgumentException late(ToHome.OfPage report) {
    return new IllegalArgumentException(report + " behind the end of the reports");
  }

  private void released(int slot, ToHome.Release release) {
    long address = 0;
    if (release.bytes() != null) {
      release.bytes().getBytes(release.bytes().readerIndex(), incoming.clear());
      address = Memory.addressOf(incoming.flip());
    }
    pages.released(release.page(), slot, release.number(), release.lsn(), address);
  }

  // ---- orders

  @Override
  public void order(long page, DirectoryAction action, long bytes, ReadFloor floor) {
    Bucket bucket = buckets.get(PageBuckets.of(page));
    if (floor != null && action instanceof DirectoryAction.Grant) {
      tellFloor(action.to(), bucket, floor);
    }
    tell(action.to(), message(bucket.epoch, page, action, bytes));
  }

  private FromHome message(long home, long page, DirectoryAction action, long bytes) {
    return switch (action) {
      case DirectoryAction.Grant grant ->
          new FromHome.Grant(
              home,
              page,
              grant.owned(),
              grant.number(),
              grant.lsn(),
              bytes == 0 ? null : copy(bytes));
      case DirectoryAction.Share share -> {
        int reader = share.reader();
        long waited = pages.waited(page, reader);
        yield new FromHome.Share(home, page, reader, epochs[reader], share.number(), waited);
      }
      case DirectoryAction.Transfer transfer -> {
        int taker = transfer.taker();
        long waited = pages.waited(page, taker);
        yield new FromHome.Transfer(home, page, taker, epochs[taker], transfer.number(), waited);
      }
      case DirectoryAction.Confirmed confirmed ->
          new FromHome.Confirmed(home, page, confirmed.number());
      case DirectoryAction.Revoke revoke -> new FromHome.Revoke(home, page, revoke.number());
      case DirectoryAction.Ask ask -> new FromHome.Ask(home, page, ask.number());
      case DirectoryAction.Trace trace -> new FromHome.Trace(home, page, trace.number());
    };
  }

  @Override
  public void refuse(long page, int slot, SqlState state, String message) {
    LOG.debug("slot {} does not get page {}: {}", slot, page, message);
    tell(slot, new FromHome.NoRoom(buckets.get(PageBuckets.of(page)).epoch, page));
  }

  private void tellFloor(int to, Bucket bucket, ReadFloor floor) {
    for (int i = 0; i < floor.size(); i++) {
      tell(
          to,
          new FromHome.Floor(bucket.epoch, bucket.number, floor.streamAt(i), floor.offsetAt(i)));
    }
  }

  private static FromHome home(Bucket bucket) {
    return new FromHome.Home(bucket.epoch, bucket.number);
  }

  private static FromHome again(Bucket bucket) {
    return new FromHome.AskAgain(bucket.epoch, bucket.number);
  }

  private void tell(int to, FromHome message) {
    out.toCompute(to, epochs[to], message);
  }

  private ByteBuf copy(long bytes) {
    return allocator
        .directBuffer(PageLayout.PAGE_BYTES)
        .writeBytes(Memory.buffer(bytes, PageLayout.PAGE_BYTES));
  }
}
