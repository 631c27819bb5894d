package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketMap.BucketState;
import io.gauss.storage.map.api.BucketMap.Move;
import io.gauss.storage.map.api.BucketMap.Rebuild;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

/** Homes of virtual buckets: assignment to memory nodes, moves, and rebuilds of lost ones. */
final class BucketRules {
  private BucketRules() {}

  /** Gives the dead node's buckets to other nodes, to be rebuilt there. */
  static void rehome(MapDraft draft, int dead) {
    int[] homes = draft.buckets.homes();
    TreeMap<Integer, Move> moves = new TreeMap<>(draft.buckets.moves());
    // A move to the dead node is cancelled; one away from it ends at its target, which has no
    // state.
    moves.values().removeIf(move -> move.to() == dead);
    SortedSet<Integer> lost = new TreeSet<>();
    for (int bucket = 0; bucket < homes.length; bucket++) {
      if (homes[bucket] == dead) {
        lost.add(bucket);
        homes[bucket] = 0;
      }
    }
    List<Integer> survivors = homesToBe(draft);
    for (int bucket : lost) {
      Move move = moves.remove(bucket);
      homes[bucket] = move != null && survivors.contains(move.to()) ? move.to() : 0;
    }
    TreeMap<Long, Rebuild> rebuilds = withoutBuckets(draft.buckets.rebuilds(), lost);
    draft.buckets = new BucketMap(homes, moves, rebuilds);
    giveHomeless(draft, survivors);
    rebuild(draft, lost);
  }

  /** Gives buckets without a home to the nodes, fewest first; they are to be rebuilt. */
  static void giveHomeless(MapDraft draft, List<Integer> nodes) {
    if (nodes.isEmpty()) {
      return;
    }
    int[] homes = draft.buckets.homes();
    int[] counts = nodes.stream().mapToInt(draft.buckets::count).toArray();
    SortedSet<Integer> given = new TreeSet<>();
    for (int bucket = 0; bucket < homes.length; bucket++) {
      if (homes[bucket] == 0) {
        int least = leastOf(counts);
        homes[bucket] = nodes.get(least);
        counts[least]++;
        given.add(bucket);
      }
    }
    if (!given.isEmpty()) {
      draft.buckets = new BucketMap(homes, draft.buckets.moves(), draft.buckets.rebuilds());
      rebuild(draft, given);
    }
  }

  /**
   * Evens out the nodes' shares at once, while no compute node may hold anything and none has died
   * with locks: then buckets are empty, and a new home has nothing to learn. As few buckets as
   * possible change their home. Otherwise they move one batch after another.
   */
  static void shareOut(MapDraft draft) {
    boolean isEmpty =
        draft.nodes(n -> n.has(Role.COMPUTE) && n.isLive()).isEmpty()
            && draft.deaths.values().stream().noneMatch(Death::hasStream)
            && draft.buckets.moves().isEmpty();
    List<Integer> nodes = homesToBe(draft);
    if (!isEmpty || nodes.size() < 2) {
      return;
    }
    int[] homes = draft.buckets.homes();
    int[] surplus = surplus(nodes.stream().mapToInt(draft.buckets::count).toArray());
    for (int bucket = 0; bucket < homes.length; bucket++) {
      int from = nodes.indexOf(homes[bucket]);
      int to = leastOf(surplus);
      if (from >= 0 && surplus[from] > 0 && surplus[to] < 0) {
        homes[bucket] = nodes.get(to);
        surplus[from]--;
        surplus[to]++;
      }
    }
    draft.buckets = new BucketMap(homes, draft.buckets.moves(), draft.buckets.rebuilds());
  }

