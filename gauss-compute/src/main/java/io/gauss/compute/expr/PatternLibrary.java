package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.FunctionDef.Fn2;
import io.gauss.compute.expr.FunctionRegistry.Builder;
import io.gauss.compute.type.Value;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** LIKE, ILIKE and regular expressions. */
final class PatternLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    like(define);
    match(define, "~", "", true);
    match(define, "!~", "", false);
    match(define, "~*", "i", true);
    match(define, "!~*", "i", false);
    define.fn(
        "regexp_like(text, text) bool",
        (ctx, a, b, out) -> out.setBoolean(pattern(ctx, b, "").matcher(Texts.get(a)).find()));
    define.fn(
        "regexp_like(text, text, text) bool",
        (ctx, a, b, c, out) ->
            out.setBoolean(
                pattern(ctx, b, noGlobal(c, "regexp_like")).matcher(Texts.get(a)).find()));
    define.fn(
        "regexp_count(text, text) int4",
        (ctx, a, b, out) ->
            out.setLong(pattern(ctx, b, "").matcher(Texts.get(a)).results().count()));
    define.fn("regexp_substr(text, text) text", PatternLibrary::substr);
    define.fn(
        "substring(text, text) text",
        (ctx, a, b, out) -> {
          Matcher m = pattern(ctx, b, "").matcher(Texts.get(a));
          setGroup(ctx, m, m.groupCount() > 0 ? 1 : 0, out);
        });
    define.fn(
        "regexp_replace(text, text, text) text",
        (ctx, a, b, c, out) -> replace(ctx, a, b, c, "", out));
    define.fnN(
        "regexp_replace(text, text, text, text) text",
        (ctx, v, out) -> replace(ctx, v[0], v[1], v[2], Texts.get(v[3]), out));
  }

  private static void like(Define define) {
    for (String type : new String[] {"text", "name", "bpchar", "bytea"}) {
      String right = type.equals("bytea") ? "bytea" : "text";
      String types = "(" + type + ", " + right + ") bool";
      Fn2 matches = (ctx, a, b, out) -> out.setBoolean(LikePattern.matches(a, b));
      Fn2 differs = (ctx, a, b, out) -> out.setBoolean(!LikePattern.matches(a, b));
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
    boolean result = LikePattern.matches(text, pattern);
    ctx.release(2);
    return result;
  }

  private static void match(Define define, String symbol, String options, boolean wanted) {
    for (String type : new String[] {"text", "name", "bpchar"}) {
      define.op(
          symbol + "(" + type + ", text) bool",
          (ctx, a, b, out) ->
              out.setBoolean(pattern(ctx, b, options).matcher(Texts.get(a)).find() == wanted));
    }
  }

  private static Pattern pattern(EvalContext ctx, Value regex, String options) {
    return ctx.regex(Texts.get(regex), options);
  }

  private static String noGlobal(Value options, String function) {
    String text = Texts.get(options);
    if (text.indexOf('g') >= 0) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE, function + "() does not support the \"global\" option");
    }
    return text;
  }

  private static void substr(EvalContext ctx, Value a, Value b, Value out) {
    setGroup(ctx, pattern(ctx, b, "").matcher(Texts.get(a)), 0, out);
  }

  private static void setGroup(EvalContext ctx, Matcher m, int group, Value out) {
    String found = m.find() ? m.group(group) : null;
    if (found == null) {
      out.setNull();
    } else {
      Texts.set(ctx, found, out);
    }
  }

  private static void replace(
      EvalContext ctx, Value a, Value regex, Value with, String options, Value out) {
    boolean all = options.indexOf('g') >= 0;
    if (!options.isEmpty() && options.charAt(0) >= '0' && options.charAt(0) <= '9') {
      throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              "invalid regular expression option: \"" + options.charAt(0) + "\"")
          .hint(
              "If you meant to use regexp_replace() with a start parameter, "
                  + "cast the fourth argument to integer explicitly.");
    }
    String text = Texts.get(a);
    Matcher m = pattern(ctx, regex, options.replace("g", "")).matcher(text);
    StringBuilder result = new StringBuilder();
    int done = 0;
    String replacement = Texts.get(with);
    while (m.find()) {
      if (m.start() > 0
          && m.start() < text.length()
          && Character.isSurrogatePair(text.charAt(m.start() - 1), text.charAt(m.start()))) {
        // An empty match inside of a character is none.
        continue;
      }
      result.append(text, done, m.start());
      expand(replacement, m, result);
      done = m.end();
      if (!all) {
        break;
      }
    }
    result.append(text, done, text.length());
    Texts.set(ctx, result.toString(), out);
  }

  /** \1 to \9 are groups, \&amp; is the whole match, \\ a backslash. */
  private static void expand(String replacement, Matcher m, StringBuilder out) {
    for (int i = 0; i < replacement.length(); i++) {
      char c = replacement.charAt(i);
      if (c != '\\' || i + 1 == replacement.length()) {
        out.append(c);
        continue;
      }
      char next = replacement.charAt(++i);
      if (next >= '1' && next <= '9') {
        int group = next - '0';
        String text = group <= m.groupCount() ? m.group(group) : null;
        out.append(text == null ? "" : text);
      } else if (next == '&') {
        out.append(m.group());
      } else if (next == '\\') {
        out.append('\\');
      } else {
        out.append('\\').append(next);
      }
    }
  }
}
