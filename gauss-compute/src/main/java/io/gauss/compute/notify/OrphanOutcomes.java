package io.gauss.compute.notify;

import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.compute.notify.Notifications.Outcomes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks what became of transactions whose node is gone and whose notifications are here, until
 * somebody knows. Thread-safe; the callback runs under the lock of {@link Notifications}.
 */
final class OrphanOutcomes {
  private static final Logger LOG = LoggerFactory.getLogger(OrphanOutcomes.class);

  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 500;
  private static final long SAY_SO_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Lock lock;
  private final Decision decision;
  private volatile Outcomes outcomes;
  private volatile boolean isStopped;

  // Under the lock.
  private final List<Arrival> orphans = new ArrayList<>();
  private boolean isAsking;

  // Of the one thread that asks.
  private long pauseMillis;
  private boolean hasSaidSo;
  private long saidSo;

  /** What is to be done when an outcome is known. */
  interface Decision {
    void decide(Arrival arrival, boolean isCommitted);
  }

  OrphanOutcomes(Lock lock, Decision decision) {
    this.lock = lock;
    this.decision = decision;
  }

  void begin(Outcomes itsOutcomes) {
    outcomes = itsOutcomes;
  }

  /** The node ends: nothing is asked any more. */
  void stop() {
    isStopped = true;
  }

  /** Under the lock: asks about these, too. */
  void add(List<Arrival> more) {
    orphans.addAll(more);
    if (!orphans.isEmpty() && !isAsking) {
      isAsking = true;
      pauseMillis = FIRST_PAUSE_MILLIS;
      Later.NOW.execute(this::ask);
    }
  }

  private void ask() {
    List<Arrival> asked;
    lock.lock();
    try {
      asked = List.copyOf(orphans);
    } finally {
      lock.unlock();
    }
    RuntimeException why = null;
    boolean isAnswered = false;
    for (Arrival arrival : asked) {
      try {
        Boolean isCommitted = outcomes.isCommitted(arrival.xid);
        if (isCommitted != null) {
          isAnswered = true;
          resolve(arrival, isCommitted);
        }
      } catch (RuntimeException e) {
        why = e;
      }
    }
    if (why != null && !isStopped) {
      sayNowAndThen(asked.size(), why);
    }
    askAgain(isAnswered);
  }

  private void resolve(Arrival arrival, boolean isCommitted) {
    lock.lock();
    try {
      orphans.remove(arrival);
      decision.decide(arrival, isCommitted);
    } finally {
      lock.unlock();
    }
  }

  private void sayNowAndThen(int asked, RuntimeException why) {
    long now = Environment.nanoTime();
    if (!hasSaidSo || now - saidSo > SAY_SO_NANOS) {
      hasSaidSo = true;
      saidSo = now;
      LOG.info(
          "outcomes of up to {} transactions of nodes that are gone are not known yet, which"
              + " notifications wait for: {}",
          asked,
          why.getMessage());
    }
    LOG.debug("an outcome is not known yet", why);
  }

  private void askAgain(boolean isAnswered) {
    lock.lock();
    try {
      isAsking = !orphans.isEmpty() && !isStopped;
      if (isAsking) {
        pauseMillis =
            isAnswered ? FIRST_PAUSE_MILLIS : Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        Later.run(pauseMillis, TimeUnit.MILLISECONDS, this::ask);
      }
    } finally {
      lock.unlock();
    }
  }
}
