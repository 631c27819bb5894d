package io.gauss.compute.expr;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;

/** A column of the input batch. */
public final class ColumnExpr extends Expr {
  private final PgType type;
  private final int column;

  public ColumnExpr(int column, PgType type) {
    this.column = column;
    this.type = type;
  }

  /** Position in the batch. */
  public int column() {
    return column;
  }

  @Override
  public PgType type() {
    return type;
  }

  @Override
  public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
    in.columns[column].get(row, out);
  }

  @Override
  public boolean test(EvalContext ctx, RowBatch in, int row) {
    return !in.columns[column].nulls[row] && in.columns[column].longs[row] != 0;
  }

  @Override
  public boolean dependsOnRow() {
    return true;
  }
}
