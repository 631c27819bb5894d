package io.gauss.bench;

/** To which of several nodes the transactions of a terminal go. */
public enum Placement {
  /** All to one; terminals of the same {@link Workload#group} share the node. */
  PINNED,

  /** Each to a random node. */
  SPRAYED
}
