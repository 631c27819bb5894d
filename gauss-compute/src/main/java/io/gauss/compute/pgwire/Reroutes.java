package io.gauss.compute.pgwire;

import io.gauss.common.runtime.ArrivalSet;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.tcp.HostLookup;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.ForwardedSessions;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared by connections that forward transactions to better nodes: the choice of the better node,
 * the way to reach nodes, and counters. Thread-safe.
 */
public final class Reroutes {
  private static final Logger LOG = LoggerFactory.getLogger(Reroutes.class);
  private static final int SLOTS = 64;
  private static final int OPEN_MILLIS = 2000;

  /** The list of nodes is not made for each transaction; a node that leaves says so itself. */
  private static final long HOST_LASTS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final ForwardedSessions forwarded;
  private final IntFunction<String> hosts;
  private final LongSupplier patience;
  private final RerouteCounts counts;
  private final AtomicReferenceArray<Host> lastHosts = new AtomicReferenceArray<>(SLOTS);
  private final NodeBreaker[] breakers = new NodeBreaker[SLOTS];
  private final Set<ForwardLink> links = new ArrivalSet<>();
  private final ForwardingTrials trials = new ForwardingTrials();
  private final ForwardingGain gain = new ForwardingGain(trials);
  private volatile IntPredicate unrecovered;
  private volatile LongSupplier timeOfDay;
  private volatile int openMillis = OPEN_MILLIS;
  private volatile HostLookup addresses = new HostLookup(InetAddress::getByName);
  private volatile BetterNode route;

  /**
   * @param name null = the node does not serve
   * @param nanos when that was looked up
   */
  private record Host(String name, long nanos) {}

  /**
   * @param hosts host on which the node of a slot takes clients; null when it does not serve
   * @param unrecovered whether the node that was last in a slot is dead, and transactions of it may
   *     still have locks
   * @param patience how long the cluster takes at most to find out that a node is dead, ns
   * @param timeOfDay for trials, ms since a time that is the same on all nodes
   */
  public Reroutes(
      ForwardedSessions forwarded,
      IntFunction<String> hosts,
      IntPredicate unrecovered,
      LongSupplier patience,
      LongSupplier timeOfDay,
      RerouteCounts counts) {
    this.forwarded = forwarded;
    this.hosts = hosts;
    this.unrecovered = unrecovered;
    this.patience = patience;
    this.timeOfDay = timeOfDay;
    this.counts = counts;
    Arrays.setAll(breakers, slot -> new NodeBreaker());
    forwarded.whenLost(this::lost);
  }

  /**
   * Sets the choice of the better node from now on.
   *
   * @param route null = none, and nothing is forwarded
   */
  public void route(BetterNode route) {
    this.route = route;
  }

  /** Null when nothing is forwarded. */
  BetterNode route() {
    return route;
  }

  RerouteCounts counts() {
    return counts;
  }

  ForwardingGain gain() {
    return gain;
  }

  /** Whether in this moment what mostly stays is forwarded to some nodes. */
  boolean isTrialOfGoing(long published) {
    return trials.trial(timeOfDay.getAsLong(), published) != 0;
  }

  /** See {@link ForwardingTrials#of}. */
  ForwardingTrials.Trial trial(int slot, long published) {
    return trials.of(slot, timeOfDay.getAsLong(), published);
  }

  void timeOfDay(LongSupplier millis) {
    timeOfDay = millis;
  }

  ForwardedSessions forwarded() {
    return forwarded;
  }

  /**
   * The host to connect to; null when the node does not serve, as far as was known a moment ago.
   *
   * @param now monotonic clock, ns
   */
  String host(int slot, long now) {
    if (!forwarded.has(slot)) {
      return null;
    }
    Host last = lastHosts.getAcquire(slot);
    if (last == null || now - last.nanos > HOST_LASTS_NANOS) {
      last = new Host(hosts.apply(slot), now);
      lastHosts.setRelease(slot, last);
    }
    return last.name;
  }

  // ---------------------------------------------------------------- connections

  /** How long the making of a connection to another node may take; no client waits for it. */
  int openMillis() {
    return openMillis;
  }

  void openMillis(int millis) {
    openMillis = millis;
  }

  /** For how long a session is asked to end to which the connection is lost, ns. */
  long patienceNanos() {
    return patience.getAsLong();
  }

  /** Whether a node is dead, and transactions of it may still have locks. */
  boolean isUnrecovered(int slot) {
    return unrecovered.test(slot);
  }

  void unrecovered(IntPredicate slots) {
    unrecovered = slots;
  }

  /** Finds hosts' addresses without waiting. */
  HostLookup addresses() {
    return addresses;
  }

  void addresses(HostLookup lookup) {
    addresses = lookup;
  }

  /** Whether a connection to a node may be made now; if so, its end has to be reported. */
  boolean mayOpen(int slot) {
    return breakers[slot].mayTry(Environment.nanoTime());
  }

  /** Whether another session makes a connection to a node now, which shows whether it answers. */
  boolean isTried(int slot) {
    return breakers[slot].isTrying();
  }

  /** The connection has been made. */
  void opened(int slot) {
    breakers[slot].succeeded();
  }

  /** The node could not be reached, or refused. */
  void failed(int slot, String why) {
    long pause = breakers[slot].failed(Environment.nanoTime());
    if (pause > 0) {
      LOG.info(
          "no transactions are forwarded to the node of slot {} for {} s: {}",
          slot,
          TimeUnit.NANOSECONDS.toSeconds(pause),
          why);
    }
  }

  /** The client has gone before the connection was made. */
  void givenUp(int slot) {
    breakers[slot].givenUp();
  }

  void add(ForwardLink link) {
    links.add(link);
  }

  void remove(ForwardLink link) {
    links.remove(link);
  }

  private void lost(int slot) {
    for (ForwardLink link : links) {
      if (link.slot() == slot) {
        link.nodeLost();
      }
    }
    breakers[slot].replaced();
  }
}
