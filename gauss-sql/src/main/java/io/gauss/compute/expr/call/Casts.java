package io.gauss.compute.expr.call;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.ConstExpr;
import io.gauss.compute.expr.ConstantFolder;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.ParamExpr;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.expr.call.FunctionDef.Fn1;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Utf8;
import io.gauss.compute.type.Value;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/** Builds the nodes that convert values. The caller has checked that the conversion is allowed. */
final class Casts {
  private Casts() {}

  static Expr convert(Expr expr, PgType to, CastContext context) {
    PgType from = expr.type();
    if (to.is(PgType.ANY) || to.is(PgType.ANYNONARRAY)) {
      return from.isUnknown() ? convert(expr, PgType.TEXT, context) : expr;
    }
    Expr base = convertBase(expr, from, to);
    return ConstantFolder.fold(applyModifier(base, to, context));
  }

  private static Expr convertBase(Expr expr, PgType from, PgType to) {
    if (from.sameType(to)) {
      return expr;
    }
    PgType plain = to.withTypmod(-1);
    if (from.isUnknown()) {
      return readUnknown(expr, plain);
    }
    Fn1 body = body(from, plain);
    return body == null ? new Retyped(expr, plain) : new Cast(expr, plain, body);
  }

  /** Converts a literal or parameter whose type is decided only now. */
  private static Expr readUnknown(Expr expr, PgType to) {
    if (expr instanceof ParamExpr parameter) {
      return new ParamExpr(parameter.index(), to);
    }
    if (!(expr instanceof ConstExpr literal)) {
      return new Cast(expr, to, throughText(PgType.TEXT, to));
    }
    if (literal.isNull()) {
      return ConstExpr.ofNull(to);
    }
    SessionDetector detector = new SessionDetector();
    Value text = literal.value();
    Value read = new Value();
    try {
      TypeCodec.of(to).readText(text.bytes, text.off, text.len, detector, read);
    } catch (GaussException e) {
      if (!detector.asked) {
        throw e;
      }
      // The answer is not the session's: neither may the error be.
    }
    if (detector.asked) {
      return new Cast(new Retyped(literal, PgType.TEXT), to, throughText(PgType.TEXT, to), true);
    }
    return ConstExpr.copyOf(to, read);
  }

  /** Detects whether reading a literal depends on the session: then it is read at run time. */
  private static final class SessionDetector implements TypeContext {
    boolean asked;

    @Override
    public ZoneId timeZone() {
      asked = true;
      return ZoneOffset.UTC;
    }

    @Override
    public long now() {
      asked = true;
      return 0;
    }

    @Override
    public int relationOid(String text) {
      asked = true;
      return 1;
    }

    @Override
    public int schemaOid(String name) {
      asked = true;
      return 1;
    }

    @Override
    public int typeOid(String schema, String name, boolean array) {
      asked = true;
      return 1;
    }

    @Override
    public int roleOid(String name) {
      asked = true;
      return 1;
    }
  }

  /** The conversion without modifier; null when the bytes or number do not change. */
  private static Fn1 body(PgType from, PgType to) {
    if (from.isArray() && to.isArray() && !to.isVector()) {
      return arrays(from.element(), to.element());
    }
    Fn1 body = CastBodies.find(from, to);
    if (body != null) {
      return body == CastBodies.SAME ? null : body;
    }
    return throughText(from, to);
  }

  private static Fn1 arrays(PgType from, PgType to) {
    Fn1 element = from.sameType(to) ? null : body(from, to);
    TypeCodec reads = TypeCodec.of(from);
    TypeCodec writes = TypeCodec.of(to);
    return (ctx, a, out) -> {
      ArrayReader reader = new ArrayReader(a);
      ArrayBuilder builder = new ArrayBuilder(to).from(reader.lowerBound());
      Value item = new Value();
      Value converted = new Value();
      for (int i = 0; i < reader.size(); i++) {
        reader.next(reads, item);
        if (item.isNull || element == null) {
          builder.add(writes, item);
        } else {
          element.apply(ctx, item, converted);
          builder.add(writes, converted);
        }
      }
      builder.finish(out);
    };
  }

  private static Fn1 throughText(PgType from, PgType to) {
    TypeCodec reads = TypeCodec.of(to);
    if (from.isString() && !from.is(PgType.BPCHAR)) {
      return (ctx, a, out) -> reads.readText(a.bytes, a.off, a.len, ctx, out);
    }
    TypeCodec writes = TypeCodec.of(from);
    return (ctx, a, out) -> {
      ByteSink sink = ctx.textSink();
      writes.writeText(a, ctx, sink);
      Value text = ctx.acquire();
      ctx.copyTo(sink, text);
      reads.readText(text.bytes, text.off, text.len, ctx, out);
      ctx.release();
    };
  }

  /**
   * Whether the conversion reads session settings (time zone, output styles) or the catalog, or
   * PostgreSQL counts it among those that do.
   */
  private static boolean stable(PgType from, PgType to) {
    if (from.isString() && isTextStable(to) || to.isString() && isTextStable(from)) {
      return !from.is(PgType.TIME); // only reading a time depends on settings
    }
    if (from.isArray() || to.isArray()) {
      return stable(from.isArray() ? from.element() : from, to.isArray() ? to.element() : to);
    }
    return from.is(PgType.TIMESTAMPTZ) != to.is(PgType.TIMESTAMPTZ)
        || isNamedByCatalog(from) != isNamedByCatalog(to)
        || (from.isFloat() && to.isString())
        || (from.is(PgType.BYTEA) && to.isString());
  }

