package io.gauss.memory.coherence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.memory.coherence.CoherenceModel.Bounds;
import io.gauss.memory.coherence.CoherenceModel.Rule;
import io.gauss.memory.coherence.CoherenceModel.State;
import io.gauss.memory.coherence.HolderPage.Right;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** One owner, current copies, stable snapshots, and no endless wait: in all states. */
class CoherenceRulesTest {
  private static final int MAX_STATES = 500_000;
  private static final int MAX_STATES_LONG = 10_000_000;

  private static final Bounds FAULTLESS = new Bounds(3, 3, 1, 1, 0, 0, 0, 0);
  private static final Bounds WITH_A_DEATH = new Bounds(3, 2, 1, 0, 0, 1, 0, 0);
  private static final Bounds WITH_A_LOSS = new Bounds(3, 2, 1, 0, 0, 0, 1, 0);
  private static final Bounds WITH_A_LOSS_AND_AN_EVICTION = new Bounds(2, 3, 1, 1, -1, 0, 1, 0);

  static List<Bounds> models() {
    return List.of(
        // nodes, needs, writes, evictions, ticks, deaths, losses of the home, errors of threads
        FAULTLESS,
        new Bounds(2, 3, 2, 1, 1, 0, 0, 0),
        WITH_A_DEATH,
        WITH_A_LOSS,
        new Bounds(2, 2, 1, 1, 0, 1, 1, 0),
        new Bounds(2, 3, 1, 0, 0, 1, 0, 0),
        WITH_A_LOSS_AND_AN_EVICTION,
        new Bounds(2, 3, 0, 1, -1, 1, 1, 0),
        new Bounds(3, 3, 1, 0, 0, 0, 0, 1),
        new Bounds(2, 2, 1, 1, 0, 0, 1, 1),
        new Bounds(2, 2, 1, 1, -1, 0, 2, 0));
  }

  static List<Bounds> largerModels() {
    return List.of(
        new Bounds(3, 3, 1, 0, 0, 1, 0, 0),
        new Bounds(3, 4, 1, 1, 0, 0, 0, 0),
        new Bounds(3, 2, 1, 1, 0, 0, 1, 0),
        new Bounds(2, 3, 1, 1, 0, 0, 1, 0),
        new Bounds(2, 2, 1, 1, -1, 1, 1, 1),
        new Bounds(2, 3, 1, 1, -1, 0, 1, 1));
  }

  @ParameterizedTest
  @MethodSource("models")
  void aPageHasOneOwnerCopiesAreCurrentAndNobodyWaitsForEver(Bounds bounds) {
    assertEquals(List.of(), explore(CoherenceModel.withAllRules(bounds), MAX_STATES).trace());
  }

  @ParameterizedTest
  @MethodSource("largerModels")
  @Tag("long")
  void theSameInLargerModels(Bounds bounds) {
    assertEquals(List.of(), explore(CoherenceModel.withAllRules(bounds), MAX_STATES_LONG).trace());
  }

  @ParameterizedTest
  @EnumSource(Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(Rule rule) {
    Found found = explore(CoherenceModel.without(rule, boundsFor(rule)), MAX_STATES);
    assertFalse(found.isSafe(), "no counter-example");
  }

  /** Small ones in which leaving out the rule shows. */
  private static Bounds boundsFor(Rule rule) {
    return switch (rule) {
      case IN_ORDER, STAMP_AFTER_FLIP -> new Bounds(2, 3, 2, 1, 1, 0, 0, 0);
      case RELEASE_REVOKES, NUMBERS -> FAULTLESS;
      case LEAVING_IS_KEPT -> WITH_A_LOSS;
      case BARRIER_ON_DEATH, LOG_BEFORE_LEAVE -> WITH_A_DEATH;
      case CONFIRM_CARRIES_LSN -> new Bounds(2, 3, 1, 0, 0, 1, 0, 0);
      case READ_FLOOR -> new Bounds(2, 2, 1, 1, 0, 0, 1, 0);
      case TAKER_IS_HEARD -> WITH_A_LOSS_AND_AN_EVICTION;
      case DEAD_FOR_ALL -> new Bounds(2, 2, 0, 0, -1, 1, 1, 0);
      case SPOILED_IS_RETURNED -> new Bounds(3, 2, 1, 0, 0, 0, 0, 1);
    };
  }

  /** A model proves nothing about states that it does not reach. */
  @ParameterizedTest
  @EnumSource(Reached.class)
  void theModelsReachWhatIsOfInterest(Reached what) {
    CoherenceModel model = CoherenceModel.withAllRules(what.bounds);
    assertFalse(explore(new Reaching(model, what.condition), MAX_STATES).isSafe(), "never reached");
  }

  enum Reached {
    TWO_READERS_OF_AN_OWNER(FAULTLESS, state -> readers(state) == 2 && owners(state) == 1),
    READERS_OF_THE_HOME(
        FAULTLESS,
        state -> state.home().state() == DirectoryPage.State.SHARED && readers(state) > 0),
    A_HOME_THAT_REVOKES(FAULTLESS, state -> state.home().state() == DirectoryPage.State.REVOKING),
    A_SURVIVOR_THAT_IS_ASKED(
        WITH_A_DEATH, state -> state.home().state() == DirectoryPage.State.ASKING),
    A_TRANSFER_THAT_A_NEW_HOME_LEARNS_OF(
        WITH_A_LOSS,
        state -> state.home().state() == DirectoryPage.State.MOVING && state.homeEpoch() > 0),
    A_CHANGE_THAT_A_HOME_HEARS_OF_BEFORE_IT_SERVES(
        WITH_A_LOSS_AND_AN_EVICTION,
        state ->
            state.early().stream()
                .anyMatch(e -> e instanceof DirectoryEvent.Release r && r.lsn() > 0)),
    A_WRITE_AFTER_A_DEATH(
        WITH_A_DEATH,
        state -> state.buried() != 0 && state.left().writes() == 0 && owners(state) == 1);

    private final Bounds bounds;
    private final Predicate<State> condition;

    Reached(Bounds bounds, Predicate<State> condition) {
      this.bounds = bounds;
      this.condition = condition;
    }

    private static long readers(State state) {
      return holding(state, Right.SHARED);
    }

    private static long owners(State state) {
      return holding(state, Right.OWNED);
    }

    private static long holding(State state, Right right) {
      return state.nodes().stream()
          .skip(1)
          .filter(node -> node.alive() && node.page().right() == right)
          .count();
    }
  }

  private record Reaching(CoherenceModel model, Predicate<State> condition)
      implements Exploration.Model<State> {
    @Override
    public State initial() {
      return model.initial();
    }

    @Override
    public void steps(State state, Exploration.Steps<State> steps) {
      model.steps(state, steps);
    }

    @Override
    public String violation(State state) {
      return condition.test(state) ? "reached" : null;
    }
  }

  private static Found explore(Exploration.Model<State> model, int maxStates) {
    return Exploration.explore(model, maxStates);
  }
}
