package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.Value;
import java.util.regex.Matcher;

/** The functions on regular expressions; the operators are in {@link PatternLibrary}. */
public final class RegexpLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    tests(define);
    replacing(define);
    pieces(define);
    counting(define);
    positions(define);
    substrings(define);
    similar(define);
  }

  private static void tests(Define define) {
    define.fn(
        "regexp_like(text, text) bool",
        (ctx, a, b, out) -> out.setBoolean(RegexpMatches.of(ctx, a, b, "").next()));
    define.fn(
        "regexp_like(text, text, text) bool",
        (ctx, a, b, c, out) ->
            out.setBoolean(RegexpMatches.of(ctx, a, b, single(c, "regexp_like")).next()));
  }

  private static void replacing(Define define) {
    define.fn(
        "regexp_replace(text, text, text) text",
        (ctx, a, b, c, out) -> replace(ctx, RegexpMatches.of(ctx, a, b, ""), c, 1, out));
    define.fnN(
        "regexp_replace(text, text, text, text) text",
        (ctx, v, out) -> {
          String options = Texts.get(v[3]);
          if (!options.isEmpty() && options.charAt(0) >= '0' && options.charAt(0) <= '9') {
            throw new GaussException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "invalid regular expression option: \"" + options.charAt(0) + "\"")
                .hint(
                    "If you meant to use regexp_replace() with a start parameter, "
                        + "cast the fourth argument to integer explicitly.");
          }
          int which = options.indexOf('g') >= 0 ? 0 : 1;
          replace(
              ctx, RegexpMatches.of(ctx, v[0], v[1], options.replace("g", "")), v[2], which, out);
        });
    define.fnN(
        "regexp_replace(text, text, text, int4) text",
        (ctx, v, out) ->
            replace(ctx, RegexpMatches.from(ctx, v[0], v[1], v[3].l, ""), v[2], 1, out));
    define.fnN(
        "regexp_replace(text, text, text, int4, int4) text",
        (ctx, v, out) -> {
          RegexpMatches matches = RegexpMatches.from(ctx, v[0], v[1], v[3].l, "");
          RegexpMatches.atLeast("n", v[4].l, 0);
          replace(ctx, matches, v[2], v[4].l, out);
        });
    define.fnN(
        "regexp_replace(text, text, text, int4, int4, text) text",
        (ctx, v, out) -> {
          String options = Texts.get(v[5]).replace("g", "");
          RegexpMatches matches = RegexpMatches.from(ctx, v[0], v[1], v[3].l, options);
          RegexpMatches.atLeast("n", v[4].l, 0);
          replace(ctx, matches, v[2], v[4].l, out);
        });
  }

  private static void pieces(Define define) {
    define.fn(
        "regexp_match(text, text) text[]",
        (ctx, a, b, out) -> RegexpMatches.first(ctx, RegexpMatches.of(ctx, a, b, ""), out));
    define.fn(
        "regexp_match(text, text, text) text[]",
        (ctx, a, b, c, out) -> {
          String options = Texts.get(c);
          if (options.indexOf('g') >= 0) {
            throw noGlobal("regexp_match").hint("Use the regexp_matches function instead.");
          }
          RegexpMatches.first(ctx, RegexpMatches.of(ctx, a, b, options), out);
        });
    // The set-returning variant is also implemented with the array.
    for (String name : new String[] {"regexp_split_to_array", "regexp_split_to_table"}) {
      define.fn(
          name + "(text, text) text[]",
          (ctx, a, b, out) -> RegexpMatches.split(ctx, RegexpMatches.of(ctx, a, b, ""), out));
      define.fn(
          name + "(text, text, text) text[]",
          (ctx, a, b, c, out) ->
              RegexpMatches.split(ctx, RegexpMatches.of(ctx, a, b, single(c, name)), out));
    }
  }

  private static void counting(Define define) {
    define.fn(
        "regexp_count(text, text) int4",
        (ctx, a, b, out) -> count(RegexpMatches.of(ctx, a, b, ""), out));
    define.fn(
        "regexp_count(text, text, int4) int4",
        (ctx, a, b, c, out) -> count(RegexpMatches.from(ctx, a, b, c.l, ""), out));
    define.fnN(
        "regexp_count(text, text, int4, text) int4",
        (ctx, v, out) ->
            count(RegexpMatches.from(ctx, v[0], v[1], v[2].l, single(v[3], "regexp_count")), out));
  }

  private static void positions(Define define) {
    String start = "regexp_instr(text, text";
    String[] more = {"", ", int4", ", int4", ", int4", ", text", ", int4"};
    StringBuilder arguments = new StringBuilder(start);
    for (String argument : more) {
      arguments.append(argument);
      define.fnN(arguments + ") int4", RegexpLibrary::position);
    }
  }

  /** (text, pattern, start, n, endoption, flags, subexpr); those at the end may be missing. */
  private static void position(EvalContext ctx, Value[] v, Value out) {
    long first = v.length > 2 ? v[2].l : 1;
    long n = v.length > 3 ? v[3].l : 1;
    long end = v.length > 4 ? v[4].l : 0;
    long group = v.length > 6 ? v[6].l : 0;
    RegexpMatches.atLeast("start", first, 1);
    RegexpMatches.atLeast("n", n, 1);
    if (end != 0 && end != 1) {
      throw RegexpMatches.invalid("endoption", end);
    }
    RegexpMatches.atLeast("subexpr", group, 0);
    String options = v.length > 5 ? single(v[5], "regexp_instr") : "";
    RegexpMatches matches = RegexpMatches.from(ctx, v[0], v[1], first, options);
    Matcher match = matches.match();
    if (group > match.groupCount() || !matches.next(n) || match.start((int) group) < 0) {
      out.setLong(0);
    } else {
      out.setLong(matches.character(end == 0 ? match.start((int) group) : match.end((int) group)));
    }
  }

  private static void substrings(Define define) {
    StringBuilder arguments = new StringBuilder("regexp_substr(text, text");
    for (String argument : new String[] {"", ", int4", ", int4", ", text", ", int4"}) {
      arguments.append(argument);
      define.fnN(arguments + ") text", RegexpLibrary::substring);
    }
    define.fn(
        "substring(text, text) text",
        (ctx, a, b, out) -> {
          RegexpMatches matches = RegexpMatches.of(ctx, a, b, "");
          boolean found = matches.next();
          group(ctx, found, matches.match(), Math.min(matches.match().groupCount(), 1), out);
        });
  }

  /** (text, pattern, start, n, flags, subexpr); those at the end may be missing. */
  private static void substring(EvalContext ctx, Value[] v, Value out) {
    long first = v.length > 2 ? v[2].l : 1;
    long n = v.length > 3 ? v[3].l : 1;
    long group = v.length > 5 ? v[5].l : 0;
    RegexpMatches.atLeast("start", first, 1);
    RegexpMatches.atLeast("n", n, 1);
    RegexpMatches.atLeast("subexpr", group, 0);
    String options = v.length > 4 ? single(v[4], "regexp_substr") : "";
    RegexpMatches matches = RegexpMatches.from(ctx, v[0], v[1], first, options);
    boolean found = group <= matches.match().groupCount() && matches.next(n);
    group(ctx, found, matches.match(), (int) group, out);
  }

  private static void similar(Define define) {
    define.fn(
        "similar_to_escape(text) text",
        (ctx, a, out) -> Texts.set(ctx, SimilarPattern.toRegex(Texts.get(a), "\\"), out));
    define.fn(
        "similar_to_escape(text, text) text",
        (ctx, a, b, out) ->
            Texts.set(ctx, SimilarPattern.toRegex(Texts.get(a), Texts.get(b)), out));
    define.fn(
        "similar_escape(text, text) text nulls",
        (ctx, a, b, out) -> {
          if (a.isNull) {
            out.setNull();
          } else {
            String escape = b.isNull ? "\\" : Texts.get(b);
            Texts.set(ctx, SimilarPattern.toRegex(Texts.get(a), escape), out);
          }
        });
    define.fn(
        "substring(text, text, text) text",
        (ctx, a, b, c, out) -> {
          Value regex = ctx.acquire();
          Texts.set(ctx, SimilarPattern.forSubstring(Texts.get(b), Texts.get(c)), regex);
          RegexpMatches matches = RegexpMatches.of(ctx, a, regex, "");
          ctx.release();
          boolean found = matches.next();
          group(ctx, found, matches.match(), Math.min(matches.match().groupCount(), 1), out);
        });
  }

  private static String single(Value options, String function) {
    String text = Texts.get(options);
    if (text.indexOf('g') >= 0) {
      throw noGlobal(function);
    }
    return text;
  }

  private static GaussException noGlobal(String function) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE, function + "() does not support the \"global\" option");
  }

  private static void count(RegexpMatches matches, Value out) {
    long count = 0;
    while (matches.next()) {
      count++;
    }
    out.setLong(count);
  }

  private static void group(EvalContext ctx, boolean found, Matcher match, int group, Value out) {
    String text = found ? match.group(group) : null;
    if (text == null) {
      out.setNull();
    } else {
      Texts.set(ctx, text, out);
    }
  }

  /**
   * @param which which match to replace, 0 = all
   */
  private static void replace(
      EvalContext ctx, RegexpMatches matches, Value with, long which, Value out) {
    String text = matches.text();
    String replacement = Texts.get(with);
    StringBuilder result = new StringBuilder();
    int done = 0;
    for (long n = 1; (which == 0 || n <= which) && matches.next(); n++) {
      if (which != 0 && n < which) {
        continue;
      }
      Matcher match = matches.match();
      result.append(text, done, match.start());
      expand(replacement, match, result);
      EvalContext.checkLength(result.length());
      done = match.end();
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
        EvalContext.checkLength(out.length());
      } else if (next == '&') {
        out.append(m.group());
        EvalContext.checkLength(out.length());
      } else if (next == '\\') {
        out.append('\\');
      } else {
        out.append('\\').append(next);
      }
    }
  }
}
