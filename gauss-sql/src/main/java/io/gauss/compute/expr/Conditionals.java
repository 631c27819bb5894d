package io.gauss.compute.expr;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.ArrayList;
import java.util.List;

/** CASE, COALESCE, NULLIF, GREATEST and LEAST; all branches have the result's type. */
public final class Conditionals {
  private Conditionals() {}

  /** CASE WHEN: evaluates conditions in order, and only the chosen branch. */
  public static final class Case extends Expr {
    private final PgType type;
    private final Expr[] conditions;
    private final Expr[] results;
    private final Expr otherwise;

    public Case(PgType type, List<Expr> conditions, List<Expr> results, Expr otherwise) {
      this.type = type;
      this.conditions = conditions.toArray(Expr[]::new);
      this.results = results.toArray(Expr[]::new);
      this.otherwise = otherwise;
    }

    @Override
    public PgType type() {
      return type;
    }

    @Override
    public List<Expr> children() {
      List<Expr> all = new ArrayList<>(List.of(conditions));
      all.addAll(List.of(results));
      all.add(otherwise);
      return all;
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      for (int i = 0; i < conditions.length; i++) {
        if (conditions[i].test(ctx, in, row)) {
          results[i].eval(ctx, in, row, out);
          return;
        }
      }
      otherwise.eval(ctx, in, row, out);
    }
  }

  /** COALESCE. */
  public static final class Coalesce extends Expr {
    private final PgType type;
    private final Expr[] operands;

    public Coalesce(PgType type, List<Expr> operands) {
      this.type = type;
      this.operands = operands.toArray(Expr[]::new);
    }

    @Override
    public PgType type() {
      return type;
    }

    @Override
    public List<Expr> children() {
      return List.of(operands);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      for (Expr operand : operands) {
        operand.eval(ctx, in, row, out);
        if (!out.isNull) {
          return;
        }
      }
    }
  }

  /** NULLIF: the first operand, unless the equality holds. */
  public static final class NullIf extends Expr {
    private final Expr a;
    private final Expr equal;

    public NullIf(Expr a, Expr equal) {
      this.a = a;
      this.equal = equal;
    }

    @Override
    public PgType type() {
      return a.type();
    }

    @Override
    public List<Expr> children() {
      return List.of(a, equal);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      if (equal.test(ctx, in, row)) {
        out.setNull();
      } else {
        a.eval(ctx, in, row, out);
      }
    }
  }

  /** GREATEST and LEAST, which ignore NULLs. */
  public static final class Extreme extends Expr {
    private final PgType type;
    private final ValueOrder order;
    private final Expr[] operands;
    private final int sign;

    public Extreme(PgType type, List<Expr> operands, boolean greatest) {
      this.type = type;
      this.order = ValueOrder.of(type);
      this.operands = operands.toArray(Expr[]::new);
      this.sign = greatest ? 1 : -1;
    }

    @Override
    public PgType type() {
      return type;
    }

    @Override
    public List<Expr> children() {
      return List.of(operands);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      out.setNull();
      for (Expr operand : operands) {
        operand.eval(ctx, in, row, x);
        if (!x.isNull && (out.isNull || sign * order.compare(x, out) > 0)) {
          out.set(x);
        }
      }
      ctx.release();
    }
  }
}
