package io.gauss.compute.expr;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;

/** VALUE in the conditions of a domain: what {@link DomainExpr} is looking at. */
public final class DomainValueExpr extends Expr {
  private final PgType type;

  public DomainValueExpr(PgType type) {
    this.type = type;
  }

  @Override
  public PgType type() {
    return type;
  }

  @Override
  public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
    out.set(ctx.domainValue);
  }

  /** It is no constant, although it is in no row. */
  @Override
  public boolean dependsOnRow() {
    return true;
  }

  @Override
  public String toString() {
    return "VALUE";
  }
}
