package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.storage.map.DeathModel.Rule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The barrier on death: one writer, no lost redo, and snapshots that neither miss nor go back. */
class DeathRulesTest {
  private static final int MAX_STATES = 300_000;

  /** The violation without each rule. */
  private static final Map<Rule, String> EXPECTED =
      Map.of(
          Rule.SEAL_FIRST, "redo was appended after",
          Rule.COPIES_ARE_DROPPED, "missed CSN",
          Rule.RECOVERER_RAISES_ITS_CLOCK, "missed CSN",
          Rule.HOMES_RAISE_THEIR_CLOCKS, "missed CSN",
          Rule.CLOCKS_ARE_RAISED, "snapshots below a commit",
          Rule.NO_OWN_VIEW, "two nodes may write");

  @Test
  void thePageOfADeadNodeIsWrittenBySomebodyElseOnlyWhenNothingCanGoWrong() {
    Found found = Exploration.explore(DeathModel.withAllRules(), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @Test
  void theModelReachesAWriteByTheRecoverer() {
    assertFalse(
        Exploration.explore(
                Models.reaching(
                    DeathModel.withAllRules(), state -> state.overwritten() > 0 && state.told()),
                MAX_STATES)
            .isSafe());
  }

  @ParameterizedTest
  @EnumSource(Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(Rule rule) {
    Found found = Exploration.explore(DeathModel.without(rule), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains(EXPECTED.get(rule)), found.trace()::toString);
  }
}
