package io.gauss.compute.ddl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogStore;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.catalog.statistics.AutoAnalyze;
import io.gauss.compute.catalog.statistics.ModificationCounters;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowCodec;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.StoreEngine;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class BackgroundAnalyzerTest {
  private static TableDef table(int space) {
    return new TableDef(
        20_000,
        "public",
        "t",
        space,
        List.of(ColumnDef.of(1, "id", PgType.INT4, true)),
        new int[] {0},
        "t_pkey",
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        TableStatistics.UNKNOWN);
  }

  @Test
  void changedTablesAreAnalyzedAndTheResultIsKept() {
    try (StoreEngine engine = new StoreEngine(1024, io.gauss.common.page.PageLayout.PAGE_BYTES)) {
      engine.store().ensure(engine.newContext(), SystemSpaces.CATALOG);
      TableDef table = table(engine.store().create(engine.newContext()));
      CatalogStore catalogStore = new CatalogStore(engine.store());
      Transaction txn = engine.session();
      txn.begin(IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      catalogStore.put(txn, table);
      VersionedTree rows = engine.store().tree(table.space());
      Value[] id = {new Value()};
      for (int i = 0; i < 500; i++) {
        id[0].setLong(i);
        ByteSink key = new ByteSink();
        ByteSink row = new ByteSink();
        KeyCodec.primaryKey(List.of(PgType.INT4)).encode(id, key);
        new RowCodec(List.of(PgType.INT4)).encode(id, row);
        rows.insert(txn, key.array, 0, key.length, row.array, 0, row.length, null);
      }
      txn.endStatement();
      txn.commit();
      Catalog catalog = new Catalog(Map.of(table.oid(), table));
      DdlServices services =
          new DdlServices(
              catalog,
              catalogStore,
              null,
              engine.store(),
              engine.engine().clock(),
              null,
              new ConcurrentLinkedQueue<>());
      ModificationCounters counters = new ModificationCounters();
      counters.changed(table.oid(), 500, 0, 0);
      AutoAnalyze round =
          new AutoAnalyze(
              counters,
              catalog::current,
              new BackgroundAnalyzer(services, engine.transactions(), engine::newContext));
      long before = catalog.current().version();
      round.run();
      assertEquals(500, catalog.current().table(table.oid()).statistics().rows());
      assertEquals(500, counters.rows(catalog.current().table(table.oid())));
      assertNotEquals(before, catalog.current().version());

      long after = catalog.current().version();
      round.run();
      assertEquals(after, catalog.current().version());

      txn.begin(IsolationLevel.READ_COMMITTED);
      TableDef stored = (TableDef) catalogStore.load(txn).get(table.oid());
      txn.commit();
      txn.close();
      assertEquals(500, stored.statistics().rows());
      assertEquals(-1, stored.statistics().columns()[0].distinct());
    }
  }
}
