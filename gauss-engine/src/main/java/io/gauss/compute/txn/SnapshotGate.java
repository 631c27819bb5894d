package io.gauss.compute.txn;

import io.gauss.compute.mtr.EngineContext;

/**
 * Whether this node may take snapshots now (rule 6). Asked before the clock is read: whatever was
 * acknowledged anywhere before it said yes is at or below the clock. Thread-safe.
 */
@FunctionalInterface
public interface SnapshotGate {
  /** Of a node that is alone. */
  SnapshotGate OPEN = ctx -> {};

  /**
   * Returns when a snapshot may be taken; at once as a rule, for this is on the path of every
   * statement.
   *
   * @throws io.gauss.common.error.GaussException 57P03 when it may not for too long, or never more
   */
  void pass(EngineContext ctx);
}
