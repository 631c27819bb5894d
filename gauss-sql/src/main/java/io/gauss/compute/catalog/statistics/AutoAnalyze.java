package io.gauss.compute.catalog.statistics;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One round of automatic ANALYZE: analyzes the tables in which enough has changed, one after the
 * other. Run repeatedly by a background task, which owns it.
 */
public final class AutoAnalyze implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(AutoAnalyze.class);

  /** Analyzes one table in a transaction of its own, and stores and publishes the result. */
  public interface Analyzer {
    /**
     * @throws GaussException when it is not possible now: the table is locked or dropped, or the
     *     node is shutting down
     */
    void analyze(TableDef table);
  }

  /**
   * A table is not analyzed again for this long: new statistics invalidate all plans, and a small
   * table that is updated constantly would be due again at once.
   */
  private static final long DISTANCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final ModificationCounters counters;
  private final Supplier<? extends CatalogView> catalog;
  private final Analyzer analyzer;
  private final LongSupplier nanoClock;
  private final Map<Integer, Long> analyzedAt = new HashMap<>();

  public AutoAnalyze(
      ModificationCounters counters, Supplier<? extends CatalogView> catalog, Analyzer analyzer) {
    this(counters, catalog, analyzer, Environment::nanoTime);
  }

  AutoAnalyze(
      ModificationCounters counters,
      Supplier<? extends CatalogView> catalog,
      Analyzer analyzer,
      LongSupplier nanoClock) {
    this.counters = counters;
    this.catalog = catalog;
    this.analyzer = analyzer;
    this.nanoClock = nanoClock;
  }

  @Override
  public void run() {
    long now = nanoClock.getAsLong();
    analyzedAt.values().removeIf(at -> now - at >= DISTANCE_NANOS);
    for (TableDef table : counters.due(catalog.get())) {
      if (analyzedAt.containsKey(table.oid())) {
        continue;
      }
      ModificationCounters.Mark mark = counters.mark(table.oid());
      try {
        analyzer.analyze(table);
        counters.analyzed(table.oid(), mark);
        analyzedAt.put(table.oid(), now);
      } catch (GaussException e) {
        LOG.info(
            "table {}.{} was not analyzed, it is tried again: {}",
            table.schema(),
            table.name(),
            e.getMessage());
      }
    }
  }
}
