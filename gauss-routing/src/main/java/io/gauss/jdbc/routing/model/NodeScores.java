package io.gauss.jdbc.routing.model;

/**
 * How suitable each node is: the share that the node owns of the pages that a transaction will
 * probably touch.
 *
 * <p>That is the cosine between the two, with all nodes' vectors taken as equally long. With their
 * own lengths, a node that owns little would be preferred for pages of which several nodes own a
 * part.
 */
public final class NodeScores {
  /**
   * By how much the best score must exceed the mean of the others for the model to know, unless the
   * driver's property {@code routing.confidence} says something else.
   */
  public static final double CONFIDENCE = 0.05;

  private final RoutingModel model;

  NodeScores(RoutingModel model) {
    this.model = model;
  }

  /**
   * @param touched probability by range of page groups
   * @return for each of the model's nodes its share, 0 to 1; they add up to 1, or are all 0 when no
   *     node owns any of it
   */
  float[] of(float[] touched) {
    float[] scores = new float[model.nodes().size()];
    double sum = 0;
    for (int n = 0; n < scores.length; n++) {
      float[] owned = model.nodes().get(n).owned();
      double product = 0;
      for (int g = 0; g < touched.length; g++) {
        product += touched[g] * owned[g];
      }
      scores[n] = (float) product;
      sum += product;
    }
    for (int n = 0; n < scores.length && sum > 0; n++) {
      scores[n] /= (float) sum;
    }
    return scores;
  }

  /**
   * Whether the best score exceeds the mean of the others by enough for the model to know; with one
   * node it always does.
   */
  static boolean standOut(float[] scores, double confidence) {
    double sum = 0;
    double best = 0;
    for (float score : scores) {
      sum += score;
      best = Math.max(best, score);
    }
    return standsOut(best, sum, scores.length, confidence);
  }

  /**
   * The same for some of the nodes: of those that a transaction can go to.
   *
   * @param best highest score of them
   * @param sum of their scores
   */
  public static boolean standsOut(double best, double sum, int nodes, double confidence) {
    return nodes < 2 ? nodes == 1 : best > 0 && best - (sum - best) / (nodes - 1) >= confidence;
  }

  /**
   * The place of the best score, where no load counts; -1 when none stands out.
   *
   * @param scores null = the model does not know
   */
  public static int best(float[] scores, double confidence) {
    if (scores == null || !standOut(scores, confidence)) {
      return -1;
    }
    int best = 0;
    for (int n = 1; n < scores.length; n++) {
      best = scores[n] > scores[best] ? n : best;
    }
    return best;
  }
}
