package io.gauss.compute.ddl;

import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.CatalogStore.Loaded;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.Transaction;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Loads the changes of other nodes to the catalog, and discards this node's state of objects that
 * were dropped or redefined. Reads the whole catalog, but decodes only rows that have changed.
 * Thread-safe; one load at a time serves all threads that wait for it.
 */
public final class CatalogLoader {
  private final DdlServices services;
  private final TableHandles handles;
  private final Transaction transaction;
  private final EngineContext context;
  private final ReentrantLock lock = new ReentrantLock();
  private Loaded last = Loaded.NOTHING; // under lock

  /**
   * @param transaction for loading, not used for anything else
   */
  public CatalogLoader(DdlServices services, TableHandles handles, Transaction transaction) {
    this.services = services;
    this.handles = handles;
    this.transaction = transaction;
    this.context = transaction.context();
  }

  /**
   * Loads, unless another thread has done so meanwhile. Waits.
   *
   * @param caller the caller's context
   */
  public void load(EngineContext caller) {
    caller.waits().beforeWait();
    lock.lock();
    try {
      Catalog catalog = services.catalog();
      if (catalog.isStale()) {
        load(catalog);
      }
    } finally {
      lock.unlock();
    }
  }

  private void load(Catalog catalog) {
    boolean loaded = false;
    catalog.beginLoad();
    try {
      context.waits().mayBlock(true);
      transaction.begin(Transaction.IsolationLevel.READ_COMMITTED);
      last = services.catalogStore().load(transaction, last);
      CatalogSnapshot before = catalog.loaded(last.objects(), last.snapshot());
      loaded = true;
      forget(before, catalog.current());
    } finally {
      if (transaction.isActive()) {
        transaction.rollback();
      }
      if (!loaded) {
        catalog.abandonLoad();
      }
    }
  }

  private void forget(CatalogSnapshot before, CatalogSnapshot now) {
    for (SequenceDef sequence : before.sequences()) {
      CatalogObject after = now.sequence(sequence.oid());
      if (after == null || !sequence.countsLike(after)) {
        services.sequences().forget(sequence.oid());
      }
    }
    for (TableDef table : before.tables()) {
      if (now.table(table.oid()) == null) {
        handles.forget(table.oid());
      }
    }
    Set<Integer> spaces = spaces(before);
    spaces.removeAll(spaces(now));
    spaces.forEach(services.store()::droppedElsewhere);
  }

  private static Set<Integer> spaces(CatalogSnapshot catalog) {
    Set<Integer> spaces = new HashSet<>();
    for (TableDef table : catalog.tables()) {
      spaces.add(table.space());
      table.indexes().forEach(index -> spaces.add(index.space()));
    }
    return spaces;
  }
}
