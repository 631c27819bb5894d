package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** The escapes that {@code unistr} understands. */
final class UnicodeEscapes {
  private UnicodeEscapes() {}

  /**
   * @throws GaussException 42601 for an invalid escape, and for half of a surrogate pair
   */
  static String decode(String text) {
    StringBuilder result = new StringBuilder();
    int high = 0;
    int p = 0;
    while (p < text.length()) {
      char c = text.charAt(p);
      if (c != '\\' || text.startsWith("\\\\", p)) {
        if (high != 0) {
          throw invalidPair();
        }
        result.append(c);
        p += c == '\\' ? 2 : 1;
        continue;
      }
      char kind = p + 1 < text.length() ? text.charAt(p + 1) : ' ';
      int begin = kind == '+' || kind == 'u' || kind == 'U' ? p + 2 : p + 1;
      int digits = kind == '+' ? 6 : kind == 'U' ? 8 : 4;
      long code = hexadecimal(text, begin, digits);
      p = begin + digits;
      if (code < 1 || code > Character.MAX_CODE_POINT) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE, "invalid Unicode code point: %04X".formatted(code));
      }
      boolean low = code >= Character.MIN_LOW_SURROGATE && code <= Character.MAX_LOW_SURROGATE;
      if (low != (high != 0)) {
        throw invalidPair();
      }
      if (low) {
        result.appendCodePoint(Character.toCodePoint((char) high, (char) code));
        high = 0;
      } else if (code >= Character.MIN_HIGH_SURROGATE && code <= Character.MAX_HIGH_SURROGATE) {
        high = (int) code;
      } else {
        result.appendCodePoint((int) code);
      }
    }
    if (high != 0) {
      throw invalidPair();
    }
    return result.toString();
  }

  private static long hexadecimal(String text, int begin, int digits) {
    long code = 0;
    for (int i = begin; i < begin + digits; i++) {
      int digit = i < text.length() ? Character.digit(text.charAt(i), 16) : -1;
      if (digit < 0) {
        throw new GaussException(SqlState.SYNTAX_ERROR, "invalid Unicode escape")
            .hint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.");
      }
      code = code * 16 + digit;
    }
    return code;
  }

  private static GaussException invalidPair() {
    return new GaussException(SqlState.SYNTAX_ERROR, "invalid Unicode surrogate pair");
  }
}
