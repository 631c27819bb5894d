package io.gauss.compute.expr.library;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Calls;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.Value;

/** Functions for the session, its settings and sequences. */
final class SessionLibrary implements FunctionRegistry.Library {
  private static final byte[] NOTHING = new byte[0];

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    for (String name : new String[] {"current_user", "current_role", "user"}) {
      define.fn(
          name + "() name stable", (ctx, out) -> Texts.set(ctx, ctx.session.currentUser(), out));
    }
    define.fn(
        "session_user() name stable", (ctx, out) -> Texts.set(ctx, ctx.session.sessionUser(), out));
    for (String name : new String[] {"current_database", "current_catalog"}) {
      define.fn(
          name + "() name stable",
          (ctx, out) -> Texts.set(ctx, ctx.session.currentDatabase(), out));
    }
    define.fn(
        "current_schema() name stable",
        (ctx, out) -> {
          String schema = ctx.session.currentSchema();
          setOrNull(ctx, schema, out);
        });
    define.fn("version() text stable", (ctx, out) -> Texts.set(ctx, ctx.session.version(), out));
    define.fn("pg_backend_pid() int4 stable", (ctx, out) -> out.setLong(ctx.session.backendPid()));
    define.fn("getdatabaseencoding() name stable", (ctx, out) -> Texts.set(ctx, "UTF8", out));
    define.fn("pg_client_encoding() name stable", (ctx, out) -> Texts.set(ctx, "UTF8", out));
    define.fn(
        "gauss_txn_status(int8) text volatile",
        (ctx, a, out) -> Texts.set(ctx, ctx.session.transactionStatus(a.l), out));
    define.fn(
        "gauss_current_xid() int8 volatile", (ctx, out) -> out.setLong(ctx.session.currentXid()));
    define.fn(
        "gauss_key_owners(text, text, text) text volatile",
        (ctx, a, b, c, out) ->
            setOrNull(ctx, ctx.session.keyOwners(Texts.get(a), Texts.get(b), Texts.get(c)), out));
    signals(define);
    sleeping(define);
    settings(define);
    sequences(define);
    ofColumns(define);
    types(define);
  }

  private static void setOrNull(EvalContext ctx, String text, Value out) {
    if (text == null) {
      out.setNull();
    } else {
      Texts.set(ctx, text, out);
    }
  }

  private static void signals(Define define) {
    define.fn(
        "pg_cancel_backend(int4) bool volatile",
        (ctx, a, out) -> out.setBoolean(ctx.session.cancelBackend((int) a.l)));
    define.fn(
        "pg_terminate_backend(int4) bool volatile",
        (ctx, a, out) -> out.setBoolean(ctx.session.terminateBackend((int) a.l, 0)));
    define.fn(
        "pg_terminate_backend(int4, int8) bool volatile",
        (ctx, a, b, out) -> {
          if (b.l < 0) {
            throw new GaussException(
                SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "\"timeout\" must not be negative");
          }
          out.setBoolean(ctx.session.terminateBackend((int) a.l, b.l));
        });
  }

  private static void sleeping(Define define) {
    define.fn("pg_sleep(float8) void volatile", (ctx, a, out) -> sleep(ctx, a.d * 1e9, out));
    define.fn(
        "pg_sleep_for(interval) void volatile",
        (ctx, a, out) ->
            sleep(ctx, Interval.wholeDays(a) * 86_400e9 + Interval.restMicros(a) * 1e3, out));
    define.fn(
        "pg_sleep_until(timestamptz) void volatile",
        (ctx, a, out) -> sleep(ctx, (a.l - ctx.clock.getAsLong()) * 1e3, out));
  }

  private static void sleep(EvalContext ctx, double nanos, Value out) {
    if (nanos > 0) {
      ctx.session.sleep((long) nanos);
    }
    out.setBytes(NOTHING, 0, 0);
  }

  private static void settings(Define define) {
    define.fn(
        "current_setting(text) text stable",
        (ctx, a, out) -> {
          String name = Texts.get(a);
          String value = ctx.session.setting(name);
          if (value == null) {
            throw new GaussException(
                SqlState.UNDEFINED_OBJECT, "unrecognized configuration parameter \"" + name + "\"");
          }
          Texts.set(ctx, value, out);
        });
    define.fn(
        "current_setting(text, bool) text stable",
        (ctx, a, b, out) -> {
          String name = Texts.get(a);
          String value = ctx.session.setting(name);
          if (value == null && b.l == 0) {
            throw new GaussException(
                SqlState.UNDEFINED_OBJECT, "unrecognized configuration parameter \"" + name + "\"");
          }
          setOrNull(ctx, value, out);
        });
    define.fn(
        "set_config(text, text, bool) text volatile",
        (ctx, a, b, c, out) ->
            setOrNull(ctx, ctx.session.setSetting(Texts.get(a), Texts.get(b), c.l != 0), out));
  }

  private static void sequences(Define define) {
    define.fn(
        "nextval(regclass) int8 volatile",
        (ctx, a, out) -> out.setLong(ctx.sequences.nextValue((int) a.l)));
    define.fn(
        "currval(regclass) int8 volatile",
        (ctx, a, out) -> out.setLong(ctx.sequences.currentValue((int) a.l)));
    define.fn("lastval() int8 volatile", (ctx, out) -> out.setLong(ctx.sequences.lastValue()));
    define.fn(
        "setval(regclass, int8) int8 volatile",
        (ctx, a, b, out) -> {
          ctx.sequences.setValue((int) a.l, b.l, true);
          out.setLong(b.l);
        });
    define.fn(
        "setval(regclass, int8, bool) int8 volatile",
        (ctx, a, b, c, out) -> {
          ctx.sequences.setValue((int) a.l, b.l, c.l != 0);
          out.setLong(b.l);
        });
  }

  private static void ofColumns(Define define) {
    define.fn(
        "pg_get_serial_sequence(text, text) text stable",
        (ctx, a, b, out) ->
            setOrNull(ctx, ctx.session.serialSequence(Texts.get(a), Texts.get(b)), out));
  }

  private static void types(Define define) {
    define.add(
        "pg_typeof(any) regtype stable nulls",
        false,
        (f, args) -> {
          PgType type = args[0].type();
          return new Calls.Call0(f, (ctx, out) -> out.setLong(type.declaredOid()));
        });
    define.fn(
        "format_type(oid, int4) text stable nulls",
        (ctx, a, b, out) -> {
          if (a.isNull) {
            out.setNull();
            return;
          }
          PgType type = PgTypes.byOidOrNull((int) a.l);
          if (type == null) {
            String made = ctx.typeName((int) a.l);
            Texts.set(ctx, made != null ? made : a.l == 0 ? "-" : "???", out);
          } else if (b.isNull) {
            Texts.set(ctx, type.displayName(), out);
          } else {
            Texts.set(ctx, type.withTypmod((int) b.l).format(), out);
          }
        });
  }
}
