package io.gauss.storage.map.client;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.EpochGuard;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's lease, on the node's side (law 10: no lease, no answer).
 *
 * <p>It is valid until the time at which the last granted renewal was <i>sent</i>, plus the lease's
 * duration, by this machine's monotonic clock. The granter counts from a later time and adds a
 * margin.
 *
 * <p>An expired lease is still renewed. A granted renewal was committed after the expiry, so the
 * epoch had not been declared dead by then, and no other node has received the node's pages and
 * locks. Until the renewal the node answers no one. When a renewal is refused the lease is over for
 * good: the node joins again, under another epoch, with another holder.
 *
 * <p>{@link #isValid} is called for every statement: one volatile read and one reading of the
 * clock. Thread-safe.
 */
final class LeaseHolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseHolder.class);

  /** A renewal that failed is repeated after this part of the interval. */
  private static final int RETRIES_PER_INTERVAL = 8;

  /**
   * The next renewal is sent this part of the interval before it is due, counted from the answer to
   * the last one: the leader answers all nodes' renewals together, and has them come back together.
   */
  private static final int EARLY_PART = 10;

  private final long durationNanos;
  private final long intervalNanos;
  private final LongSupplier nanoTime;
  private final Renewer renewer;
  private final Consumer<String> lost;
  private volatile long validUntil;

  // Guarded by this.
  private long number;
  private long nextRenewal;
  private boolean over;
  private boolean lapsed;
  private Thread thread;

  /** Sends renewals to the leader of the cluster map. */
  @FunctionalInterface
  interface Renewer {
    /** Completes when the renewal is committed or refused. Must not block. */
    CompletableFuture<RenewalAnswer> renew(long number);
  }

  /**
   * A lease that begins with a registration.
   *
   * @param durationNanos from the answer to the registration
   * @param intervalNanos between renewals
   * @param sentNanos reading of {@code nanoTime} before the registration was sent
   * @param lost called once, promptly, when the lease is over for good, with the reason; not after
   *     {@link #close}. Runs on the renewal thread or the one that delivered the answer; must not
   *     block
   */
  LeaseHolder(
      long durationNanos,
      long intervalNanos,
      long sentNanos,
      LongSupplier nanoTime,
      Renewer renewer,
      Consumer<String> lost) {
    this.durationNanos = durationNanos;
    this.intervalNanos = intervalNanos;
    this.nanoTime = nanoTime;
    this.renewer = renewer;
    this.lost = lost;
    this.validUntil = sentNanos + durationNanos;
    this.nextRenewal = sentNanos + intervalNanos;
    this.lapsed = !isValid(); // a registration may take longer than a lease
  }

  /** Starts the renewal thread. */
  synchronized void start(String threadName) {
    thread = Environment.start(threadName, this::run);
  }

  private void run() {
    while (true) {
      long wait = tick();
      if (wait < 0) {
        return;
      }
      Environment.parkNanos(this, wait);
    }
  }

  /** True while the node may answer and serve. */
  boolean isValid() {
    return nanoTime.getAsLong() - validUntil < 0;
  }

  /**
   * Sends a renewal if one is due.
   *
   * @return nanoseconds until something is due again, -1 when nothing ever is
   */
  long tick() {
    long mine;
    long now;
    synchronized (this) {
      now = nanoTime.getAsLong();
      if (over) {
        return -1;
      }
      noteLapse(now);
      if (now - nextRenewal < 0) {
        return nextRenewal - now;
      }
      mine = ++number;
      nextRenewal = now + intervalNanos;
    }
    send(mine, now);
    return Math.max(0, now + earlyInterval() - nanoTime.getAsLong());
  }

  private long earlyInterval() {
    return intervalNanos - intervalNanos / EARLY_PART;
  }

  private void noteLapse(long now) {
    if (now - validUntil >= 0 && !lapsed) {
      lapsed = true;
      LOG.error("the lease has run out: nothing is answered until it is renewed");
    }
  }

  private void send(long mine, long sent) {
    CompletableFuture<RenewalAnswer> answer;
    try {
      answer = renewer.renew(mine);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    answer.whenComplete((what, failure) -> answered(mine, sent, what, failure));
  }

  private void answered(long mine, long sent, RenewalAnswer answer, Throwable failure) {
    if (failure != null && saysDead(failure)) {
      // Nodes that know of the death refuse this process, so it cannot learn of it from the map.
      lose("the cluster has declared this epoch dead");
      return;
    }
    if (failure != null) {
      LOG.debug("renewal {} failed", mine, failure);
      renewSoon();
      return;
    }
    switch (answer) {
      case GRANTED -> extend(mine, sent);
      case DEAD -> lose("the cluster map has declared this epoch dead");
      case EVICTED -> lose("the cluster map has evicted this node");
    }
  }

  private static boolean saysDead(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof GaussException e && e.state() == EpochGuard.DEAD;
  }

  private synchronized void extend(long mine, long sent) {
    long until = sent + durationNanos;
    if (mine == number) {
      // From the answer, so that renewals of nodes meet (RenewalBatch), but only if it came soon:
      // one that this process was too slow to read says nothing of how long the lease still is.
      long latest = sent + intervalNanos + intervalNanos / EARLY_PART;
      nextRenewal = Math.min(nanoTime.getAsLong() + earlyInterval(), latest);
      LockSupport.unpark(thread);
    }
    if (!over && until - validUntil > 0) {
      validUntil = until;
      if (lapsed && isValid()) {
        lapsed = false;
        LOG.info("the lease is renewed: this node answers again");
      }
    }
  }

  private synchronized void renewSoon() {
    long soon = nanoTime.getAsLong() + intervalNanos / RETRIES_PER_INTERVAL;
    if (soon - nextRenewal < 0) {
      nextRenewal = soon;
      LockSupport.unpark(thread);
    }
  }

  /** Ends the lease, after its end was learned in another way. */
  void revoke(String why) {
    lose(why);
  }

  private void lose(String why) {
    if (end()) {
      lost.accept(why);
    }
  }

  /** True for the caller that ended it. */
  private synchronized boolean end() {
    if (over) {
      return false;
    }
    over = true;
    long now = nanoTime.getAsLong();
    if (now - validUntil < 0) {
      validUntil = now;
    }
    LockSupport.unpark(thread);
    return true;
  }

  /** Ends the lease at once on this side; the cluster is not informed. */
  @Override
  public void close() {
    end();
  }
}
