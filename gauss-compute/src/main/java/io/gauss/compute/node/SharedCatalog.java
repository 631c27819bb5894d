package io.gauss.compute.node;

import io.gauss.common.task.Later;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogSharing;
import io.gauss.compute.cluster.clock.CommitBroadcast;
import io.gauss.compute.ddl.CatalogLoader;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalog of several compute nodes: the calls that exchange clocks also announce changes. An
 * announced change is loaded at once, so that mostly no statement waits for it; a statement that
 * comes earlier loads it itself. Thread-safe.
 */
final class SharedCatalog implements CatalogSharing {
  private static final Logger LOG = LoggerFactory.getLogger(SharedCatalog.class);

  private final CommitBroadcast broadcast;
  private final CatalogLoader loader;
  private final EngineContext context;
  private final AtomicBoolean loading = new AtomicBoolean();

  private SharedCatalog(CommitBroadcast broadcast, CatalogLoader loader, EngineContext context) {
    this.broadcast = broadcast;
    this.loader = loader;
    this.context = context;
  }

  /**
   * From now on the catalog is shared by all nodes.
   *
   * @param context for loading in the background
   */
  static void share(
      Catalog catalog, CommitBroadcast broadcast, CatalogLoader loader, EngineContext context) {
    SharedCatalog shared = new SharedCatalog(broadcast, loader, context);
    catalog.share(shared);
    broadcast.onCatalogChange(() -> shared.loadSoon(catalog));
    shared.loadSoon(catalog);
  }

  private void loadSoon(Catalog catalog) {
    if (loading.compareAndSet(false, true)) {
      Later.NOW.execute(() -> loadNow(catalog));
    }
  }

  private void loadNow(Catalog catalog) {
    boolean failed = false;
    try {
      catalog.freshen(context);
    } catch (RuntimeException e) {
      failed = true;
      LOG.info("the catalog is loaded when the next statement needs it", e);
    } finally {
      loading.set(false);
    }
    if (!failed && catalog.isStale()) {
      loadSoon(catalog); // more changes were announced meanwhile
    }
  }

  @Override
  public long committing() {
    return broadcast.catalogCommitting();
  }

  @Override
  public void committed(long begun, long csn) {
    broadcast.catalogCommitted(begun, csn);
  }

  @Override
  public long heard() {
    return broadcast.catalogHeard();
  }

  @Override
  public void load(EngineContext caller) {
    loader.load(caller);
  }
}
