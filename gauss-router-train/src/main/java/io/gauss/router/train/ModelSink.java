package io.gauss.router.train;

import java.util.Map;

/**
 * Takes the results of a round of learning, publishes them to drivers and places pages accordingly.
 */
@FunctionalInterface
public interface ModelSink {
  /**
   * Called by the thread that runs the round, after each round that changed something.
   *
   * @param publication immutable; byte arrays must not be changed
   * @return false when it is not published: then it is as if the round had changed nothing, as
   *     after whatever this throws
   */
  boolean publish(RoutingPublication publication);

  /**
   * Called by the same thread in each round in which what is published, or is to be published for
   * the first time, was judged by later transactions.
   *
   * @param samples transactions by which it was judged
   * @param away by part of what was learned, the share of what they touch that has to come from
   *     other nodes if drivers choose by this part, 0 to 1; in the order in which to show them
   */
  default void judged(int samples, Map<String, Double> away) {}
}
