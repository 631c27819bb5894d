package io.gauss.compute.txn;

import io.gauss.compute.mtr.EngineContext;

/**
 * Makes this node find its own answers about a slot whose node is away and fully recovered: nothing
 * in its segments changes, so every node may read them.
 */
@FunctionalInterface
interface SegmentReading {
  /** Reads the slot's segments, unless they are held here already. May wait; no latch is held. */
  void read(EngineContext ctx, int slot);
}
