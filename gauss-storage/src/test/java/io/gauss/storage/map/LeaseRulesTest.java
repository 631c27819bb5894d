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

/** No two owners: leases under crashes, leader changes, drifting clocks and late messages. */
class LeaseRulesTest {
  private static final int MAX_STATES = 300_000;
  private static final int MAX_STATES_LONG = 10_000_000;

  @Test
  void nobodyWhoBelievesInItsLeaseIsDeclaredDeadAndNoTwoBelieveToBeTheSameNode() {
    Found found = Exploration.explore(LeaseModel.withAllRules(2), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @Test
  @Tag("long")
  void nobodyWhoBelievesInItsLeaseIsDeclaredDeadAndNoTwoBelieveToBeTheSameNodeInALargerModel() {
    Found found = Exploration.explore(LeaseModel.withAllRules(3), MAX_STATES_LONG);
    assertEquals(List.of(), found.trace());
  }

  @Test
  void theModelReachesASecondProcessThatHoldsTheLeaseAfterTheFirst() {
    LeaseModel model = LeaseModel.withAllRules(1);
    Found found =
        Exploration.explore(
            Models.reaching(model, state -> state.processes().get(1).believes()), MAX_STATES);
    assertFalse(found.isSafe());
  }

  @ParameterizedTest
  @EnumSource(LeaseModel.Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(LeaseModel.Rule rule) {
    Found found = Exploration.explore(LeaseModel.without(rule), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains("believe"), found.trace()::toString);
  }
}
