package io.gauss.jdbc.routing.model;

/**
 * How well each node suits: the cosine between the pages that a transaction will probably touch and
 * the pages that the node owns.
 */
public final class NodeScores {
  private final RoutingModel model;
  private final double[] norms;

  public NodeScores(RoutingModel model) {
    this.model = model;
    this.norms = new double[model.nodes().size()];
    for (int n = 0; n < norms.length; n++) {
      double sum = 0;
      for (float share : model.nodes().get(n).owned()) {
        sum += (double) share * share;
      }
      norms[n] = Math.sqrt(sum);
    }
  }

  /**
   * @param touched probability by range of page groups
   * @return for each of the model's nodes the cosine, 0 to 1
   */
  public float[] of(float[] touched) {
    double norm = 0;
    for (float p : touched) {
      norm += (double) p * p;
    }
    norm = Math.sqrt(norm);
    float[] scores = new float[norms.length];
    for (int n = 0; n < norms.length; n++) {
      float[] owned = model.nodes().get(n).owned();
      double product = 0;
      for (int g = 0; g < touched.length; g++) {
        product += touched[g] * owned[g];
      }
      double length = norm * norms[n];
      scores[n] = length > 0 ? (float) (product / length) : 0;
    }
    return scores;
  }
}
