package io.gauss.memory.coherence;

/** What a compute node asks for. */
public enum Mode {
  /** A copy that is current until it is revoked, or ownership if nobody else has the page. */
  READ,
  /** Ownership. */
  WRITE
}
