package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Joining while others commit: no snapshot anywhere is below an acknowledged commit. */
class JoinRulesTest {
  private static final int MAX_STATES = 300_000;
  private static final int MAX_STATES_LONG = 10_000_000;

  @Test
  void whoServesHasAClockAtOrAboveEveryAcknowledgedCommit() {
    Found found = Exploration.explore(JoinModel.withAllRules(1, 0), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @Test
  @Tag("long")
  void whoServesHasAClockAtOrAboveEveryAcknowledgedCommitInALargerModel() {
    Found found = Exploration.explore(JoinModel.withAllRules(1, 1), MAX_STATES_LONG);
    assertEquals(List.of(), found.trace());
  }

  @Test
  void theModelReachesAnAcknowledgedCommitBesideAJoinedNode() {
    assertFalse(
        Exploration.explore(
                Models.reaching(
                    JoinModel.withAllRules(1, 0),
                    state -> state.node(4).serves() && state.acknowledged() > 0),
                MAX_STATES)
            .isSafe());
  }

  @ParameterizedTest
  @EnumSource(JoinModel.Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(JoinModel.Rule rule) {
    Found found = Exploration.explore(JoinModel.without(rule), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains("snapshots below"), found.trace()::toString);
  }
}
