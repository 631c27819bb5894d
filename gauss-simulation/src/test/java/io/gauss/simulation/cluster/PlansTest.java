package io.gauss.simulation.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.simulation.cluster.SeedRun.Result;
import java.util.List;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The {@link Plans}, each with seeds that have found what it was made for. */
@Isolated
class PlansTest {
  private static long[] seeds(Plans plan) {
    return plan == Plans.DONE ? new long[] {7, 10} : new long[] {1, 2};
  }

  @ParameterizedTest
  @EnumSource
  void whatAPlanWasMadeForDoesNotHappen(Plans plan) {
    for (long seed : seeds(plan)) {
      Result result = SeedRun.run(seed, plan.scenario());
      assertEquals(List.of(), result.wrong(), () -> plan + ", seed " + seed);
    }
  }
}
