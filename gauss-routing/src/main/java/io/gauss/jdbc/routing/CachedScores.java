package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.model.ModelSnapshot;

/**
 * A model's scores for a statement, and the node to which transactions that begin with it went
 * last.
 */
final class CachedScores {
  /**
   * The model that computed the scores. An older model's entry still tells where transactions went.
   */
  final ModelSnapshot snapshot;

  /** By node of the model; null when the model does not know. */
  final float[] scores;

  /**
   * Number of the node chosen last; 0 for none. Concurrent writers may lose a choice: then
   * hysteresis is weaker once.
   */
  volatile int last;

  CachedScores(ModelSnapshot snapshot, float[] scores, int last) {
    this.snapshot = snapshot;
    this.scores = scores;
    this.last = last;
  }
}
