package io.gauss.storage.map.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;

/**
 * The invariants of a cluster map, and of its change from one version to another. Shared by unit
 * tests, exploration and the service.
 */
public final class ClusterMapChecker {
  private final ClusterMap map;
  private final List<String> violations = new ArrayList<>();

  private ClusterMapChecker(ClusterMap map) {
    this.map = map;
  }

  /** The violations in this map; empty when there are none. */
  public static List<String> check(ClusterMap map) {
    ClusterMapChecker checker = new ClusterMapChecker(map);
    checker.nodes();
    checker.streams();
    checker.joins();
    checker.deaths();
    checker.suspensions();
    checker.buckets();
    checker.slices();
    return checker.violations;
  }

  /** The violations by this change, apart from those in the maps themselves. */
  public static List<String> checkChange(ClusterMap before, ClusterMap after) {
    ClusterMapChecker checker = new ClusterMapChecker(after);
    checker.change(before);
    return checker.violations;
  }

  private void require(boolean holds, String message) {
    if (!holds) {
      violations.add(message);
    }
  }

  private void nodes() {
    Set<Integer> epochs = new HashSet<>();
    Map<Integer, Integer> slots = new HashMap<>();
    map.nodes()
        .forEach(
            (id, node) -> {
              require(id == node.id(), "node " + node.id() + " is entered as " + id);
              require(node.id() < map.nextNode(), "node " + id + " at or above the next number");
              require(node.epoch() < map.nextEpoch(), "node " + id + " at or above the next epoch");
              require(epochs.add(node.epoch()), "two nodes have epoch " + node.epoch());
              require(
                  (node.slot() != 0) == node.has(Role.COMPUTE),
                  "node " + id + " has roles " + node.roles() + " and slot " + node.slot());
              if (node.slot() != 0 && node.state() != NodeState.REMOVED) {
                Integer other = slots.put(node.slot(), id);
                require(other == null, "nodes " + other + " and " + id + " share a slot");
              }
              require(
                  node.holdsLease() == (node.has(Role.COMPUTE) || node.has(Role.MEMORY)),
                  "node " + id + " has roles " + node.roles() + " and lease " + node.lease());
            });
  }

  private void streams() {
    Set<Integer> open = new HashSet<>();
    for (MapStream stream : map.streams().values()) {
      String name = "stream of epoch " + stream.epoch();
      require(map.streamGroups().containsKey(stream.slot()), name + " has no group");
      if (stream.sealed()) {
        require(stream.lastLsn() <= map.clockFloor(), name + " ends above the clock floor");
        continue;
      }
      require(open.add(stream.slot()), "two open streams of slot " + stream.slot());
      boolean written =
          map.nodes().values().stream()
              .anyMatch(n -> n.epoch() == stream.epoch() && n.slot() == stream.slot());
      require(written || map.deaths().containsKey(stream.epoch()), name + " is open and nobody's");
    }
    for (MapNode node : map.nodes().values()) {
      if (node.isLive() && node.slot() != 0) {
        MapStream stream = map.streams().get(node.epoch());
        require(stream != null && !stream.sealed(), "node " + node.id() + " has no open stream");
      }
    }
    for (StreamGroup group : map.streamGroups().values()) {
      require(
          group.replicas().contains(group.preferredLeader()),
          "the leader of slot " + group.slot() + " is no replica");
      for (int replica : group.replicas()) {
        MapNode node = map.nodes().get(replica);
        require(
            node != null && node.has(Role.STORAGE) && node.state() != NodeState.REMOVED,
            "replica " + replica + " of slot " + group.slot() + " is no storage node");
        require(
            node == null || node.isLive() || node.holdsLease(),
            "replica " + replica + " of slot " + group.slot() + " was retired");
      }
    }
  }

  private void joins() {
    for (Join join : map.joins().values()) {
      MapNode node = map.nodes().get(join.node());
      require(
          node != null && node.epoch() == join.epoch() && node.state() == NodeState.JOINING,
          "join of epoch " + join.epoch() + " without a joining node");
      owedByLive(join.pending(), "join of epoch " + join.epoch());
    }
    for (MapNode node : map.nodes().values()) {
      require(
          (node.state() == NodeState.JOINING) == map.joins().containsKey(node.epoch()),
          "node " + node.id() + " is " + node.state());
    }
  }

  private void deaths() {
    for (Death death : map.deaths().values()) {
      String name = "death of epoch " + death.epoch();
      require(map.isDead(death.node(), death.epoch()), name + ", which lives");
      owedByLive(death.installPending(), name);
      owedByLive(death.raisePending(), name);
      MapNode recoverer = map.nodes().get(death.recoverer());
      require(
          death.recoverer() == 0
              || (recoverer != null
                  && recoverer.state().isServing()
                  && recoverer.has(Role.COMPUTE)),
          name + " is recovered by " + death.recoverer());
      require(
          !death.takenOver()
              || (map.isSealed(death) && death.isInstalled() && death.raisePending().isEmpty()),
          name + " was taken over before the barrier");
      require(
          !death.isAcknowledged() || !map.isSealed(death) || death.clock() <= map.clockFloor(),
          name + " was acknowledged above the clock floor");
    }
  }

