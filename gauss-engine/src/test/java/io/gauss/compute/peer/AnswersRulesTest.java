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
    Found found = Exploration.explore(AnswersModel.withAllRules(), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  private static void isReached(Predicate<State> wanted) {
    AnswersModel model = AnswersModel.withAllRules();
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
    isReached(State::writes);
  }

  @Test
  void theThirdNodeRecoversInTheModelWhenTheRecovererDies() {
    isReached(state -> state.third().resigned() && state.writes());
  }

  @ParameterizedTest
  @EnumSource(Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(Rule rule) {
    Found found = Exploration.explore(AnswersModel.without(rule), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains("answers about the next life"));
  }
}
