package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.RoutingMode;
import io.gauss.jdbc.routing.statement.StatementReader;
import io.gauss.router.train.TransactionSample;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a compute node samples, as the trainer gets it. */
class SampleReaderTest {
  private static final Map<Integer, Integer> NUMBERS = Map.of(2, 7);
  private SampleReader reader = new SampleReader(null, (table, column, value) -> 0);
  private boolean isCommitted = true;

  private Optional<TransactionSample> read(
      int slot, String text, List<Object> values, int groups, boolean isComplete) {
    return reader.read(
        new AccessSample(
            slot,
            0,
            RoutingMode.OFF,
            isCommitted,
            text,
            values,
            new long[groups],
            new long[0],
            new long[0],
            2.5,
            20,
            9,
            4,
            isComplete),
        NUMBERS,
        node -> node == 7 ? 2 : 1);
  }

  @Test
  void parametersAndConstantsAreTheValuesOfPredicates() {
    TransactionSample bound =
        read(2, "SELECT v FROM t WHERE a = $2 AND b = $1", List.of("x", 5L), 3, true).orElseThrow();
    assertArrayEquals(new Object[] {5L, "x"}, bound.values());
    assertEquals(7, bound.node(), "the number by which drivers know the node in slot 2");
    assertEquals(4, bound.transfers());
    assertEquals(2.5, bound.weight());
    assertEquals(40, bound.work(), "accesses, on a node where they cost twice as much");
    TransactionSample typed =
        read(2, "SELECT v FROM t WHERE a = 5 AND b = 'x'", List.of(), 3, true).orElseThrow();
    assertEquals(bound.template(), typed.template());
    assertArrayEquals(bound.values(), typed.values());
  }

  @Test
  void theGroupOfTheKeyIsThatOfTheFirstPredicateThatTells() {
    reader =
        new SampleReader(
            "secret", (table, column, value) -> (table + column + value).equals("tb5") ? 7 : 0);
    assertEquals(7, keyGroup("SELECT v FROM t WHERE a = $1 AND b = $2", 5L, 5L));
    assertEquals(0, keyGroup("SELECT v FROM t WHERE a = $1 AND b = $2", 5L, 6L));
    assertEquals(0, keyGroup("SELECT v FROM t WHERE b < $1", 5L));
    assertEquals(7, keyGroup("SELECT v FROM t WHERE b > $1", 5L));
    assertEquals(0, keyGroup("SELECT v FROM t WHERE b = $1 AND a IN (SELECT 1 FROM secret)", 5L));
  }

  private long keyGroup(String text, Object... values) {
    return read(2, text, List.of(values), 3, true).orElseThrow().keyGroup();
  }

  /** Anybody may try to write what he may not. */
  @Test
  void whatIsRolledBackTeachesNothing() {
    isCommitted = false;
    assertTrue(read(2, "SELECT v FROM t WHERE a = 5", List.of(), 3, true).isEmpty());
  }

  @Test
  void valuesOfExcludedTablesAreNotLearned() {
    reader = new SampleReader("public.patients, Visits", (table, column, value) -> 7);
    assertArrayEquals(
        new Object[] {null},
        read(2, "UPDATE patients SET v = 1 WHERE a = 5", List.of(), 3, true)
            .orElseThrow()
            .values());
    assertArrayEquals(
        new Object[] {null},
        read(2, "SELECT 1 FROM t JOIN visits v USING (a) WHERE v.b = $1", List.of("x"), 3, true)
            .orElseThrow()
            .values());
    assertArrayEquals(
        new Object[] {5L},
        read(2, "UPDATE patients2 SET v = 1 WHERE a = 5", List.of(), 3, true)
            .orElseThrow()
            .values());
  }

  @Test
  void whatTellsNothingIsLeftOut() {
    String text = "SELECT v FROM t WHERE a = 5";
    assertTrue(read(2, text, List.of(), 3, true).isPresent());
    assertTrue(read(3, text, List.of(), 3, true).isEmpty(), "a node that is gone");
    assertTrue(read(2, text, List.of(), 3, false).isEmpty(), "not all of its pages are known");
    assertTrue(read(2, text, List.of(), SampleReader.MOST_GROUPS + 1, true).isEmpty(), "a scan");
    assertTrue(read(2, "SET x = 1", List.of(), 3, true).isEmpty());
  }

  /** Drivers see the whole of a long text, a sample has its beginning. */
  @Test
  void longTextsHaveTheTemplateThatDriversSee() {
    assertEquals(StatementReader.MAX_CHARS, AccessSample.MOST_CHARACTERS);
    String text = "SELECT v FROM t WHERE a = 5 AND b IN (" + "17, ".repeat(5000) + "18)";
    TransactionSample sample =
        read(2, text.substring(0, AccessSample.MOST_CHARACTERS), List.of(), 3, true).orElseThrow();
    assertEquals(StatementReader.read(text).template(), sample.template());
    assertEquals(5L, sample.values()[0]);
  }
}
