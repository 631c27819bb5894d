package io.gauss.compute.sql.exec.row;

import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;

/** Values as text in messages. */
public final class ValueText {
  private ValueText() {}

  public static String of(PgType type, Value value, TypeContext ctx) {
    return TypeCodec.of(type).toText(value, ctx);
  }
}
