package io.gauss.compute.expr;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.List;

/** AND, OR, NOT and the IS family, with three-valued logic. */
public final class Logic {
  private Logic() {}

  private abstract static class Condition extends Expr {
    @Override
    public PgType type() {
      return PgType.BOOL;
    }
  }

  /** AND or OR of several; stops at the first operand that decides. */
  public static final class Junction extends Condition {
    private final Expr[] operands;

    /** The operand value that decides: false for AND, true for OR. */
    private final boolean deciding;

    public Junction(List<Expr> operands, boolean and) {
      this.operands = operands.toArray(Expr[]::new);
      this.deciding = !and;
    }

    @Override
    public List<Expr> children() {
      return List.of(operands);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      boolean anyNull = false;
      for (Expr operand : operands) {
        operand.eval(ctx, in, row, out);
        if (out.isNull) {
          anyNull = true;
        } else if ((out.l != 0) == deciding) {
          return;
        }
      }
      if (anyNull) {
        out.setNull();
      } else {
        out.setBoolean(!deciding);
      }
    }

    @Override
    public boolean test(EvalContext ctx, RowBatch in, int row) {
      // For AND, NULL has the same effect as false; for OR, only true counts.
      for (Expr operand : operands) {
        if (operand.test(ctx, in, row) == deciding) {
          return deciding;
        }
      }
      return !deciding;
    }

    @Override
    public String toString() {
      return (deciding ? "or" : "and") + List.of(operands);
    }
  }

  /** NOT. */
  public static final class Not extends Condition {
    private final Expr a;

    public Not(Expr a) {
      this.a = a;
    }

    @Override
    public List<Expr> children() {
      return List.of(a);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      a.eval(ctx, in, row, out);
      if (!out.isNull) {
        out.setBoolean(out.l == 0);
      }
    }
  }

  /** IS [NOT] NULL. */
  public static final class IsNull extends Condition {
    private final Expr a;
    private final boolean wanted;

    public IsNull(Expr a, boolean wanted) {
      this.a = a;
      this.wanted = wanted;
    }

    @Override
    public List<Expr> children() {
      return List.of(a);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      out.setBoolean(test(ctx, in, row));
    }

    @Override
    public boolean test(EvalContext ctx, RowBatch in, int row) {
      if (a instanceof ColumnExpr column) {
        return in.columns[column.column()].nulls[row] == wanted;
      }
      Value x = ctx.acquire();
      a.eval(ctx, in, row, x);
      ctx.release();
      return x.isNull == wanted;
    }
  }

  /** IS [NOT] TRUE and IS [NOT] FALSE; IS UNKNOWN is IS NULL. */
  public static final class IsBoolean extends Condition {
    private final Expr a;
    private final boolean value;
    private final boolean negated;

    public IsBoolean(Expr a, boolean value, boolean negated) {
      this.a = a;
      this.value = value;
      this.negated = negated;
    }

    @Override
    public List<Expr> children() {
      return List.of(a);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      a.eval(ctx, in, row, out);
      out.setBoolean((!out.isNull && (out.l != 0) == value) != negated);
    }
  }

  /** IS [NOT] DISTINCT FROM over sides of one representation. */
  public static final class Distinct extends Condition {
    private final Expr a;
    private final Expr b;
    private final ValueOrder order;
    private final boolean negated;

    public Distinct(Expr a, Expr b, ValueOrder order, boolean negated) {
      this.a = a;
      this.b = b;
      this.order = order;
      this.negated = negated;
    }

    @Override
    public List<Expr> children() {
      return List.of(a, b);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      Value y = ctx.acquire();
      a.eval(ctx, in, row, x);
      b.eval(ctx, in, row, y);
      boolean distinct = x.isNull || y.isNull ? x.isNull != y.isNull : !order.equal(x, y);
      out.setBoolean(distinct != negated);
      ctx.release(2);
    }
  }

  /** IS [NOT] DISTINCT FROM through an equality operator of two different types. */
  public static final class DistinctBy extends Condition {
    private final Expr a;
    private final Expr b;
    private final Expr equal;
    private final boolean negated;

    public DistinctBy(Expr a, Expr b, Expr equal, boolean negated) {
      this.a = a;
      this.b = b;
      this.equal = equal;
      this.negated = negated;
    }

    @Override
    public List<Expr> children() {
      return List.of(a, b, equal);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      a.eval(ctx, in, row, out);
      boolean leftNull = out.isNull;
      b.eval(ctx, in, row, out);
      boolean distinct =
          leftNull || out.isNull ? leftNull != out.isNull : !equal.test(ctx, in, row);
      out.setBoolean(distinct != negated);
    }
  }
}
