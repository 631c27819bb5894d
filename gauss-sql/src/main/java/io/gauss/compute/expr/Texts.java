package io.gauss.compute.expr;

import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;

/** Helpers for results that are text. */
public final class Texts {
  private Texts() {}

  public static void set(EvalContext ctx, String text, Value out) {
    ByteSink sink = ctx.textSink();
    sink.putString(text);
    ctx.copyTo(sink, out);
  }

  public static String get(Value value) {
    return new String(value.bytes, value.off, value.len, StandardCharsets.UTF_8);
  }
}
