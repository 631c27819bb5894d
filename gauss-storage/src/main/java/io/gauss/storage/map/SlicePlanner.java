package io.gauss.storage.map;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.command.MapCommand;
import java.util.List;
import java.util.Set;

/**
 * Chooses what is to happen next to the slices of the pages, so that each has as many replicas as
 * it is to have, in different zones, and storage nodes carry equal shares. A pure function of what
 * it is given: who asks again gets the same, until the map has changed.
 */
final class SlicePlanner {
  private SlicePlanner() {}

  /**
   * The next commands; empty when all is as it should be, or only time helps.
   *
   * <p>First moves to nodes that will not have the slices are cancelled, replicas that are lost are
   * given up, and those that are too many; these take effect at once, so there is nothing else in
   * the same plan. Then slices move: those that lack replicas, those of nodes that leave, those
   * that are in fewer zones than they could be, and from the fullest to the emptiest nodes. A node
   * takes part in one move at a time, which is one command for several slices.
   *
   * @param lost storage nodes of which nothing is expected any more, whatever the map says
   */
  static List<MapCommand> next(ClusterMap map, SliceWeights weights, Set<Integer> lost) {
    if (!map.slices().isListed()) {
      return List.of();
    }
    SliceShares shares = new SliceShares(map, weights, lost);
    List<MapCommand> ends = new SliceEnds(map, shares, lost).commands();
    return ends.isEmpty() ? new SliceMoves(map, shares, lost).commands() : ends;
  }
}
