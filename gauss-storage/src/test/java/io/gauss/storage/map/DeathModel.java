package io.gauss.storage.map;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.storage.map.MapTable.Outcome;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The death of a compute node that owns a page: node 2 writes the page and dies or loses its lease,
 * node 3 recovers, node 4 has a read copy of the page and takes snapshots. The map changes by the
 * real transitions; acknowledgements of the death may arrive late, and so may the dead node's last
 * append.
 *
 * <p>Forbidden are: an append that lands after the page went to node 3; two nodes that write the
 * page; a snapshot that misses node 3's write although it is not below it; a node that takes
 * snapshots below a commit of the dead node after that commit was reported to a client.
 */
final class DeathModel implements Exploration.Model<DeathModel.State> {
  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** The stream is sealed before the page may go. */
    SEAL_FIRST,
    /** Every live node drops everything from the dead one before it acknowledges. */
    COPIES_ARE_DROPPED,
    /** The recoverer raises its clock to those of the acknowledgements. */
    RECOVERER_RAISES_ITS_CLOCK,
    /** A home raises its clock to those of the acknowledgements before it grants the page. */
    HOMES_RAISE_THEIR_CLOCKS,
    /** Every live node raises its clock to the sealed end before any commit is reported. */
    CLOCKS_ARE_RAISED,
    /** No node takes pages because its own connection to their owner broke. */
    NO_OWN_VIEW
  }

  private static final int DYING = 2;
  private static final int RECOVERER = 3;
  private static final int OTHER = 4;
  private static final int MAX_CLOCK = 2;
  private static final int LAST = 1;

  /**
   * A state of the model.
   *
   * @param runs node 2's process exists
   * @param holdsLease node 2 may write
   * @param written CSN of node 2's write, 0 = none
   * @param inFlight its append is under way
   * @param durable its append is in the stream
   * @param sealed the stream accepts nothing more
   * @param owner of the page
   * @param recovererClock clock of node 3
   * @param otherClock clock of node 4
   * @param hasCopy node 4 has a read copy from node 2
   * @param missed highest snapshot of node 4 that read the page without node 3's write; -1 = none
   * @param overwritten CSN of node 3's write, 0 = none
   * @param told node 2's commit was reported to a client
   */
  record State(
      int map,
      boolean runs,
      boolean holdsLease,
      int written,
      boolean inFlight,
      boolean durable,
      boolean sealed,
      int owner,
      int recovererClock,
      int otherClock,
      boolean hasCopy,
      int missed,
      int overwritten,
      boolean told,
      List<MapCommand.AcknowledgeDeath> messages,
      String broken) {}

  /** A state that is being changed. */
  private static final class Draft {
    int map;
    boolean runs;
    boolean holdsLease;
    int written;
    boolean inFlight;
    boolean durable;
    boolean sealed;
    int owner;
    int recovererClock;
    int otherClock;
    boolean hasCopy;
    int missed;
    int overwritten;
    boolean told;
    List<MapCommand.AcknowledgeDeath> messages;
    String broken;

    Draft(State s) {
      map = s.map();
      runs = s.runs();
      holdsLease = s.holdsLease();
      written = s.written();
      inFlight = s.inFlight();
      durable = s.durable();
      sealed = s.sealed();
      owner = s.owner();
      recovererClock = s.recovererClock();
      otherClock = s.otherClock();
      hasCopy = s.hasCopy();
      missed = s.missed();
      overwritten = s.overwritten();
      told = s.told();
      messages = new ArrayList<>(s.messages());
      broken = s.broken();
    }

    State build() {
      return new State(
          map,
          runs,
          holdsLease,
          written,
          inFlight,
          durable,
          sealed,
          owner,
          recovererClock,
          otherClock,
          hasCopy,
          missed,
          overwritten,
          told,
          List.copyOf(messages),
          broken);
    }

    void apply(Outcome outcome) {
      map = outcome.map();
      broken = broken == null ? outcome.wrong() : broken;
    }
  }

  private final MapTable maps = new MapTable();
  private final Set<Rule> rules;
  private int dyingEpoch;

  private DeathModel(Set<Rule> rules) {
    this.rules = rules;
  }

  static DeathModel withAllRules() {
    return new DeathModel(EnumSet.allOf(Rule.class));
  }

  static DeathModel without(Rule rule) {
    return new DeathModel(EnumSet.complementOf(EnumSet.of(rule)));
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  @Override
  public State initial() {
    MapRun run = MapRun.withStorage(1);
    run.join(0, Role.COMPUTE);
    run.join(0, Role.COMPUTE);
    run.join(0, Role.COMPUTE);
    dyingEpoch = run.node(DYING).epoch();
    return new State(
        maps.number(run.map()),
        true,
        true,
        0,
        false,
        false,
        false,
        DYING,
        0,
        0,
        false,
        -1,
        0,
        false,
        List.of(),
        null);
  }

  @Override
  public String violation(State s) {
    if (s.broken() != null) {
      return s.broken();
    }
    if (s.runs() && s.holdsLease() && s.owner() != DYING) {
      return "two nodes may write the page";
    }
    if (s.overwritten() > 0 && s.missed() >= s.overwritten()) {
      return "snapshot " + s.missed() + " missed CSN " + s.overwritten();
    }
    if (s.told() && s.otherClock() < s.written()) {
      return "node " + OTHER + " takes snapshots below a commit that was told";
    }
    return null;
  }

  @Override
  public void steps(State state, Steps<State> steps) {
    ClusterMap map = maps.map(state.map());
    Death death = map.deaths().get(dyingEpoch);
    dying(state, map, steps);
    copies(state, steps);
    if (death != null) {
      installs(state, map, death, RECOVERER, steps);
      installs(state, map, death, OTHER, steps);
      steps.addIf(!state.sealed(), "the stream is sealed", () -> seal(state));
      steps.addIf(
          state.sealed() && !map.isSealed(death),
          "the map learns of the seal",
          () -> {
            Draft draft = new Draft(state);
            draft.apply(
                maps.apply(
                    state.map(), new MapCommand.StreamSealed(dyingEpoch, LAST, last(state))));
            return draft.build();
          });
      steps.addIf(state.owner() == DYING, "node 3 takes over", () -> takeOver(state, death));
      steps.addIf(
          state.owner() == DYING && death.isAcknowledged() && map.isSealed(death),
          "the page's home grants it to node 3",
          () -> {
            Draft draft = new Draft(state);
            draft.owner = RECOVERER;
            long home = on(Rule.HOMES_RAISE_THEIR_CLOCKS) ? map.clockFloor() : 0;
            draft.recovererClock = (int) Math.max(state.recovererClock(), home);
            return draft.build();
          });
    }
    for (MapCommand.AcknowledgeDeath message : state.messages()) {
      steps.add(
          "arrives: " + message,
          () -> {
            Draft draft = new Draft(state);
            draft.messages.remove(message);
            draft.apply(maps.apply(state.map(), message));
            return draft.build();
          });
    }
    recovererWorks(state, steps);
  }

  private void dying(State state, ClusterMap map, Steps<State> steps) {
    steps.addIf(
        state.runs() && state.holdsLease() && state.owner() == DYING && state.written() == 0,
        "node 2 writes the page and sends its redo",
        () -> {
          Draft draft = new Draft(state);
          draft.written = LAST;
          draft.inFlight = true;
          return draft.build();
        });
    steps.addIf(
        state.inFlight(),
        "node 2's redo arrives at the stream",
        () -> {
          Draft draft = new Draft(state);
          draft.inFlight = false;
          if (!state.sealed()) {
            draft.durable = true;
            if (state.owner() != DYING) {
              draft.broken = "redo was appended after the page had gone to another node";
            }
          }
          return draft.build();
        });
    steps.addIf(
        state.holdsLease(),
        "node 2 stops, and its lease ends",
        () -> {
          Draft draft = new Draft(state);
          draft.holdsLease = false;
          return draft.build();
        });
    steps.addIf(
        state.runs(),
        "node 2's process ends",
        () -> {
          Draft draft = new Draft(state);
          draft.runs = false;
          return draft.build();
        });
    steps.addIf(
        map.isLive(DYING, dyingEpoch) && !(state.runs() && state.holdsLease()),
        "node 2 is declared dead",
        () -> {
          MapNode node = map.nodes().get(DYING);
          Draft draft = new Draft(state);
          draft.apply(
              maps.apply(
                  state.map(),
                  state.runs()
                      ? new MapCommand.ExpireLease(DYING, node.epoch(), 0)
                      : new MapCommand.DeclareExited(DYING, node.epoch(), node.incarnation())));
          return draft.build();
        });
  }

  /** Law 3: a read copy may leave before its redo is durable. */
  private void copies(State state, Steps<State> steps) {
    steps.addIf(
        state.runs() && state.holdsLease() && !state.hasCopy() && state.owner() == DYING,
        "node 4 gets a read copy from node 2",
        () -> {
          Draft draft = new Draft(state);
          draft.hasCopy = true;
          draft.otherClock = Math.max(state.otherClock(), state.written());
          return draft.build();
        });
    steps.addIf(
        state.hasCopy(),
        "node 4 reads its copy",
        () -> {
          Draft draft = new Draft(state);
          draft.missed = Math.max(state.missed(), state.otherClock());
          return draft.build();
        });
    steps.addIf(
        state.otherClock() < MAX_CLOCK,
        "node 4's clock ticks",
        () -> {
          Draft draft = new Draft(state);
          draft.otherClock++;
          return draft.build();
        });
  }

  private void installs(State state, ClusterMap map, Death death, int id, Steps<State> steps) {
    boolean owes =
        death.installPending().contains(id)
            || (map.isSealed(death) && death.raisePending().contains(id));
    boolean sent = state.messages().stream().anyMatch(m -> m.node() == id);
    steps.addIf(
        owes && !sent,
        "node " + id + " drops what came from node 2 and acknowledges",
        () -> {
          Draft draft = new Draft(state);
          int known = map.isSealed(death) ? (int) map.streams().get(dyingEpoch).lastLsn() : 0;
          int clock;
          if (id == RECOVERER) {
            draft.recovererClock = Math.max(state.recovererClock(), known);
            clock = draft.recovererClock;
          } else {
            draft.hasCopy = state.hasCopy() && !on(Rule.COPIES_ARE_DROPPED);
            draft.otherClock = Math.max(state.otherClock(), known);
            clock = draft.otherClock;
          }
          draft.messages.add(
              new MapCommand.AcknowledgeDeath(id, map.nodes().get(id).epoch(), dyingEpoch, clock));
          return draft.build();
        });
  }

  private static int last(State state) {
    return state.durable() ? state.written() : 0;
  }

  private static State seal(State state) {
    Draft draft = new Draft(state);
    draft.sealed = true;
    return draft.build();
  }

  private State takeOver(State state, Death death) {
    ClusterMap map = maps.map(state.map());
    int known = (int) Math.max(death.clock(), map.streams().get(dyingEpoch).lastLsn());
    int own = state.recovererClock();
    int raised = on(Rule.RECOVERER_RAISES_ITS_CLOCK) ? Math.max(own, known) : own;
    MapCommand command =
        new MapCommand.TakeOver(
            RECOVERER, map.nodes().get(RECOVERER).epoch(), dyingEpoch, Math.max(raised, known));
    boolean raises = !on(Rule.CLOCKS_ARE_RAISED);
    boolean unsealed = !on(Rule.SEAL_FIRST);
    Outcome outcome =
        maps.apply(
            state.map(),
            command,
            raises || unsealed ? "without " + rules : "",
            m -> {
              // Clocks are raised to a sealed end, so that there is nothing to raise without one.
              ClusterMap altered = Models.withoutRaisedClocks(m, dyingEpoch, raises || unsealed);
              return unsealed ? Models.withStreamsSealed(altered) : altered;
            });
    if (!outcome.isDone()) {
      return null;
    }
    Draft draft = new Draft(state);
    draft.apply(outcome);
    draft.owner = RECOVERER;
    draft.recovererClock = raised;
    return draft.build();
  }

  private void recovererWorks(State state, Steps<State> steps) {
    steps.addIf(
        !on(Rule.NO_OWN_VIEW) && state.owner() == DYING,
        "node 3 believes node 2 to be dead and takes the page",
        () -> {
          Draft draft = new Draft(state);
          draft.owner = RECOVERER;
          return draft.build();
        });
    steps.addIf(
        state.owner() == RECOVERER && state.overwritten() == 0,
        "node 3 writes the page",
        () -> {
          Draft draft = new Draft(state);
          draft.recovererClock++;
          draft.overwritten = draft.recovererClock;
          return draft.build();
        });
    steps.addIf(
        state.owner() == RECOVERER && state.durable() && !state.told(),
        "node 3 tells a client of node 2's commit",
        () -> {
          Draft draft = new Draft(state);
          draft.told = true;
          return draft.build();
        });
  }
}
