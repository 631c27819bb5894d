package io.gauss.router.train;

/**
 * Bounds of learning.
 *
 * @param samples kept at most, the newest
 * @param hurriedSamples number of newest samples that a round uses after nodes have come or gone
 * @param leastSamples that a trainer takes before its first round; fewer once it has waited for a
 *     half-life
 * @param maxGroups page groups in the graph at most
 * @param maxEdges of the graph at most
 * @param maxUnits outputs of the model at most
 * @param hidden width of the network's hidden layer
 * @param maxSteps of training in a round at most
 * @param trainingMillis upper bound for training in a round, ms
 * @param hurriedMillis the same for a round after nodes have come or gone, which is urgent, ms
 * @param maxModelBytes of a published model
 * @param duty share of one processor that learning may take in the long run, above 0 up to 1
 * @param halfLifeMillis time after which observations count half, ms
 * @param slack load that a node may have above the mean, as a share
 * @param hysteresis gain that a change of the placement must bring, as a share
 * @param maxMoved share of the load that may be placed elsewhere in a round
 * @param loadWeight reduction of a node's score for a load of 1
 * @param seed of all random choices
 */
public record TrainerSettings(
    int samples,
    int hurriedSamples,
    int leastSamples,
    int maxGroups,
    int maxEdges,
    int maxUnits,
    int hidden,
    int maxSteps,
    long trainingMillis,
    long hurriedMillis,
    int maxModelBytes,
    double duty,
    long halfLifeMillis,
    double slack,
    double hysteresis,
    double maxMoved,
    float loadWeight,
    long seed) {
  /** Suitable for clusters of a few nodes. */
  public static final TrainerSettings DEFAULT =
      new TrainerSettings(
          20_000, 4_000, 4_000, 20_000, 200_000, 128, 64, 1500, 2500, 300, 4 << 20, 0.25, 20_000,
          0.15, 0.05, 0.4, 0.3f, 1);

  public TrainerSettings {
    if (samples < 1
        || hurriedSamples < 1
        || maxUnits < 1
        || hidden < 1
        || !(duty > 0 && duty <= 1)) {
      throw new IllegalArgumentException(
          "samples " + samples + ", units " + maxUnits + ", hidden " + hidden + ", duty " + duty);
    }
  }
}
