package io.gauss.compute.txn;

import io.gauss.compute.mtr.EngineContext;

/**
 * Whether this node may take snapshots now (rule 6). Asked before the clock is read: every commit
 * acknowledged anywhere before it permits a snapshot is at or below the clock. Thread-safe.
 */
@FunctionalInterface
public interface SnapshotGate {
  /** Of a node that is alone. */
  SnapshotGate OPEN = ctx -> {};

  /**
   * Returns when a snapshot may be taken; at once as a rule, since every statement calls it.
   *
   * @throws io.gauss.common.error.GaussException 57P03 when it may not for too long, or never again
   */
  void pass(EngineContext ctx);
}
