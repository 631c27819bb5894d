package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.type.Ascii;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Quoting;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;

/** format(text, ...): %s, %I, %L with positions, widths and the minus flag. */
final class FormatFunction {
  private FormatFunction() {}

  private static GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  /**
   * @param values the format text, then the arguments
   */
  static String format(EvalContext ctx, Value[] values, TypeCodec[] codecs) {
    String pattern = Texts.get(values[0]);
    StringBuilder out = new StringBuilder();
    int next = 1;
    int p = 0;
    while (p < pattern.length()) {
      char c = pattern.charAt(p++);
      if (c != '%') {
        out.append(c);
        continue;
      }
      if (p == pattern.length()) {
        throw unterminated();
      }
      if (pattern.charAt(p) == '%') {
        out.append('%');
        p++;
        continue;
      }
      int position = -1;
      boolean left = false;
      int width = 0;
      int digits = digitsEnd(pattern, p);
      if (digits > p && digits < pattern.length() && pattern.charAt(digits) == '$') {
        position = number(pattern, p, digits);
        if (position == 0) {
          throw invalid("format specifies argument 0, but arguments are numbered from 1");
        }
        p = digits + 1;
      }
      while (p < pattern.length() && pattern.charAt(p) == '-') {
        left = true;
        p++;
      }
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        p++;
        int widthAt = next;
        int end = digitsEnd(pattern, p);
        if (end > p && end < pattern.length() && pattern.charAt(end) == '$') {
          widthAt = number(pattern, p, end);
          p = end + 1;
        }
        next = widthAt + 1;
        Value given = argument(values, widthAt);
        width = given.isNull ? 0 : (int) given.l;
        if (width < 0) {
          left = true;
          width = -width;
        }
      } else {
        int end = digitsEnd(pattern, p);
        if (end > p) {
          width = number(pattern, p, end);
          p = end;
        }
      }
      if (p == pattern.length()) {
        throw unterminated();
      }
      char kind = pattern.charAt(p++);
      if (kind != 's' && kind != 'I' && kind != 'L') {
        throw invalid("unrecognized format() type specifier \"" + kind + "\"")
            .hint("For a single \"%\" use \"%%\".");
      }
      int index = position < 0 ? next : position;
      next = index + 1;
      Value value = argument(values, index);
      pad(text(ctx, kind, value, codecs[index]), width, left, out);
    }
    return out.toString();
  }

  private static GaussException unterminated() {
    return invalid("unterminated format() type specifier").hint("For a single \"%\" use \"%%\".");
  }

  private static Value argument(Value[] values, int index) {
    if (index >= values.length) {
      throw invalid("too few arguments for format()");
    }
    return values[index];
  }

  private static String text(EvalContext ctx, char kind, Value value, TypeCodec codec) {
    if (value.isNull) {
      if (kind == 'I') {
        throw new GaussException(
            SqlState.NULL_VALUE_NOT_ALLOWED,
            "null values cannot be formatted as an SQL identifier");
      }
      return kind == 'L' ? "NULL" : "";
    }
    ByteSink sink = new ByteSink(32);
    codec.writeText(value, ctx, sink);
    String text = sink.toString();
    return kind == 'I' ? Quoting.identifier(text) : kind == 'L' ? Quoting.literal(text) : text;
  }

  private static void pad(String text, int width, boolean left, StringBuilder out) {
    int fill = Math.max(0, width - text.codePointCount(0, text.length()));
    EvalContext.checkLength(out.length() + (long) text.length() + fill);
    if (left) {
      out.append(text).append(" ".repeat(fill));
    } else {
      out.append(" ".repeat(fill)).append(text);
    }
  }

  private static int digitsEnd(String text, int from) {
    int p = from;
    while (p < text.length() && Ascii.isDigit(text.charAt(p))) {
      p++;
    }
    return p;
  }

  private static int number(String text, int from, int to) {
    try {
      return Integer.parseInt(text, from, to, 10);
    } catch (NumberFormatException e) {
      throw new GaussException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "number is out of range", e);
    }
  }
}
