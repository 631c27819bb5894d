package io.gauss.storage.map;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.common.explore.Mixing;
import io.gauss.storage.map.MapTable.Outcome;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Two compute nodes that serve and commit, and one that joins while they do; any of them may crash
 * and come back. A commit takes its CSN, reads its receivers, informs them, and is acknowledged to
 * its client when all have confirmed. Every serving node must have a clock at or above every
 * acknowledged commit: a snapshot is a reading of that clock.
 *
 * <p>The map changes by the real transitions. Acknowledgements of a join may arrive late.
 */
final class JoinModel implements Exploration.Model<JoinModel.State> {
  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** All live nodes acknowledge a join before the node serves. */
    ALL_ACKNOWLEDGE,
    /** An acknowledgement's clock is read after the joining node was made a receiver. */
    CLOCK_READ_AFTER_INSTALL,
    /** The joining node raises its clock before it serves. */
    CLOCK_IS_RAISED,
    /** No node begins to serve before the streams of dead nodes are sealed. */
    DEAD_ARE_SEALED,
    /** Receivers are read after the CSN was taken. */
    RECEIVERS_AFTER_CSN
  }

  private static final int FIRST = 2;
  private static final int NODES = 3;

  /**
   * A compute node.
   *
   * @param epoch 0 = no process
   * @param receivers of its commits
   * @param noted clock read before installing, without the rule; -1 = none
   * @param top highest CSN that it took in this epoch
   */
  record Node(
      int epoch, boolean serves, int clock, SortedSet<Integer> receivers, int noted, int top) {
    static final Node DOWN = new Node(0, false, 0, new TreeSet<>(), -1, 0);

    Node withClock(int raised) {
      return new Node(epoch, serves, Math.max(clock, raised), receivers, noted, top);
    }

    Node withReceiver(int node, int newNoted) {
      SortedSet<Integer> more = new TreeSet<>(receivers);
      more.add(node);
      return new Node(epoch, serves, clock, more, newNoted, top);
    }
  }

  /**
   * A commit under way.
   *
   * @param csn 0 = not taken yet
   * @param waiting receivers that have not confirmed yet; null = receivers not known yet
   */
  record Commit(int node, int csn, SortedSet<Integer> waiting) {}

  record Acknowledgement(int node, int epoch, int joiningEpoch, int clock) {}

  record State(
      int map,
      List<Node> nodes,
      List<Commit> commits,
      List<Acknowledgement> messages,
      int begun,
      int rejoins,
      int acknowledged,
      String broken) {
    @Override
    public int hashCode() {
      Mixing mixing = new Mixing().add(map).add(begun).add(rejoins).add(acknowledged);
      for (Node n : nodes) {
        mixing.add(n.epoch()).add(n.serves()).add(n.clock()).add(n.noted()).add(n.top());
        mixing.addAll(n.receivers());
      }
      for (Commit c : commits) {
        mixing.add(c.node()).add(c.csn()).addAll(c.waiting());
      }
      for (Acknowledgement m : messages) {
        mixing.add(m.node()).add(m.epoch()).add(m.joiningEpoch()).add(m.clock());
      }
      return mixing.hash();
    }

    Node node(int id) {
      return nodes.get(id - FIRST);
    }

    State with(int id, Node changed) {
      List<Node> all = new ArrayList<>(nodes);
      all.set(id - FIRST, changed);
      return new State(map, all, commits, messages, begun, rejoins, acknowledged, broken);
    }

    State with(Outcome outcome) {
      String wrong = broken == null ? outcome.wrong() : broken;
      return new State(
          outcome.map(), nodes, commits, messages, begun, rejoins, acknowledged, wrong);
    }

    State withMessage(Acknowledgement message) {
      List<Acknowledgement> all = new ArrayList<>(messages);
      all.add(message);
      return new State(map, nodes, commits, all, begun, rejoins, acknowledged, broken);
    }

    State without(Acknowledgement message) {
      List<Acknowledgement> all = new ArrayList<>(messages);
      all.remove(message);
      return new State(map, nodes, commits, all, begun, rejoins, acknowledged, broken);
    }

    State replacing(Commit old, Commit changed) {
      List<Commit> all = new ArrayList<>(commits);
      all.remove(old);
      if (changed != null) {
        all.add(changed);
      }
      return new State(map, nodes, all, messages, begun, rejoins, acknowledged, broken);
    }
  }

  private final MapTable maps = new MapTable();
  private final Set<Rule> rules;

  private final int maxCommits;
  private final int maxRejoins;

  private JoinModel(Set<Rule> rules, int maxCommits, int maxRejoins) {
    this.rules = rules;
    this.maxCommits = maxCommits;
    this.maxRejoins = maxRejoins;
  }

  static JoinModel withAllRules(int maxCommits, int maxRejoins) {
    return new JoinModel(EnumSet.allOf(Rule.class), maxCommits, maxRejoins);
  }

  static JoinModel without(Rule rule) {
    return new JoinModel(EnumSet.complementOf(EnumSet.of(rule)), 1, 1);
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  private ClusterMap map(State state) {
    return maps.map(state.map());
  }

  @Override
  public State initial() {
    MapRun run = MapRun.withStorage(1);
    int one = join(run).epoch();
    int two = join(run).epoch();
    return new State(
        maps.number(run.map()),
        List.of(
            new Node(one, true, 0, new TreeSet<>(Set.of(FIRST + 1)), -1, 0),
            new Node(two, true, 0, new TreeSet<>(Set.of(FIRST)), -1, 0),
            Node.DOWN),
        List.of(),
        List.of(),
        0,
        0,
        0,
        null);
  }

  private static MapNode join(MapRun run) {
    int epoch = run.registered(0, Role.COMPUTE).epoch();
    run.acknowledgeJoin(epoch, 0);
    int node = run.map().joins().get(epoch).node();
    run.done(new MapCommand.FinishJoin(node, epoch, 0));
    return run.node(node);
  }

  @Override
  public String violation(State state) {
    if (state.broken() != null) {
      return state.broken();
    }
    for (int id = FIRST; id < FIRST + NODES; id++) {
      Node node = state.node(id);
      if (node.serves() && node.clock() < state.acknowledged()) {
        return "node " + id + " takes snapshots below an acknowledged commit";
      }
    }
    return null;
  }

  @Override
  public void steps(State state, Steps<State> steps) {
    for (int i = FIRST; i < FIRST + NODES; i++) {
      int id = i;
      Node node = state.node(id);
      if (node.epoch() == 0) {
        comesUp(state, id, steps);
        continue;
      }
      steps.addIf(
          node.serves() && state.begun() < maxCommits,
          "node " + id + " begins a commit",
          () -> begin(state, id));
      steps.add("node " + id + " crashes", () -> crash(state, id));
      for (Join join : map(state).joins().values()) {
        if (join.epoch() == node.epoch()) {
          steps.add("node " + id + " finishes joining", () -> finish(state, id, join));
        } else if (join.pending().contains(id)) {
          acknowledge(state, id, join, steps);
        }
      }
    }
    for (Acknowledgement m : state.messages()) {
      steps.add("arrives: " + m, () -> state.without(m).with(maps.apply(state.map(), command(m))));
    }
    for (Commit commit : state.commits()) {
      commit(state, commit, steps);
    }
    for (Death death : map(state).deaths().values()) {
      steps.addIf(
          !map(state).isSealed(death),
          "the stream of epoch " + death.epoch() + " is sealed",
          () -> seal(state, death));
    }
  }

  private void comesUp(State state, int id, Steps<State> steps) {
    MapNode entry = map(state).nodes().get(id);
    boolean isNew = entry == null;
    if (!isNew && entry.isLive()) {
      steps.add(
          "node " + id + " is declared dead",
          () ->
              state.with(
                  maps.apply(
                      state.map(),
                      new MapCommand.DeclareExited(id, entry.epoch(), entry.incarnation()))));
      return;
    }
    if (isNew || state.rejoins() < maxRejoins) {
      steps.add("node " + id + " registers", () -> register(state, id, isNew));
    }
  }

  private State register(State state, int id, boolean isNew) {
    long incarnation = 1_000 + id * 10L + state.rejoins();
    Outcome outcome =
        maps.apply(
            state.map(),
            MapRun.register(
                isNew ? 0 : id,
                isNew ? 0 : map(state).nodes().get(id).epoch(),
                incarnation,
                Role.COMPUTE));
    MapNode entry = maps.map(outcome.map()).nodes().get(id);
    if (entry == null || !entry.isLive()) {
      return null;
    }
    State next =
        state.with(outcome).with(id, new Node(entry.epoch(), false, 0, new TreeSet<>(), -1, 0));
    return new State(
        next.map(),
        next.nodes(),
        next.commits(),
        next.messages(),
        next.begun(),
        next.rejoins() + (isNew ? 0 : 1),
        next.acknowledged(),
        next.broken());
  }

  private State crash(State state, int id) {
    List<Commit> others = state.commits().stream().filter(c -> c.node() != id).toList();
    Node gone = new Node(0, false, 0, new TreeSet<>(), -1, state.node(id).top());
    return new State(
        state.with(id, gone).map(),
        state.with(id, gone).nodes(),
        others,
        state.messages(),
        state.begun(),
        state.rejoins(),
        state.acknowledged(),
        state.broken());
  }

  /** The stream has everything that was acknowledged, and may have more. */
  private State seal(State state, Death death) {
    int last = state.node(death.node()).epoch() == 0 ? state.node(death.node()).top() : 0;
    return state.with(
        maps.apply(state.map(), new MapCommand.StreamSealed(death.epoch(), last, last)));
  }

  private void acknowledge(State state, int id, Join join, Steps<State> steps) {
    Node node = state.node(id);
    if (on(Rule.CLOCK_READ_AFTER_INSTALL)) {
      steps.add(
          "node " + id + " makes node " + join.node() + " a receiver and acknowledges",
          () -> send(state, id, join, node.clock()).with(id, node.withReceiver(join.node(), -1)));
    } else if (node.noted() < 0) {
      steps.add(
          "node " + id + " reads its clock",
          () ->
              state.with(
                  id,
                  new Node(
                      node.epoch(),
                      node.serves(),
                      node.clock(),
                      node.receivers(),
                      node.clock(),
                      node.top())));
    } else {
      steps.add(
          "node " + id + " makes node " + join.node() + " a receiver and acknowledges",
          () -> send(state, id, join, node.noted()).with(id, node.withReceiver(join.node(), -1)));
    }
  }

  private static State send(State state, int id, Join join, int clock) {
    Acknowledgement message = new Acknowledgement(id, state.node(id).epoch(), join.epoch(), clock);
    boolean sent =
        state.messages().stream().anyMatch(m -> m.node() == id && m.joiningEpoch() == join.epoch());
    return sent ? state : state.withMessage(message);
  }

  private static MapCommand command(Acknowledgement m) {
    return new MapCommand.AcknowledgeJoin(m.node(), m.epoch(), m.joiningEpoch(), m.clock());
  }

  private State finish(State state, int id, Join join) {
    ClusterMap map = map(state);
    int known = (int) map.clockToServe(join);
    Node node = state.node(id);
    Node raised = on(Rule.CLOCK_IS_RAISED) ? node.withClock(known) : node;
    int told = on(Rule.CLOCK_IS_RAISED) ? raised.clock() : known;
    MapCommand command = new MapCommand.FinishJoin(id, node.epoch(), told);
    Outcome outcome =
        maps.apply(
            state.map(),
            command,
            on(Rule.ALL_ACKNOWLEDGE) && on(Rule.DEAD_ARE_SEALED) ? "" : "without " + rules,
            m -> {
              ClusterMap altered =
                  on(Rule.ALL_ACKNOWLEDGE)
                      ? m
                      : Models.withoutJoinAcknowledgements(m, join.epoch());
              return on(Rule.DEAD_ARE_SEALED) ? altered : Models.withStreamsSealed(altered);
            });
    if (!outcome.isDone()) {
      return null;
    }
    SortedSet<Integer> receivers = new TreeSet<>();
    maps.map(outcome.map()).receivers(id).forEach(n -> receivers.add(n.id()));
    return state
        .with(outcome)
        .with(id, new Node(node.epoch(), true, raised.clock(), receivers, -1, node.top()));
  }

  private State begin(State state, int id) {
    Node node = state.node(id);
    State begun =
        new State(
            state.map(),
            state.nodes(),
            state.commits(),
            state.messages(),
            state.begun() + 1,
            state.rejoins(),
            state.acknowledged(),
            state.broken());
    return on(Rule.RECEIVERS_AFTER_CSN)
        ? takeCsn(begun, null, new Commit(id, 0, null))
        : begun.replacing(null, new Commit(id, 0, node.receivers()));
  }

  private static State takeCsn(State state, Commit old, Commit commit) {
    Node node = state.node(commit.node());
    int csn = node.clock() + 1;
    Node ticked = new Node(node.epoch(), node.serves(), csn, node.receivers(), node.noted(), csn);
    return state
        .with(commit.node(), ticked)
        .replacing(old, new Commit(commit.node(), csn, commit.waiting()));
  }

  private void commit(State state, Commit commit, Steps<State> steps) {
    if (commit.csn() == 0) {
      steps.add("the CSN is taken", () -> takeCsn(state, commit, commit));
      return;
    }
    if (commit.waiting() == null) {
      steps.add(
          "node " + commit.node() + " reads whom to tell",
          () ->
              state.replacing(
                  commit,
                  new Commit(commit.node(), commit.csn(), state.node(commit.node()).receivers())));
      return;
    }
    if (commit.waiting().isEmpty()) {
      steps.add("CSN " + commit.csn() + " is acknowledged", () -> acknowledged(state, commit));
      return;
    }
    for (int to : commit.waiting()) {
      SortedSet<Integer> rest = new TreeSet<>(commit.waiting());
      rest.remove(to);
      Commit told = new Commit(commit.node(), commit.csn(), rest);
      Node receiver = state.node(to);
      MapNode entry = map(state).nodes().get(to);
      steps.addIf(
          receiver.epoch() != 0,
          "node " + to + " hears of CSN " + commit.csn(),
          () -> state.replacing(commit, told).with(to, receiver.withClock(commit.csn())));
      steps.addIf(
          entry != null && !entry.isLive(),
          "node " + commit.node() + " no longer waits for dead node " + to,
          () -> state.replacing(commit, told));
    }
  }

  private static State acknowledged(State state, Commit commit) {
    State done = state.replacing(commit, null);
    return new State(
        done.map(),
        done.nodes(),
        done.commits(),
        done.messages(),
        done.begun(),
        done.rejoins(),
        Math.max(done.acknowledged(), commit.csn()),
        done.broken());
  }
}
