package io.gauss.storage.map.service;

import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.message.MapAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Gathers renewals, so that those of a whole cluster cost about one log entry a period.
 *
 * <p>Time is divided into periods, one for each renewal of a node. Renewals that come in the last
 * tenth of a period wait for its end, and are proposed together; all others are proposed at once,
 * or with the next proposal when one is under way. A node renews again nine tenths of a period
 * after it was answered ({@code LeaseHolder}): one whose renewal waited comes back in the last
 * tenth, together with those that waited with it, and one whose renewal did not wait comes a tenth
 * earlier each time, until it meets them.
 *
 * <p>Thread-safe.
 */
final class RenewalBatch {
  /** Part of a period in which renewals wait for its end; also what holders renew early by. */
  static final int GATHERED_PART = 10;

  private final ReplicatedLog log;
  private final LongSupplier version;
  private final Periods periods;
  private List<Waiting> gathered = new ArrayList<>();
  private boolean underWay;
  private boolean awaited;

  private record Waiting(MapCommand.Renewal renewal, CompletableFuture<MapAnswer> answer) {}

  /** The time between two renewals of a node. */
  interface Periods {
    /** A reading of a monotonic clock. */
    long nowNanos();

    long lengthNanos();

    /** Runs the task later; false when there is no later, since this node ends. */
    boolean later(Runnable task, long nanos);
  }

  RenewalBatch(ReplicatedLog log, LongSupplier version, Periods periods) {
    this.log = log;
    this.version = version;
    this.periods = periods;
  }

  CompletableFuture<MapAnswer> add(MapCommand.Renewal renewal) {
    Waiting waiting = new Waiting(renewal, new CompletableFuture<>());
    long wait = waitNanos();
    List<Waiting> batch = List.of();
    synchronized (this) {
      gathered.add(waiting);
      if (awaited) {
        return waiting.answer();
      }
      awaited = wait > 0 && periods.later(this::periodEnds, wait);
      if (!awaited) {
        batch = next();
      }
    }
    propose(batch);
    return waiting.answer();
  }

  /** Time until the end of this period in its last part, 0 before. */
  private long waitNanos() {
    long period = periods.lengthNanos();
    long left = period - Math.floorMod(periods.nowNanos(), period);
    return left <= period / GATHERED_PART ? left : 0;
  }

  private void periodEnds() {
    List<Waiting> batch;
    synchronized (this) {
      awaited = false;
      batch = next();
    }
    propose(batch);
  }

  /** The renewals to propose now; empty when there are none, or there is something to wait for. */
  private synchronized List<Waiting> next() {
    if (underWay || awaited || gathered.isEmpty()) {
      return List.of();
    }
    underWay = true;
    List<Waiting> batch = gathered;
    gathered = new ArrayList<>();
    return batch;
  }

  private void propose(List<Waiting> batch) {
    if (batch.isEmpty()) {
      return;
    }
    MapCommand command = new MapCommand.RenewLeases(batch.stream().map(Waiting::renewal).toList());
    log.propose(MapCommandCodec.encode(command)).thenAccept(outcome -> done(batch, outcome));
  }

  private void done(List<Waiting> batch, ReplicatedLog.Proposed outcome) {
    List<Waiting> next;
    synchronized (this) {
      underWay = false;
      next = next();
    }
    propose(next);
    if (outcome instanceof ReplicatedLog.Proposed.Applied applied
        && MapResultCodec.decode(applied.result()) instanceof MapResult.Renewed renewed) {
      for (int i = 0; i < batch.size(); i++) {
        MapResult own = new MapResult.Renewed(List.of(renewed.answers().get(i)));
        batch.get(i).answer().complete(new MapAnswer.Result(own, version.getAsLong()));
      }
    } else {
      int leader = log.leader().orElse(0);
      batch.forEach(w -> w.answer().complete(new MapAnswer.NotLeader(leader)));
    }
  }
}
