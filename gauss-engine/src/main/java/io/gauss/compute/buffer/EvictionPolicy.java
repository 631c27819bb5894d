package io.gauss.compute.buffer;

/** Chooses which frame to try next for eviction. Called by many threads. */
interface EvictionPolicy {

  /** A page in the frame was used. Called on every access: as cheap as a plain write. */
  void used(int frame);

  /** The next frame whose turn it is, or -1 when the frame just checked gets another chance. */
  int candidate();

  /** Upper bound of {@link #candidate} calls after which every frame was proposed at least once. */
  int patience();
}
