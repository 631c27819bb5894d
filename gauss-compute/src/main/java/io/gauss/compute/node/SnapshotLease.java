package io.gauss.compute.node;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.cluster.clock.CommitBroadcast;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.SnapshotGate;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;

/**
 * No snapshots without a clock lease (rule 6). Statements wait for it to come back, which it does
 * when all other compute nodes have answered. Thread-safe.
 */
final class SnapshotLease implements SnapshotGate {
  private static final long LOOK_NANOS = 1_000_000;

  private final CommitBroadcast broadcast;
  private final long patienceNanos;

  SnapshotLease(CommitBroadcast broadcast, long patienceNanos) {
    this.broadcast = broadcast;
    this.patienceNanos = patienceNanos;
  }

  @Override
  public void pass(EngineContext ctx) {
    if (!broadcast.isValid()) {
      await(ctx);
    }
  }

  private void await(EngineContext ctx) {
    ctx.waits().beforeWait();
    long start = Environment.nanoTime();
    while (!broadcast.isValid()) {
      if (Environment.nanoTime() - start > patienceNanos) {
        throw broadcast.why();
      }
      Parking.await(ctx, WaitCause.CLOCK, LOOK_NANOS, broadcast::isValid);
    }
  }
}
