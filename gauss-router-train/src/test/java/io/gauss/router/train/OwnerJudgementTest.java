package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two nodes; groups of even numbers are the first one's. */
class OwnerJudgementTest {
  private static final List<Integer> NODES = List.of(1, 2);
  private static final ReadStatement BY_ID =
      StatementReader.read("UPDATE t SET v = 1 WHERE id = ?");
  private static final ReadStatement OTHER = StatementReader.read("DELETE FROM t WHERE id = ?");

  private final Map<Long, GroupPlace> places = new HashMap<>();
  private final List<TransactionSample> samples = new ArrayList<>();
  private final Random random = new Random(7);

  OwnerJudgementTest() {
    for (long group = 1; group <= 20; group++) {
      places.put(group, new GroupPlace(1 + (int) (group % 2), 0, 1));
    }
  }

  private void add(ReadStatement read, long keyGroup, Long... touched) {
    Set<Long> groups = Set.of(touched);
    samples.add(
        Traces.keyed(Traces.sample(read, List.of(samples.size()), groups, groups, 1), keyGroup));
  }

  private Set<Long> better(int learned) {
    return OwnerJudgement.of(samples, places, NODES, s -> learned);
  }

  @Test
  void keysInNoOrderAreBetterLookedUp() {
    for (int i = 0; i < 100; i++) {
      long group = 1L + random.nextInt(20);
      add(BY_ID, group, group);
    }
    assertEquals(Set.of(BY_ID.template().id()), better(1), "half of them are on node 1");
    assertEquals(Set.of(BY_ID.template().id()), better(0), "nothing was learned");
    assertEquals(
        Set.of(),
        OwnerJudgement.of(samples, places, NODES, s -> places.get(s.groups()[0]).node()),
        "what was learned is as good");
  }

  /** The row that is named first is on a page that all use. */
  @Test
  void whatIsTouchedBesidesCounts() {
    for (int i = 0; i < 100; i++) {
      add(BY_ID, 2, 2L, 3L, 5L, 7L);
    }
    assertEquals(Set.of(), better(2));
    assertEquals(Set.of(), better(1), "this is where the key is, too");
  }

  @Test
  void fewSamplesAndUnknownKeysTellNothing() {
    for (int i = 0; i < 19; i++) {
      add(BY_ID, 3, 3L);
      add(OTHER, 0, 3L);
      add(OTHER, 77, 3L);
    }
    assertEquals(Set.of(), better(1));
    add(BY_ID, 3, 3L);
    assertEquals(Set.of(BY_ID.template().id()), better(1));
  }

  /** A candidate is judged as drivers will use it. */
  @Test
  void transfersAreThoseOfTheBetterAnswer() {
    for (int i = 0; i < 100; i++) {
      long group = 1L + random.nextInt(20);
      add(BY_ID, group, group);
    }
    var nothing = new io.gauss.jdbc.routing.model.RoutingTable(1, List.of());
    assertEquals(
        0, new Learned(null, nothing, places, NODES, PublicationSources.NONE).transfers(samples));
    samples.replaceAll(s -> Traces.keyed(s, 0));
    assertEquals(
        0.5, new Learned(null, nothing, places, NODES, PublicationSources.NONE).transfers(samples));
  }
}
