package io.gauss.memory.home;

import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.page.PageLayout;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.PageBuckets;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.coherence.HolderReport;
import io.gauss.memory.coherence.HomeAction;
import io.gauss.memory.coherence.HomeEvent;
import io.gauss.memory.coherence.HomeRebuild;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets that one event loop serves, towards the compute nodes: what they say becomes events
 * of {@link PageHomes}, whose orders become messages.
 *
 * <p>A bucket that comes here is <i>rebuilt</i> first: all compute nodes report what they have of
 * it (rule 16). The epoch that names the home goes up with each attempt; messages of others are
 * dropped, in both directions. What nodes ask for meanwhile is dropped too, and asked for again;
 * what they give back is taken when all have reported, since nobody says it twice.
 *
 * <p>Belongs to the event loop; nothing blocks.
 */
public final class BucketHomes implements PageOrders {
  private static final Logger LOG = LoggerFactory.getLogger(BucketHomes.class);

  /** Numbers of transfers and shares rise over all homes that a page ever has. */
  private static final int NUMBER_BITS = 24;

  /** Bit 0 stands for no slot. */
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
   * A page that its owner gave back after it had reported it and before all others had.
   *
   * @param lsn page stores have it, or will
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
   * @param directory is closed by whoever made it
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
   * Who is told that a bucket, which came here or was rebuilt, is served from now on. Called where
   * everything is done here.
   */
  public void onOpen(IntConsumer listener) {
    onOpen = listener;
  }

  // ---- members and buckets

  /** A compute node is there from now on, in this epoch. */
  public void joined(int slot, int epoch) {
    live = Slots.with(live, slot);
    epochs[slot] = epoch;
    buckets.values().forEach(bucket -> tell(slot, PageMessageKind.HOME, bucket));
  }

  /**
   * A compute node is gone: it has left with nothing, or all live nodes have installed its death
   * and its stream is sealed (rules 10 to 13).
   *
   * @param stream its redo stream
   * @param end of that, an offset
   */
  public void died(int slot, int stream, long end) {
    live = Slots.without(live, slot);
    for (Bucket bucket : buckets.values()) {
      pages.bucket(bucket.number).floor().raise(stream, end);
      if (bucket.isOpen()) {
        pages.died(bucket.number, slot);
        askAgain(bucket);
      } else {
        // What was reported before the death was installed does not count.
        rebuild(bucket, bucket.epoch + 1);
      }
    }
  }

  /**
   * The bucket's home is here from now on.
   *
   * @param epoch above those of all homes that it had
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
    // Whoever released them has nothing to report of them: their streams' ends say enough.
    bucket.released.clear();
    Slots.forEach(live, slot -> tell(slot, PageMessageKind.HOME, bucket));
    if (bucket.isOpen()) {
      onOpen.accept(bucket.number); // nobody is there who could have anything
    }
  }

  /** Buckets of which this epoch has not reported yet what it has. */
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
   * @param end of the node's stream, so that page stores are not asked for what they have not
   *     applied of pages that it gave back to an earlier home
   */
  private void reported(int slot, int stream, long end, Bucket bucket) {
    pages.bucket(bucket.number).floor().raise(stream, end);
    if (bucket.isOpen()) {
      tell(slot, PageMessageKind.ASK_AGAIN, bucket); // it has come later than the bucket
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
      // It stays shut: a page without an entry would be taken for nobody's.
      bucket.missing = SHUT;
      LOG.error(
          "bucket {} cannot be served: its {} pages do not fit into the page directory",
          bucket.number,
          bucket.reports.size());
      return;
    }
    long base = pages.bucket(bucket.number).base();
    bucket.reports.forEach(
        (page, reports) -> pages.rebuilt(page, HomeRebuild.of(reports, base, live)));
    bucket.reports.clear();
    bucket.released.forEach(
        gone -> pages.released(gone.page(), gone.slot(), gone.number(), gone.lsn(), 0));
    bucket.released.clear();
    askAgain(bucket);
    onOpen.accept(bucket.number);
  }

