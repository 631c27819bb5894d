package io.gauss.compute.node;

import io.gauss.compute.cluster.clock.CommitBroadcast;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.SnapshotGate;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * No snapshots without a clock lease (rule 6). Statements wait for it to come back, which it does
 * when all other compute nodes have answered. They are woken then: on a node that lost its lease
 * because it has too much to do, hundreds of sessions that keep looking would be still more of it.
 * Thread-safe; one for a broadcast.
 */
final class SnapshotLease implements SnapshotGate {
  private final CommitBroadcast broadcast;
  private final long patienceNanos;
  private final ConcurrentLinkedQueue<Thread> waiting = new ConcurrentLinkedQueue<>();

  SnapshotLease(CommitBroadcast broadcast, long patienceNanos) {
    this.broadcast = broadcast;
    this.patienceNanos = patienceNanos;
    ConcurrentLinkedQueue<Thread> woken = waiting;
    broadcast.onValid(() -> woken.forEach(LockSupport::unpark));
  }

  @Override
  public void pass(EngineContext ctx) {
    if (!broadcast.isValid()) {
      await(ctx);
    }
  }

  private void await(EngineContext ctx) {
    ctx.waits().beforeWait();
    Thread thread = Thread.currentThread();
    waiting.add(thread); // before it looks again
    try {
      if (!Parking.await(ctx, WaitCause.CLOCK, patienceNanos, broadcast::isValid)) {
        throw broadcast.why();
      }
    } finally {
      waiting.remove(thread);
    }
  }
}
