package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/**
 * All rows of a table, in clustering order. For an order by an index, use a range scan with an
 * empty range.
 */
public record FullScanNode(TableDef table, int[] columns, PgType[] types, Expr filter)
    implements PlanNode {}
