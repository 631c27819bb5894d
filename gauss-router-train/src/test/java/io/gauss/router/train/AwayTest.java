package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** Groups that have a place, and those of rows that were added since. */
class AwayTest {
  private static final List<Integer> NODES = List.of(1, 2);
  private static final ReadStatement INSERT =
      StatementReader.read("INSERT INTO t (id, v) VALUES (?, 1)");
  private static final long PLACED = 1;
  private static final Map<Long, GroupPlace> PLACES = Map.of(PLACED, new GroupPlace(1, 0, 1));

  private final List<TransactionSample> samples = new ArrayList<>();

  /** One that writes these groups. */
  private void add(long id, Long... groups) {
    Set<Long> written = Set.of(groups);
    samples.add(Traces.sample(INSERT, List.of(id), written, written, 1));
  }

  private double[] away(ToIntFunction<TransactionSample> router) {
    return Away.of(samples, router, PLACES, NODES);
  }

  private static long id(TransactionSample s) {
    return (Long) s.values()[0];
  }

  @Test
  void whatHasAPlaceComesFromThere() {
    add(1, PLACED);
    assertArrayEquals(new double[] {0}, away(s -> 1));
    assertArrayEquals(new double[] {1}, away(s -> 2));
    assertArrayEquals(new double[] {0.5}, away(s -> 0));
    assertArrayEquals(new double[] {0.5}, away(s -> 3), "a node that has left");
  }

  @Test
  void whatIsNewIsWhereItIsUsed() {
    for (long id = 0; id < 4; id++) {
      add(id, 77L);
    }
    assertArrayEquals(new double[4], away(s -> 2), "all of it on one node");
    assertArrayEquals(
        new double[] {0.75, 0.25, 0.25, 0.25}, away(s -> id(s) == 0 ? 1 : 2), "mostly on one");
    assertArrayEquals(new double[] {0.5, 0.5, 0.5, 0.5}, away(s -> 0));
  }

  /** Beyond all keys that were learned the table has an end and the network guesses. */
  @Test
  void aModelThatScattersNewKeysLosesAgainstTheTable() {
    for (long id = 1000; id < 1200; id++) {
      add(id, 1000 + id / 50);
    }
    RoutingTable table =
        new RoutingTable(
            1,
            List.of(
                new RoutingTable.Entry(
                    INSERT.template().id(),
                    INSERT.template().predicates().size(),
                    0,
                    ColumnProfile.Kind.NUMBER,
                    "",
                    new double[] {500},
                    new short[] {1, 2})));
    ToIntFunction<TransactionSample> model = s -> id(s) % 5 == 0 ? 1 : 2;
    assertEquals(
        Set.of(INSERT.template().id()), TableJudgement.of(samples, PLACES, NODES, model, table));
    assertEquals(Set.of(), TableJudgement.of(samples, PLACES, NODES, s -> 1, table), "as good");
    assertEquals(0.32, Arrays.stream(away(model)).average().orElseThrow(), 1e-9);
  }
}
