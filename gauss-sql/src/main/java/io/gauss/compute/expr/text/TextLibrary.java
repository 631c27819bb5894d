package io.gauss.compute.expr.text;

import io.gauss.compute.expr.Comparisons;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Calls;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.CastRegistry;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Quoting;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Utf8;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;

/**
 * String functions and operators. Text stays UTF-8 bytes; positions and lengths count characters.
 */
public final class TextLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    concatenation(define);
    lengths(define);
    slices(define);
    trims(define);
    define.fn("lower(text) text", (ctx, a, out) -> TextFunctions.changeCase(ctx, a, false, out));
    define.fn("upper(text) text", (ctx, a, out) -> TextFunctions.changeCase(ctx, a, true, out));
    define.fn("initcap(text) text", (ctx, a, out) -> TextFunctions.initcap(ctx, a, out));
    define.fn(
        "strpos(text, text) int4",
        (ctx, a, b, out) -> out.setLong(TextFunctions.position(ctx, a, b)));
    define.fn(
        "position(text, text) int4",
        (ctx, a, b, out) -> out.setLong(TextFunctions.position(ctx, a, b)));
    define.fn(
        "position(bytea, bytea) int4",
        (ctx, a, b, out) -> out.setLong(Texts.find(ctx, a, b, 0) + 1));
    define.fn(
        "replace(text, text, text) text",
        (ctx, a, b, c, out) -> TextFunctions.replace(ctx, a, b, c, out));
    define.fn(
        "translate(text, text, text) text",
        (ctx, a, b, c, out) -> TextFunctions.translate(ctx, a, b, c, out));
    define.fn(
        "split_part(text, text, int4) text",
        (ctx, a, b, c, out) -> TextFunctions.splitPart(ctx, a, b, c.l, out));
    define.fn(
        "repeat(text, int4) text", (ctx, a, b, out) -> TextFunctions.repeat(ctx, a, b.l, out));
    define.fn("reverse(text) text", (ctx, a, out) -> TextFunctions.reverse(ctx, a, out));
    pads(define);
    define.fn(
        "ascii(text) int4",
        (ctx, a, out) -> out.setLong(a.len == 0 ? 0 : Utf8.codePoint(a.bytes, a.off)));
    define.fn("chr(int4) text", (ctx, a, out) -> TextFunctions.chr(ctx, a.l, out));
    define.both(
        "starts_with",
        "^@",
        "(text, text) bool",
        (ctx, a, b, out) -> out.setBoolean(TextFunctions.startsWith(a, b)));
    define.fn(
        "quote_ident(text) text",
        (ctx, a, out) -> Texts.set(ctx, Quoting.identifier(Texts.get(a)), out));
    define.fn(
        "unistr(text) text",
        (ctx, a, out) -> Texts.set(ctx, UnicodeEscapes.decode(Texts.get(a)), out));
    quoting(define);
    new BinaryFunctions().register(define);
    new HashFunctions().register(define);
    define.fn(
        "overlay(text, text, int4) text",
        (ctx, a, b, c, out) ->
            TextFunctions.overlay(ctx, a, b, c.l, Utf8.characters(b.bytes, b.off, b.len), out));
    define.fnN(
        "overlay(text, text, int4, int4) text",
        (ctx, v, out) -> TextFunctions.overlay(ctx, v[0], v[1], v[2].l, v[3].l, out));
    patternOrder(define);
  }

  private static void concatenation(Define define) {
    define.op("||(text, text) text", (ctx, a, b, out) -> TextFunctions.concat(ctx, a, b, out));
    define.op("||(bytea, bytea) bytea", (ctx, a, b, out) -> TextFunctions.concat(ctx, a, b, out));
    define.add(
        "||(anynonarray, text) text",
        true,
        (f, args) ->
            new Calls.Call2(
                f,
                new Expr[] {asText(args[0]), args[1]},
                (ctx, a, b, out) -> TextFunctions.concat(ctx, a, b, out)));
    define.add(
        "||(text, anynonarray) text",
        true,
        (f, args) ->
            new Calls.Call2(
                f,
                new Expr[] {args[0], asText(args[1])},
                (ctx, a, b, out) -> TextFunctions.concat(ctx, a, b, out)));
    define.add(
        "concat(any) text stable nulls variadic",
        false,
        (f, args) -> {
          TypeCodec[] codecs = codecs(args);
          return new Calls.CallN(
              f,
              args,
              (ctx, v, out) -> {
                ByteSink sink = new ByteSink(64, EvalContext.LARGEST_VALUE);
                for (int i = 0; i < v.length; i++) {
                  if (!v[i].isNull) {
                    codecs[i].writeText(v[i], ctx, sink);
                  }
                }
                ctx.copyTo(sink, out);
              });
        });
    define.add(
        "concat_ws(text, any) text stable nulls variadic",
        false,
        (f, args) -> {
          TypeCodec[] codecs = codecs(args);
          return new Calls.CallN(
              f,
              args,
              (ctx, v, out) -> {
                if (v[0].isNull) {
                  out.setNull();
                  return;
                }
                ByteSink sink = new ByteSink(64, EvalContext.LARGEST_VALUE);
                boolean first = true;
                for (int i = 1; i < v.length; i++) {
                  if (v[i].isNull) {
                    continue;
                  }
                  if (!first) {
                    sink.putBytes(v[0].bytes, v[0].off, v[0].len);
                  }
                  first = false;
                  codecs[i].writeText(v[i], ctx, sink);
                }
                ctx.copyTo(sink, out);
              });
        });
    define.add("format(text) text stable nulls", false, TextLibrary::format);
    define.add("format(text, any) text stable nulls variadic", false, TextLibrary::format);
  }

  private static Expr format(FunctionDef f, Expr[] args) {
    TypeCodec[] codecs = codecs(args);
    return new Calls.CallN(
        f,
        args,
        (ctx, v, out) -> {
          if (v[0].isNull) {
            out.setNull();
          } else {
            Texts.set(ctx, FormatFunction.format(ctx, v, codecs), out);
          }
        });
  }

  private static Expr asText(Expr expr) {
    return CastRegistry.coerce(expr, PgType.TEXT, CastContext.EXPLICIT);
  }

  private static TypeCodec[] codecs(Expr[] args) {
    TypeCodec[] codecs = new TypeCodec[args.length];
    for (int i = 0; i < args.length; i++) {
      codecs[i] = TypeCodec.of(args[i].type());
    }
    return codecs;
  }

  private static void lengths(Define define) {
    for (String name : new String[] {"length", "char_length", "character_length"}) {
      define.fn(
          name + "(text) int4",
          (ctx, a, out) -> out.setLong(Utf8.characters(a.bytes, a.off, a.len)));
      define.fn(
          name + "(bpchar) int4",
          (ctx, a, out) ->
              out.setLong(
                  Utf8.characters(a.bytes, a.off, Utf8.trimmedLength(a.bytes, a.off, a.len))));
    }
    define.fn("length(bytea) int4", (ctx, a, out) -> out.setLong(a.len));
    for (String type : new String[] {"text", "bpchar", "bytea"}) {
      define.fn("octet_length(" + type + ") int4", (ctx, a, out) -> out.setLong(a.len));
    }
    define.fn("bit_length(text) int4", (ctx, a, out) -> out.setLong(a.len * 8L));
    define.fn("bit_length(bytea) int4", (ctx, a, out) -> out.setLong(a.len * 8L));
  }

  private static void slices(Define define) {
    for (String name : new String[] {"substr", "substring"}) {
      define.fn(
          name + "(text, int4) text",
          (ctx, a, b, out) -> TextFunctions.substring(a, b.l, Integer.MAX_VALUE, out));
      define.fn(
          name + "(text, int4, int4) text",
          (ctx, a, b, c, out) -> TextFunctions.substring(a, b.l, c.l, out));
      define.fn(
          name + "(bytea, int4) bytea",
          (ctx, a, b, out) -> TextFunctions.subBytes(a, b.l, Integer.MAX_VALUE, out));
      define.fn(
          name + "(bytea, int4, int4) bytea",
          (ctx, a, b, c, out) -> TextFunctions.subBytes(a, b.l, c.l, out));
    }
    define.fn("left(text, int4) text", (ctx, a, b, out) -> TextFunctions.left(a, b.l, out));
    define.fn("right(text, int4) text", (ctx, a, b, out) -> TextFunctions.right(a, b.l, out));
  }

  private static void trims(Define define) {
    trim(define, "btrim", true, true);
    trim(define, "ltrim", true, false);
    trim(define, "rtrim", false, true);
  }

  private static void trim(Define define, String name, boolean start, boolean end) {
    Value blank = new Value();
    blank.setBytes(new byte[] {' '}, 0, 1);
    define.fn(
        name + "(text) text", (ctx, a, out) -> TextFunctions.trim(ctx, a, blank, start, end, out));
    define.fn(
        name + "(text, text) text",
        (ctx, a, b, out) -> TextFunctions.trim(ctx, a, b, start, end, out));
    define.fn(
        name + "(bytea, bytea) bytea",
        (ctx, a, b, out) -> TextFunctions.trimBytes(a, b, start, end, out));
  }

  private static void pads(Define define) {
    Value blank = new Value();
    blank.setBytes(new byte[] {' '}, 0, 1);
    define.fn(
        "lpad(text, int4) text",
        (ctx, a, b, out) -> TextFunctions.pad(ctx, a, b.l, blank, true, out));
    define.fn(
        "lpad(text, int4, text) text",
        (ctx, a, b, c, out) -> TextFunctions.pad(ctx, a, b.l, c, true, out));
    define.fn(
        "rpad(text, int4) text",
        (ctx, a, b, out) -> TextFunctions.pad(ctx, a, b.l, blank, false, out));
    define.fn(
        "rpad(text, int4, text) text",
        (ctx, a, b, c, out) -> TextFunctions.pad(ctx, a, b.l, c, false, out));
  }

  private static void quoting(Define define) {
    define.fn(
        "quote_literal(text) text",
        (ctx, a, out) -> Texts.set(ctx, Quoting.literal(Texts.get(a)), out));
    define.fn(
        "quote_nullable(text) text nulls",
        (ctx, a, out) -> Texts.set(ctx, a.isNull ? "NULL" : Quoting.literal(Texts.get(a)), out));
    define.add(
        "quote_literal(any) text stable",
        false,
        (f, args) ->
            new Calls.Call1(
                f,
                new Expr[] {asText(args[0])},
                (ctx, a, out) -> Texts.set(ctx, Quoting.literal(Texts.get(a)), out)));
    define.add(
        "quote_nullable(any) text stable nulls",
        false,
        (f, args) ->
            new Calls.Call1(
                f,
                new Expr[] {asText(args[0])},
                (ctx, a, out) ->
                    Texts.set(ctx, a.isNull ? "NULL" : Quoting.literal(Texts.get(a)), out)));
  }

  /** ~&lt;~ and similar operators: order by bytes, which is Gauss's order anyway. */
  private static void patternOrder(Define define) {
    String[] symbols = {"~<~", "~<=~", "~>~", "~>=~"};
    int[] operators = {Comparisons.LT, Comparisons.LE, Comparisons.GT, Comparisons.GE};
    for (int i = 0; i < symbols.length; i++) {
      int operator = operators[i];
      define.op(
          symbols[i] + "(text, text) bool",
          (ctx, a, b, out) ->
              out.setBoolean(
                  Comparisons.holds(
                      operator,
                      ValueOrder.compareBytes(a.bytes, a.off, a.len, b.bytes, b.off, b.len))));
    }
  }
}
