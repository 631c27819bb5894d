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
 * earlier each time, until it meets them. One that is urgent waits for nothing but the proposal
 * that is under way, and takes along those that wait.
 *
 * <p>Thread-safe.
 */
final class RenewalBatch {
  /** Part of a period in which renewals wait for its end; also what holders renew early by. */
  static final int GATHERED_PART = 10;

  /** A renewal waits for at most this part of the node's lease. */
  static final int LEASE_PART = 30;

  private final ReplicatedLog log;
  private final LongSupplier version;
  private final Periods periods;
  private List<Waiting> gathered = new ArrayList<>();
  private boolean underWay;
  private boolean awaited;
  private boolean hurried; // what is gathered does not wait for the end of the period

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

  /**
   * @param mostNanos what it may wait at most for others; 0 = it is urgent
   */
  CompletableFuture<MapAnswer> add(MapCommand.Renewal renewal, long mostNanos) {
    Waiting waiting = new Waiting(renewal, new CompletableFuture<>());
    long wait = waitNanos();
    List<Waiting> batch;
    synchronized (this) {
      gathered.add(waiting);
      hurried |= wait > mostNanos || mostNanos == 0;
      if (!hurried && !awaited) {
        awaited = wait > 0 && periods.later(this::periodEnds, wait);
      }
      batch = next();
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
    if (underWay || awaited && !hurried || gathered.isEmpty()) {
      return List.of();
    }
    underWay = true;
    hurried = false;
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
    answer(batch, outcome);
    propose(next);
  }

  private void answer(List<Waiting> batch, ReplicatedLog.Proposed outcome) {
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
