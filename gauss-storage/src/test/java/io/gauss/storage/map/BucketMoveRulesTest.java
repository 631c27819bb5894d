package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.storage.map.BucketMoveModel.State;
import io.gauss.storage.map.api.BucketMap.BucketState;
import io.gauss.storage.map.api.ClusterMap;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Moves of buckets in batches: whoever serves a bucket is its home, under the highest epoch. */
class BucketMoveRulesTest {
  private static final int MAX_STATES = 300_000;

  @ParameterizedTest
  @CsvSource({"2, 1, 0", "1, 1, 1"})
  void noNodeServesABucketOfWhichAnotherOneIsOrWasTheHomeSince(int moves, int cancels, int deaths) {
    Found found =
        Exploration.explore(BucketMoveModel.withAllRules(moves, cancels, deaths), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @Test
  void theModelReachesAMoveThatIsHalfDoneAndOneThatHasEnded() {
    BucketMoveModel model = BucketMoveModel.withAllRules(1, 0, 0);
    assertTrue(reaches(model, map -> map.buckets().home(0) != map.buckets().home(1)));
    assertTrue(
        reaches(
            model,
            map ->
                map.buckets().home(0) == BucketMoveModel.TWO
                    && map.buckets().state(0) == BucketState.SERVED));
  }

  private static boolean reaches(BucketMoveModel model, Predicate<ClusterMap> goal) {
    return !Exploration.explore(
            Models.reaching(model, (State state) -> goal.test(model.map(state))), MAX_STATES)
        .isSafe();
  }

  @ParameterizedTest
  @EnumSource(BucketMoveModel.Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(BucketMoveModel.Rule rule) {
    Found found = Exploration.explore(BucketMoveModel.without(rule, 2, 1, 0), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains("serves bucket"), found.trace()::toString);
  }
}
