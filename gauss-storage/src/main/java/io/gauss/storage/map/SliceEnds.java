package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.PageBuckets;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.command.MapCommand;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** Which moves and replicas of slices are to end. For one plan. */
final class SliceEnds {
  private final ClusterMap map;
  private final SliceShares shares;
  private final Set<Integer> lost;
  private final int wanted;

  SliceEnds(ClusterMap map, SliceShares shares, Set<Integer> lost) {
    this.map = map;
    this.shares = shares;
    this.lost = lost;
    this.wanted = map.settings().get(ClusterSetting.SLICE_REPLICAS);
  }

  List<MapCommand> commands() {
    BitSet cancelled = new BitSet();
    TreeMap<Integer, BitSet> givenUp = new TreeMap<>();
    TreeMap<Integer, BitSet> tooMany = new TreeMap<>();
    for (int number = 0; number < SliceMap.SLICES; number++) {
      Slice slice = map.slices().slice(number);
      if (slice.isMoving() && !mayArrive(slice.to())) {
        cancelled.set(number);
      } else {
        giveUpLost(number, slice, givenUp);
        giveUpSurplus(number, slice, tooMany);
      }
    }
    List<MapCommand> commands = new ArrayList<>();
    if (!cancelled.isEmpty()) {
      commands.add(new MapCommand.CancelSliceMoves(BucketSet.of(cancelled)));
    }
    givenUp.forEach((node, slices) -> commands.add(giveUp(node, 1, slices)));
    tooMany.forEach((node, slices) -> commands.add(giveUp(node, wanted, slices)));
    return commands;
  }

  private MapCommand giveUp(int node, int remaining, BitSet slices) {
    return new MapCommand.GiveUpReplicas(node, map.version(), remaining, BucketSet.of(slices));
  }

  /** A node that is silent for a moment, or starts again, may; one that leaves need not. */
  private boolean mayArrive(int node) {
    return !lost.contains(node)
        && map.node(node)
            .filter(entry -> entry.isLive() && !entry.evicted())
            .filter(entry -> entry.state() != NodeState.DRAINING)
            .isPresent();
  }

  /** Only where another replica is not lost: the lost one may be the last, and may come back. */
  private void giveUpLost(int number, Slice slice, TreeMap<Integer, BitSet> givenUp) {
    List<Integer> replicas = slice.replicas();
    if (replicas.stream().allMatch(lost::contains)) {
      return;
    }
    for (int node : replicas) {
      if (lost.contains(node)) {
        givenUp.computeIfAbsent(node, n -> new BitSet()).set(number);
      }
    }
  }

  /**
   * Those of nodes that leave first, then so that zones remain, then of the fullest; by chance
   * where these are equal, so that the node that is lost has its slices with all others.
   */
  private void giveUpSurplus(int number, Slice slice, TreeMap<Integer, BitSet> tooMany) {
    List<Integer> replicas = new ArrayList<>(slice.replicas());
    if (slice.isMoving() || replicas.stream().anyMatch(lost::contains)) {
      return;
    }
    while (replicas.size() > wanted) {
      int most =
          replicas.stream()
              .max(
                  Comparator.comparing((Integer node) -> !shares.isOpen(node))
                      .thenComparing(node -> shares.zones(replicas, node, 0))
                      .thenComparing(shares::load)
                      .thenComparing(node -> PageBuckets.ofKey((long) number << 16 | node))
                      .thenComparing(node -> node))
              .orElseThrow();
      replicas.remove(Integer.valueOf(most));
      shares.moved(number, most, 0);
      tooMany.computeIfAbsent(most, n -> new BitSet()).set(number);
    }
  }
}
