package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sessions whose snapshot is too old. As long as a snapshot is open, all nodes keep the undo
 * and the deleted rows that it may need, so a transaction that somebody forgot would make undo grow
 * without bound.
 *
 * <p>An age counts from the first look at which the session had the snapshot. For one thread.
 */
public final class OldSnapshots implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(OldSnapshots.class);
  private static final long WARNING_NANOS = Duration.ofMinutes(10).toNanos();

  /** Somebody who may have snapshots. Thread-safe. */
  interface Holder {
    /** A number for messages. */
    int processId();

    /** The number of the oldest snapshot that it has now, which no later one gets; 0 = none. */
    long oldestSnapshot();

    /** Ends it. Must not wait. */
    void terminate(GaussException why);
  }

  /** What was found at the last look. */
  private static final class Seen {
    final long snapshot;
    final long sinceNanos;
    boolean isWarned;
    boolean isEnded;

    Seen(long snapshot, long sinceNanos) {
      this.snapshot = snapshot;
      this.sinceNanos = sinceNanos;
    }
  }

  private final Iterable<? extends Holder> holders;
  private final Duration limit;
  private final long warningNanos;
  private final LongSupplier nanoTime;
  private final Counter ended;
  private Map<Holder, Seen> last = Map.of();

  /**
   * @param limit 0 = none is ended
   * @param nanoTime monotonic nanoseconds
   */
  public OldSnapshots(
      Iterable<? extends Holder> holders,
      Duration limit,
      LongSupplier nanoTime,
      MeterRegistry registry) {
    this.holders = holders;
    this.limit = limit;
    this.warningNanos =
        limit.isZero() ? WARNING_NANOS : Math.min(WARNING_NANOS, limit.toNanos() / 2);
    this.nanoTime = nanoTime;
    this.ended =
        Counter.builder("gauss.txn.snapshots.ended")
            .description("Sessions that were ended because of the age of their snapshot")
            .register(registry);
  }

  @Override
  public void run() {
    long now = nanoTime.getAsLong();
    Map<Holder, Seen> seen = new HashMap<>();
    for (Holder holder : holders) {
      long snapshot = holder.oldestSnapshot();
      if (snapshot != 0) {
        Seen before = last.get(holder);
        boolean isSame = before != null && before.snapshot == snapshot;
        Seen it = isSame ? before : new Seen(snapshot, now);
        seen.put(holder, it);
        judge(holder, it, now - it.sinceNanos);
      }
    }
    last = seen;
  }

  private void judge(Holder holder, Seen it, long ageNanos) {
    if (!limit.isZero() && ageNanos >= limit.toNanos() && !it.isEnded) {
      it.isEnded = true;
      ended.increment();
      LOG.warn(
          "session {} is ended: its snapshot is older than snapshot.max-age ({} s)",
          holder.processId(),
          limit.toSeconds());
      holder.terminate(
          new GaussException(
              SqlState.TRANSACTION_TIMEOUT,
              "terminating connection because its snapshot is older than %d s (snapshot.max-age)"
                  .formatted(limit.toSeconds())));
    } else if (ageNanos >= warningNanos && !it.isWarned) {
      it.isWarned = true;
      LOG.warn(
          "session {} has had a snapshot for {} s: undo and deleted rows of all nodes are kept for"
              + " it",
          holder.processId(),
          Duration.ofNanos(ageNanos).toSeconds());
    }
  }
}
