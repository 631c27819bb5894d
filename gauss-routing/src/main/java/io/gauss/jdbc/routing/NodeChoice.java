package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.model.NodeScores;
import io.gauss.jdbc.routing.model.NodeShare;
import java.util.List;

/**
 * Chooses among nodes by their scores and loads. A node's value is its score minus its load times
 * the load's weight; the node chosen before stays unless another is better by the hysteresis, so
 * that small changes of loads and models do not move transactions and, with them, pages.
 *
 * <p>Only usable nodes count. If the node that has nearly everything is away, the others' loads
 * alone would decide among them, each time otherwise; then something else has to.
 */
final class NodeChoice {
  private NodeChoice() {}

  /**
   * @param shares nodes of the model
   * @param scores of these nodes
   * @param last number of the node chosen before, 0 for none
   * @param confidence see {@link RouterSettings#confidence}
   * @return null when no usable node stands out
   */
  static ClusterNode choose(
      List<NodeShare> shares,
      float[] scores,
      Topology topology,
      int last,
      double confidence,
      double hysteresis) {
    ClusterNode best = null;
    double highest = Double.NEGATIVE_INFINITY;
    double highestScore = 0;
    double sum = 0;
    int usable = 0;
    for (int n = 0; n < scores.length; n++) {
      ClusterNode node = topology.byNumber(shares.get(n).node());
      if (node != null && node.isUsable()) {
        highestScore = Math.max(highestScore, scores[n]);
        sum += scores[n];
        usable++;
        double value = value(shares.get(n), scores[n], node, last, hysteresis);
        if (value > highest) {
          highest = value;
          best = node;
        }
      }
    }
    return NodeScores.standsOut(highestScore, sum, usable, confidence) ? best : null;
  }

  /** The node's value: its score, less for its load, more when it was chosen before. */
  static double value(NodeShare share, float score, ClusterNode node, int last, double hysteresis) {
    double load = Double.isNaN(node.load()) ? 0 : node.load();
    return score - share.loadWeight() * load + (node.number() == last ? hysteresis : 0);
  }
}
