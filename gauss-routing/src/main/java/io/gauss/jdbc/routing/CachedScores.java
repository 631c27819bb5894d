package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.model.ModelSnapshot;

/** A model's scores for a statement, and where transactions that begin with it went last. */
final class CachedScores {
  /** Whose scores they are. Those of an older model still say where transactions went. */
  final ModelSnapshot snapshot;

  /** By node of the model; null when the model does not know. */
  final float[] scores;

  /**
   * Number of the node chosen last; 0 for none. Threads that write it at once may lose a choice:
   * hysteresis is weaker then, once.
   */
  volatile int last;

  CachedScores(ModelSnapshot snapshot, float[] scores, int last) {
    this.snapshot = snapshot;
    this.scores = scores;
    this.last = last;
  }
}
