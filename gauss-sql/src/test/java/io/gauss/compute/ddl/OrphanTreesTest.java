package io.gauss.compute.ddl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.page.PageLayout;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogStore;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.StoreEngine;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.type.PgType;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which trees are dropped because no committed table refers to them. */
class OrphanTreesTest {
  private final StoreEngine engine = new StoreEngine(256, PageLayout.PAGE_BYTES);
  private final EngineContext ctx = engine.newContext();
  private final CatalogStore rows = trees();
  private int reads;

  private CatalogStore trees() {
    engine.store().ensure(ctx, SystemSpaces.CATALOG);
    engine.store().ensure(ctx, SystemSpaces.CATALOG + 1);
    return new CatalogStore(engine.store());
  }

  @AfterEach
  void close() {
    engine.close();
  }

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

  private Catalog committed() {
    reads++;
    Transaction reader = engine.session();
    reader.begin(IsolationLevel.READ_COMMITTED);
    try {
      return new Catalog(rows.load(reader));
    } finally {
      reader.rollback();
    }
  }

  /** A tree of a transaction of another node, as it were: this node does not wait for its end. */
  private int tree() {
    int space = engine.store().create(ctx);
    engine.store().settled(space);
    return space;
  }

  private int drop(Catalog known, IntPredicate makers) {
    return OrphanTrees.drop(
        ctx, engine.store(), engine.store().settledTrees(ctx), known, this::committed, makers);
  }

  private void commit(TableDef table) {
    Transaction session = engine.session();
    session.begin(IsolationLevel.READ_COMMITTED);
    session.startStatement();
    rows.put(session, table);
    session.endStatement();
    session.commit();
  }

  @Test
  void aTreeWhoseTableIsNotInTheCatalogInMemoryYetStays() {
    Catalog stale = new Catalog(Map.of());
    int space = tree();
    commit(table(space));
    assertEquals(0, drop(stale, OrphanTrees.ALL));
    assertTrue(engine.store().isThere(ctx, space));
    assertEquals(1, reads);
  }

  @Test
  void aTreeOfNoTableIsDroppedByWhoMayKnow() {
    int space = tree();
    Catalog known = committed();
    assertEquals(0, drop(known, maker -> false));
    assertTrue(engine.store().isThere(ctx, space));
    assertEquals(1, drop(known, OrphanTrees.ALL));
    assertFalse(engine.store().isThere(ctx, space));
  }

  @Test
  void theCatalogIsNotReadAgainWhenAllTreesAreKnown() {
    commit(table(tree()));
    Catalog known = committed();
    assertEquals(0, drop(known, OrphanTrees.ALL));
    assertEquals(1, reads);
  }
}
