package io.gauss.compute.pgwire;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.ForwardedSessions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared by connections that forward transactions to better nodes: the choice of the better node,
 * the way to reach nodes, and counters. Thread-safe.
 */
public final class Reroutes {
  private static final Logger LOG = LoggerFactory.getLogger(Reroutes.class);

  /** How long a node that could not be reached is not tried again. */
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int SLOTS = 64;

  private final ForwardedSessions forwarded;
  private final IntFunction<String> hosts;
  private final RerouteCounts counts;
  private final AtomicLongArray restsUntil = new AtomicLongArray(SLOTS);
  private volatile BetterNode route;

  /**
   * @param hosts host on which the node of a slot takes clients; null when it does not serve
   */
  public Reroutes(ForwardedSessions forwarded, IntFunction<String> hosts, RerouteCounts counts) {
    this.forwarded = forwarded;
    this.hosts = hosts;
    this.counts = counts;
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

  ForwardedSessions forwarded() {
    return forwarded;
  }

  /** The host to connect to; null when the node does not serve, or should not be tried now. */
  String host(int slot) {
    boolean rests = restsUntil.get(slot) != 0 && Environment.nanoTime() - restsUntil.get(slot) < 0;
    return rests || !forwarded.has(slot) ? null : hosts.apply(slot);
  }

  /** The node could not be reached; logged once for each pause. */
  void failed(int slot, String why) {
    long now = Environment.nanoTime();
    long before = restsUntil.getAndSet(slot, now + REST_NANOS | 1);
    if (before == 0 || now - before >= 0) {
      LOG.info("no transactions are forwarded to the node of slot {} for a while: {}", slot, why);
    }
  }
}
