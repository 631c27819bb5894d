package io.gauss.router.train;

/**
 * Takes the results of a round of learning, publishes them to drivers and places pages accordingly.
 */
@FunctionalInterface
public interface ModelSink {
  /**
   * Called by the thread that runs the round, after each round that changed something.
   *
   * @param publication immutable; byte arrays must not be changed
   */
  void publish(RoutingPublication publication);
}
