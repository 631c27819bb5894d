package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;

/** Rows computed from expressions without columns. */
public record ValuesNode(PgType[] types, Expr[][] rows) implements PlanNode {}
