package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.type.Utf8;
import io.gauss.compute.type.Value;

/** LIKE on UTF-8 bytes: % any text, _ one character, \ takes the next one literally. */
final class LikePattern {
  private static final int COMPARED_BETWEEN_CHECKS = 1 << 20;

  private LikePattern() {}

  static boolean matches(EvalContext ctx, Value text, Value pattern) {
    return matches(
        ctx.longWork,
        text.bytes,
        text.off,
        text.off + text.len,
        pattern.bytes,
        pattern.off,
        pattern.off + pattern.len);
  }

  /**
   * Backtracks only to the last %: any text that an earlier one could match in addition, the last
   * one can match as well. That is still quadratic: a long part of the pattern may nearly match
   * everywhere.
   */
  private static boolean matches(
      Runnable longWork, byte[] t, int tp, int tEnd, byte[] p, int pp, int pEnd) {
    int compared = 0;
    int retryPattern = -1;
    int retryText = -1;
    while (true) {
      boolean mismatch = false;
      if (pp < pEnd) {
        byte c = p[pp];
        if (c == '%') {
          pp++;
          if (pp == pEnd) {
            return true;
          }
          retryPattern = pp;
          retryText = tp;
          continue;
        }
        if (c == '\\' && tp < tEnd && ++pp == pEnd) {
          throw new GaussException(
              SqlState.INVALID_ESCAPE_SEQUENCE, "LIKE pattern must not end with escape character");
        }
        if (tp == tEnd) {
          mismatch = true;
        } else if (c == '_') {
          tp += Utf8.sequenceLength(t[tp]);
          pp++;
        } else if (t[tp] == p[pp]) {
          tp++;
          pp++;
        } else {
          mismatch = true;
        }
      } else if (tp == tEnd) {
        return true;
      } else {
        mismatch = true;
      }
      if (mismatch) {
        if (retryPattern < 0 || retryText >= tEnd) {
          return false;
        }
        compared += tp - retryText;
        if (compared > COMPARED_BETWEEN_CHECKS) {
          compared = 0;
          longWork.run();
        }
        retryText += Utf8.sequenceLength(t[retryText]);
        tp = retryText;
        pp = retryPattern;
      }
    }
  }

  /**
   * Converts a pattern with another escape character (none when empty) to one with the backslash.
   */
  static void escape(EvalContext ctx, Value pattern, Value escape, Value out) {
    if (escape.len > 0 && Utf8.characters(escape.bytes, escape.off, escape.len) != 1) {
      throw new GaussException(SqlState.INVALID_ESCAPE_SEQUENCE, "invalid escape string")
          .hint("Escape string must be empty or one character.");
    }
    if (escape.len == 1 && escape.bytes[escape.off] == '\\') {
      out.set(pattern);
      return;
    }
    int mark = escape.len == 0 ? -1 : Utf8.codePoint(escape.bytes, escape.off);
    StringBuilder text = new StringBuilder();
    boolean escaped = false;
    for (int c : Texts.get(pattern).codePoints().toArray()) {
      if (c == mark && !escaped) {
        text.append('\\');
        escaped = true;
      } else if (c == '\\') {
        text.append(escaped ? "\\" : "\\\\");
        escaped = false;
      } else {
        text.appendCodePoint(c);
        escaped = false;
      }
    }
    Texts.set(ctx, text.toString(), out);
  }
}
