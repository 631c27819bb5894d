package io.gauss.compute.expr;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.util.List;

/** IN over constants, operator ANY and ALL over an array, and the array constructor. */
public final class Membership {
  private Membership() {}

  /** value [NOT] IN (constants): one look-up in a set. */
  public static final class InSet extends Expr {
    private final Expr a;
    private final ValueSet set;
    private final boolean nullListed;
    private final boolean negated;

    public InSet(Expr a, ValueSet set, boolean nullListed, boolean negated) {
      this.a = a;
      this.set = set;
      this.nullListed = nullListed;
      this.negated = negated;
    }

    @Override
    public PgType type() {
      return PgType.BOOL;
    }

    @Override
    public List<Expr> children() {
      return List.of(a);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      a.eval(ctx, in, row, x);
      if (x.isNull) {
        out.setNull();
      } else if (set.contains(x)) {
        out.setBoolean(!negated);
      } else if (nullListed) {
        out.setNull();
      } else {
        out.setBoolean(negated);
      }
      ctx.release();
    }
  }

  /**
   * One side of the operator of a {@link Quantified}. The operator itself contains no other {@code
   * Quantified}, so a context needs only two slots.
   */
  public static final class Slot extends Expr {
    private final PgType type;
    private final boolean left;

    public Slot(PgType type, boolean left) {
      this.type = type;
      this.left = left;
    }

    @Override
    public PgType type() {
      return type;
    }

    @Override
    public boolean dependsOnRow() {
      return true;
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      out.set(left ? ctx.leftSlot : ctx.rightSlot);
    }
  }

  /** value operator ANY|ALL (array): the operator is bound to two slots that this node fills. */
  public static final class Quantified extends Expr {
    private final Expr a;
    private final Expr array;
    private final Expr operator;
    private final boolean any;
    private final TypeCodec elements;

    /**
     * @param operator the operator over a left and a right {@link Slot}
     */
    public Quantified(Expr a, Expr array, Expr operator, boolean any) {
      this.a = a;
      this.array = array;
      this.elements = TypeCodec.of(array.type().element());
      this.operator = operator;
      this.any = any;
    }

    @Override
    public PgType type() {
      return PgType.BOOL;
    }

    @Override
    public List<Expr> children() {
      return List.of(a, array);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value list = ctx.acquire();
      Value x = ctx.acquire();
      Value item = ctx.acquire();
      array.eval(ctx, in, row, list);
      a.eval(ctx, in, row, x);
      if (list.isNull) {
        out.setNull();
      } else {
        ctx.leftSlot = x;
        ctx.rightSlot = item;
        ArrayReader reader = new ArrayReader(list);
        boolean anyNull = false;
        boolean decided = false;
        for (int i = 0; i < reader.size() && !decided; i++) {
          reader.next(elements, item);
          operator.eval(ctx, in, row, out);
          if (out.isNull) {
            anyNull = true;
          } else {
            decided = (out.l != 0) == any;
          }
        }
        if (decided) {
          out.setBoolean(any);
        } else if (anyNull) {
          out.setNull();
        } else {
          out.setBoolean(!any);
        }
      }
      ctx.release(3);
    }
  }

  /** ARRAY[...] of elements that have the element type. */
  public static final class ArrayConstructor extends Expr {
    private final PgType type;
    private final Expr[] items;
    private final TypeCodec codec;

    public ArrayConstructor(PgType type, List<Expr> items) {
      this.type = type;
      this.items = items.toArray(Expr[]::new);
      this.codec = TypeCodec.of(type.element());
    }

    @Override
    public PgType type() {
      return type;
    }

    @Override
    public List<Expr> children() {
      return List.of(items);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      ArrayBuilder builder = new ArrayBuilder(type.element());
      Value item = ctx.acquire();
      for (Expr expr : items) {
        expr.eval(ctx, in, row, item);
        builder.add(codec, item);
      }
      ctx.release();
      builder.finish(out);
    }
  }
}
