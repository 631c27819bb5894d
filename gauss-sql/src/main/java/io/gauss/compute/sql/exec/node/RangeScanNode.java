package io.gauss.compute.sql.exec.node;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/**
 * Rows of one or more key ranges, in key order (of the encoded key; {@code reverse} inverts it).
 *
 * @param index index to scan, null = the clustered tree
 * @param ranges several for IN lists: they are sorted, and overlapping ones merged, when the scan
 *     is opened
 * @param filter further condition over the emitted columns, or null
 */
public record RangeScanNode(
    TableDef table,
    TableDef.IndexDef index,
    KeyRange[] ranges,
    boolean reverse,
    int[] columns,
    PgType[] types,
    Expr filter)
    implements PlanNode {}
