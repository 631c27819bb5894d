package io.gauss.router.train;

import java.util.Map;

/**
 * Results of a round of learning.
 *
 * @param version increases with each publication of a trainer, and is also in the bytes
 * @param model for drivers with {@code routing.mode=model}, in the format of {@code
 *     io.gauss.jdbc.routing.model}; null when none could be trained yet
 * @param table for drivers with {@code routing.mode=table}; null when there is none yet
 * @param sources of which tables the values in model and table are, as {@code PublicationSources}
 *     writes it
 * @param places by page group, the compute node that should own its pages, and what another trainer
 *     needs to continue; groups that were not seen lately are missing. Immutable
 * @param report figures for users; null when an earlier publication is published again
 */
public record RoutingPublication(
    long version,
    byte[] model,
    byte[] table,
    byte[] sources,
    Map<Long, GroupPlace> places,
    RoundReport report) {
  public RoutingPublication {
    places = Map.copyOf(places);
  }
}
