package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random commands, valid, late and invalid ones: after each the invariants hold, and map, command
 * and result survive their encodings ({@link MapRun} checks). {@code -Dgauss.seed} repeats.
 */
class ClusterMapFuzzTest {
  private static final int COMMANDS = 6_000;
  private static final int MAX_LIVE = 9;

  private final long seed = Long.getLong("gauss.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final MapRun run = MapRun.withStorage(5);
  private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);

  private enum Outcome {
    DONE,
    REFUSED
  }

  @Test
  void theInvariantsHoldWhateverIsProposed() {
    try {
      for (int i = 0; i < COMMANDS; i++) {
        MapResult result = run.apply(command());
        outcomes.merge(
            result instanceof MapResult.Refused ? Outcome.REFUSED : Outcome.DONE, 1, Integer::sum);
      }
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
    for (Outcome outcome : Outcome.values()) {
      assertTrue(
          outcomes.getOrDefault(outcome, 0) > COMMANDS / 10,
          () -> "seed " + seed + " tests little: " + outcomes);
    }
  }

  private MapNode anyNode() {
    List<MapNode> nodes = List.copyOf(run.map().nodes().values());
    return nodes.get(random.nextInt(nodes.size()));
  }

  /** The epoch of a node, and sometimes a wrong one. */
  private int epoch(MapNode node) {
    return random.nextInt(10) == 0 ? random.nextInt(run.map().nextEpoch() + 1) : node.epoch();
  }

  private int deadEpoch() {
    List<Integer> dead = List.copyOf(run.map().deaths().keySet());
    return dead.isEmpty() || random.nextInt(10) == 0
        ? random.nextInt(run.map().nextEpoch() + 1)
        : dead.get(random.nextInt(dead.size()));
  }

  private int joiningEpoch() {
    List<Integer> joining = List.copyOf(run.map().joins().keySet());
    return joining.isEmpty() ? 1 : joining.get(random.nextInt(joining.size()));
  }

  private long clock() {
    return random.nextInt(4) == 0 ? random.nextInt(1_000) : run.map().clockFloor() + 1_000;
  }

  private MapCommand command() {
    ClusterMap map = run.map();
    MapNode node = anyNode();
    int id = node.id();
    return switch (random.nextInt(30)) {
      case 0, 1 -> registration(map, node);
      case 2, 3 -> new MapCommand.AcknowledgeJoin(id, epoch(node), joiningEpoch(), clock());
      case 4, 5 -> new MapCommand.FinishJoin(id, epoch(node), clock());
      case 6 ->
          new MapCommand.RenewLeases(
              List.of(new MapCommand.Renewal(id, epoch(node), random.nextInt(50))));
      case 7 -> new MapCommand.Suspect(id, epoch(node), node.lease().renewals());
      case 26 ->
          new MapCommand.OpenToClients(
              id,
              epoch(node),
              new Endpoint(
                  random.nextInt(4) == 0 ? Endpoint.Purpose.METRICS : Endpoint.Purpose.SQL,
                  "127.0.0.1",
                  1 + random.nextInt(3)));
      case 8 ->
          random.nextInt(4) == 0
              ? new MapCommand.Evict(id, epoch(node))
              : new MapCommand.Drain(id, epoch(node));
      case 9 ->
          new MapCommand.ExpireLease(id, epoch(node), node.lease().renewals() - random.nextInt(2));
      case 10 -> new MapCommand.DeclareExited(id, epoch(node), node.incarnation());
      case 11 ->
          random.nextBoolean()
              ? new MapCommand.Leave(id, epoch(node))
              : new MapCommand.RemoveNode(id);
      case 12, 13, 14 ->
          new MapCommand.StreamSealed(deadEpoch(), random.nextInt(9), random.nextInt(5_000));
      case 15, 16, 17 -> new MapCommand.AcknowledgeDeath(id, epoch(node), deadEpoch(), clock());
      case 18 -> new MapCommand.TakeOver(id, epoch(node), deadEpoch(), clock());
      case 19 -> new MapCommand.FinishRecovery(id, epoch(node), deadEpoch());
      case 20 -> new MapCommand.MoveBuckets(id, someBuckets());
      case 24 -> {
        MapNode other = anyNode();
        yield new MapCommand.Suspend(
            id, epoch(node), other.id(), epoch(other), map.suspension(other.epoch()));
      }
      case 25 ->
          new MapCommand.Resume(
              id, epoch(node), map.suspension(node.epoch()), map.nextEpoch() - random.nextInt(3));
      case 21 -> bucketCommand(map, node);
      case 22 ->
          new MapCommand.AcknowledgeRebuild(
              id,
              epoch(node),
              map.buckets().rebuilds().isEmpty() ? 1 : map.buckets().rebuilds().firstKey());
      case 27, 28, 29 -> sliceCommand(map, node);
      default ->
          random.nextBoolean()
              ? new MapCommand.ForgetStream(random.nextInt(map.nextEpoch() + 1))
              : new MapCommand.ChangeReplicas(
                  random.nextInt(5), List.of(1 + random.nextInt(3), id), id);
    };
  }

  private MapCommand registration(ClusterMap map, MapNode node) {
    boolean isNew =
        map.nodes().values().stream().filter(MapNode::isLive).count() < MAX_LIVE
            && random.nextBoolean();
    Role[] roles =
        isNew
            ? List.of(
                    new Role[] {Role.COMPUTE},
                    new Role[] {Role.MEMORY},
                    new Role[] {Role.COMPUTE, Role.MEMORY})
                .get(random.nextInt(3))
            : node.roles().toArray(new Role[0]);
    return MapRun.knowingSlices(
        MapRun.register(
            isNew ? 0 : node.id(), isNew ? 0 : epoch(node), random.nextInt(1, 1_000_000), roles));
  }

  private MapCommand bucketCommand(ClusterMap map, MapNode node) {
    if (map.buckets().moves().isEmpty() || random.nextInt(5) == 0) {
      return new MapCommand.CancelBucketMoves(someBuckets());
    }
    int bucket = map.buckets().moves().firstKey();
    MapNode to = map.nodes().get(map.buckets().moves().get(bucket).to());
    MapNode by = random.nextInt(4) == 0 ? node : to;
    MapNode home = map.nodes().get(map.buckets().home(bucket));
    long known = map.version() - (random.nextInt(4) == 0 ? random.nextInt(50) : 0);
    BucketSet some = someOf(map.buckets().moves().keySet());
    return home != to && random.nextInt(4) != 0
        ? new MapCommand.GiveBuckets(home.id(), epoch(home), known, some)
        : new MapCommand.FinishBucketMoves(by.id(), epoch(by), known, some);
  }

  /** Storage nodes, mostly, and slices that move or are about to. */
  private MapCommand sliceCommand(ClusterMap map, MapNode any) {
    List<Integer> stores = map.live(Role.STORAGE).stream().map(MapNode::id).toList();
    int one = random.nextInt(9) == 0 ? any.id() : stores.get(random.nextInt(stores.size()));
    int other = stores.get(random.nextInt(stores.size()));
    if (!map.slices().isListed()) {
      return new MapCommand.ListSlices(
          stores.subList(0, Math.min(stores.size(), 3 + random.nextInt(2))));
    }
    BucketSet moving = map.slices().moving();
    BucketSet some =
        moving.size() == 0 || random.nextInt(3) == 0
            ? someBuckets()
            : someOf(moving.stream().boxed().collect(Collectors.toSet()));
    Slice slice = map.slices().slice(some.stream().findFirst().orElse(0));
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> new MapCommand.MoveSlices(random.nextInt(3) == 0 ? 0 : one, other, some);
      case 3, 4, 5 -> {
        int to = slice.isMoving() ? slice.to() : one;
        long since = slice.since(to) - (random.nextInt(9) == 0 ? 1 : 0);
        yield new MapCommand.FinishSliceMoves(to, epoch(map.nodes().get(to)), since, some);
      }
      case 6 -> new MapCommand.CancelSliceMoves(some);
      default ->
          new MapCommand.GiveUpReplicas(
              one, map.version() - random.nextInt(20), random.nextInt(4), some);
    };
  }

  /** Mostly neighbours, as they are planned. */
  private BucketSet someBuckets() {
    int first = random.nextInt(BucketMap.BUCKETS);
    int end = Math.min(BucketMap.BUCKETS, first + 1 + random.nextInt(40));
    return BucketSet.of(
        IntStream.range(first, end)
            .filter(bucket -> bucket == first || random.nextInt(4) != 0)
            .toArray());
  }

  /** Some of them, and sometimes others. */
  private BucketSet someOf(Set<Integer> moving) {
    TreeSet<Integer> some = new TreeSet<>(moving);
    some.removeIf(bucket -> random.nextInt(4) == 0);
    if (random.nextInt(4) == 0) {
      someBuckets().forEach(some::add);
    }
    return BucketSet.of(some);
  }
}
