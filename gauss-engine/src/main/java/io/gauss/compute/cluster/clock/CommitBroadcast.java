package io.gauss.compute.cluster.clock;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.LamportClock;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.Transport;
import io.gauss.compute.log.CommitAdvance;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the other live compute nodes of commits while the log records of these are being forced,
 * and holds the clock leases without which this node takes no snapshot (rules 4, 5 and 6). {@link
 * ClockView} draws the conclusions from the answers; this class sends and receives.
 *
 * <p>One call to each peer is under way at a time; a commit that comes meanwhile goes with the next
 * call, together with all others. A call to a peer whose clock is already above the commit is
 * omitted.
 *
 * <p>Life: {@link #register} before listening; {@link #install} and {@link #remove} as nodes come
 * and go; {@link #begin} once this node has joined. Thread-safe. {@link #isValid} is called for
 * every statement. Callbacks run without the lock, on event loops of connections and on the thread
 * {@code gauss-clocks}.
 */
public final class CommitBroadcast implements CommitAdvance, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CommitBroadcast.class);

  /**
   * How long a node has to be silent until it is reported to the cluster, unless its calls have
   * lately taken longer; and the interval of such reports. The cluster evicts one of two nodes for
   * which that goes on.
   */
  private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Transport transport;
  private final LamportClock clock;
  private final Arbiter arbiter;
  private final LongSupplier nanoTime;
  private final AtomicLong lapses = new AtomicLong();
  private final AtomicLong catalogHeard = new AtomicLong();

  private volatile Runnable advanced = () -> {};
  private volatile LongSupplier localBound = () -> 0;
  private volatile Runnable catalogChanged = () -> {};
  private volatile Runnable valid = () -> {};

  /** For {@link #isValid}: of the view, once this node has begun. */
  private volatile long validUntil;

  private final ClockTimer timer = new ClockTimer(this::tick);
  private volatile boolean alone = true;
  private volatile boolean closed;

  // Guarded by this.
  private final CatalogNews catalog = new CatalogNews();
  private ClockView view;
  private ClockTimes times;
  private final SortedMap<Integer, ClockLink> links = new TreeMap<>();
  private boolean begun;
  private boolean lapsed;
  private long nextTick; // when it is due
  private long resumeAskedAt;

  /**
   * Creates the broadcast of a node that has not joined yet, and may take no snapshots.
   *
   * @param transport by which the others are reached; its owner closes it, later
   * @param clock the node's one clock
   * @param nanoTime monotonic nanoseconds
   */
  public CommitBroadcast(
      Transport transport,
      LamportClock clock,
      Arbiter arbiter,
      ClockTimes times,
      LongSupplier nanoTime) {
    this.transport = transport;
    this.clock = clock;
    this.arbiter = arbiter;
    this.times = times;
    this.nanoTime = nanoTime;
    this.view = ClockView.alone(times);
    this.nextTick = nanoTime.getAsLong();
    this.validUntil = nextTick;
    this.resumeAskedAt = nextTick - times.silence();
  }

  /** Adds the handler of the others' calls; before listening. */
  public void register(Handlers handlers) {
    handlers.on(ClockMessages.ADVANCE, this::called);
  }

  /**
   * Sets the callback for commits that may have become visible.
   *
   * @param whenAdvanced quick, on any thread
   * @param bound this node's bound for itself: none of its snapshots, open or future, is below it,
   *     and none of its commits at or below it is invisible
   */
  public void attach(Runnable whenAdvanced, LongSupplier bound) {
    localBound = bound;
    advanced = whenAdvanced;
  }

  /** Starts the timer thread. Without it another thread has to call {@link #tick}. */
  public void start() {
    timer.start();
  }

  // ---- who there is

  /**
   * Commits wait for this node once this has returned. A node that is already installed in this
   * epoch or a later one stays. One that is installed in an earlier epoch is removed first: its
   * stream was sealed before it could register again, and this node's clock is above it.
   */
  public void install(int node, int epoch, NodeAddress address) {
    PeerClock before = peer(node);
    if (before != null && before.epoch() < epoch) {
      remove(node, before.epoch()); // the catalog may have changed, see there (rule 35)
    }
    ClockLink replaced;
    synchronized (this) {
      ClockView with = view.install(node, epoch, nanoTime.getAsLong());
      if (with == view || closed) {
        return;
      }
      view = with;
      replaced =
          links.put(
              node, new ClockLink(node, epoch, transport.connect(address, node), catalog.newest()));
      publish();
    }
    if (replaced != null) {
      replaced.peer.close();
    }
    timer.wake();
  }

  private synchronized PeerClock peer(int node) {
    return view.peers().get(node);
  }

  /**
   * This epoch of the node is dead: commits do not wait for it any more. Snapshots still do, as for
   * a silent node, unless it was suspended; see {@link #remove}.
   */
  public void died(int node, int epoch) {
    change(node, epoch, true);
  }

  /** The node is dead, and this node's clock is at or above the end of its sealed stream. */
  public void remove(int node, int epoch) {
    change(node, epoch, false);
  }

  private void change(int node, int epoch, boolean stays) {
    if (!stays) {
      // It may have changed the catalog without notifying any surviving node; the clock is above
      // all such changes.
      heardOfCatalog(clock.now());
    }
    ClockLink gone;
    synchronized (this) {
      ClockView without = stays ? view.died(node, epoch) : view.remove(node, epoch);
      if (without == view) {
        return;
      }
      view = without;
      gone = links.remove(node);
      publish();
    }
    if (gone != null) {
      gone.peer.close();
    }
    advanced.run();
  }

  /**
   * Takes over the suspensions of the cluster map.
   *
   * @param own number of this node's suspension, 0 = it is not suspended
   * @param ofEpoch number of a peer's suspension
   */
  public void suspensions(long own, LongUnaryOperator ofEpoch) {
    synchronized (this) {
      ClockView newer = view.suspensions(own, ofEpoch);
      if (newer == view) {
        return;
      }
      if (own != view.suspended()) {
        LOG.warn(
            own == 0
                ? "this node is not suspended any more"
                : "this node is suspended: others did not hear from it for a while");
      }
      view = newer;
      publish();
    }
    advanced.run();
    timer.wake();
  }

  /** From now on leases are granted for another duration. */
  public void times(ClockTimes newTimes) {
    synchronized (this) {
      times = newTimes;
      view = view.with(newTimes);
    }
    timer.wake();
  }

  /** The node has joined and begins to serve, as soon as it has reached all others. */
  public void begin() {
    synchronized (this) {
      view = view.begin(nanoTime.getAsLong());
      begun = true;
      lapsed = !links.isEmpty(); // expected: it has not called any node yet
      publish();
    }
    timer.wake();
  }

  // ---- rights of this node

  /**
   * Whether this node may take snapshots and answer. To be asked <em>before</em> the clock is read
   * for a snapshot.
   */
  public boolean isValid() {
    long until = validUntil;
    return until == ClockView.FOREVER || nanoTime.getAsLong() - until < 0;
  }

  /**
   * @param whenValid called whenever {@link #isValid} may have become true, and often when it was
   *     true before; only wakes threads, since this object's lock is held
   */
  public void onValid(Runnable whenValid) {
    valid = whenValid;
  }

  /** The error for clients when it has not been allowed to for too long. */
  public GaussException why() {
    return new GaussException(
        SqlState.CANNOT_CONNECT_NOW, "this node has lost touch with other compute nodes");
  }

  /**
   * The lowest of the bounds that the other nodes report for themselves; {@link Long#MAX_VALUE}
   * without others.
   */
  public long othersBound() {
    if (alone) {
      return Long.MAX_VALUE;
    }
    synchronized (this) {
      return view.bound();
    }
  }

  @Override
  public long through() {
    if (alone) {
      return EVERYTHING;
    }
    synchronized (this) {
      return Math.min(catalog.limit(), view.through(nanoTime.getAsLong(), this::heard));
    }
  }

  private long heard(PeerClock peer) {
    ClockLink link = links.get(peer.node());
    return catalog.heard(peer.clock(), link == null ? 0 : link.told());
  }

  // ---- changes of the catalog

  /**
   * A transaction that has changed the catalog is about to reserve its commit. {@link
   * #catalogCommitted} follows soon, whatever happens: until then no commit becomes visible.
   *
   * @return value to pass to {@link #catalogCommitted}
   */
  public long catalogCommitting() {
    synchronized (this) {
      long before = clock.now();
      catalog.committing(before);
      return before;
    }
  }

  /**
   * The commit is reserved: it becomes visible when all other nodes know that the catalog has
   * changed.
   *
   * @param csn 0 when it was not committed
   */
  public void catalogCommitted(long begun, long csn) {
    List<ClockLink> due = new ArrayList<>();
    synchronized (this) {
      catalog.committed(begun, csn);
      if (links.isEmpty()) {
        catalog.allHave(csn);
      } else if (csn != 0) {
        links.values().stream().filter(link -> link.want(csn)).forEach(due::add);
      }
    }
    due.forEach(this::call);
    advanced.run();
  }

  /**
   * Other nodes have changed the catalog up to this LSN, as far as this node knows: every change
   * that was confirmed to any client before a snapshot was taken here is at or below it.
   */
  public long catalogHeard() {
    return catalogHeard.get();
  }

  /**
   * @param changed called when {@link #catalogHeard} has risen; quick, on any thread
   */
  public void onCatalogChange(Runnable changed) {
    catalogChanged = changed;
  }

  private void heardOfCatalog(long lsn) {
    if (lsn > catalogHeard.get()) {
      catalogHeard.accumulateAndGet(lsn, Math::max);
      catalogChanged.run();
    }
  }

  /** Peers now. */
  public synchronized int peers() {
    return links.size();
  }

  /** Number of peers that have been silent for long enough to be reported. */
  public synchronized int silentPeers() {
    long now = nanoTime.getAsLong();
    return (int) links.values().stream().filter(l -> l.isSilent(times, now)).count();
  }

  /** How often this node had no clock lease. */
  long lapses() {
    return lapses.get();
  }

  /** To be called after each change of the view, under the lock. */
  private void publish() {
    alone = links.isEmpty();
    if (!begun) {
      return;
    }
    long until = view.heldUntil();
    noteLapse();
    validUntil = until;
    if (!isValid()) {
      return;
    }
    if (lapsed) {
      lapsed = false;
      LOG.info("this node has reached all others: it takes snapshots again");
    }
    // Also when the lease had not ended a moment ago: it may have ended just before its successor
    // was noted, and whoever looked in between waits.
    valid.run();
  }

  private void noteLapse() {
    if (begun && !lapsed && !isValid()) {
      lapsed = true;
      lapses.incrementAndGet();
      LOG.warn(
          "no clock lease: no snapshots are taken until all other compute nodes have answered");
    }
  }

  // ---- calls to the others

  @Override
  public void sending(long lsn) {
    if (alone) {
      return;
    }
    List<ClockLink> due = new ArrayList<>();
    synchronized (this) {
      for (ClockLink link : links.values()) {
        PeerClock peer = view.peer(link.node, link.epoch);
        if (peer.clock() < lsn && link.want(lsn)) {
          due.add(link);
        }
      }
    }
    due.forEach(this::call);
  }

  private void call(ClockLink link) {
    long sent;
    long timeout;
    ClockMessages.Call call;
    long bound = localBound.getAsLong();
    synchronized (this) {
      if (link.isUnderWay() || links.get(link.node) != link) {
        return;
      }
      sent = nanoTime.getAsLong();
      call = new ClockMessages.Call(link.epoch, bound, view.suspended(), catalog.newest());
      timeout = link.sent(times, sent);
    }
    send(link, call, timeout)
        .whenComplete((answer, failure) -> answered(link, call, sent, answer, failure));
  }

  /** Never throws: the log's sender is one of its callers. */
  private CompletableFuture<ByteBuf> send(
      ClockLink link, ClockMessages.Call call, long timeoutNanos) {
    try {
      return link.peer.call(
          ClockMessages.ADVANCE, ClockMessages.encode(transport.allocator(), call), timeoutNanos);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void answered(
      ClockLink link, ClockMessages.Call call, long sent, ByteBuf payload, Throwable failure) {
    ClockMessages.Answer answer = failure == null ? read(link, payload) : null;
    if (answer != null) {
      heardOfCatalog(answer.catalog()); // before the lease that comes with it counts
    }
    boolean again = false;
    synchronized (this) {
      // This node's clock was raised to that of the answer before the answer was delivered.
      if (answer == null || answer.epoch() != link.epoch || answer.clock() > clock.now()) {
        LOG.debug("node {} does not answer about clocks", link.node, failure);
        link.failed();
      } else {
        view =
            view.answered(
                link.node,
                link.epoch,
                answer.clock(),
                answer.bound(),
                call.resumes(),
                sent + answer.lease());
        link.told(call.catalog());
        catalog.allHave(links.values().stream().mapToLong(ClockLink::told).min().orElse(0));
        long now = nanoTime.getAsLong();
        // Also when its lease was over before it came.
        again =
            link.answered(times, answer.clock(), now)
                || link.told() < catalog.newest()
                || now - sent >= answer.lease();
        publish();
      }
    }
    if (again) {
      call(link);
    } else if (answer == null) {
      timer.wake(); // it is called again sooner than after an answer
    }
    advanced.run();
  }

  private static ClockMessages.Answer read(ClockLink link, ByteBuf payload) {
    try {
      return ClockMessages.answer(payload);
    } catch (GaussException e) {
      LOG.error("answer of node {} about clocks", link.node, e);
      return null;
    } finally {
      payload.release();
    }
  }

  // ---- calls of the others

  private void called(Request request) {
    FaultPoints.hit("clock.called");
    ClockMessages.Call call = ClockMessages.call(request.payload());
    int own = transport.self().epoch().getAsInt();
    int node = request.sender().node();
    long lease;
    long changed;
    synchronized (this) {
      // A node for which commits do not wait must not get a lease.
      PeerClock caller = view.peer(node, request.epoch());
      if (call.calledEpoch() != own || caller == null || caller.dead()) {
        request.fail(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            "node %d with epoch %d is no receiver of epoch %d"
                .formatted(node, request.epoch(), call.calledEpoch()));
        return;
      }
      ClockLink link = links.get(node);
      lease = link == null ? times.lease() : times.leaseFor(link.usualNanos());
      view =
          view.called(
              node,
              request.epoch(),
              request.clock(),
              call.bound(),
              call.resumes(),
              nanoTime.getAsLong(),
              lease);
      publish();
    }
    heardOfCatalog(call.catalog()); // before the caller concludes that this node knows it
    synchronized (this) {
      // After the lease was given: it includes every change that is visible without the caller.
      changed = Math.max(catalog.newest(), catalogHeard.get());
    }
    // The clock is read after the lease was given: commits that are visible without the caller are
    // below it.
    request.reply(
        ClockMessages.encode(
            transport.allocator(),
            new ClockMessages.Answer(own, clock.now(), localBound.getAsLong(), lease, changed)));
    advanced.run();
  }

  // ---- time

  /**
   * Does what is due: calls, requests to the arbiter, the end of leases.
   *
   * @return nanoseconds until something is due again
   */
  long tick() {
    List<ClockLink> due = new ArrayList<>();
    List<Runnable> requests = new ArrayList<>();
    long wait = TimeUnit.SECONDS.toNanos(1);
    synchronized (this) {
      long now = nanoTime.getAsLong();
      if (closed) {
        return wait;
      }
      long late = now - nextTick;
      if (late > times.ping() / 4) {
        links.values().forEach(link -> link.stoodStill(late, now));
      }
      noteLapse();
      for (ClockLink link : links.values()) {
        if (link.isDue(times, now)) {
          due.add(link);
          wait = Math.min(wait, times.ping());
        } else {
          wait = Math.min(wait, link.lookIn(times, now));
        }
        about(link, now, requests);
      }
      if (view.mayResume() && now - resumeAskedAt >= times.silence()) {
        resumeAskedAt = now;
        long number = view.suspended();
        int newest = view.newestEpoch();
        requests.add(() -> arbiter.resume(number, newest));
      }
      wait = Math.min(wait, untilLapse(now));
      nextTick = now + wait;
    }
    due.forEach(this::call);
    requests.forEach(Runnable::run);
    advanced.run();
    return Math.max(wait, 1);
  }

  /** Nanoseconds until a lease ends, this node's own or one for which commits wait. */
  private long untilLapse(long now) {
    long until = Long.MAX_VALUE;
    long lapse = view.nextLapse(now);
    if (lapse != ClockView.FOREVER) {
      until = lapse - now;
    }
    long own = validUntil;
    if (begun && !lapsed && own != ClockView.FOREVER) {
      until = Math.min(until, own - now);
    }
    if (view.suspended() != 0) {
      until = Math.min(until, times.silence()); // the arbiter is asked again
    }
    return until;
  }

  private void about(ClockLink link, long now, List<Runnable> requests) {
    PeerClock peer = view.peer(link.node, link.epoch);
    if (link.isSilent(times, now)
        && begun
        && view.suspended() == 0
        && !peer.isSuspended()
        && link.asksToSuspend(times.silenceFor(link.usualNanos()), now)) {
      requests.add(() -> arbiter.suspend(link.node, link.epoch, peer.suspension()));
    }
    // Whatever the lease is: how long commits may wait says nothing about who is there.
    long patience = times.patienceFor(link.usualNanos(), REPORT_NANOS);
    if (link.isSilentFor(patience, now) && link.reports(REPORT_NANOS, now)) {
      requests.add(() -> arbiter.unreachable(link.node, link.epoch));
    }
  }

  /** Ends all calls; this node takes no snapshots any more. */
  @Override
  public void close() {
    List<ClockLink> all;
    synchronized (this) {
      closed = true;
      begun = false;
      validUntil = nanoTime.getAsLong();
      all = List.copyOf(links.values());
      links.clear();
    }
    all.forEach(link -> link.peer.close());
    timer.close();
  }
}