  /** Tries again what had no room. To be called now and then. */
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
    Slots.forEach(live, slot -> tell(slot, PageMessageKind.ASK_AGAIN, bucket));
  }

  // ---- what compute nodes say

  /** Takes a message of the compute node in this slot and epoch, and its bytes. */
  public void receive(int slot, int epoch, PageMessage message) {
    try {
      boolean ofBucket = message.kind() == PageMessageKind.REPORTED;
      int number = ofBucket ? (int) message.page() : PageBuckets.of(message.page());
      Bucket bucket = buckets.get(number);
      boolean isMember = Slots.has(live, slot) && epochs[slot] == epoch;
      if (bucket == null || message.homeEpoch() != bucket.epoch || !isMember) {
        LOG.trace("{} of slot {} is out of date", message.kind(), slot);
      } else if (ofBucket) {
        reported(slot, message.slot(), message.number(), bucket);
      } else if (bucket.isOpen()) {
        handle(slot, message);
      } else {
        report(slot, message, bucket);
      }
    } finally {
      message.release();
    }
  }

  private static void report(int slot, PageMessage message, Bucket bucket) {
    if (message.kind() == PageMessageKind.RELEASE) {
      bucket.released.add(new Released(message.page(), slot, message.number(), message.lsn()));
      return;
    }
    HolderReport report =
        switch (message.kind()) {
          case OWNS -> new HolderReport.Owns(slot, message.number());
          case LEAVING ->
              new HolderReport.Leaving(slot, message.slot(), message.number(), message.lsn());
          default -> null; // it is asked for again
        };
    if (report != null) {
      bucket.reports.computeIfAbsent(message.page(), page -> new ArrayList<>(1)).add(report);
    }
  }

  private void handle(int slot, PageMessage message) {
    long page = message.page();
    long number = message.number();
    switch (message.kind()) {
      case WANT_READ -> pages.handle(page, new HomeEvent.Want(slot, Mode.READ));
      case WANT_WRITE -> pages.handle(page, new HomeEvent.Want(slot, Mode.WRITE));
      case REFUSED -> {
        // What a node wants that is gone is not wanted any more.
        if (epochs[message.slot()] == message.slotEpoch() && Slots.has(live, message.slot())) {
          pages.handle(page, new HomeEvent.Refused(message.slot()));
        }
      }
      case CONFIRM -> pages.handle(page, new HomeEvent.Confirm(slot, number));
      case RELEASE -> released(slot, message);
      case DROPPED -> pages.handle(page, new HomeEvent.Revoked(slot, number));
      case KEPT -> pages.handle(page, new HomeEvent.Kept(slot, number));
      case LEFT -> pages.handle(page, new HomeEvent.Left(slot, number, message.lsn()));
      case NOT_TAKEN -> pages.handle(page, new HomeEvent.NotTaken(slot, number));
      default -> throw new IllegalArgumentException(message.kind() + " is not for a page's home");
    }
  }

  private void released(int slot, PageMessage message) {
    long address = 0;
    if (message.bytes() != null) {
      message.bytes().getBytes(message.bytes().readerIndex(), incoming.clear());
      address = MemorySegment.ofBuffer(incoming.flip()).address();
    }
    pages.released(message.page(), slot, message.number(), message.lsn(), address);
  }

  // ---- orders

  @Override
  public void order(long page, HomeAction action, long bytes, ReadFloor floor) {
    int number = PageBuckets.of(page);
    Bucket bucket = buckets.get(number);
    switch (action) {
      case HomeAction.Grant grant -> {
        if (floor != null) {
          tellFloor(grant.to(), bucket, floor);
        }
        PageMessageKind kind =
            grant.owned() ? PageMessageKind.GRANT_WRITE : PageMessageKind.GRANT_READ;
        tell(grant.to(), kind, bucket, page, 0, grant.number(), grant.lsn(), bytes);
      }
      case HomeAction.Share share ->
          tell(
              share.to(),
              PageMessageKind.SHARE,
              bucket,
              page,
              share.reader(),
              share.number(),
              pages.waited(page, share.reader()),
              0);
      case HomeAction.Transfer transfer ->
          tell(
              transfer.to(),
              PageMessageKind.TRANSFER,
              bucket,
              page,
              transfer.taker(),
              transfer.number(),
              pages.waited(page, transfer.taker()),
              0);
      case HomeAction.Confirmed confirmed ->
          tell(confirmed, PageMessageKind.CONFIRMED, bucket, page, 0, confirmed.number());
      case HomeAction.Revoke revoke ->
          tell(revoke, PageMessageKind.REVOKE, bucket, page, 0, revoke.number());
      case HomeAction.Ask ask -> tell(ask, PageMessageKind.ASK, bucket, page, 0, ask.number());
      case HomeAction.Trace trace ->
          tell(trace, PageMessageKind.TRACE, bucket, page, 0, trace.number());
    }
  }

  @Override
  public void refuse(long page, int slot, SqlState state, String message) {
    LOG.debug("slot {} does not get page {}: {}", slot, page, message);
    Bucket bucket = buckets.get(PageBuckets.of(page));
    tell(slot, PageMessageKind.NO_ROOM, bucket, page, 0, 0, Lsn.NONE, 0);
  }

  private void tellFloor(int to, Bucket bucket, ReadFloor floor) {
    for (int i = 0; i < floor.size(); i++) {
      tell(
          to,
          PageMessageKind.FLOOR,
          bucket,
          bucket.number,
          floor.streamAt(i),
          floor.offsetAt(i),
          Lsn.NONE,
          0);
    }
  }

  private void tell(int to, PageMessageKind kind, Bucket bucket) {
    tell(to, kind, bucket, bucket.number, 0, 0, Lsn.NONE, 0);
  }

  private void tell(
      HomeAction action, PageMessageKind kind, Bucket bucket, long page, int slot, long number) {
    tell(action.to(), kind, bucket, page, slot, number, Lsn.NONE, 0);
  }

  private void tell(
      int to,
      PageMessageKind kind,
      Bucket bucket,
      long page,
      int slot,
      long number,
      long lsn,
      long bytes) {
    ByteBuf copy = bytes == 0 ? null : copy(bytes);
    int slotEpoch = slot <= Slots.MAX ? epochs[slot] : 0;
    out.toCompute(
        to,
        epochs[to],
        new PageMessage(kind, bucket.epoch, page, slot, slotEpoch, number, lsn, copy));
  }

  private ByteBuf copy(long bytes) {
    ByteBuffer page =
        MemorySegment.ofAddress(bytes).reinterpret(PageLayout.PAGE_BYTES).asByteBuffer();
    return allocator.directBuffer(PageLayout.PAGE_BYTES).writeBytes(page);
  }
}