  private static boolean isTextStable(PgType type) {
    return type.isArray() || type.isEnum() || type.category() == 'D' || type.is(PgType.INTERVAL);
  }

  private static boolean isNamedByCatalog(PgType type) {
    return type.is(PgType.REGCLASS)
        || type.is(PgType.REGTYPE)
        || type.is(PgType.REGNAMESPACE)
        || type.is(PgType.REGROLE);
  }

  private static Expr applyModifier(Expr expr, PgType to, CastContext context) {
    if (to.typmod() < 0) {
      boolean loses = context == CastContext.EXPLICIT && expr.type().typmod() >= 0;
      return loses && expr.type().sameType(to) ? new Retyped(expr, to) : expr;
    }
    if (expr.type().typmod() == to.typmod()) {
      return expr;
    }
    boolean explicit = context == CastContext.EXPLICIT;
    Fn1 body =
        to.isArray()
            ? elementModifier(to.element().withTypmod(to.typmod()), explicit)
            : modifier(to, explicit);
    return body == null ? new Retyped(expr, to) : new Cast(expr, to, body);
  }

  /** Applies a modifier to each element of an array; null when it changes nothing. */
  private static Fn1 elementModifier(PgType to, boolean explicit) {
    Fn1 element = modifier(to, explicit);
    if (element == null) {
      return null;
    }
    TypeCodec codec = TypeCodec.of(to);
    return (ctx, a, out) -> {
      ArrayReader reader = new ArrayReader(a);
      ArrayBuilder builder = new ArrayBuilder(to).from(reader.lowerBound());
      Value item = new Value();
      Value changed = new Value();
      for (int i = 0; i < reader.size(); i++) {
        reader.next(codec, item);
        if (item.isNull) {
          builder.add(codec, item);
        } else {
          element.apply(ctx, item, changed);
          builder.add(codec, changed);
        }
      }
      builder.finish(out);
    };
  }

  /** The conversion that applies a modifier to a value; null when it changes nothing. */
  private static Fn1 modifier(PgType to, boolean explicit) {
    return switch (to.oid()) {
      case 1700 ->
          (ctx, a, out) -> {
            out.set(a);
            io.gauss.compute.type.Numerics.applyModifier(out, to);
          };
      case 1043 -> (ctx, a, out) -> limit(a, to, explicit, out);
      case 1042 -> (ctx, a, out) -> pad(ctx, a, to, explicit, out);
      case 1083, 1114, 1184 -> {
        int digits = to.fractionDigits();
        if (digits >= 6) {
          yield null;
        }
        yield (ctx, a, out) ->
            out.setLong(io.gauss.compute.type.DateTimes.roundFraction(a.l, digits));
      }
      default -> null;
    };
  }

  private static void limit(Value a, PgType to, boolean explicit, Value out) {
    int max = to.length();
    out.set(a);
    if (a.len <= max) {
      return;
    }
    int kept = Utf8.prefixBytes(a.bytes, a.off, a.len, max);
    if (kept < a.len) {
      checkCutOff(a, kept, to, explicit);
      out.len = kept;
    }
  }

  /** Only blanks may be cut off silently, unless the cast is explicit. */
  private static void checkCutOff(Value a, int kept, PgType to, boolean explicit) {
    if (explicit) {
      return;
    }
    for (int i = kept; i < a.len; i++) {
      if (a.bytes[a.off + i] != ' ') {
        throw new GaussException(
            SqlState.STRING_DATA_RIGHT_TRUNCATION, "value too long for type " + to.format());
      }
    }
  }

  private static void pad(EvalContext ctx, Value a, PgType to, boolean explicit, Value out) {
    int max = to.length();
    int characters = Utf8.characters(a.bytes, a.off, a.len);
    if (characters >= max) {
      limit(a, to, explicit, out);
      return;
    }
    int length = a.len + max - characters;
    int start = ctx.allocate(length);
    byte[] bytes = ctx.scratch();
    System.arraycopy(a.bytes, a.off, bytes, start, a.len);
    java.util.Arrays.fill(bytes, start + a.len, start + length, (byte) ' ');
    out.setBytes(bytes, start, length);
  }

  /** A value that only changes its type's name. */
  static final class Retyped extends Expr {
    private final Expr a;
    private final PgType type;

    Retyped(Expr a, PgType type) {
      this.a = a;
      this.type = type;
    }

    @Override
    public PgType type() {
      return type;
    }

    @Override
    public List<Expr> children() {
      return List.of(a);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      a.eval(ctx, in, row, out);
    }
  }

  /** A strict conversion. */
  static final class Cast extends Expr {
    private final Expr a;
    private final PgType type;
    private final Fn1 body;
    private final boolean stable;

    Cast(Expr a, PgType type, Fn1 body) {
      this(a, type, body, stable(a.type(), type));
    }

    Cast(Expr a, PgType type, Fn1 body, boolean stable) {
      this.a = a;
      this.type = type;
      this.body = body;
      this.stable = stable;
    }

    @Override
    public PgType type() {
      return type;
    }

    @Override
    public List<Expr> children() {
      return List.of(a);
    }

    @Override
    public Volatility volatility() {
      Volatility below = a.volatility();
      return stable && below == Volatility.IMMUTABLE ? Volatility.STABLE : below;
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      a.eval(ctx, in, row, x);
      if (x.isNull) {
        out.setNull();
      } else {
        body.apply(ctx, x, out);
      }
      ctx.release();
    }

    @Override
    public String toString() {
      return "cast(" + a + " as " + type + ")";
    }
  }
}
