package io.gauss.router.train;

/**
 * Figures of a round of learning.
 *
 * @param samples that the round used
 * @param groups page groups in the graph
 * @param edges of the graph
 * @param cutShare share of the edges' weight that joins groups of different nodes, 0 to 1
 * @param imbalance load of the busiest node divided by the mean, 1 is perfect
 * @param moved groups that were moved to another node in this round
 * @param steps of training
 * @param loss of the model on samples that it was not trained on; NaN without training
 * @param modelHits share of these samples that the model sends to the best node; NaN without
 * @param tableHits the same for the table
 * @param millis time that the round took, ms
 */
public record RoundReport(
    int samples,
    int groups,
    int edges,
    double cutShare,
    double imbalance,
    int moved,
    int steps,
    double loss,
    double modelHits,
    double tableHits,
    long millis) {}
