package io.gauss.storage.map;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.common.explore.Mixing;
import io.gauss.storage.map.MapTable.Outcome;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketMap.Move;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Two memory nodes between which two buckets move, in batches of one and of both, while nodes learn
 * of versions of the map when they like, miss some, die and come back, and their messages arrive
 * late, twice or never, and as if each had been sent in parts, too. The map changes by the real
 * transitions; a third memory node has all other buckets and a compute node reports what it has
 * when it is asked.
 *
 * <p>A node that the map does not make the home of a bucket must not serve it, for it would not
 * learn of what the home does; and the one that serves a bucket must have the highest epoch that
 * any home of the bucket had, since compute nodes do not listen to another one.
 */
final class BucketMoveModel implements Exploration.Model<BucketMoveModel.State> {
  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** The old home forgets the bucket before it says so. */
    GIVES_UP_FIRST,
    /** What was given up for an earlier move of the bucket does not count for a later one. */
    GIVEN_UP_FOR_THIS_MOVE,
    /** A bucket for which a command is out of date is skipped, whatever happens to the others. */
    EACH_BY_ITSELF,
    /** The new home begins when the map says that the old one has given up. */
    BEGINS_AFTER_THE_MAP,
    /** Its epoch is the version of the map with which it begins. */
    EPOCH_OF_THE_VERSION
  }

  private static final int COMPUTE = 2;
  static final int ONE = 3;
  static final int TWO = 4;
  private static final int BUCKETS = 2;
  private static final List<BucketSet> BATCHES =
      List.of(BucketSet.of(0), BucketSet.of(1), BucketSet.of(0, 1));

  /**
   * A memory node.
   *
   * @param epoch 0 = no process
   * @param began version of the map with which it began
   * @param held by bucket, the epoch under which it serves it; 0 = it does not
   */
  record Node(int epoch, long began, List<Long> held) {
    static final List<Long> NOTHING = List.of(0L, 0L);
    static final Node DOWN = new Node(0, 0, NOTHING);
  }

  /**
   * A state.
   *
   * @param messages that nodes have sent, by number; each may arrive any number of times
   * @param highest by bucket, the highest epoch of its homes
   * @param left how many moves may still begin, be cancelled, and how many nodes may still die
   */
  record State(
      int map,
      List<Node> nodes,
      BitSet messages,
      List<Long> highest,
      List<Integer> left,
      String broken) {
    @Override
    public int hashCode() {
      Mixing mixing = new Mixing().add(map).addAll(left).add(messages.hashCode());
      for (Node node : nodes) {
        mixing.add(node.epoch()).add(node.began());
        node.held().forEach(mixing::add);
      }
      highest.forEach(mixing::add);
      return mixing.hash();
    }

    Node node(int id) {
      return nodes.get(id - ONE);
    }

    State with(int id, Node changed) {
      List<Node> all = new ArrayList<>(nodes);
      all.set(id - ONE, changed);
      return new State(map, all, messages, highest, left, broken);
    }

    State with(Outcome outcome) {
      String wrong = broken == null ? outcome.wrong() : broken;
      return new State(outcome.map(), nodes, messages, highest, left, wrong);
    }

    State sending(int message) {
      BitSet all = (BitSet) messages.clone();
      all.set(message);
      return new State(map, nodes, all, highest, left, broken);
    }

    State using(Limit limit) {
      List<Integer> fewer = new ArrayList<>(left);
      fewer.set(limit.ordinal(), left(limit) - 1);
      return new State(map, nodes, messages, highest, fewer, broken);
    }

    int left(Limit limit) {
      return left.get(limit.ordinal());
    }

    State withHighest(List<Long> raised) {
      return new State(map, nodes, messages, raised, left, broken);
    }
  }

  /** What happens a limited number of times. */
  enum Limit {
    MOVES,
    CANCELS,
    DEATHS
  }

  private final List<MapCommand> sent = new ArrayList<>();
  private final Map<MapCommand, Integer> numbers = new HashMap<>();
  private final MapTable maps = new MapTable(UnaryOperator.identity());
  private final Set<Rule> rules;
  private final List<Integer> limits;

  private BucketMoveModel(Set<Rule> rules, List<Integer> limits) {
    this.rules = rules;
    this.limits = limits;
  }

  static BucketMoveModel withAllRules(int moves, int cancels, int deaths) {
    return new BucketMoveModel(EnumSet.allOf(Rule.class), List.of(moves, cancels, deaths));
  }

  static BucketMoveModel without(Rule rule, int moves, int cancels, int deaths) {
    return new BucketMoveModel(
        EnumSet.complementOf(EnumSet.of(rule)), List.of(moves, cancels, deaths));
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  ClusterMap map(State state) {
    return maps.map(state.map());
  }

  @Override
  public State initial() {
    MapRun run = MapRun.withStorage(1);
    run.join(0, Role.COMPUTE);
    int one = run.join(0, Role.MEMORY).epoch();
    acknowledgeRebuilds(run);
    int two = run.join(0, Role.MEMORY).epoch();
    int other = run.join(0, Role.MEMORY).node();
    BucketSet rest = BucketSet.of(IntStream.range(BUCKETS, BucketMap.BUCKETS).toArray());
    run.done(new MapCommand.MoveBuckets(other, rest));
    run.done(new MapCommand.GiveBuckets(ONE, one, run.map().version(), rest));
    run.done(
        new MapCommand.FinishBucketMoves(
            other, run.node(other).epoch(), run.map().version(), rest));
    int map = maps.number(run.map());
    long version = run.map().version();
    return new State(
        map,
        List.of(
            new Node(one, version - 1, List.of(version - 1, version - 1)),
            new Node(two, version, Node.NOTHING)),
        new BitSet(),
        List.of(version - 1, version - 1),
        limits,
        null);
  }

  private static void acknowledgeRebuilds(MapRun run) {
    for (long rebuild : List.copyOf(run.map().buckets().rebuilds().keySet())) {
      run.done(new MapCommand.AcknowledgeRebuild(COMPUTE, run.node(COMPUTE).epoch(), rebuild));
    }
  }

  @Override
  public String violation(State state) {
    if (state.broken() != null) {
      return state.broken();
    }
    ClusterMap map = map(state);
    for (int id = ONE; id <= TWO; id++) {
      Node node = state.node(id);
      for (int bucket = 0; bucket < BUCKETS; bucket++) {
        long epoch = node.held().get(bucket);
        if (epoch != 0 && map.buckets().home(bucket) != id) {
          return "node " + id + " serves bucket " + bucket + " and is not its home";
        }
        if (epoch != 0 && epoch < state.highest().get(bucket)) {
          return "node " + id + " serves bucket " + bucket + " below a home before it";
        }
      }
    }
    return null;
  }

  @Override
  public void steps(State state, Steps<State> steps) {
    for (BucketSet batch : List.of(BucketSet.of(0), BucketSet.of(0, 1))) {
      for (int to : List.of(ONE, TWO)) {
        steps.addIf(
            state.left(Limit.MOVES) > 0,
            "buckets " + batch + " are to move to node " + to,
            () -> apply(state.using(Limit.MOVES), new MapCommand.MoveBuckets(to, batch)));
      }
      steps.addIf(
          state.left(Limit.CANCELS) > 0,
          "moves of " + batch + " are cancelled",
          () -> apply(state.using(Limit.CANCELS), new MapCommand.CancelBucketMoves(batch)));
    }
    state.messages().stream()
        .mapToObj(sent::get)
        .forEach(message -> steps.add("arrives: " + message, () -> arrive(state, message)));
    for (long rebuild : map(state).buckets().rebuilds().keySet()) {
      int epoch = map(state).nodes().get(COMPUTE).epoch();
      steps.add(
          "the compute node has reported",
          () -> apply(state, new MapCommand.AcknowledgeRebuild(COMPUTE, epoch, rebuild)));
    }
    for (int i = ONE; i <= TWO; i++) {
      int id = i;
      if (state.node(id).epoch() == 0) {
        steps.add("node " + id + " comes back", () -> comesBack(state, id));
      } else {
        steps.add("node " + id + " follows the map", () -> follow(state, id));
        steps.addIf(
            state.left(Limit.DEATHS) > 0,
            "node " + id + " dies",
            () -> dies(state.using(Limit.DEATHS), id));
      }
    }
  }

  private State apply(State state, MapCommand command) {
    return state.with(maps.apply(state.map(), command));
  }

  private State dies(State state, int id) {
    MapNode entry = map(state).nodes().get(id);
    return apply(
        state.with(id, Node.DOWN),
        new MapCommand.ExpireLease(id, entry.epoch(), entry.lease().renewals()));
  }

  private State comesBack(State state, int id) {
    MapNode entry = map(state).nodes().get(id);
    State registered =
        apply(state, MapRun.register(id, entry.epoch(), entry.incarnation() + 1_000, Role.MEMORY));
    int epoch = map(registered).nodes().get(id).epoch();
    State back = apply(registered, new MapCommand.FinishJoin(id, epoch, 0));
    return back.with(id, new Node(epoch, map(back).version(), Node.NOTHING));
  }

  private static boolean leaves(ClusterMap map, int id, int bucket) {
    Move move = map.buckets().moves().get(bucket);
    return map.buckets().home(bucket) == id && move != null && move.to() != id;
  }

  private static boolean comes(ClusterMap map, int id, int bucket) {
    Move move = map.buckets().moves().get(bucket);
    return map.buckets().home(bucket) == id && move != null && move.to() == id;
  }

  /** As {@code MapFollower} does it. */
  private State follow(State state, int id) {
    ClusterMap map = map(state);
    Node node = state.node(id);
    List<Long> held = new ArrayList<>(node.held());
    List<Long> highest = new ArrayList<>(state.highest());
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      Move move = map.buckets().moves().get(bucket);
      boolean isHome = map.buckets().home(bucket) == id;
      boolean isOwn =
          isHome && (!leaves(map, id, bucket) || !on(Rule.GIVES_UP_FIRST))
              || !on(Rule.BEGINS_AFTER_THE_MAP) && move != null && move.to() == id;
      if (!isOwn) {
        held.set(bucket, 0L);
      } else if (held.get(bucket) == 0) {
        long epoch = on(Rule.EPOCH_OF_THE_VERSION) ? map.version() : node.began();
        held.set(bucket, epoch);
        highest.set(bucket, Math.max(highest.get(bucket), epoch));
      }
    }
    State after =
        state
            .with(id, new Node(node.epoch(), node.began(), List.copyOf(held)))
            .withHighest(List.copyOf(highest));
    return saying(after, id, map);
  }

  /**
   * What {@code BucketMoves} says, as a whole and in parts. The version is the lowest that is meant
   * with all of the buckets; those that the node knows above it have begun no other move of them.
   */
  private State saying(State state, int id, ClusterMap map) {
    State after = state;
    int epoch = state.node(id).epoch();
    for (BucketSet batch : BATCHES) {
      long known =
          on(Rule.GIVEN_UP_FOR_THIS_MOVE)
              ? batch.stream().mapToLong(bucket -> since(map, bucket)).max().orElse(0)
              : Long.MAX_VALUE;
      if (batch.stream().allMatch(bucket -> leaves(map, id, bucket))) {
        after = after.sending(number(new MapCommand.GiveBuckets(id, epoch, known, batch)));
      }
      if (batch.stream().allMatch(bucket -> comes(map, id, bucket))) {
        after = after.sending(number(new MapCommand.FinishBucketMoves(id, epoch, known, batch)));
      }
    }
    return after;
  }

  private static long since(ClusterMap map, int bucket) {
    Move move = map.buckets().moves().get(bucket);
    return move == null ? 0 : move.since();
  }

  private int number(MapCommand message) {
    return numbers.computeIfAbsent(
        message,
        m -> {
          sent.add(m);
          return sent.size() - 1;
        });
  }

  private State arrive(State state, MapCommand message) {
    Outcome outcome = maps.apply(state.map(), message);
    State after = state.with(outcome);
    if (!on(Rule.EACH_BY_ITSELF)
        && outcome.result() instanceof MapResult.AllBut some
        && message instanceof MapCommand.GiveBuckets give) {
      return apply(
          after,
          new MapCommand.GiveBuckets(give.node(), give.epoch(), Long.MAX_VALUE, some.skipped()));
    }
    return after;
  }
}
