package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.command.MapCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The cluster maps of {@link SliceMoveModel}: real ones, changed by the real transitions, and what
 * they say of the one slice. All other slices are at two more storage nodes, so that the model's
 * nodes hold this one or nothing.
 *
 * <p>A node is called by its number less 1, and a tenure by how many versions after the first map
 * it began, 0 being that of the beginning.
 */
final class SliceMoveMap {
  static final MapCommand CANCEL = new MapCommand.CancelSliceMoves(BucketSet.of(0));

  private static final BucketSet THE_SLICE = BucketSet.of(0);
  private static final int[] OTHERS = {SliceMoveModel.NODES + 1, SliceMoveModel.NODES + 2};

  private final MapTable maps = new MapTable(UnaryOperator.identity());
  private final Map<Integer, Named> known = new HashMap<>();
  private final int initial;
  private final long base;

  /**
   * What a map says of the slice.
   *
   * @param tenures by node; -1 for a node that is not named
   * @param holds by node, since when it is named for any slice; -1 for a node that is not
   * @param from the replica that leaves with the move under way; -1 = none
   * @param to the node that arrives, and is no replica yet; -1 = none
   */
  record Named(List<Integer> tenures, List<Integer> holds, int from, int to) {
    boolean names(int node) {
      return tenures.get(node) >= 0;
    }

    boolean isReplica(int node) {
      return names(node) && node != to;
    }

    int replicas() {
      return (int) IntStream.range(0, SliceMoveModel.NODES).filter(this::isReplica).count();
    }

    /** The tenure of the node's subscriptions. */
    int holdsSince(int node) {
      return holds.get(node);
    }
  }

  SliceMoveMap() {
    MapRun run = MapRun.withStorage(SliceMoveModel.NODES + OTHERS.length);
    run.done(new MapCommand.ChangeSetting(ClusterSetting.SLICE_REPLICAS, 2));
    run.done(new MapCommand.ListSlices(List.of(1, 2)));
    BucketSet rest = BucketSet.of(IntStream.range(1, SliceMap.SLICES).toArray());
    for (int i = 0; i < OTHERS.length; i++) {
      run.done(new MapCommand.MoveSlices(1 + i, OTHERS[i], rest));
      long since = run.map().slices().slice(1).since(OTHERS[i]);
      int epoch = run.node(OTHERS[i]).epoch();
      run.done(new MapCommand.FinishSliceMoves(OTHERS[i], epoch, since, rest));
    }
    initial = maps.number(run.map());
    base = run.map().version();
  }

  int initial() {
    return initial;
  }

  Named named(int map) {
    return known.computeIfAbsent(map, number -> named(maps.map(number)));
  }

  private Named named(ClusterMap map) {
    Slice slice = map.slices().slice(0);
    List<Integer> tenures = new ArrayList<>();
    List<Integer> holds = new ArrayList<>();
    for (int node = 1; node <= SliceMoveModel.NODES; node++) {
      tenures.add(tenure(slice.since(node)));
      holds.add(tenure(map.slices().holders().getOrDefault(node, Slice.NOT_NAMED)));
    }
    return new Named(tenures, holds, slice.from() - 1, slice.to() - 1);
  }

  private int tenure(long since) {
    return (int) (since <= 0 ? since : since - base);
  }

  MapTable.Outcome apply(int map, MapCommand command) {
    return maps.apply(map, command);
  }

  /**
   * A move.
   *
   * @param from -1 = none leaves
   */
  static MapCommand move(int from, int to) {
    return new MapCommand.MoveSlices(from + 1, to + 1, THE_SLICE);
  }

  MapCommand giveUp(int map, int node) {
    return new MapCommand.GiveUpReplicas(node + 1, maps.map(map).version(), 1, THE_SLICE);
  }

  MapCommand ready(int node, int tenure) {
    int epoch = maps.map(initial).nodes().get(node + 1).epoch();
    return new MapCommand.FinishSliceMoves(
        node + 1, epoch, tenure == 0 ? 0 : base + tenure, THE_SLICE);
  }
}
