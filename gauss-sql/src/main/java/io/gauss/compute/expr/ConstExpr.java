package io.gauss.compute.expr;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;

/** A constant. It takes over the value that it is given. */
public final class ConstExpr extends Expr {
  private final PgType type;
  private final Value value;

  public ConstExpr(PgType type, Value value) {
    this.type = type;
    this.value = value;
  }

  /** A copy of the value, bytes included. */
  public static ConstExpr copyOf(PgType type, Value value) {
    Value copy = new Value();
    copy.set(value);
    if (!value.isNull && type.kind() == io.gauss.compute.type.ValueKind.BYTES) {
      copy.bytes = java.util.Arrays.copyOfRange(value.bytes, value.off, value.off + value.len);
      copy.off = 0;
    }
    return new ConstExpr(type, copy);
  }

  public static ConstExpr ofNull(PgType type) {
    return new ConstExpr(type, new Value());
  }

  public static ConstExpr ofBoolean(boolean value) {
    Value v = new Value();
    v.setBoolean(value);
    return new ConstExpr(PgType.BOOL, v);
  }

  public static ConstExpr ofLong(PgType type, long value) {
    Value v = new Value();
    v.setLong(value);
    return new ConstExpr(type, v);
  }

  static ConstExpr ofText(PgType type, String text) {
    Value v = new Value();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    v.setBytes(bytes, 0, bytes.length);
    return new ConstExpr(type, v);
  }

  public Value value() {
    return value;
  }

  public boolean isNull() {
    return value.isNull;
  }

  @Override
  public PgType type() {
    return type;
  }

  @Override
  public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
    out.set(value);
  }
}
