package io.gauss.compute.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.compute.peer.AnswersModel.Rule;
import io.gauss.compute.peer.AnswersModel.State;
import io.gauss.compute.peer.AnswersModel.Variant;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rule 34 in all orders: nobody answers about a life from what it knows of the one before. And rule
 * 4 for rollbacks: nobody is told of what a death takes back.
 */
class AnswersRulesTest {
  private static final int MAX_STATES = 1_000_000;

  @Test
  void nobodyAnswersFromWhatItKnewBeforeTheNodeCameBack() {
    Found found = Exploration.explore(AnswersModel.withAllRules(Variant.ONE_DEATH), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  /** Also when the recoverer dies between the two, and before, or while, or after it recovers. */
  @Test
  void bothLivesAreRecoveredWhenTheNodeDiesTwice() {
    Found found = Exploration.explore(AnswersModel.withAllRules(Variant.TWO_DEATHS), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  /** Also when all is recovered, and its recoverer dies then. */
  @Test
  void noRollbackThatWasToldIsTakenBackWhoeverDies() {
    Found found = Exploration.explore(AnswersModel.withAllRules(Variant.LOGS), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  private static void isReached(Variant variant, Predicate<State> wanted) {
    AnswersModel model = AnswersModel.withAllRules(variant);
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
    isReached(Variant.ONE_DEATH, State::writes);
  }

  @Test
  void theThirdNodeRecoversInTheModelWhenTheRecovererDies() {
    isReached(Variant.ONE_DEATH, state -> state.third().resigned() != 0 && state.writes());
  }

  @Test
  void theThirdNodeRecoversTheSecondLifeWhenTheRecovererOfTheFirstDies() {
    isReached(Variant.TWO_DEATHS, state -> state.third().resigned() > 1 && state.unfinished() == 0);
  }

  @Test
  void theThirdNodeRollsBackInTheModelWhenTheRecovererDies() {
    isReached(Variant.LOGS, state -> state.third().resigned() != 0 && state.unfinished() == 0);
  }

  private static List<Rule> rulesWithoutLogs() {
    return Stream.of(Rule.values())
        .filter(rule -> !rule.isOfLogs() && rule != Rule.LOOK_AFTER_EACH_LIFE)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("rulesWithoutLogs")
  void withoutAnyOneOfTheRulesThereIsACounterExample(Rule rule) {
    assertWithout(rule, Variant.ONE_DEATH, "answers about the next life");
  }

  @Test
  void whoDoesNotLookAfterEachLifeLeavesTransactionsOfTheSecond() {
    assertWithout(Rule.LOOK_AFTER_EACH_LIFE, Variant.TWO_DEATHS, "not rolled back");
  }

  /** The node dies behind its answer. */
  @Test
  void aRollbackThatIsToldBeforeItIsDurableBecomesActiveAgain() {
    assertWithout(Rule.TELL_WHAT_IS_FORCED, Variant.LOGS, "active again");
  }

  /** Nobody would roll back again what is lost with the recoverer. */
  @Test
  void aRecoveryThatIsReportedBeforeItIsDurableLeavesTransactionsBehind() {
    assertWithout(Rule.FORCE_BEFORE_LETTING_GO, Variant.LOGS, "not rolled back");
  }

  @Test
  void whatARecovererReadsOfItsOwnRollbacksBeforeTheyAreDurableBecomesActiveAgain() {
    assertWithout(Rule.FORCE_BEFORE_READING, Variant.LOGS, "active again");
  }

  private static void assertWithout(Rule rule, Variant variant, String violation) {
    Found found = Exploration.explore(AnswersModel.without(rule, variant), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains(violation), found.trace()::toString);
  }
}
