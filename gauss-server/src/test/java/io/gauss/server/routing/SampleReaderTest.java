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
  private static final int T = 16_384;
  private static final int OTHER = 16_385;

  /** Of any name and with any columns but those of {@code v}, a view. */
  private static final SampleReader.Tables TABLES =
      new SampleReader.Tables() {
        @Override
        public boolean isColumn(int tableOid, String name) {
          return name.startsWith(name(tableOid) + '.');
        }

        @Override
        public String name(int oid) {
          return oid == T ? "t" : "other";
        }
      };

  private SampleReader reader = new SampleReader(null, (table, column, value) -> 0, TABLES);
  private int[] tables = {T};
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
            isComplete,
            10,
            tables),
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
            "secret",
            (table, column, value) -> (table + column + value).equals("tb5") ? 7 : 0,
            TABLES);
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
    reader = new SampleReader("public.patients, Visits", (table, column, value) -> 7, TABLES);
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

  /** The names of views do not matter, nor those in which columns are compared. */
  @Test
  void valuesOfExcludedTablesAreNotLearnedThroughViews() {
    reader = new SampleReader("Other", (table, column, value) -> 7, TABLES);
    tables = new int[] {T, OTHER};
    String text = "SELECT 1 FROM v WHERE b = 5";
    assertArrayEquals(
        new Object[] {null}, read(2, text, List.of(), 3, true).orElseThrow().values());
    tables = new int[] {T};
    assertArrayEquals(new Object[] {5L}, read(2, text, List.of(), 3, true).orElseThrow().values());
  }

  private void assertTables(String text, int[]... expected) {
    TransactionSample sample = read(2, text, List.of(), 3, true).orElseThrow();
    assertArrayEquals(expected, sample.tables(), text);
    assertEquals(10, sample.role());
  }

  /** Whoever may read what is told of values may read all tables of which they may be. */
  @Test
  void valuesAreThoseOfTheTableThatIsNamedOrOfAnyOfTheStatement() {
    tables = new int[] {T, OTHER};
    int[] any = tables;
    int[] t = {T};
    int[] other = {OTHER};
    assertTables("SELECT v FROM t JOIN other o USING (a) WHERE t.a = 5 AND o.b = 6", any, any);
    assertTables("SELECT v FROM t JOIN other o ON t.a = o.a WHERE t.a = 5 AND o.b = 6", t, other);
    assertTables("SELECT v FROM t WHERE a = 5 AND b IN (SELECT b FROM other WHERE c = 1)", t);
    assertTables("SELECT v FROM t, other WHERE a = 5", any);
    assertTables("SELECT v FROM view_of_both WHERE a = 5", any);
    assertTables("INSERT INTO t (a, b) VALUES (5, 6)", t, t);
    assertTables("INSERT INTO t VALUES (5)", t);
    // The column's name is one that the query has given it.
    assertTables("SELECT 1 FROM (SELECT b AS a FROM other) AS t WHERE t.a = 5", any);
    assertTables("SELECT 1 FROM t, LATERAL (SELECT 1 FROM other) AS x WHERE t.a = 5", any);
    assertTables("SELECT 1 FROM t JOIN (SELECT b AS c FROM other) AS x ON TRUE WHERE c = 5", any);
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
