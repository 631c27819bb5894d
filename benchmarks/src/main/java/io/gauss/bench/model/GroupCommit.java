package io.gauss.bench.model;

/**
 * How many appends a node's commits take. One append is under way at a time; what comes meanwhile
 * goes with the next one: a server of batches without bound, with random arrivals and a constant
 * time of service.
 */
final class GroupCommit {
  private GroupCommit() {}

  /**
   * Appends a second. An append begins with each arrival that finds none under way, and after each
   * append during which anything has arrived, so that {@code a = r (1 - a t) + a (1 - e^(-r t))}.
   *
   * @param requests what wants to be durable, a second
   * @param appendSeconds how long an append takes
   */
  static double appends(double requests, double appendSeconds) {
    double during = requests * appendSeconds;
    return requests / (during + Math.exp(-during));
  }

  /**
   * How long one waits until its bytes are durable, in seconds: the append, and the rest of the one
   * before it if that is under way.
   */
  static double waiting(double requests, double appendSeconds) {
    double busy = Math.min(1, appends(requests, appendSeconds) * appendSeconds);
    return appendSeconds + busy * appendSeconds / 2;
  }
}
