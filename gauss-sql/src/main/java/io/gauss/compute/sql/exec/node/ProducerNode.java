package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.type.PgType;

/**
 * Rows made by code: system views, {@code generate_series}.
 *
 * @param name for EXPLAIN
 * @param arguments expressions without columns, evaluated when the node is opened
 */
public record ProducerNode(String name, PgType[] types, RowProducer producer, Expr[] arguments)
    implements PlanNode {}
