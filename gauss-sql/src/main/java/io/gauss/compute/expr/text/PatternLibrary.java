package io.gauss.compute.expr.text;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.WatchedText;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionDef.Fn2;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.Value;
import java.util.regex.Matcher;

/** LIKE, ILIKE and the operators of regular expressions. */
public final class PatternLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    like(define);
    match(define, "~", "", true);
    match(define, "!~", "", false);
    match(define, "~*", "i", true);
    match(define, "!~*", "i", false);
  }

  private static void like(Define define) {
    for (String type : new String[] {"text", "name", "bpchar", "bytea"}) {
      String right = type.equals("bytea") ? "bytea" : "text";
      String types = "(" + type + ", " + right + ") bool";
      Fn2 matches = (ctx, a, b, out) -> out.setBoolean(LikePattern.matches(ctx, a, b));
      Fn2 differs = (ctx, a, b, out) -> out.setBoolean(!LikePattern.matches(ctx, a, b));
      define.op("~~" + types, matches);
      define.op("!~~" + types, differs);
      if (!type.equals("bytea")) {
        define.op("~~*" + types, (ctx, a, b, out) -> out.setBoolean(ilike(ctx, a, b)));
        define.op("!~~*" + types, (ctx, a, b, out) -> out.setBoolean(!ilike(ctx, a, b)));
      }
      if (!type.equals("bpchar")) {
        define.fn("like" + types, matches);
        define.fn("notlike" + types, differs);
      }
    }
    define.fn(
        "like_escape(text, text) text", (ctx, a, b, out) -> LikePattern.escape(ctx, a, b, out));
  }

  private static boolean ilike(EvalContext ctx, Value a, Value b) {
    Value text = ctx.acquire();
    Value pattern = ctx.acquire();
    TextFunctions.changeCase(ctx, a, false, text);
    TextFunctions.changeCase(ctx, b, false, pattern);
    boolean result = LikePattern.matches(ctx, text, pattern);
    ctx.release(2);
    return result;
  }

  private static void match(Define define, String symbol, String options, boolean wanted) {
    for (String type : new String[] {"text", "name", "bpchar"}) {
      define.op(
          symbol + "(" + type + ", text) bool",
          (ctx, a, b, out) -> out.setBoolean(matcher(ctx, a, b, options).find() == wanted));
    }
  }

  private static Matcher matcher(EvalContext ctx, Value text, Value regex, String options) {
    return ctx.regex(Texts.get(regex), options)
        .matcher(new WatchedText(Texts.get(text), ctx.longWork));
  }
}
