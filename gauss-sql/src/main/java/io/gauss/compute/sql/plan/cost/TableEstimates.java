package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.TableDef;

/**
 * How large tables are now: statistics may be old, and trees know their size roughly at any time.
 * Thread-safe.
 */
@FunctionalInterface
public interface TableEstimates {
  /** Takes what the newest statistics say. */
  TableEstimates STATISTICS = table -> table.statistics().rows();

  /** Live rows of a table, estimated; must not wait. */
  double rows(TableDef table);
}
