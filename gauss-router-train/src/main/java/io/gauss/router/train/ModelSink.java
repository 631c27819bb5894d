package io.gauss.router.train;

/** Takes what a round of learning gave: whoever publishes it to drivers and places pages by it. */
@FunctionalInterface
public interface ModelSink {
  /**
   * Called by the thread that runs the round, after each round that changed something.
   *
   * @param publication immutable; byte arrays are not changed afterwards and are not to be changed
   */
  void publish(RoutingPublication publication);
}
