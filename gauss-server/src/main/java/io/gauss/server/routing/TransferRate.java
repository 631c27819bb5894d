package io.gauss.server.routing;

/** Transfers per transaction in the last seconds, from samples. Not thread-safe. */
final class TransferRate {
  /** What of the samples before still counts when a turn's are added. */
  private static final double KEPT = 0.9;

  private static final int ENOUGH = 100;

  private double samples;
  private double transactions;
  private double transfers;

  /** A sample. */
  void add(double weight, double ofSample) {
    samples++;
    transactions += weight;
    transfers += weight * ofSample;
  }

  /** Called at even intervals, before the samples of the time since then are added. */
  void turn() {
    samples *= KEPT;
    transactions *= KEPT;
    transfers *= KEPT;
  }

  /** NaN when there are too few samples to tell. */
  double mean() {
    return samples < ENOUGH || transactions == 0 ? Double.NaN : transfers / transactions;
  }
}
