package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.storage.map.SliceArrivalModel.Coming;
import io.gauss.storage.map.SliceArrivalModel.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A slice comes to a page store with one offset for all its slices: none of them lacks a record.
 */
class SliceArrivalRulesTest {
  private static final int MAX_STATES = 300_000;

  @Test
  void aSliceThatIsWholeHasAllBelowTheOffsets() {
    Found found = Exploration.explore(SliceArrivalModel.withAllRules(3, 1), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @Test
  void theModelReachesASliceThatIsWholeOnDiskWithARecordThatWaits() {
    assertFalse(
        Exploration.explore(
                Models.reaching(
                    SliceArrivalModel.withAllRules(3, 1),
                    state ->
                        state.disk() == Coming.WHOLE
                            && state.second().disk() == 1
                            && !state.applied().equals(state.taken())),
                MAX_STATES)
            .isSafe());
  }

  @ParameterizedTest
  @EnumSource(Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(Rule rule) {
    Found found = Exploration.explore(SliceArrivalModel.without(rule, 3, 1), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains("lacks a record"), found.trace()::toString);
  }
}
