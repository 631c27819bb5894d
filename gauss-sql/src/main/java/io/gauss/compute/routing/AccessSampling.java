package io.gauss.compute.routing;

import io.gauss.common.runtime.ArrivalSet;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.RoutingMode;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Samples of this node's transactions, a few a second at any load, of which each role has its
 * share, and counts of all transactions. Thread-safe; {@link #adapt} by one thread.
 */
public final class AccessSampling {
  /** Placement is of use while a transaction that follows it has run within this time. */
  static final long FOLLOWED_NANOS = 30_000_000_000L;

  /** Number of samples kept for views and for collection. */
  static final int KEPT = 1024;

  private final IntSupplier self;
  private final boolean isOn;
  private final SamplingShares shares; // under the lock of closed
  private final LongSupplier nanos;
  private final LongSupplier micros;
  private final SplittableRandom random; // under its own lock
  private final SampleRing ring = new SampleRing(KEPT);
  private final Queue<TouchedPages> idle = new ConcurrentLinkedQueue<>();
  private final Set<TransactionSampler> sessions = new ArrivalSet<>();
  private final Map<RoutingMode, RoutingCounts> closed = new EnumMap<>(RoutingMode.class); // locked
  private final Map<Integer, Long> closedByRole = new HashMap<>(); // transactions; as closed
  private final StayingGroups staying = new StayingGroups();
  private long closedServing; // transactions of sessions that served other nodes; as closed
  private final Map<Integer, Long> closedChoosing = new HashMap<>(); // that may follow; by role

  // With those of open sessions, when they were counted last; as closed.
  private long serving;
  private final Map<Integer, Long> choosing = new HashMap<>();

  private volatile long followedNanos;
  private volatile Set<Integer> seeNothing = Set.of(); // roles, as of the last second
  private volatile IntPredicate sees = role -> true;

  /**
   * @param self slot of this node
   * @param perSecond samples wanted; 0 = none
   * @param nanos as {@link System#nanoTime}
   * @param micros wall clock, µs since 2000-01-01 UTC
   */
  public AccessSampling(
      IntSupplier self, int perSecond, LongSupplier nanos, LongSupplier micros, long seed) {
    this.self = self;
    this.isOn = perSecond > 0;
    this.shares = new SamplingShares(perSecond, nanos.getAsLong());
    this.nanos = nanos;
    this.micros = micros;
    this.random = new SplittableRandom(seed);
    this.followedNanos = nanos.getAsLong() - FOLLOWED_NANOS - 1; // nobody has yet
  }

  /**
   * Sets which roles see anything of what is published. Drivers of others choose nodes as if
   * nothing had been learned, whatever mode they tell. Called once, before sessions begin.
   *
   * @param readers neither waits nor throws; called about once a second, by one thread
   */
  public void seenBy(IntPredicate readers) {
    sees = readers;
  }

  /** Creates the sampler of a new session, which closes it. */
  public TransactionSampler session(EngineContext context) {
    SplittableRandom own;
    synchronized (random) {
      own = random.split();
    }
    synchronized (closed) {
      TransactionSampler sampler = new TransactionSampler(this, context, own);
      sessions.add(sampler);
      return sampler;
    }
  }

  /** Adapts the share of transactions that is sampled to the load. Runs once a second. */
  void adapt() {
    Set<Integer> blind = choosingRoles();
    blind.removeIf(sees::test);
    synchronized (closed) {
      seeNothing = blind; // which nobody changes any more
      Map<Integer, Long> transactions = new HashMap<>(closedByRole);
      Set<Integer> present = new HashSet<>();
      for (TransactionSampler session : sessions) {
        transactions.merge(session.role(), session.transactions(), Long::sum);
        present.add(session.role());
      }
      if (isFollowedAgain(blind)) {
        followedNanos = nanos.getAsLong();
      }
      shares.adapt(transactions, present, nanos.getAsLong());
      closedByRole.keySet().retainAll(shares.roles());
      closedChoosing.keySet().retainAll(shares.roles());
      choosing.keySet().retainAll(shares.roles()); // or their next ones would not be noticed
    }
  }

  /**
   * Whether a transaction has come since the last time because of what is published. Those of a
   * role that sees nothing are counted as well: by being granted something it has not followed yet.
   * To be called under the lock of {@link #closed}.
   */
  private boolean isFollowedAgain(Set<Integer> blind) {
    long served = closedServing;
    Map<Integer, Long> chose = new HashMap<>(closedChoosing);
    for (TransactionSampler session : sessions) {
      if (session.servesOther()) {
        served += session.transactions();
      } else {
        chose.merge(session.role(), session.choosing(), Long::sum);
      }
    }
    boolean isFollowed = served > serving;
    for (Map.Entry<Integer, Long> role : chose.entrySet()) {
      boolean isMore = role.getValue() > choosing.getOrDefault(role.getKey(), 0L);
      isFollowed |= isMore && !blind.contains(role.getKey());
    }
    serving = served;
    choosing.clear();
    choosing.putAll(chose);
    return isFollowed;
  }

  /** Roles of which clients choose nodes by what is published, if they see any of it. */
  private Set<Integer> choosingRoles() {
    synchronized (closed) {
      Set<Integer> roles = new HashSet<>(closedChoosing.keySet());
      for (TransactionSampler session : sessions) {
        if (session.mode().follows() || session.choosing() > 0) {
          roles.add(session.role());
        }
      }
      return roles;
    }
  }

  /** Whether a role sees anything of what is published; a new one is taken to. */
  boolean sees(int role) {
    return !seeNothing.contains(role);
  }

  /** Samples that are kept here, oldest first. */
  public List<AccessSample> samples() {
    return ring.all();
  }

  /** The oldest samples that have not been collected yet. */
  List<AccessSample> collect(int most) {
    return ring.take(most);
  }

  /** Samples so far. */
  public long sampled() {
    return ring.added();
  }

  /** Samples that were overwritten before they were collected. */
  long dropped() {
    return ring.dropped();
  }

  /** Mean number of transactions from one sample to the next. */
  public double interval() {
    synchronized (closed) {
      return shares.interval();
    }
  }

  /** The counts so far, by the way clients choose nodes; unused modes are left out. */
  public Map<RoutingMode, RoutingCounts> counts() {
    Map<RoutingMode, RoutingCounts> all;
    synchronized (closed) {
      all = new EnumMap<>(closed);
      // While the lock is held, no session moves from one to the other.
      for (TransactionSampler session : sessions) {
        all.merge(session.mode(), session.counts(), RoutingCounts::plus);
      }
    }
    return all;
  }

  /**
   * A session continues in another mode.
   *
   * @param change of the session; nobody counts its transactions twice, or not at all
   */
  void add(RoutingMode mode, RoutingCounts counts, Runnable change) {
    synchronized (closed) {
      closed.merge(mode, counts, RoutingCounts::plus);
      change.run();
    }
  }

  /** The session's user is known. */
  void enter(TransactionSampler session, int role) {
    synchronized (closed) {
      session.role(role, shares.of(role));
    }
  }

  void closed(TransactionSampler session) {
    synchronized (closed) {
      if (sessions.remove(session)) {
        closed.merge(session.mode(), session.counts(), RoutingCounts::plus);
        closedByRole.merge(session.role(), session.transactions(), Long::sum);
        if (session.servesOther()) {
          closedServing += session.transactions();
        } else if (session.choosing() > 0) {
          closedChoosing.merge(session.role(), session.choosing(), Long::sum);
        }
      }
    }
  }

  /**
   * @param isFollowing whether it is of a transaction that came because of what is published
   */
  void add(boolean isFollowing, AccessSample sample) {
    ring.add(sample);
    if (!isFollowing && sample.isComplete()) {
      staying.use(sample.groups(), nanos.getAsLong()); // one that reads all of a table uses nothing
    }
  }

  /**
   * Whether transactions have come here lately because of what is published, to which pages may be
   * brought ahead of them.
   */
  public boolean isFollowed() {
    return nanos.getAsLong() - followedNanos <= FOLLOWED_NANOS;
  }

  /**
   * The groups that transactions use here now that do not go elsewhere with their pages; all groups
   * where nothing is sampled, since any may be used.
   */
  LongPredicate usedByOthers() {
    if (!isOn) {
      return group -> true;
    }
    long now = nanos.getAsLong();
    return group -> staying.contains(group, now);
  }

  TouchedPages takePages() {
    TouchedPages found = idle.poll();
    return found == null ? new TouchedPages() : found;
  }

  void giveBack(TouchedPages pages) {
    pages.clear();
    idle.add(pages);
  }

  /** To be called under the lock of {@link #closed}. */
  SamplingRate rate(int role) {
    return shares.of(role);
  }

  int self() {
    return self.getAsInt();
  }

  long nowNanos() {
    return nanos.getAsLong();
  }

  long nowMicros() {
    return micros.getAsLong();
  }
}
