package io.gauss.storage.map;

import io.gauss.common.explore.Exploration;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.NodeState;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Cluster maps for models, including ones that the rules would never produce. */
final class Models {
  private Models() {}

  private static ClusterMap with(
      ClusterMap map,
      long version,
      SortedMap<Integer, MapNode> nodes,
      SortedMap<Integer, MapStream> streams,
      SortedMap<Integer, Join> joins,
      SortedMap<Integer, Death> deaths) {
    return new ClusterMap(
        version,
        map.cluster(),
        map.formatVersion(),
        map.settings(),
        map.nextNode(),
        map.nextEpoch(),
        map.clockFloor(),
        nodes,
        map.streamGroups(),
        streams,
        joins,
        deaths,
        map.buckets(),
        map.suspensions(),
        map.slices());
  }

  /** The version means nothing to the transitions, and would make every state a new one. */
  static ClusterMap sameVersion(ClusterMap map) {
    return with(map, 1, map.nodes(), map.streams(), map.joins(), map.deaths());
  }

  /** Without the rule that a live node excludes others with its number. */
  static ClusterMap withoutHolder(ClusterMap map, int node) {
    MapNode entry = map.nodes().get(node);
    if (entry == null || !entry.isLive()) {
      return map;
    }
    SortedMap<Integer, MapNode> nodes = new TreeMap<>(map.nodes());
    nodes.put(node, entry.withState(NodeState.DEAD));
    SortedMap<Integer, MapStream> streams = new TreeMap<>(map.streams());
    streams.computeIfPresent(entry.epoch(), (epoch, stream) -> stream.sealedAt(0, 0));
    return with(map, map.version(), nodes, streams, map.joins(), map.deaths());
  }

  /** Without waiting for the acknowledgements of a join. */
  static ClusterMap withoutJoinAcknowledgements(ClusterMap map, int joiningEpoch) {
    SortedMap<Integer, Join> joins = new TreeMap<>(map.joins());
    joins.computeIfPresent(
        joiningEpoch, (epoch, j) -> new Join(epoch, j.node(), new TreeSet<>(), j.clock()));
    return with(map, map.version(), map.nodes(), map.streams(), joins, map.deaths());
  }

  /** Without waiting for any stream to be sealed. */
  static ClusterMap withStreamsSealed(ClusterMap map) {
    SortedMap<Integer, MapStream> streams = new TreeMap<>(map.streams());
    for (Death death : map.deaths().values()) {
      streams.computeIfPresent(death.epoch(), (epoch, s) -> s.sealed() ? s : s.sealedAt(0, 0));
    }
    return with(map, map.version(), map.nodes(), streams, map.joins(), map.deaths());
  }

  /** Without waiting for nodes to raise their clocks to a sealed end. */
  static ClusterMap withoutRaisedClocks(ClusterMap map, int deadEpoch, boolean raises) {
    SortedMap<Integer, Death> deaths = new TreeMap<>(map.deaths());
    deaths.computeIfPresent(
        deadEpoch,
        (epoch, d) ->
            new Death(
                epoch,
                d.node(),
                d.slot(),
                d.evidence(),
                d.installPending(),
                raises ? new TreeSet<>() : d.raisePending(),
                d.clock(),
                d.recoverer(),
                d.takenOver()));
    return with(map, map.version(), map.nodes(), map.streams(), map.joins(), deaths);
  }

  /** A model whose violation is to reach a state that should be reachable. */
  static <S> Exploration.Model<S> reaching(Exploration.Model<S> model, Predicate<S> goal) {
    return new Exploration.Model<>() {
      @Override
      public S initial() {
        return model.initial();
      }

      @Override
      public void steps(S state, Exploration.Steps<S> steps) {
        model.steps(state, steps);
      }

      @Override
      public String violation(S state) {
        return goal.test(state) ? "reached" : null;
      }
    };
  }
}
