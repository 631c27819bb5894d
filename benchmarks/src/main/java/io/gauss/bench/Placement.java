package io.gauss.bench;

/** Which of several nodes the transactions of a terminal go to. */
public enum Placement {
  /** All to one; terminals of the same {@link Workload#group} share theirs. */
  PINNED,

  /** Each to a node at random. */
  SPRAYED
}
