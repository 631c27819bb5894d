package io.gauss.router.network;

import io.gauss.jdbc.routing.model.Layer;
import java.util.List;

/**
 * A network to train.
 *
 * @param layers from whose weights training goes on
 * @param rows to train on, at least one
 * @param steps at most
 * @param millis that training may take, ms; starting an engine does not count
 * @param seed of the random choices
 * @param isUrgent whether little training now is better than more training later
 */
public record TrainingTask(
    List<Layer> layers, TrainingRows rows, int steps, long millis, long seed, boolean isUrgent) {
  public TrainingTask {
    layers = List.copyOf(layers);
    boolean fits =
        !layers.isEmpty()
            && layers.getFirst().inputs() == rows.inputs()
            && layers.getLast().outputs() == rows.outputs();
    for (int i = 1; i < layers.size(); i++) {
      fits &= layers.get(i).inputs() == layers.get(i - 1).outputs();
    }
    if (!fits || rows.size() == 0 || steps < 0 || millis < 0) {
      throw new IllegalArgumentException(
          "%d layers, %d rows of %d and %d, %d steps in %d ms"
              .formatted(layers.size(), rows.size(), rows.inputs(), rows.outputs(), steps, millis));
    }
  }
}