  private void suspensions() {
    map.suspensions()
        .forEach(
            (epoch, number) -> {
              require(
                  map.live(Role.COMPUTE).stream().anyMatch(n -> n.epoch() == epoch),
                  "epoch " + epoch + " is suspended and no live compute node's");
              require(number <= map.version(), "suspension " + number + " of the future");
            });
  }

  private void buckets() {
    BucketMap buckets = map.buckets();
    // By node first: every command is checked, most change no bucket, and there are thousands.
    buckets.nodes().filter(home -> !servesMemory(home)).forEach(this::isHomeOfNone);
    buckets
        .moves()
        .forEach(
            (bucket, move) ->
                require(
                    servesMemory(move.to())
                        && buckets.home(bucket) != 0
                        && !buckets.isRebuilding(bucket)
                        && move.since() <= map.version(),
                    "bucket " + bucket + " moves: " + move));
    Set<Integer> seen = new HashSet<>();
    for (BucketMap.Rebuild rebuild : buckets.rebuilds().values()) {
      String name = "rebuild " + rebuild.number();
      require(!rebuild.pending().isEmpty() && !rebuild.buckets().isEmpty(), name + " is over");
      owedByLive(rebuild.pending(), name);
      for (int bucket : rebuild.buckets()) {
        require(seen.add(bucket), "bucket " + bucket + " is rebuilt twice");
        require(buckets.home(bucket) != 0, "bucket " + bucket + " is rebuilt nowhere");
      }
    }
  }

  private void isHomeOfNone(int node) {
    for (int bucket = 0; bucket < BucketMap.BUCKETS; bucket++) {
      require(map.buckets().home(bucket) != node, "bucket " + bucket + " is at node " + node);
    }
  }

  /** What holds of each slice for itself, {@link Slice} checks. */
  private void slices() {
    require(
        !map.slices().isListed() || map.formatVersion() >= ClusterMap.FORMAT_WITH_SLICES,
        "there are slices in format " + map.formatVersion());
    map.slices()
        .holders()
        .forEach(
            (id, since) -> {
              MapNode node = map.nodes().get(id);
              require(
                  node != null
                      && node.has(Role.STORAGE)
                      && node.state() != NodeState.REMOVED
                      && (node.isLive() || node.holdsLease()),
                  "node " + id + " keeps slices and is no storage node");
              require(since <= map.version(), "node " + id + " keeps slices of the future");
            });
  }

  private boolean servesMemory(int node) {
    MapNode entry = map.nodes().get(node);
    return entry != null && entry.has(Role.MEMORY) && entry.state().isServing();
  }

  private void owedByLive(SortedSet<Integer> pending, String what) {
    for (int id : pending) {
      MapNode node = map.nodes().get(id);
      require(node != null && node.isLive(), what + " waits for node " + id);
    }
  }

  private void change(ClusterMap before) {
    require(map.version() >= before.version(), "the version went back");
    require(map.nextEpoch() >= before.nextEpoch(), "epochs went back");
    require(map.clockFloor() >= before.clockFloor(), "the clock floor went back");
    before
        .nodes()
        .forEach(
            (id, was) -> {
              MapNode is = map.nodes().get(id);
              require(is != null, "node " + id + " vanished");
              if (is == null) {
                return;
              }
              require(is.epoch() >= was.epoch(), "the epoch of node " + id + " went back");
              require(
                  was.isLive() || !is.isLive() || is.epoch() > was.epoch(),
                  "node " + id + " came back to life without a new epoch");
              require(
                  is.epoch() == was.epoch() || is.state() == NodeState.JOINING,
                  "node " + id + " has a new epoch and is " + is.state());
            });
    slicesChange(before);
    before
        .streams()
        .forEach(
            (epoch, was) ->
                require(
                    !was.sealed()
                        || map.streams().get(epoch) == null
                        || was.equals(map.streams().get(epoch)),
                    "the sealed stream of epoch " + epoch + " changed"));
  }

  private void slicesChange(ClusterMap before) {
    SliceMap was = before.slices();
    if (was.equals(map.slices()) || !was.isListed()) {
      return;
    }
    require(map.slices().isListed(), "the list of slices vanished");
    for (int number = 0; number < map.slices().slices().size(); number++) {
      Slice old = was.slice(number);
      Slice slice = map.slices().slice(number);
      for (Slice.Tenure tenure : slice.tenures()) {
        require(
            old.tenures().contains(tenure) || tenure.since() > before.version(),
            "slice " + number + " has an old tenure again: " + tenure);
        require(
            !slice.isReplica(tenure.node()) || old.names(tenure.node()),
            "slice " + number + " is at node " + tenure.node() + " without having come");
      }
    }
    map.slices()
        .holders()
        .forEach(
            (id, since) ->
                require(
                    since.equals(was.holders().getOrDefault(id, map.version())),
                    "node " + id + " keeps slices since " + since));
  }
}
