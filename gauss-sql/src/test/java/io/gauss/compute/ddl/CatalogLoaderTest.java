package io.gauss.compute.ddl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.page.PageLayout;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.CatalogSharing;
import io.gauss.compute.catalog.CatalogStore;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.Sequences;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.StoreEngine;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The catalogs of two nodes over the same trees: what one changes, and what the other has of it.
 */
class CatalogLoaderTest {
  private final StoreEngine engine = new StoreEngine(256, PageLayout.PAGE_BYTES);
  private final CatalogStore rows = trees(engine);
  private final Node one = new Node();
  private final Node two = new Node();

  private static CatalogStore trees(StoreEngine engine) {
    engine.store().ensure(engine.newContext(), SystemSpaces.CATALOG);
    engine.store().ensure(engine.newContext(), SystemSpaces.CATALOG + 1);
    return new CatalogStore(engine.store());
  }

  @AfterEach
  void close() {
    engine.close();
  }

  /** What a compute node has of the catalog. */
  private final class Node implements CatalogSharing {
    private final Catalog catalog = new Catalog(Map.of());
    private final Transaction session = engine.session();
    private final CatalogLoader loader;
    private long heard;

    Node() {
      DdlServices services =
          new DdlServices(
              catalog,
              rows,
              new Sequences(engine.store(), engine::session),
              engine.store(),
              engine.engine().clock(),
              null,
              new ConcurrentLinkedQueue<>());
      loader = new CatalogLoader(services, new TableHandles(services), engine.session());
      catalog.share(this);
    }

    @Override
    public long committing() {
      return 0;
    }

    @Override
    public void committed(long begun, long csn) {
      // The test tells the other node.
    }

    @Override
    public long heard() {
      return heard;
    }

    @Override
    public void load(EngineContext caller) {
      loader.load(caller);
    }

    long commit(CatalogObject object) {
      session.begin(IsolationLevel.READ_COMMITTED);
      session.startStatement();
      rows.put(session, object);
      session.endStatement();
      session.commit(() -> catalog.publish(Map.of(object.oid(), object), session.lastCsn()));
      return session.lastCsn();
    }

    void drop(int oid) {
      session.begin(IsolationLevel.READ_COMMITTED);
      session.startStatement();
      rows.remove(session, oid);
      session.endStatement();
      session.commit();
    }

    void freshen() {
      catalog.freshen(session.context());
    }
  }

  @Test
  void whatOneNodeCommitsTheOtherHasOnceItHasHeardOfIt() {
    long csn = one.commit(new SchemaDef(20_000, "made"));
    assertFalse(two.catalog.isStale());
    two.heard = csn;
    assertTrue(two.catalog.isStale());
    long before = two.catalog.current().version();
    two.freshen();
    assertFalse(two.catalog.isStale());
    assertNotNull(two.catalog.current().schema("made"));
    assertNotEquals(before, two.catalog.current().version(), "plans made before are found no more");
  }

  @Test
  void whatIsDroppedElsewhereIsGone() {
    two.heard = one.commit(new SchemaDef(20_000, "made"));
    two.freshen();
    one.drop(20_000);
    two.heard = engine.engine().clock().now();
    two.freshen();
    assertNull(two.catalog.current().schema("made"));
    assertNotNull(two.catalog.current().schema("public"));
  }

  @Test
  void whatHasNotChangedIsNotMadeAnew() {
    two.heard = one.commit(new SchemaDef(20_000, "first"));
    two.freshen();
    SchemaDef first = two.catalog.current().schema("first");
    two.heard = one.commit(new SchemaDef(20_001, "second"));
    two.freshen();
    assertSame(first, two.catalog.current().schema("first"));
  }

  @Test
  void whatANodeCommitsWhileItLoadsIsNotLost() {
    two.heard = one.commit(new SchemaDef(20_000, "elsewhere"));
    long snapshot = engine.engine().clock().now();
    two.catalog.beginLoad();
    two.commit(new SchemaDef(20_001, "here"));
    two.catalog.loaded(Map.of(20_000, new SchemaDef(20_000, "elsewhere")), snapshot);
    assertNotNull(two.catalog.current().schema("here"));
    assertNotNull(two.catalog.current().schema("elsewhere"));
  }

  @Test
  void whatANodeCommittedBelowTheSnapshotDoesNotHideWhatFollowed() {
    two.catalog.beginLoad();
    two.commit(new SchemaDef(20_000, "before"));
    one.commit(new SchemaDef(20_000, "after"));
    long snapshot = engine.engine().clock().now();
    two.catalog.loaded(Map.of(20_000, new SchemaDef(20_000, "after")), snapshot);
    assertNotNull(two.catalog.current().schema("after"));
    assertNull(two.catalog.current().schema("before"));
  }

  @Test
  void oidsGoOnAboveThoseOfOtherNodes() {
    two.heard = one.commit(new SchemaDef(30_000, "far"));
    two.freshen();
    assertTrue(two.catalog.newOid() > 30_000);
  }

  @Test
  void aLoadThatFindsNothingToDoChangesNothing() {
    CatalogObject made = new SchemaDef(20_000, "made");
    two.heard = one.commit(made);
    two.freshen();
    long version = two.catalog.current().version();
    two.loader.load(two.session.context());
    assertEquals(version, two.catalog.current().version());
  }
}
