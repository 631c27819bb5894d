package io.gauss.memory.coherence;

/** The right that a compute node requests. */
public enum Mode {
  /** A copy that is current until it is revoked, or ownership if no other node has the page. */
  READ,
  /** Ownership. */
  WRITE
}
