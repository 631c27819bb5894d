package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/**
 * Reads at most one row by its whole primary key.
 *
 * @param key values of all primary key columns, in key order; NULL finds nothing
 * @param columns table columns to emit, {@link PlanNode#ROW_KEY} for the row's key
 * @param filter further condition over the emitted columns, or null
 */
public record PointReadNode(TableDef table, Expr[] key, int[] columns, PgType[] types, Expr filter)
    implements PlanNode {}
