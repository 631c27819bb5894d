package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which templates, columns and quantiles a model has. */
class FeatureSpaceTest {
  private static final int ROLE = 10;
  private static final int OTHER = 11;

  private static FeatureSpace space(List<TransactionSample> samples) {
    return FeatureSpace.of(samples, new TransactionHomes(samples, Map.of(1L, 1), List.of(1, 2)));
  }

  private static TransactionSample query(int table, long value, int role) {
    ReadStatement read =
        StatementReader.read("SELECT v FROM t%d WHERE c%d = ?".formatted(table, table));
    return Traces.of(
        Traces.sample(read, List.of(value), Set.of(1L), Set.of(), 1), role, 20_000 + table);
  }

  private static boolean has(FeatureSpace space, int table) {
    TransactionSample sample = query(table, 1, ROLE);
    return space.template(sample.template().id()) >= 0
        && space.columns().stream()
            .map(ColumnProfile::column)
            .toList()
            .contains("t%d.c%d".formatted(table, table));
  }

  /** However often it sends them. */
  @Test
  void aRoleWithManyTemplatesPushesNobodysOut() {
    List<TransactionSample> samples = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      samples.add(query(1000 + i % 200, i, OTHER));
    }
    for (int i = 0; i < 300; i++) {
      samples.add(query(i % 10, i, ROLE));
    }
    FeatureSpace space = space(samples);
    assertTrue(IntStream.range(0, 10).allMatch(table -> has(space, table)));
    assertEquals(FeatureSpace.MAX_TEMPLATES, space.templates().size());
    assertEquals(FeatureSpace.MAX_COLUMNS, space.columns().size());
  }

  private static FeatureSpace values(int from, int to, int table) {
    List<TransactionSample> samples = new ArrayList<>();
    for (int i = from; i < to; i++) {
      samples.add(Traces.of(Traces.visit(i, 1), ROLE, table));
    }
    return space(samples);
  }

  /** Or the network would have other inputs in each round, and forget what they mean. */
  @Test
  void quantilesThatChangeALittleStayTheSame() {
    FeatureSpace before = values(0, 1000, 1);
    FeatureSpace now = values(0, 1020, 1).continuing(before);
    assertSame(before.columns().get(0), now.columns().get(0));
    FeatureSpace later = values(500, 1500, 1).continuing(before);
    assertFalse(later.columns().get(0) == before.columns().get(0));
  }

  /** They would be shown to whom may read the table that there is now. */
  @Test
  void quantilesOfATableThatIsGoneDoNotStay() {
    FeatureSpace before = values(0, 1000, 1);
    FeatureSpace now = values(0, 1020, 2).continuing(before);
    assertFalse(now.columns().get(0) == before.columns().get(0));
    assertArrayEquals(new int[] {2}, now.tables().get("visit.tenant"));
  }

  @Test
  void valuesOfATableOfTheSameNameThatIsHardlyUsedAreLeftOut() {
    List<TransactionSample> samples = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      samples.add(Traces.of(Traces.visit(i, 1), ROLE, i % 100 == 0 ? 2 : 1));
    }
    List<TransactionSample> kept = ColumnTables.withoutRare(samples);
    assertEquals(10, kept.stream().filter(s -> s.values()[0] == null).count());
    assertArrayEquals(new int[] {1}, ColumnTables.of(kept).get("visit.tenant"));
    samples.addAll(values(OTHER));
    assertArrayEquals(
        new int[] {1, 3},
        ColumnTables.of(ColumnTables.withoutRare(samples)).get("visit.tenant"),
        "of two that are used its values are both's");
  }

  /** Of tenants that have a schema each none has many of a column's values. */
  @Test
  void ofManyTablesOfTheSameNameThoseThatAreUsedMostGiveValues() {
    List<TransactionSample> samples = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      samples.add(Traces.of(Traces.visit(i, 1), ROLE, 1 + i % 40));
    }
    samples.add(Traces.of(Traces.visit(1, 1), ROLE, 41));
    List<TransactionSample> kept = ColumnTables.withoutRare(samples);
    assertEquals(4000, kept.stream().filter(s -> s.values()[0] != null).count());
    assertArrayEquals(
        IntStream.rangeClosed(1, 40).toArray(), ColumnTables.of(kept).get("visit.tenant"));
  }

  private static List<TransactionSample> values(int role) {
    return IntStream.range(0, 500).mapToObj(i -> Traces.of(Traces.visit(i, 1), role, 3)).toList();
  }
}
