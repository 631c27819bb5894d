package io.gauss.compute.sql.exec.row;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueKind;

/** Copies of values whose bytes must outlive their batch, and evaluation into batches. */
public final class Values {
  private static final int LONG_VALUE = 1 << 20;

  private Values() {}

  /**
   * Makes {@code to} the same value with its own bytes, in {@code buffer} when they fit there.
   *
   * @param buffer may be null
   * @return the buffer to pass next time
   */
  public static byte[] copy(Value from, Value to, byte[] buffer) {
    boolean hasBytes = !from.isNull && from.bytes != null;
    byte[] own = buffer;
    if (hasBytes && (own == null || own.length < from.len)) {
      own = new byte[Math.max(16, from.len)];
    }
    int offset = from.off;
    int length = from.len;
    byte[] source = from.bytes;
    to.set(from);
    if (hasBytes) {
      System.arraycopy(source, offset, own, 0, length);
      to.bytes = own;
      to.off = 0;
      to.len = length;
    }
    return own;
  }

  /** Copies a value of a type: only values held as bytes need a buffer. */
  public static byte[] copy(PgType type, Value from, Value to, byte[] buffer) {
    if (type.kind() == ValueKind.BYTES) {
      return copy(from, to, buffer);
    }
    to.set(from);
    return buffer;
  }

  /**
   * Evaluates expressions into columns of a batch's row, from a column on.
   *
   * @throws io.gauss.common.error.GaussException 53200 when they are too large together
   */
  public static void eval(
      EvalContext ctx, Expr[] expressions, RowBatch in, int row, RowBatch out, int outRow) {
    Value value = ctx.acquire();
    for (int i = 0; i < expressions.length; i++) {
      expressions[i].eval(ctx, in, row, value);
      out.columns[i].set(outRow, value);
      if (!value.isNull && value.len > LONG_VALUE) {
        out.checkSize();
      }
    }
    ctx.release();
  }
}
