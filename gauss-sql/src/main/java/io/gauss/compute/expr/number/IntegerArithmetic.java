package io.gauss.compute.expr.number;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.call.CastBodies;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Value;
import java.util.List;

/**
 * + - * / % on integers with PostgreSQL's overflow errors; one node for all widths, nothing
 * allocated.
 */
public final class IntegerArithmetic extends Expr {
  private final char operator;
  private final PgType type;
  private final Expr a;
  private final Expr b;

  IntegerArithmetic(char operator, PgType type, Expr a, Expr b) {
    this.operator = operator;
    this.type = type;
    this.a = a;
    this.b = b;
  }

  @Override
  public PgType type() {
    return type;
  }

  @Override
  public List<Expr> children() {
    return List.of(a, b);
  }

  @Override
  public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
    Value x = ctx.acquire();
    a.eval(ctx, in, row, x);
    b.eval(ctx, in, row, out);
    if (x.isNull || out.isNull) {
      out.setNull();
    } else {
      out.setLong(CastBodies.checked(apply(operator, x.l, out.l, type), type));
    }
    ctx.release();
  }

  /** The result in 64 bits; the caller checks the range of narrower types. */
  public static long apply(char operator, long x, long y, PgType type) {
    switch (operator) {
      case '+' -> {
        long sum = x + y;
        if (((x ^ sum) & (y ^ sum)) < 0) {
          throw TypeErrors.outOfRange(type);
        }
        return sum;
      }
      case '-' -> {
        long difference = x - y;
        if (((x ^ y) & (x ^ difference)) < 0) {
          throw TypeErrors.outOfRange(type);
        }
        return difference;
      }
      case '*' -> {
        long product = x * y;
        if (Math.multiplyHigh(x, y) != product >> 63) {
          throw TypeErrors.outOfRange(type);
        }
        return product;
      }
      case '/' -> {
        if (y == 0) {
          throw TypeErrors.divisionByZero();
        }
        if (y == -1 && x == Long.MIN_VALUE) {
          throw TypeErrors.outOfRange(type);
        }
        return x / y;
      }
      case '%' -> {
        if (y == 0) {
          throw TypeErrors.divisionByZero();
        }
        return y == -1 ? 0 : x % y;
      }
      default -> throw new IllegalArgumentException(String.valueOf(operator));
    }
  }

  @Override
  public String toString() {
    return "(" + a + " " + operator + " " + b + ")";
  }
}
