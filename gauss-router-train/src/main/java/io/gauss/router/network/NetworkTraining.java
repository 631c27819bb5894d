package io.gauss.router.network;

import java.util.function.BooleanSupplier;

/** A way to train a network. All ways have the same results, but for rounding. */
@FunctionalInterface
public interface NetworkTraining {
  /**
   * Trains until the task's steps are done, its time is over, or {@code isEnough} returns true,
   * which is called from time to time by the calling thread.
   *
   * @throws IllegalStateException when training diverges
   */
  TrainedNetwork train(TrainingTask task, BooleanSupplier isEnough);
}
