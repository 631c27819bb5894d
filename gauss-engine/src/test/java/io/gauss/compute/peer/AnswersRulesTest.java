package io.gauss.compute.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.compute.peer.AnswersModel.Rule;
import io.gauss.compute.peer.AnswersModel.State;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 34 in all orders: nobody answers about a life from what it knows of the one before. */
class AnswersRulesTest {
  private static final int MAX_STATES = 1_000_000;

  @Test
  void nobodyAnswersFromWhatItKnewBeforeTheNodeCameBack() {
    Found found = Exploration.explore(AnswersModel.withAllRules(false), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  /** Also when the recoverer dies between the two, and before, or while, or after it recovers. */
  @Test
  void bothLivesAreRecoveredWhenTheNodeDiesTwice() {
    Found found = Exploration.explore(AnswersModel.withAllRules(true), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  private static void isReached(boolean diesTwice, Predicate<State> wanted) {
    AnswersModel model = AnswersModel.withAllRules(diesTwice);
    Exploration.Model<State> reaching =
        new Exploration.Model<>() {
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
            return wanted.test(state) ? "reached" : null;
          }
        };
    assertFalse(Exploration.explore(reaching, MAX_STATES).isSafe());
  }

  @Test
  void theNodeComesBackInTheModel() {
    isReached(false, State::writes);
  }

  @Test
  void theThirdNodeRecoversInTheModelWhenTheRecovererDies() {
    isReached(false, state -> state.third().resigned() != 0 && state.writes());
  }

  @Test
  void theThirdNodeRecoversTheSecondLifeWhenTheRecovererOfTheFirstDies() {
    isReached(true, state -> state.third().resigned() > 1 && state.unfinished() == 0);
  }

  @ParameterizedTest
  @EnumSource(value = Rule.class, mode = EnumSource.Mode.EXCLUDE, names = "LOOK_AFTER_EACH_LIFE")
  void withoutAnyOneOfTheRulesThereIsACounterExample(Rule rule) {
    Found found = Exploration.explore(AnswersModel.without(rule, false), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains("answers about the next life"));
  }

  @Test
  void whoDoesNotLookAfterEachLifeLeavesTransactionsOfTheSecond() {
    Found found =
        Exploration.explore(AnswersModel.without(Rule.LOOK_AFTER_EACH_LIFE, true), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains("not rolled back"), found.trace()::toString);
  }
}
