package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/**
 * Reads at most one row by all columns of a unique index.
 *
 * @param index a unique index of the table
 * @param key values of all index columns; NULL finds nothing
 */
public record IndexLookupNode(
    TableDef table, TableDef.IndexDef index, Expr[] key, int[] columns, PgType[] types, Expr filter)
    implements PlanNode {}