  /**
   * By how many buckets each node is above its share; the larger shares go to the nodes with the
   * most buckets.
   */
  private static int[] surplus(int[] counts) {
    int sum = Arrays.stream(counts).sum();
    int share = sum / counts.length;
    int larger = sum % counts.length;
    int[] surplus = counts.clone();
    List<Integer> fullestFirst = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      fullestFirst.add(i);
    }
    fullestFirst.sort(Comparator.comparing(i -> -counts[i]));
    for (int rank = 0; rank < counts.length; rank++) {
      surplus[fullestFirst.get(rank)] -= share + (rank < larger ? 1 : 0);
    }
    return surplus;
  }

  private static int leastOf(int[] counts) {
    int least = 0;
    for (int i = 1; i < counts.length; i++) {
      least = counts[i] < counts[least] ? i : least;
    }
    return least;
  }

  /**
   * Memory nodes that may get buckets: serving ones, and leaving ones only if there is no other.
   */
  private static List<Integer> homesToBe(MapDraft draft) {
    List<MapNode> serving =
        draft.nodes(n -> n.has(Role.MEMORY) && n.state().isServing() && !n.evicted());
    List<Integer> staying =
        serving.stream().filter(n -> n.state() != NodeState.DRAINING).map(MapNode::id).toList();
    return staying.isEmpty() ? serving.stream().map(MapNode::id).toList() : staying;
  }

  /** Starts a rebuild of those buckets that have a home, unless no node holds anything. */
  private static void rebuild(MapDraft draft, SortedSet<Integer> buckets) {
    SortedSet<Integer> homed = new TreeSet<>();
    for (int bucket : buckets) {
      if (draft.buckets.home(bucket) != 0) {
        homed.add(bucket);
      }
    }
    // A joining node holds nothing yet, and everything it will hold comes from the new homes.
    SortedSet<Integer> reporters = draft.ids(n -> n.has(Role.COMPUTE) && n.state().isServing());
    if (homed.isEmpty() || reporters.isEmpty()) {
      return;
    }
    TreeMap<Long, Rebuild> rebuilds = withoutBuckets(draft.buckets.rebuilds(), homed);
    long number = draft.nextVersion();
    Rebuild sameCommand = rebuilds.get(number);
    if (sameCommand != null) {
      homed.addAll(sameCommand.buckets());
    }
    rebuilds.put(number, new Rebuild(number, reporters, homed));
    draft.buckets = new BucketMap(draft.buckets.homes(), draft.buckets.moves(), rebuilds);
  }

  private static TreeMap<Long, Rebuild> withoutBuckets(
      SortedMap<Long, Rebuild> rebuilds, SortedSet<Integer> buckets) {
    TreeMap<Long, Rebuild> rest = new TreeMap<>();
    for (Rebuild rebuild : rebuilds.values()) {
      SortedSet<Integer> left = new TreeSet<>(rebuild.buckets());
      left.removeAll(buckets);
      if (!left.isEmpty()) {
        rest.put(rebuild.number(), new Rebuild(rebuild.number(), rebuild.pending(), left));
      }
    }
    return rest;
  }

  /** A dead compute node does not report; its pages are recovered from its stream. */
  static void stopWaitingFor(MapDraft draft, int node) {
    for (Rebuild rebuild : new ArrayList<>(draft.buckets.rebuilds().values())) {
      reported(draft, rebuild, node);
    }
  }

  private static void reported(MapDraft draft, Rebuild rebuild, int node) {
    TreeMap<Long, Rebuild> rebuilds = new TreeMap<>(draft.buckets.rebuilds());
    SortedSet<Integer> pending = DeathRules.without(rebuild.pending(), node);
    if (pending.isEmpty()) {
      rebuilds.remove(rebuild.number());
    } else {
      rebuilds.put(rebuild.number(), new Rebuild(rebuild.number(), pending, rebuild.buckets()));
    }
    draft.buckets = new BucketMap(draft.buckets.homes(), draft.buckets.moves(), rebuilds);
  }

  static MapResult move(MapDraft draft, MapCommand.MoveBuckets command) {
    MapNode to = draft.nodes.get(command.to());
    if (to == null || !to.has(Role.MEMORY) || to.state() != NodeState.UP) {
      return MapResult.notYet("node " + command.to() + " is no memory node that is UP");
    }
    return each(draft, command.buckets(), bucket -> move(draft, bucket, to.id()));
  }

  private static Outcome move(MapDraft draft, int bucket, int to) {
    BucketMap before = draft.buckets;
    Move moving = before.moves().get(bucket);
    if (before.home(bucket) == to || (moving != null && moving.to() == to)) {
      return Outcome.DONE;
    }
    if (before.state(bucket) != BucketState.SERVED) {
      return Outcome.notYet("bucket " + bucket + " is " + before.state(bucket));
    }
    return Outcome.change((homes, moves) -> moves.put(bucket, new Move(to, draft.nextVersion())));
  }

  static MapResult give(MapDraft draft, MapCommand.GiveBuckets command) {
    int node = command.node();
    return draft.live(node, command.epoch()) == null
        ? MapResult.wrongEpoch(node, command.epoch())
        : each(draft, command.buckets(), bucket -> give(draft, bucket, node, command.known()));
  }

  private static Outcome give(MapDraft draft, int bucket, int node, long known) {
    if (draft.buckets.home(bucket) != node) {
      return Outcome.DONE;
    }
    Move move = draft.buckets.moves().get(bucket);
    if (move == null || move.to() == node) {
      return Outcome.invalid("bucket " + bucket + " does not move");
    }
    if (move.since() > known) {
      return Outcome.notYet("bucket " + bucket + " was given up before this move");
    }
    return Outcome.change((homes, moves) -> homes[bucket] = move.to());
  }

  static MapResult finishMoves(MapDraft draft, MapCommand.FinishBucketMoves command) {
    int node = command.node();
    return draft.live(node, command.epoch()) == null
        ? MapResult.wrongEpoch(node, command.epoch())
        : each(draft, command.buckets(), bucket -> finish(draft, bucket, node, command.known()));
  }

  private static Outcome finish(MapDraft draft, int bucket, int node, long known) {
    Move move = draft.buckets.moves().get(bucket);
    boolean movesHere = move != null && move.to() == node;
    if (draft.buckets.home(bucket) != node) {
      return movesHere
          ? Outcome.notYet("bucket " + bucket + " is not given up by its home yet")
          : Outcome.invalid("node " + node + " is not the home of bucket " + bucket);
    }
    if (movesHere && move.since() > known) {
      return Outcome.notYet("bucket " + bucket + " was served before this move");
    }
    return movesHere ? Outcome.change((homes, moves) -> moves.remove(bucket)) : Outcome.DONE;
  }

  static MapResult cancelMoves(MapDraft draft, MapCommand.CancelBucketMoves command) {
    return each(
        draft, command.buckets(), bucket -> Outcome.change((homes, moves) -> moves.remove(bucket)));
  }

  /** What a command does to one of its buckets. */
  private record Outcome(
      MapResult.Refused refused, BiConsumer<int[], SortedMap<Integer, Move>> change) {
    static final Outcome DONE = change((homes, moves) -> {});

    static Outcome change(BiConsumer<int[], SortedMap<Integer, Move>> change) {
      return new Outcome(null, change);
    }

    static Outcome notYet(String message) {
      return new Outcome(new MapResult.Refused(Refusal.NOT_YET, message), null);
    }

    static Outcome invalid(String message) {
      return new Outcome(new MapResult.Refused(Refusal.INVALID, message), null);
    }
  }

  /** Judges each bucket by itself, as in the map before the command. */
  private static MapResult each(MapDraft draft, BucketSet buckets, IntFunction<Outcome> judge) {
    int[] homes = draft.buckets.homes();
    TreeMap<Integer, Move> moves = new TreeMap<>(draft.buckets.moves());
    MapResult result =
        EachByItself.judge(
            buckets,
            bucket -> {
              Outcome outcome = judge.apply(bucket);
              if (outcome.refused() == null) {
                outcome.change().accept(homes, moves);
              }
              return outcome.refused();
            });
    draft.buckets = new BucketMap(homes, moves, draft.buckets.rebuilds());
    return result;
  }

  static MapResult acknowledgeRebuild(MapDraft draft, MapCommand.AcknowledgeRebuild command) {
    if (draft.live(command.node(), command.epoch()) == null) {
      return MapResult.wrongEpoch(command.node(), command.epoch());
    }
    Rebuild rebuild = draft.buckets.rebuilds().get(command.rebuild());
    if (rebuild != null) {
      reported(draft, rebuild, command.node());
    }
    return MapResult.done();
  }
}
