package io.gauss.compute.peer;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.compute.peer.PeerNodes.Answerer;
import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.MapHistory;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who answers about a node's transactions while it dies, is recovered and comes back: the node, its
 * recoverer and a third one, which see the versions of the map late and miss any of them. The map
 * changes by the real transitions, and each node looks into the version that it has by {@link
 * SlotAnswers}. A node may read the segments for itself while it believes that they are at rest.
 * The recoverer may die as well, at any moment; then the third node recovers, or the node itself if
 * it is back.
 *
 * <p>Forbidden: the node writes its segments again while another one still has what it found in
 * them before, from which it would answer that the new transactions never were.
 */
final class AnswersModel implements Exploration.Model<AnswersModel.State> {
  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** The recoverer gives up what it has before it reports that the recovery is over. */
    LET_GO_FIRST,
    /** Having let go, it does not read the segments again because its map is late. */
    RESIGN,
    /** What was read is used only if who answers has not changed since the reading began. */
    LOOK_BEFORE_HOLDING,
    /** Another answerer, or another life, makes a node forget what it has read. */
    FORGET_ON_CHANGE
  }

  private enum Held {
    NOTHING,
    AT_REST,
    STAND_IN
  }

  private static final int SLOT = MapHistory.DIES_SLOT;
  private static final int DIES = MapHistory.DIES;
  private static final int RECOVERS = MapHistory.STAYS;
  private static final long CLOCK = MapHistory.CLOCK;

  /**
   * What a node knows.
   *
   * @param map number of the version that it sees
   * @param reading of the segments is under way
   * @param isStale who answers has changed since the reading began
   * @param resigned it has recovered the node, and has let go
   */
  record Knows(int map, Held held, boolean reading, boolean isStale, boolean resigned) {}

  /**
   * A state of the model.
   *
   * @param map number of the newest version
   * @param writes the node has come back and writes its segments
   */
  record State(int map, Knows recoverer, Knows third, boolean writes) {
    Knows of(boolean isRecoverer) {
      return isRecoverer ? recoverer : third;
    }

    State with(boolean isRecoverer, Knows now) {
      return isRecoverer
          ? new State(map, now, third, writes)
          : new State(map, recoverer, now, writes);
    }

    State withMap(int newer) {
      return new State(newer, recoverer, third, writes);
    }
  }

  private final List<ClusterMap> maps = new ArrayList<>();
  private final Map<ClusterMap, Integer> numbers = new HashMap<>();
  private final Set<Rule> rules;
  private final int dead;

  private AnswersModel(Set<Rule> rules) {
    this.rules = rules;
    this.dead = MapHistory.twoDeathsAndReturns().getFirst().nodes().get(DIES).epoch();
  }

  static AnswersModel withAllRules() {
    return new AnswersModel(EnumSet.allOf(Rule.class));
  }

  static AnswersModel without(Rule rule) {
    return new AnswersModel(EnumSet.complementOf(EnumSet.of(rule)));
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  private int number(ClusterMap map) {
    return numbers.computeIfAbsent(
        map,
        m -> {
          maps.add(m);
          return maps.size() - 1;
        });
  }

  @Override
  public State initial() {
    int first = number(MapHistory.twoDeathsAndReturns().getFirst());
    Knows nothing = new Knows(first, Held.NOTHING, false, false, false);
    return new State(first, nothing, nothing, false);
  }

  @Override
  public String violation(State s) {
    if (s.writes() && (s.recoverer().held() != Held.NOTHING || s.third().held() != Held.NOTHING)) {
      return "a node answers about the next life from what it knows of the last one";
    }
    return null;
  }

  private static MapNode node(ClusterMap map, boolean isRecoverer) {
    return map.nodes().values().stream()
        .filter(n -> n.has(Role.COMPUTE) && n.id() != DIES && (n.id() == RECOVERS) == isRecoverer)
        .findFirst()
        .orElseThrow();
  }

  /** Null when the map refuses the command, or it changes nothing. */
  private State change(State state, MapCommand command) {
    ClusterMap before = maps.get(state.map());
    Applied applied = ClusterMapTransitions.apply(before, command);
    boolean isDone =
        applied.result() instanceof MapResult.Done
            || applied.result() instanceof MapResult.Registered;
    return isDone && applied.map() != before ? state.withMap(number(applied.map())) : null;
  }

  @Override
  public void steps(State state, Steps<State> steps) {
    ClusterMap map = maps.get(state.map());
    ofTheNode(state, map, steps);
    ofTheMap(state, map, steps);
    for (boolean isRecoverer : new boolean[] {true, false}) {
      if (node(map, isRecoverer).isLive()) {
        ofOther(state, isRecoverer, steps);
        recovers(state, isRecoverer, steps);
      }
    }
  }

  private void ofTheNode(State state, ClusterMap map, Steps<State> steps) {
    MapNode node = map.nodes().get(DIES);
    steps.addIf(
        node.epoch() == dead && node.isLive(),
        "the node dies",
        () -> change(state, new MapCommand.ExpireLease(DIES, dead, node.lease().renewals())));
    steps.addIf(
        node.epoch() == dead && !node.isLive(),
        "the node registers again",
        () ->
            change(
                state,
                new MapCommand.Register(
                    map.cluster(),
                    DIES,
                    dead,
                    node.roles(),
                    node.zone(),
                    node.endpoints(),
                    node.incarnation() + 1,
                    1,
                    1)));
    boolean isBack = node.epoch() != dead && node.isLive();
    steps.addIf(
        isBack && map.joins().containsKey(node.epoch()),
        "the node has joined",
        () -> change(state, new MapCommand.FinishJoin(DIES, node.epoch(), 2 * CLOCK)));
    steps.addIf(
        isBack && node.state().isServing() && isFree(map) && !state.writes(),
        "the node writes its segments",
        () -> new State(state.map(), state.recoverer(), state.third(), true));
    steps.addIf(
        state.writes() && map.deaths().containsKey(dead),
        "the node takes itself over",
        () -> change(state, new MapCommand.TakeOver(DIES, node.epoch(), dead, 2 * CLOCK)));
    steps.addIf(
        state.writes() && map.deaths().containsKey(dead),
        "the node reports that it has recovered itself",
        () -> change(state, new MapCommand.FinishRecovery(DIES, node.epoch(), dead)));
  }

  /** Whether no other node recovers it. */
  private boolean isFree(ClusterMap map) {
    Death death = map.deaths().get(dead);
    return death == null || death.recoverer() == DIES;
  }

  private void ofTheMap(State state, ClusterMap map, Steps<State> steps) {
    Death death = map.deaths().get(dead);
    steps.addIf(
        death != null && !map.isSealed(death),
        "the stream is sealed",
        () -> change(state, new MapCommand.StreamSealed(dead, 1, CLOCK)));
    MapNode recoverer = node(map, true);
    steps.addIf(
        death != null && recoverer.isLive(),
        "the recoverer dies",
        () -> recovererDies(state, recoverer));
    steps.addIf(
        !recoverer.isLive() && !map.isSealed(map.deaths().get(recoverer.epoch())),
        "the recoverer's stream is sealed",
        () -> change(state, new MapCommand.StreamSealed(recoverer.epoch(), 1, CLOCK)));
    steps.addIf(
        death != null && map.isSealed(death),
        "the memory node has installed the death",
        () -> {
          MapNode memory = map.nodes().get(MapHistory.MEMORY);
          return change(
              state, new MapCommand.AcknowledgeDeath(memory.id(), memory.epoch(), dead, CLOCK + 1));
        });
  }

  private State recovererDies(State state, MapNode recoverer) {
    State without =
        change(
            state,
            new MapCommand.ExpireLease(
                recoverer.id(), recoverer.epoch(), recoverer.lease().renewals()));
    return without == null
        ? null
        : without.with(true, new Knows(0, Held.NOTHING, false, false, false));
  }

  private void ofOther(State state, boolean isRecoverer, Steps<State> steps) {
    Knows knows = state.of(isRecoverer);
    String name = isRecoverer ? "the recoverer " : "the third node ";
    ClusterMap seen = maps.get(knows.map());
    MapNode self = node(seen, isRecoverer);
    steps.addIf(
        knows.map() != state.map(),
        name + "sees the newest map",
        () -> state.with(isRecoverer, sees(state, isRecoverer)));
    Death death = seen.deaths().get(dead);
    steps.addIf(
        death != null && seen.isSealed(death),
        name + "has installed the death",
        () ->
            change(
                state, new MapCommand.AcknowledgeDeath(self.id(), self.epoch(), dead, CLOCK + 1)));
    Join join = seen.joins().get(seen.nodes().get(DIES).epoch());
    steps.addIf(
        join != null && join.epoch() != dead,
        name + "acknowledges that the node joins",
        () ->
            change(
                state,
                new MapCommand.AcknowledgeJoin(self.id(), self.epoch(), join.epoch(), 2 * CLOCK)));
    steps.addIf(
        answerer(state, isRecoverer, knows.map()).by() == self.slot()
            && knows.held() == Held.NOTHING
            && !knows.reading(),
        name + "begins to read the segments",
        () ->
            state.with(
                isRecoverer, new Knows(knows.map(), Held.NOTHING, true, false, knows.resigned())));
    steps.addIf(
        knows.reading(),
        name + "has read the segments",
        () -> {
          boolean holds =
              knows.held() == Held.NOTHING && (!knows.isStale() || !on(Rule.LOOK_BEFORE_HOLDING));
          Held held = holds ? Held.AT_REST : knows.held();
          return state.with(
              isRecoverer, new Knows(knows.map(), held, false, false, knows.resigned()));
        });
  }

  private Answerer answerer(State state, boolean isRecoverer, int map) {
    ClusterMap seen = maps.get(map);
    boolean resigned = state.of(isRecoverer).resigned() && on(Rule.RESIGN);
    return SlotAnswers.answerer(
        seen, SLOT, node(seen, isRecoverer).slot(), resigned ? Set.of(dead) : Set.of());
  }

  private Knows sees(State state, boolean isRecoverer) {
    Knows before = state.of(isRecoverer);
    boolean changed =
        !answerer(state, isRecoverer, before.map())
            .equals(answerer(state, isRecoverer, state.map()));
    boolean forgets = changed && before.held() == Held.AT_REST && on(Rule.FORGET_ON_CHANGE);
    // Without the rule the recoverer lets go as soon as its map has it that the recovery is over.
    boolean isOver =
        before.held() == Held.STAND_IN && !maps.get(state.map()).deaths().containsKey(dead);
    return new Knows(
        state.map(),
        forgets || isOver ? Held.NOTHING : before.held(),
        before.reading(),
        before.isStale() || changed,
        before.resigned());
  }

  /** What the one that the map names as the recoverer does. */
  private void recovers(State state, boolean isRecoverer, Steps<State> steps) {
    Knows knows = state.of(isRecoverer);
    ClusterMap seen = maps.get(knows.map());
    MapNode self = node(seen, isRecoverer);
    Death death = seen.deaths().get(dead);
    if (death == null || death.recoverer() != self.id()) {
      return;
    }
    String name = isRecoverer ? "the recoverer " : "the third node ";
    steps.addIf(
        !death.takenOver()
            && death.isAcknowledged()
            && seen.isSealed(death)
            && knows.held() != Held.STAND_IN
            && !knows.resigned(),
        name + "finds the segments",
        () ->
            state.with(
                isRecoverer,
                new Knows(knows.map(), Held.STAND_IN, knows.reading(), knows.isStale(), false)));
    steps.addIf(
        knows.held() == Held.STAND_IN,
        name + "takes over",
        () -> change(state, new MapCommand.TakeOver(self.id(), self.epoch(), dead, 2 * CLOCK)));
    steps.addIf(
        death.takenOver() && knows.held() == Held.STAND_IN && on(Rule.LET_GO_FIRST),
        name + "lets go",
        () -> {
          boolean changed = on(Rule.RESIGN);
          return state.with(
              isRecoverer,
              new Knows(
                  knows.map(), Held.NOTHING, knows.reading(), knows.isStale() || changed, true));
        });
    steps.addIf(
        death.takenOver() && (knows.resigned() || !on(Rule.LET_GO_FIRST)),
        name + "reports that the recovery is over",
        () -> change(state, new MapCommand.FinishRecovery(self.id(), self.epoch(), dead)));
  }
}
