package io.gauss.compute.expr;

import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Helpers for arguments and results that are text. */
public final class Texts {
  private static final int COMPARED_BETWEEN_CHECKS = 1 << 22;

  private Texts() {}

  public static void set(EvalContext ctx, String text, Value out) {
    ByteSink sink = ctx.textSink();
    sink.putString(text);
    ctx.copyTo(sink, out);
  }

  public static String get(Value value) {
    return new String(value.bytes, value.off, value.len, StandardCharsets.UTF_8);
  }

  /** Byte offset of b in a from an offset on, -1 when there is none. */
  public static int find(EvalContext ctx, Value a, Value b, int from) {
    if (b.len == 0) {
      return from <= a.len ? from : -1;
    }
    byte first = b.bytes[b.off];
    int last = a.off + a.len - b.len;
    int compared = 0;
    for (int p = a.off + from; p <= last; p++) {
      if (a.bytes[p] != first) {
        continue;
      }
      int same = Arrays.mismatch(a.bytes, p, p + b.len, b.bytes, b.off, b.off + b.len);
      if (same < 0) {
        return p - a.off;
      }
      compared += same;
      if (compared > COMPARED_BETWEEN_CHECKS) {
        compared = 0;
        ctx.longWork.run();
      }
    }
    return -1;
  }
}
