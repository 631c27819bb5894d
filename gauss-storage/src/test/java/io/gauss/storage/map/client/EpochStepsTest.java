package io.gauss.storage.map.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.MapHistory;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The steps between two versions of the map, whichever come in between (rule 35). */
class EpochStepsTest {
  private final List<ClusterMap> versions = MapHistory.twoDeathsAndReturns();
  private final int first = epoch(versions.getFirst());
  private final int last = epoch(versions.getLast());

  private static int epoch(ClusterMap map) {
    return map.nodes().get(MapHistory.DIES).epoch();
  }

  /** Steps of the node that dies. */
  private static final class Told implements EpochSteps.Follower {
    final List<String> steps = new ArrayList<>();
    boolean fails;

    private void tell(String what, int node, int epoch) {
      if (fails) {
        throw new IllegalStateException("not now");
      }
      if (node == MapHistory.DIES) {
        steps.add(what + " " + epoch);
      }
    }

    @Override
    public void began(MapNode node) {
      tell("began", node.id(), node.epoch());
    }

    @Override
    public void ended(EpochSteps.Life life) {
      tell("ended", life.node(), life.epoch());
    }

    @Override
    public void sealed(EpochSteps.Life life) {
      tell("sealed", life.node(), life.epoch());
    }

    @Override
    public void recovered(EpochSteps.Life life) {
      tell("recovered", life.node(), life.epoch());
    }
  }

  private List<String> steps(List<ClusterMap> followed) {
    Told told = new Told();
    EpochSteps steps = new EpochSteps();
    followed.forEach(map -> steps.follow(map, told));
    return told.steps;
  }

  @Test
  void aFollowerOfAllVersionsGetsEachStepOfEachLife() {
    List<String> steps = steps(versions);
    assertEquals(
        Set.of("began", "ended", "sealed", "recovered"),
        new HashSet<>(steps.stream().map(step -> step.split(" ")[0]).toList()));
    assertEquals(new HashSet<>(steps).size(), steps.size(), "each of them once");
    assertEquals(9, steps.size(), steps::toString);
  }

  @Test
  void whoeverSawALifeBeginSeesItEndBeforeTheNextOne() {
    for (int from = 0; from < versions.size(); from++) {
      for (int to = from + 1; to < versions.size(); to++) {
        List<ClusterMap> followed =
            List.of(versions.get(0), versions.get(from), versions.get(to), versions.getLast());
        List<String> steps = steps(followed);
        String missed = "versions " + from + " and " + to + ": " + steps;
        assertEquals(new HashSet<>(steps).size(), steps.size(), missed);
        assertEquals("began " + first, steps.getFirst(), missed);
        assertTrue(
            steps.containsAll(List.of("ended " + first, "sealed " + first, "recovered " + first)),
            missed);
        int begins = steps.indexOf("began " + last);
        for (String step : steps) {
          if (step.startsWith("began") && !step.equals("began " + last)) {
            String ended = step.replace("began", "ended");
            int ends = steps.indexOf(ended);
            assertTrue(ends > steps.indexOf(step) && ends < begins, missed);
          }
        }
      }
    }
  }

  @Test
  void aQuickReturnIsAnEndAndABeginning() {
    assertEquals(
        List.of("began " + first, "ended " + first, "sealed " + first, "recovered " + first),
        steps(List.of(versions.getFirst(), versions.getLast())).subList(0, 4));
  }

  @Test
  void anOlderVersionHasNoSteps() {
    Told told = new Told();
    EpochSteps steps = new EpochSteps();
    steps.follow(versions.getLast(), told);
    int before = told.steps.size();
    versions.forEach(map -> steps.follow(map, told));
    assertEquals(before, told.steps.size());
  }

  @Test
  void aStepThatFailedIsRepeatedWithTheNextVersion() {
    Told told = new Told();
    EpochSteps steps = new EpochSteps();
    steps.follow(versions.getFirst(), told);
    told.fails = true;
    assertThrows(IllegalStateException.class, () -> steps.follow(versions.get(1), told));
    told.fails = false;
    steps.follow(versions.get(2), told);
    assertEquals(List.of("began " + first, "ended " + first, "sealed " + first), told.steps);
  }
}
