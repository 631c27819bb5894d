package io.gauss.compute.cluster.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.compute.engine.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Strict snapshots under paused nodes, lost messages, crashes and nodes that are suspended. */
class ClockRulesExplorationTest {
  private static final int MAX_STATES = 1_000_000;
  private static final int WALKS = 300;
  private static final int WALKS_LONG = 30_000;
  private static final int STEPS = 400;

  @Test
  void noSnapshotIsBelowAnAcknowledgedCommit() {
    Found found = Exploration.explore(ClockModel.withAllRules(2, 1, 1), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @ParameterizedTest
  @EnumSource(ClockModel.Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(ClockModel.Rule rule) {
    Found found = Exploration.explore(ClockModel.without(rule), MAX_STATES);
    assertFalse(found.isSafe(), () -> "no counter-example in " + found.states() + " states");
    assertTrue(found.trace().getLast().contains("takes snapshots"), found.trace()::toString);
  }

  @Test
  void noWayLeadsToASnapshotBelowAnAcknowledgedCommit() {
    walks(WALKS);
  }

  /** More than one suspension makes too many states to visit them all. */
  @Test
  @Tag("long")
  void noneOfManyWaysLeadsToASnapshotBelowAnAcknowledgedCommit() {
    walks(WALKS_LONG);
  }

  private static void walks(int count) {
    Random seeds = new Random(Seeds.next());
    long acknowledged = 0;
    for (int i = 0; i < count; i++) {
      acknowledged = Math.max(acknowledged, walk(2 + i % 2, seeds.nextLong()));
    }
    assertTrue(acknowledged > 0, "nothing was ever acknowledged");
  }

  private static long walk(int nodes, long seed) {
    Random random = new Random(seed);
    ClockModel model = ClockModel.withCrashes(nodes, 6, 6);
    ClockModel.State state = model.initial();
    List<String> way = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      List<Supplier<ClockModel.State>> next = new ArrayList<>();
      List<String> names = new ArrayList<>();
      model.steps(
          state,
          (name, then) -> {
            // Time and accidents are a part of what happens, not most of it.
            boolean rare =
                name.startsWith("a tick") || name.startsWith("lost") || name.contains("crashes");
            if (!rare || random.nextInt(4) == 0) {
              names.add(name);
              next.add(then);
            }
          });
      if (next.isEmpty()) {
        continue;
      }
      int chosen = random.nextInt(next.size());
      way.add(names.get(chosen));
      state = next.get(chosen).get();
      assertNull(model.violation(state), way::toString);
    }
    return state.acknowledged();
  }
}
