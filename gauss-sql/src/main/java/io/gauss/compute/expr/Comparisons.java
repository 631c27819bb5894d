package io.gauss.compute.expr;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueKind;
import io.gauss.compute.type.ValueOrder;
import java.util.Arrays;
import java.util.List;

/**
 * The six comparison operators. Both sides have the same representation and order. The usual cases
 * in filters and joins by key (integers and text, a column against a constant, parameter or column)
 * have nodes that read the vectors directly.
 */
public final class Comparisons {
  static final int EQ = 0;
  static final int NE = 1;
  public static final int LT = 2;
  public static final int LE = 3;
  public static final int GT = 4;
  public static final int GE = 5;
  public static final String[] SYMBOLS = {"=", "<>", "<", "<=", ">", ">="};

  private Comparisons() {}

  /** Whether an operator is true for operands whose comparison gave {@code order}. */
  public static boolean holds(int operator, int order) {
    return switch (operator) {
      case EQ -> order == 0;
      case NE -> order != 0;
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      default -> order >= 0;
    };
  }

  public static boolean holds(int operator, long a, long b) {
    return switch (operator) {
      case EQ -> a == b;
      case NE -> a != b;
      case LT -> a < b;
      case LE -> a <= b;
      case GT -> a > b;
      default -> a >= b;
    };
  }

  /** The operator that holds with swapped sides. */
  private static int swap(int operator) {
    return switch (operator) {
      case LT -> GT;
      case LE -> GE;
      case GT -> LT;
      case GE -> LE;
      default -> operator;
    };
  }

  /**
   * @param type decides the order; the sides may be of any types with its representation
   */
  public static Expr create(int operator, PgType type, Expr a, Expr b) {
    if (b instanceof ColumnExpr && !(a instanceof ColumnExpr)) {
      return create(swap(operator), type, b, a);
    }
    boolean simpleBytes =
        type.kind() == ValueKind.BYTES
            && !type.is(PgType.BPCHAR)
            && !type.is(PgType.INTERVAL)
            && !type.is(PgType.JSONB)
            && !type.isArray();
    if (a instanceof ColumnExpr column && (b instanceof ConstExpr || b instanceof ParamExpr)) {
      if (type.kind() == ValueKind.LONG) {
        return new LongColumn(operator, column, b);
      }
      if (simpleBytes && operator <= NE) {
        return new BytesColumn(operator, column, b);
      }
    }
    if (type.kind() == ValueKind.LONG) {
      return a instanceof ColumnExpr left && b instanceof ColumnExpr right
          ? new LongColumns(operator, left, right)
          : new Longs(operator, a, b);
    }
    return new Ordered(operator, ValueOrder.of(type), a, b);
  }

  private abstract static class Comparison extends Expr {
    final int operator;
    final Expr a;
    final Expr b;

    Comparison(int operator, Expr a, Expr b) {
      this.operator = operator;
      this.a = a;
      this.b = b;
    }

    @Override
    public PgType type() {
      return PgType.BOOL;
    }

    @Override
    public List<Expr> children() {
      return List.of(a, b);
    }

    @Override
    public String toString() {
      return "(" + a + " " + SYMBOLS[operator] + " " + b + ")";
    }
  }

  /** An integer column against a value that is the same for all rows. */
  private static final class LongColumn extends Comparison {
    private final int column;
    private final int parameter;
    private final Value constant;

    LongColumn(int operator, ColumnExpr a, Expr b) {
      super(operator, a, b);
      column = a.column();
      parameter = b instanceof ParamExpr p ? p.index() : -1;
      constant = b instanceof ConstExpr c ? c.value() : null;
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value right = constant != null ? constant : ctx.parameters[parameter];
      ColumnVector vector = in.columns[column];
      if (right.isNull || vector.nulls[row]) {
        out.setNull();
      } else {
        out.setBoolean(holds(operator, vector.longs[row], right.l));
      }
    }

    @Override
    public boolean test(EvalContext ctx, RowBatch in, int row) {
      Value right = constant != null ? constant : ctx.parameters[parameter];
      ColumnVector vector = in.columns[column];
      return !right.isNull && !vector.nulls[row] && holds(operator, vector.longs[row], right.l);
    }
  }

  /** Two integer columns. */
  private static final class LongColumns extends Comparison {
    private final int left;
    private final int right;

    LongColumns(int operator, ColumnExpr a, ColumnExpr b) {
      super(operator, a, b);
      left = a.column();
      right = b.column();
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      ColumnVector x = in.columns[left];
      ColumnVector y = in.columns[right];
      if (x.nulls[row] || y.nulls[row]) {
        out.setNull();
      } else {
        out.setBoolean(holds(operator, x.longs[row], y.longs[row]));
      }
    }

    @Override
    public boolean test(EvalContext ctx, RowBatch in, int row) {
      ColumnVector x = in.columns[left];
      ColumnVector y = in.columns[right];
      return !x.nulls[row] && !y.nulls[row] && holds(operator, x.longs[row], y.longs[row]);
    }
  }

  /** Any integers. */
  private static final class Longs extends Comparison {
    Longs(int operator, Expr a, Expr b) {
      super(operator, a, b);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      a.eval(ctx, in, row, x);
      b.eval(ctx, in, row, out);
      if (x.isNull || out.isNull) {
        out.setNull();
      } else {
        out.setBoolean(holds(operator, x.l, out.l));
      }
      ctx.release();
    }
  }

  /** A text column equal or not equal to a value that is the same for all rows. */
  private static final class BytesColumn extends Comparison {
    private final int column;
    private final int parameter;
    private final Value constant;

    BytesColumn(int operator, ColumnExpr a, Expr b) {
      super(operator, a, b);
      column = a.column();
      parameter = b instanceof ParamExpr p ? p.index() : -1;
      constant = b instanceof ConstExpr c ? c.value() : null;
    }

    private boolean holds(ColumnVector vector, int row, Value right) {
      int from = vector.offsets[row];
      boolean equal =
          vector.lengths[row] == right.len
              && Arrays.equals(
                  vector.data,
                  from,
                  from + right.len,
                  right.bytes,
                  right.off,
                  right.off + right.len);
      return equal == (operator == EQ);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value right = constant != null ? constant : ctx.parameters[parameter];
      ColumnVector vector = in.columns[column];
      if (right.isNull || vector.nulls[row]) {
        out.setNull();
      } else {
        out.setBoolean(holds(vector, row, right));
      }
    }

    @Override
    public boolean test(EvalContext ctx, RowBatch in, int row) {
      Value right = constant != null ? constant : ctx.parameters[parameter];
      ColumnVector vector = in.columns[column];
      return !right.isNull && !vector.nulls[row] && holds(vector, row, right);
    }
  }

  /** Any type, by its order. */
  private static final class Ordered extends Comparison {
    private final ValueOrder order;

    Ordered(int operator, ValueOrder order, Expr a, Expr b) {
      super(operator, a, b);
      this.order = order;
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      Value y = ctx.acquire();
      a.eval(ctx, in, row, x);
      b.eval(ctx, in, row, y);
      if (x.isNull || y.isNull) {
        out.setNull();
      } else if (operator <= NE) {
        out.setBoolean(order.equal(x, y) == (operator == EQ));
      } else {
        out.setBoolean(holds(operator, order.compare(x, y)));
      }
      ctx.release(2);
    }
  }
}
