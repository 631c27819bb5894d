package io.gauss.compute.catalog.statistics;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of rows changed on this node since their tables were last analyzed. They decide when to
 * analyze again, and tell how much a table has grown meanwhile. Rolled-back changes also count,
 * since they leave work behind. Lost at restart; then estimates come from the last ANALYZE.
 * Thread-safe.
 */
public final class ModificationCounters {
  /** PostgreSQL's autovacuum_analyze_threshold and autovacuum_analyze_scale_factor. */
  private static final long THRESHOLD_ROWS = 50;

  private static final double THRESHOLD_FRACTION = 0.1;

  private final ConcurrentHashMap<Integer, Counts> tables = new ConcurrentHashMap<>();

  /** Totals, and the part of them that the last ANALYZE has covered. */
  private static final class Counts {
    final LongAdder inserted = new LongAdder();
    final LongAdder updated = new LongAdder();
    final LongAdder deleted = new LongAdder();
    final AtomicLong seenChanged = new AtomicLong();
    final AtomicLong seenGrown = new AtomicLong();

    long changed() {
      return inserted.sum() + updated.sum() + deleted.sum() - seenChanged.get();
    }

    long grown() {
      return inserted.sum() - deleted.sum() - seenGrown.get();
    }
  }

  /**
   * Rows since the node started.
   *
   * @param sinceAnalyze rows changed in any way since the last ANALYZE
   */
  public record Totals(long inserted, long updated, long deleted, long sinceAnalyze) {}

  public Totals totals(int tableOid) {
    Counts counts = tables.get(tableOid);
    return counts == null
        ? new Totals(0, 0, 0, 0)
        : new Totals(
            counts.inserted.sum(), counts.updated.sum(), counts.deleted.sum(), counts.changed());
  }

  /** Called once for each statement that has written rows. */
  public void changed(int tableOid, long inserted, long updated, long deleted) {
    Counts counts = tables.computeIfAbsent(tableOid, oid -> new Counts());
    add(counts.inserted, inserted);
    add(counts.updated, updated);
    add(counts.deleted, deleted);
  }

  private static void add(LongAdder counter, long rows) {
    if (rows != 0) {
      counter.add(rows);
    }
  }

  /** Current number of rows, for the planner: the last count plus the growth since. */
  public double rows(TableDef table) {
    Counts counts = tables.get(table.oid());
    TableStatistics statistics = table.statistics();
    if (counts == null) {
      return statistics.rows();
    }
    long grown = counts.grown();
    // Nothing is known about a table that was never analyzed: its default size applies until the
    // table has outgrown it.
    return statistics == TableStatistics.UNKNOWN
        ? Math.max(statistics.rows(), grown)
        : Math.max(0, statistics.rows() + grown);
  }

  /** Tables with so many changes that they should be analyzed. */
  List<TableDef> due(CatalogView catalog) {
    List<TableDef> due = new ArrayList<>();
    tables.forEach(
        (oid, counts) -> {
          TableDef table = catalog.table(oid);
          if (table == null) {
            tables.remove(oid);
          } else if (counts.changed() > threshold(table)) {
            due.add(table);
          }
        });
    return due;
  }

  private static double threshold(TableDef table) {
    TableStatistics statistics = table.statistics();
    double rows = statistics == TableStatistics.UNKNOWN ? 0 : statistics.rows();
    return THRESHOLD_ROWS + THRESHOLD_FRACTION * rows;
  }

  /** The counts of a table so far; to be passed to {@link #analyzed} afterwards. */
  public Mark mark(int tableOid) {
    Counts counts = tables.get(tableOid);
    return counts == null ? new Mark(0, 0) : new Mark(counts.changed(), counts.grown());
  }

  /** Subtracts the counts as of the time when an ANALYZE took its snapshot. */
  public void analyzed(int tableOid, Mark mark) {
    Counts counts = tables.get(tableOid);
    if (counts != null) {
      counts.seenChanged.addAndGet(mark.changed);
      counts.seenGrown.addAndGet(mark.grown);
    }
  }

  /** A state of a table's counters. */
  public record Mark(long changed, long grown) {}
}
