package io.gauss.compute.expr.library;

import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;

/** Functions for notifications; {@code pg_listening_channels} returns rows and is not here. */
final class NotifyLibrary implements FunctionRegistry.Library {
  private static final byte[] NOTHING = new byte[0];

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    define.fn(
        "pg_notify(text, text) void volatile nulls",
        (ctx, a, b, out) -> {
          ctx.notify.tell(a.isNull ? "" : Texts.get(a), b.isNull ? "" : Texts.get(b));
          out.setBytes(NOTHING, 0, 0);
        });
    define.fn(
        "pg_notification_queue_usage() float8 volatile",
        (ctx, out) -> out.setDouble(ctx.notify.queueUsage()));
  }
}
