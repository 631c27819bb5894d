package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Found;
import io.gauss.storage.map.SliceMoveModel.Rule;
import io.gauss.storage.map.SliceMoveState.Limit;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Moves of a slice: no copy lacks what it says to have, and every replica can be made whole. Limits
 * are texts: how many writes, streams that begin or end, moves, moves that are cancelled, replicas
 * that are given up, crashes and lost disks there are at most.
 */
class SliceMoveRulesTest {
  private static final int MAX_STATES = 300_000;

  /** How far {@code --long} goes: more states take minutes, and gigabytes. */
  private static final int LONG_STATES = Integer.getInteger("gauss.states", 2_000_000);

  /** What it takes to see that a rule is needed, and what is seen. */
  private static final Map<Rule, List<String>> NEEDED = new EnumMap<>(Rule.class);

  static {
    String lacks = "answers without a record below its offsets";
    String lost = "can not be made whole";
    NEEDED.put(Rule.OFFSETS_BY_SLICE, List.of("1 0 1 0 0 0 0", lacks));
    NEEDED.put(Rule.OFFSETS_AFTER_PAGES, List.of("1 0 1 0 0 0 0", lacks));
    NEEDED.put(Rule.IMAGE_STOPS_BELOW_PARKED, List.of("2 1 1 0 0 0 0", lacks));
    NEEDED.put(Rule.OFFSETS_GO_FIRST, List.of("1 0 1 0 0 0 0", lacks));
    NEEDED.put(Rule.DELETED_BEFORE_IT_RETURNS, List.of("1 0 2 0 0 0 0", lacks));
    NEEDED.put(Rule.OFFSETS_OUTLIVE_STREAMS, List.of("1 2 0 0 0 0 0", lost));
    NEEDED.put(Rule.TRIM_BELOW_ALL, List.of("1 0 0 0 0 0 0", lost));
    NEEDED.put(Rule.SUBSCRIPTION_IS_DURABLE, List.of("1 0 0 0 0 0 0", lost));
    NEEDED.put(Rule.SUBSCRIBE_FIRST, List.of("1 0 1 0 0 0 0", lost));
    NEEDED.put(Rule.IMAGE_NOT_BELOW_SUBSCRIPTION, List.of("1 0 1 0 1 0 0", lost));
    NEEDED.put(Rule.NEW_STREAM_AWAITS_ALL, List.of("1 1 0 0 0 0 0", lost));
    NEEDED.put(Rule.SUBSCRIPTIONS_ARE_NUMBERED, List.of("1 0 2 0 0 0 0", lost));
    NEEDED.put(Rule.ENDS_ARE_TOLD_AGAIN, List.of("1 0 1 1 0 0 0", "no way"));
    NEEDED.put(Rule.READY_IS_DURABLE, List.of("0 0 1 0 0 0 0", lost));
    NEEDED.put(Rule.READY_FOR_THIS_MOVE, List.of("0 0 2 1 0 0 0", lost));
    NEEDED.put(Rule.DROPPED_AFTER_THE_MAP, List.of("0 0 1 0 0 0 0", lost));
    NEEDED.put(Rule.DROPPED_BY_A_LATER_VERSION, List.of("0 0 1 0 0 0 0", lost));
  }

  private static List<Integer> limits(String text) {
    List<Integer> limits = Arrays.stream(text.split(" ")).map(Integer::valueOf).toList();
    assertEquals(Limit.values().length, limits.size());
    return limits;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2 0 1 0 0 1 0", // a move, and a crash
        "1 0 2 1 0 0 0", // two moves and one that is cancelled
        "1 0 2 0 1 0 0", // a replica that is given up and comes back
        "1 2 1 0 0 0 0", // a takeover
        "1 0 1 0 0 1 1", // a disk that is lost, and a crash
      })
  void noCopyLacksARecordAndEveryReplicaCanBeMadeWhole(String limits) {
    Found found = Exploration.explore(SliceMoveModel.withAllRules(limits(limits)), MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 2 1 0 0 1 0",
        "2 1 2 0 0 0 0",
        "2 1 1 0 0 1 0",
        "2 1 1 0 1 0 0",
        "2 1 1 0 0 0 1",
        "2 2 1 1 0 0 0"
      })
  void theSameWithMoreOfEverything(String limits) {
    Found found = Exploration.explore(SliceMoveModel.withAllRules(limits(limits)), LONG_STATES);
    assertEquals(List.of(), found.trace());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1 0 2 1 0 0 0", "1 0 1 0 1 0 1", "1 2 1 0 0 0 0"})
  void fromEverywhereThereIsAWayToTheEndOfTheMoveAndToTrimmedLogs(String limits) {
    SliceMoveModel model = SliceMoveModel.withAllRules(limits(limits));
    Found found = Exploration.findDeadEnd(model, model::isAtRest, MAX_STATES);
    assertEquals(List.of(), found.trace());
  }

  @Test
  void theModelReachesWhatItIsAbout() {
    assertTrue(reaches("1 0 2 0 0 0 0", SliceMoveRulesTest::hasReturned));
    assertTrue(reaches("2 1 0 0 0 0 0", (model, state) -> hasParked(state)));
    assertTrue(
        reaches(
            "1 2 1 0 0 0 0",
            (model, state) ->
                state.sealed() && state.start().first() == 1 && hasMoved(model, state)));
    assertTrue(
        reaches("0 0 1 0 0 0 1", (model, state) -> state.node(0).lost() && hasMoved(model, state)));
  }

  private static boolean reaches(String limits, BiPredicate<SliceMoveModel, SliceMoveState> goal) {
    SliceMoveModel model = SliceMoveModel.withAllRules(limits(limits));
    return !Exploration.explore(
            Models.reaching(model, state -> goal.test(model, state)), MAX_STATES)
        .isSafe();
  }

  /** Node 0 is a replica again, of a later tenure, since the slice was at node 2 in its place. */
  private static boolean hasReturned(SliceMoveModel model, SliceMoveState state) {
    return model.map(state).isReplica(0) && model.map(state).tenures().get(0) > 0;
  }

  private static boolean hasMoved(SliceMoveModel model, SliceMoveState state) {
    return model.map(state).isReplica(2) && state.node(2).copy().isWhole();
  }

  private static boolean hasParked(SliceMoveState state) {
    return !state.applied(state.node(0).copy()).equals(state.node(0).copy().taken());
  }

  @ParameterizedTest
  @EnumSource(Rule.class)
  void withoutAnyOneOfTheRulesThereIsACounterExample(Rule rule) {
    List<String> needed = NEEDED.get(rule);
    SliceMoveModel model = SliceMoveModel.without(rule, limits(needed.get(0)));
    Found found = Exploration.explore(model, MAX_STATES);
    if (found.isSafe()) {
      found = Exploration.findDeadEnd(model, model::isAtRest, MAX_STATES);
    }
    int states = found.states();
    assertFalse(found.isSafe(), () -> "no counter-example in " + states + " states");
    assertTrue(found.trace().getLast().contains(needed.get(1)), found.trace()::toString);
  }
}
