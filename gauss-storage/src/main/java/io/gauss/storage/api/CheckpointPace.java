package io.gauss.storage.api;

/** Slows a checkpoint down, so that it takes its share of disk and processor over a longer time. */
@FunctionalInterface
public interface CheckpointPace {
  /** No pauses. */
  CheckpointPace FULL_SPEED = (written, all) -> {};

  /**
   * Waits until it is time for the next pages. The caller holds no resource that other threads
   * need.
   *
   * @param written pages done so far
   * @param all pages to do
   */
  void await(int written, int all);
}
