package io.gauss.compute.expr.library;

import io.gauss.compute.expr.AdvisoryAccess.Level;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.Value;
import io.gauss.memory.lock.LockName;

/** Advisory locks, each function with one key of type bigint or two of type integer. */
final class AdvisoryLibrary implements FunctionRegistry.Library {
  private static final byte[] NOTHING = new byte[0];

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    for (boolean isShared : new boolean[] {false, true}) {
      String shared = isShared ? "_shared" : "";
      locking(define, "pg_advisory_lock" + shared, isShared, Level.SESSION);
      locking(define, "pg_advisory_xact_lock" + shared, isShared, Level.TRANSACTION);
      trying(define, "pg_try_advisory_lock" + shared, isShared, Level.SESSION);
      trying(define, "pg_try_advisory_xact_lock" + shared, isShared, Level.TRANSACTION);
      both(
          define,
          "pg_advisory_unlock" + shared,
          "bool",
          (ctx, name, out) -> out.setBoolean(ctx.advisory.unlock(name, isShared)));
    }
    define.fn(
        "pg_advisory_unlock_all() void volatile",
        (ctx, out) -> {
          ctx.advisory.unlockAll();
          out.setBytes(NOTHING, 0, 0);
        });
  }

  private static void locking(Define define, String function, boolean isShared, Level level) {
    both(
        define,
        function,
        "void",
        (ctx, name, out) -> {
          ctx.advisory.lock(name, isShared, level);
          out.setBytes(NOTHING, 0, 0);
        });
  }

  private static void trying(Define define, String function, boolean isShared, Level level) {
    both(
        define,
        function,
        "bool",
        (ctx, name, out) -> out.setBoolean(ctx.advisory.tryLock(name, isShared, level)));
  }

  /** What a function does with the lock that its arguments name. */
  private interface Body {
    void run(EvalContext ctx, LockName name, Value out);
  }

  private static void both(Define define, String function, String result, Body body) {
    define.fn(
        "%s(int8) %s volatile".formatted(function, result),
        (ctx, a, out) -> body.run(ctx, LockName.advisory(a.l), out));
    define.fn(
        "%s(int4, int4) %s volatile".formatted(function, result),
        (ctx, a, b, out) -> body.run(ctx, LockName.advisory((int) a.l, (int) b.l), out));
  }
}
