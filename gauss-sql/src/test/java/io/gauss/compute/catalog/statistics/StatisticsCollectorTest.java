package io.gauss.compute.catalog.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.page.PageLayout;
import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowCodec;
import io.gauss.compute.store.StoreEngine;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Statistics against what is known of tables made for it: id 0..n-1, a with 10 values, b text or
 * NULL.
 */
class StatisticsCollectorTest {
  private static final List<PgType> TYPES = List.of(PgType.INT4, PgType.INT4, PgType.TEXT);

  private static TableDef table(int space) {
    return new TableDef(
        16_384,
        "public",
        "t",
        space,
        List.of(
            ColumnDef.of(1, "id", PgType.INT4, true),
            ColumnDef.of(2, "a", PgType.INT4, false),
            ColumnDef.of(3, "b", PgType.TEXT, false)),
        new int[] {0},
        "t_pkey",
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        TableStatistics.UNKNOWN);
  }

  /** The expression {@code id % 3}, of an index on rows with an a other than 0. */
  private record Thirds(RowCodec codec) implements StatisticsCollector.Keys {
    private static final KeyExpression ID_MOD_3 = new KeyExpression("expr", "id % 3", PgType.INT4);

    @Override
    public List<KeyExpression> expressions() {
      return List.of(ID_MOD_3);
    }

    @Override
    public boolean value(int expression, byte[] row, Value out) {
      codec.decode(row, 0, row.length, 1, out);
      boolean isIn = out.l != 0;
      codec.decode(row, 0, row.length, 0, out);
      out.setLong(out.l % 3);
      return isIn;
    }
  }

  /** Small pages make a big tree of few rows. */
  private static TableStatistics analyze(int rows, int maxUsedBytes) {
    try (StoreEngine engine = new StoreEngine(4096, maxUsedBytes)) {
      int space = engine.store().create(engine.newContext());
      VersionedTree tree = engine.store().tree(space);
      KeyCodec keys = KeyCodec.primaryKey(List.of(PgType.INT4));
      RowCodec codec = new RowCodec(TYPES);
      Transaction txn = engine.session();
      txn.begin(Transaction.IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      Value[] values = {new Value(), new Value(), new Value()};
      ByteSink key = new ByteSink();
      ByteSink row = new ByteSink();
      for (int i = 0; i < rows; i++) {
        values[0].setLong(i);
        values[1].setLong(i % 10);
        byte[] text = ("value " + i / 2).getBytes(StandardCharsets.UTF_8);
        values[2].setNull();
        if (i % 4 != 0) {
          values[2].setBytes(text, 0, text.length);
        }
        key.clear();
        row.clear();
        keys.encode(values, 1, key);
        codec.encode(values, row);
        tree.insert(txn, key.array, 0, key.length, row.array, 0, row.length, null);
      }
      txn.endStatement();
      txn.commit();
      txn.begin(Transaction.IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      TableStatistics statistics =
          new StatisticsCollector(new Random(1))
              .collect(txn, table(space), tree, codec, new Thirds(codec));
      txn.endStatement();
      txn.commit();
      txn.close();
      return statistics;
    }
  }

  @Test
  void aSmallTableIsCountedExactly() {
    TableStatistics s = analyze(1000, PageLayout.PAGE_BYTES);
    assertEquals(1000, s.rows());
    assertTrue(s.pages() > 2 && s.pages() < 100, "pages " + s.pages());
    assertEquals(-1, s.columns()[0].distinct());
    assertEquals(10, s.columns()[1].distinct());
    assertEquals(0, s.columns()[1].nullFraction());
    assertEquals(4, s.columns()[1].averageWidth());
    assertEquals(0.25, s.columns()[2].nullFraction(), 0.001);
    assertEquals(-0.5, s.columns()[2].distinct(), 0.01);
  }

  @Test
  void anExpressionIsSummarizedLikeAColumn() {
    TableStatistics s = analyze(1000, PageLayout.PAGE_BYTES);
    TableStatistics.ColumnStatistics thirds = s.of(0, Thirds.ID_MOD_3);
    assertEquals(3, thirds.distinct());
    assertEquals(0, thirds.nullFraction());
    assertEquals(4, thirds.averageWidth());
    assertNull(s.of(0, new KeyExpression("expr", "id % 4", PgType.INT4)));
    assertEquals(0, analyze(0, PageLayout.PAGE_BYTES).of(0, Thirds.ID_MOD_3).distinct());
  }

  @Test
  void anEmptyTableHasNoRows() {
    TableStatistics s = analyze(0, PageLayout.PAGE_BYTES);
    assertEquals(0, s.rows());
    assertEquals(0, s.columns()[0].histogram().length);
  }

  @Test
  void aBigTableIsSampled() {
    TableStatistics s = analyze(40_000, 1000);
    assertTrue(s.pages() > StatisticsCollector.LEAVES_MAX, "pages " + s.pages());
    assertEquals(40_000, s.rows(), 2_000);
    assertEquals(10, s.columns()[1].distinct(), 0.5);
    // Equal values lie next to each other here, so whole leaves show too many of them: the guess is
    // low.
    assertTrue(s.columns()[2].distinct() > -0.6 && s.columns()[2].distinct() < -0.25);
    assertEquals(0.25, s.columns()[2].nullFraction(), 0.02);
    assertEquals(ColumnSummary.BUCKETS + 1, s.columns()[0].histogram().length);
    KeyCodec codec = KeyCodec.index(List.of(PgType.INT4), new boolean[1], new boolean[1]);
    for (int id : new int[] {-5, 0, 1_000, 10_000, 20_000, 39_000, 50_000}) {
      Value value = new Value();
      value.setLong(id);
      ByteSink key = new ByteSink();
      codec.encodeColumn(0, value, key);
      double expected = Math.clamp(id / 40_000.0, 0, 1);
      assertEquals(
          expected,
          Histograms.fractionBelow(s.columns()[0].histogram(), key.toByteArray()),
          0.03,
          "below " + id);
    }
  }

  @Test
  void countersAskForAnalyzeWhenEnoughHasChanged() {
    ModificationCounters counters = new ModificationCounters();
    TableDef table = table(1000);
    OneTable catalog = new OneTable(table);
    counters.changed(table.oid(), 40, 0, 0);
    assertEquals(List.of(), counters.due(catalog));
    counters.changed(table.oid(), 20, 5, 10);
    assertEquals(List.of(table), counters.due(catalog));
    assertEquals(1000, counters.rows(table));
    ModificationCounters.Mark mark = counters.mark(table.oid());
    counters.changed(table.oid(), 3, 0, 0);
    counters.analyzed(table.oid(), mark);
    assertEquals(List.of(), counters.due(catalog));
    catalog.drop();
    assertEquals(List.of(), counters.due(catalog));
  }
}
