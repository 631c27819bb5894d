package io.gauss.memory.home;

import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.coherence.DirectoryAction;
import io.gauss.memory.coherence.DirectoryEvent;
import io.gauss.memory.coherence.DirectoryRebuild;
import io.gauss.memory.coherence.DirectoryTable;
import io.gauss.memory.coherence.HolderReport;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets that one event loop serves for the compute nodes. Their messages become events of
 * {@link PageHomes}, and its orders become messages to them.
 *
 * <p>A bucket that comes here is <i>rebuilt</i> first: all compute nodes report which of its pages
 * they have (rule 16). Each attempt raises the home's epoch; messages of other epochs are dropped,
 * in both directions. Of the events that arrive meanwhile, {@link DirectoryRebuild#isKept} says
 * which are processed when all nodes have reported.
 *
 * <p>A bucket whose pages do not fit into the directory stays shut. It keeps the reports, so that
 * another attempt takes no new epoch: an epoch above the next version of the cluster map would shut
 * out every later home (rule 36). Only a death raises the epoch, and it is itself a change of the
 * map.
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
  private final AppliedMarks applied;
  private final Outbox out;
  private final ByteBufAllocator allocator;
  private final ByteBuffer incoming = ByteBuffer.allocateDirect(PageLayout.PAGE_BYTES);
  private final Map<Integer, Bucket> buckets = new HashMap<>();
  private final int[] epochs = new int[Slots.MAX + 1];
  private long live = Slots.NONE;
  private IntConsumer onOpen = bucket -> {};

  /** An event that arrived after its node's report and before all other nodes had reported. */
  private record Early(long page, DirectoryEvent event) {}

  /** A bucket whose home is here. */
  private static final class Bucket {
    private final int number;
    private long epoch;
    private long missing; // slots that have not reported yet
    private final Map<Long, List<HolderReport>> reports = new HashMap<>();
    private final List<Early> early = new ArrayList<>();
    private String whyShut; // null = it is not, or nobody has tried to open it

    Bucket(int number) {
      this.number = number;
    }

    boolean isOpen() {
      return missing == Slots.NONE;
    }

    /** All nodes have reported, but it cannot be served. */
    boolean isShut() {
      return missing == SHUT;
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
    this.applied = applied;
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
        // Reports made before the death was installed do not count. Between two versions of the map
        // fewer nodes die than there are epochs (rule 36).
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
    ReadFloor floor = pages.bucket(bucket.number).floor(); // of nodes that died before this attempt
    pages.forget(bucket.number);
    pages.bucket(bucket.number).floor().raise(floor);
    pages.bucket(bucket.number).used(epoch << NUMBER_BITS);
    bucket.epoch = epoch;
    bucket.missing = live;
    bucket.reports.clear();
    // The nodes report again. They have nothing to report about pages that they gave back: the ends
    // of their streams are sufficient.
    bucket.early.clear();
    bucket.whyShut = null;
    Slots.forEach(live, slot -> tell(slot, home(bucket)));
    if (bucket.isOpen()) {
      onOpen.accept(bucket.number); // no node is present that could have a page
    }
  }

  /** Whether the compute node of this epoch is present. */
  public boolean isMember(int epoch) {
    for (int slot = 1; slot <= Slots.MAX; slot++) {
      if (isMember(slot, epoch)) {
        return true;
      }
    }
    return false;
  }

  /** Buckets for which this epoch has not reported its pages yet. */
  public List<Integer> unreported(int epoch) {
    List<Integer> unreported = new ArrayList<>();
    for (Bucket bucket : buckets.values()) {
      boolean misses = !bucket.isShut() && isMissing(bucket, epoch);
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
      // The node has joined later than the bucket moved here.
      pages.reportedLate(bucket.number, slot);
      tell(slot, again(bucket));
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
      // A page without an entry would be treated as free.
      shut(bucket, "its pages do not fit into the page directory");
      return;
    }
    Map<Long, DirectoryTable.Step> entries = new HashMap<>();
    try {
      long base = pages.bucket(bucket.number).base();
      bucket.reports.forEach(
          (page, reports) -> entries.put(page, DirectoryRebuild.of(reports, base, live)));
    } catch (IllegalStateException e) {
      shut(bucket, e.getMessage());
      return;
    }
    List<Early> early = List.copyOf(bucket.early);
    bucket.reports.clear();
    bucket.early.clear();
    bucket.whyShut = null;
    entries.forEach(pages::rebuilt);
    early.forEach(one -> pages.handle(one.page(), one.event()));
    askAgain(bucket);
    onOpen.accept(bucket.number);
  }

  private static void shut(Bucket bucket, String why) {
    bucket.missing = SHUT;
    if (!why.equals(bucket.whyShut)) {
      bucket.whyShut = why;
      LOG.error(
          "bucket {} cannot be served ({} pages): {}", bucket.number, bucket.reports.size(), why);
    }
  }

  /** Retries to open buckets that had no room. To be called from time to time. */
  public void retry() {
    for (Bucket bucket : buckets.values()) {
      if (bucket.isShut()) {
        bucket.missing = Slots.NONE;
        forgetApplied(bucket);
        open(bucket);
      }
    }
  }

  /**
   * Forgets reported pages that their owners have given back since, if page stores have applied
   * their changes: the floor replaces the entry, as for any page (see {@link
   * io.gauss.memory.directory.EntryDrops}). Who gave such a page to its owner, and retains it, need
   * not do so any longer.
   */
  private void forgetApplied(Bucket bucket) {
    Set<Long> gone = new HashSet<>();
    for (Early one : bucket.early) {
      if (one.event() instanceof DirectoryEvent.Release release
          && isLast(release, bucket.reports.getOrDefault(one.page(), List.of()))) {
        int stream = Lsn.node(release.lsn());
        AppliedMarks.Mark mark = applied.of(stream);
        if (release.lsn() <= mark.lsn()) {
          pages.bucket(bucket.number).floor().raise(stream, mark.offset());
          gone.add(one.page());
        }
      }
    }
    for (long page : gone) {
      for (HolderReport report : bucket.reports.remove(page)) {
        if (report instanceof HolderReport.Leaving leaving) {
          tell(leaving.slot(), new FromHome.Confirmed(bucket.epoch, page, leaving.number()));
        }
      }
    }
    bucket.early.removeIf(one -> gone.contains(one.page()));
  }

  /** Whether the page was nobody's but the owner's, which has given it back. */
  private static boolean isLast(DirectoryEvent.Release release, List<HolderReport> reports) {
    return !reports.isEmpty()
        && reports.stream()
            .allMatch(
                report ->
                    switch (report) {
                      case HolderReport.Owns owns -> owns.slot() == release.owner();
                      case HolderReport.Leaving leaving -> leaving.number() <= release.number();
                    });
  }

  /** Buckets that cannot be served although all nodes have reported, mostly for want of room. */
  public int shut() {
    return (int) buckets.values().stream().filter(Bucket::isShut).count();
  }

  private void askAgain(Bucket bucket) {
    Slots.forEach(live, slot -> tell(slot, again(bucket)));
  }

  // ---- what compute nodes say

  /** Processes a message of the compute node in this slot and epoch, and takes over its bytes. */
  public void receive(int slot, int epoch, ToHome.OfBucket message) {
    try {
      Bucket bucket = buckets.get(message.bucket());
      if (bucket == null || message.homeEpoch() != bucket.epoch || !isMember(slot, epoch)) {
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

  private void report(int slot, ToHome.OfPage message, Bucket bucket) {
    switch (message) {
      case ToHome.Owns owns -> add(bucket, owns, new HolderReport.Owns(slot, owns.number()));
      case ToHome.Leaving leaving -> {
        int taker = leaving.taker();
        int present = Slots.has(live, taker) ? epochs[taker] : 0;
        add(
            bucket,
            leaving,
            DirectoryRebuild.leaving(
                new HolderReport.Leaving(slot, taker, leaving.number(), leaving.lsn()),
                leaving.takerEpoch(),
                present));
      }
      default -> {
        DirectoryEvent event = event(slot, message);
        if (DirectoryRebuild.isKept(event)) {
          bucket.early.add(new Early(message.page(), event));
        } else {
          LOG.trace("{} of slot {} is not needed before the bucket is open", message.kind(), slot);
        }
      }
    }
  }

  private static void add(Bucket bucket, ToHome.OfPage message, HolderReport report) {
    bucket.reports.computeIfAbsent(message.page(), page -> new ArrayList<>(1)).add(report);
  }

  private void handle(int slot, ToHome.OfPage message) {
    long page = message.page();
    switch (message) {
      case ToHome.Refused refused when !isMember(refused.reader(), refused.readerEpoch()) ->
          LOG.trace("the request of slot {}, which is gone, is obsolete", refused.reader());
      case ToHome.Release release -> released(slot, release);
      default -> pages.handle(page, event(slot, message));
    }
  }

  private boolean isMember(int slot, int epoch) {
    return Slots.has(live, slot) && epochs[slot] == epoch;
  }

  /** The event that the message is; a release without its bytes. */
  private static DirectoryEvent event(int slot, ToHome.OfPage message) {
    return switch (message) {
      case ToHome.Want want -> new DirectoryEvent.Want(slot, want.mode());
      case ToHome.Refused refused -> new DirectoryEvent.Refused(refused.reader());
      case ToHome.Confirm confirm ->
          new DirectoryEvent.Confirm(slot, confirm.number(), confirm.lsn());
      case ToHome.Release release ->
          new DirectoryEvent.Release(slot, release.number(), release.lsn(), false);
      case ToHome.Dropped dropped -> new DirectoryEvent.Revoked(slot, dropped.number());
      case ToHome.Kept kept -> new DirectoryEvent.Kept(slot, kept.number());
      case ToHome.Left left -> new DirectoryEvent.Left(slot, left.number(), left.lsn());
      case ToHome.NotTaken notTaken -> new DirectoryEvent.NotTaken(slot, notTaken.number());
      case ToHome.Owns owns -> throw late(owns);
      case ToHome.Leaving leaving -> throw late(leaving);
    };
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
      case DirectoryAction.Trace trace ->
          new FromHome.Trace(home, page, trace.taker(), epochs[trace.taker()], trace.number());
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
