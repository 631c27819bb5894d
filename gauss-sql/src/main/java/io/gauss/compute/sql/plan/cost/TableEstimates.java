package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.TableDef;

/**
 * Current sizes of tables: statistics may be old, but trees always know their approximate size.
 * Thread-safe.
 */
@FunctionalInterface
public interface TableEstimates {
  /** Rows according to the newest statistics. */
  TableEstimates STATISTICS = table -> table.statistics().rows();

  /** Live rows of a table, estimated; must not wait. */
  double rows(TableDef table);
}
