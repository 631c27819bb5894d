package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Undoes the escapes in string constants and names of one statement, with the messages and
 * positions of PostgreSQL's scanner: for {@code E'...'} the position of the escape, for {@code
 * U&'...'} it is counted as if every character of the value were one of the source. Half of a
 * surrogate pair is refused in both: it is not a UTF-8 character. For one thread.
 */
final class StringEscapes {
  /** Length of {@code U&'} and {@code U&"}. */
  private static final int UNICODE_PREFIX = 3;

  private final String text;

  /**
   * @param text the whole statement
   */
  StringEscapes(String text) {
    this.text = text;
  }

  // ---------------------------------------------------------------- E'...'

  /**
   * Appends one piece of a string from after its opening quote.
   *
   * @return the offset after the closing quote
   */
  int piece(StringBuilder value, int from) {
    int i = from;
    while (true) {
      char c = text.charAt(i);
      if (c == '\\') {
        i = escape(value, i);
      } else if (c != '\'') {
        value.append(c);
        i++;
      } else if (text.startsWith("''", i)) {
        value.append('\'');
        i += 2;
      } else {
        return i + 1;
      }
    }
  }

  /** Returns the offset after the escape whose backslash is at {@code at}. */
  private int escape(StringBuilder value, int at) {
    char c = text.charAt(at + 1);
    switch (c) {
      case 'b' -> value.append('\b');
      case 'f' -> value.append('\f');
      case 'n' -> value.append('\n');
      case 'r' -> value.append('\r');
      case 't' -> value.append('\t');
      case 'v' -> value.append('\u000b');
      case 'x' -> {
        return bytes(value, at, at + 2, 16, 2);
      }
      case 'u', 'U' -> {
        return codePoint(value, at);
      }
      default -> {
        if (isOctal(c)) {
          return bytes(value, at, at + 1, 8, 3);
        }
        value.append(c);
      }
    }
    return at + 2;
  }

  /** {@code \u0041}, {@code \U00000041}, or two of them that are a surrogate pair. */
  private int codePoint(StringBuilder value, int at) {
    int end = endOfCodePoint(at);
    long code = hex(text, at + 2, end);
    if (isLow(code)) {
      throw error("invalid Unicode surrogate pair", at, end);
    }
    if (isHigh(code)) {
      boolean escaped = text.startsWith("\\u", end) || text.startsWith("\\U", end);
      int pairEnd = escaped ? endOfCodePoint(end) : end + 1;
      long low = escaped ? hex(text, end + 2, pairEnd) : -1;
      if (!isLow(low)) {
        throw error("invalid Unicode surrogate pair", end, pairEnd);
      }
      value.appendCodePoint(Character.toCodePoint((char) code, (char) low));
      return pairEnd;
    }
    if (!isValid(code)) {
      throw error("invalid Unicode escape value", at, end);
    }
    value.appendCodePoint((int) code);
    return end;
  }

  private int endOfCodePoint(int at) {
    int end = at + 2 + (text.charAt(at + 1) == 'u' ? 4 : 8);
    if (hex(text, at + 2, end) < 0) {
      throw new GaussException(SqlState.INVALID_ESCAPE_SEQUENCE, "invalid Unicode escape")
          .hint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.")
          .position(position(at));
    }
    return end;
  }

  /**
   * {@code \x41} and {@code \101}: bytes of the server encoding. Several in a row may form one
   * UTF-8 character, so a run of them is decoded together.
   *
   * @param from the first digit, if there is one
   */
  private int bytes(StringBuilder value, int at, int from, int radix, int digitsMax) {
    byte[] bytes = new byte[8];
    int length = 0;
    int i = from;
    int next = from;
    while (true) {
      int end = i;
      int code = 0;
      while (end < text.length()
          && end - i < digitsMax
          && Character.digit(text.charAt(end), radix) >= 0) {
        code = code * radix + Character.digit(text.charAt(end), radix);
        end++;
      }
      if (end == i) {
        if (length == 0) {
          value.append(text.charAt(at + 1));
          return at + 2;
        }
        break;
      }
      if (length == bytes.length) {
        bytes = Arrays.copyOf(bytes, length * 2);
      }
      bytes[length++] = (byte) code;
      next = end;
      boolean hexFollows = radix == 16 && text.startsWith("\\x", end);
      boolean octalFollows =
          radix == 8
              && end + 1 < text.length()
              && text.charAt(end) == '\\'
              && isOctal(text.charAt(end + 1));
      if (!hexFollows && !octalFollows) {
        break;
      }
      i = end + (hexFollows ? 2 : 1);
    }
    String decoded = new String(bytes, 0, length, StandardCharsets.UTF_8);
    if (decoded.indexOf('\ufffd') >= 0 || decoded.indexOf('\0') >= 0) {
      throw new GaussException(
          SqlState.CHARACTER_NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\"");
    }
    value.append(decoded);
    return next;
  }

  // ---------------------------------------------------------------- U&'...' and U&"..."

  /**
   * Undoes {@code \0041} and {@code \+000041}.
   *
   * @param raw the text between the quotes, with doubled quotes undone
   * @param mark the backslash, or its replacement by UESCAPE
   * @param start offset of the constant or name
   */
  String unicode(String raw, char mark, int start) {
    StringBuilder value = new StringBuilder(raw.length());
    char high = 0;
    int i = 0;
    while (i < raw.length()) {
      char c = raw.charAt(i);
      boolean isDoubledMark = c == mark && i + 1 < raw.length() && raw.charAt(i + 1) == mark;
      if (c != mark || isDoubledMark) {
        if (high != 0) {
          throw unicodeError("invalid Unicode surrogate pair", start, i);
        }
        value.append(c);
        i += isDoubledMark ? 2 : 1;
        continue;
      }
      boolean isLong = raw.startsWith("+", i + 1);
      int from = i + (isLong ? 2 : 1);
      int end = from + (isLong ? 6 : 4);
      long code = hex(raw, from, end);
      if (code < 0) {
        throw unicodeError("invalid Unicode escape", start, i)
            .hint("Unicode escapes must be \\XXXX or \\+XXXXXX.");
      }
      if (!isValid(code)) {
        throw unicodeError("invalid Unicode escape value", start, i);
      }
      if (isLow(code) != (high != 0)) {
        throw unicodeError("invalid Unicode surrogate pair", start, i);
      }
      if (high != 0) {
        value.appendCodePoint(Character.toCodePoint(high, (char) code));
        high = 0;
      } else if (isHigh(code)) {
        high = (char) code;
      } else {
        value.appendCodePoint((int) code);
      }
      i = end;
    }
    if (high != 0) {
      throw unicodeError("invalid Unicode surrogate pair", start, i);
    }
    return value.toString();
  }

  private GaussException unicodeError(String message, int start, int offset) {
    int at = Math.min(start + UNICODE_PREFIX + offset, text.length());
    return new GaussException(SqlState.SYNTAX_ERROR, message).position(position(at));
  }

  // ---------------------------------------------------------------- common

  private GaussException error(String message, int from, int to) {
    return new GaussException(
            SqlState.SYNTAX_ERROR, message + " at or near \"" + text.substring(from, to) + "\"")
        .position(position(from));
  }

  private int position(int offset) {
    return text.codePointCount(0, offset) + 1;
  }

  /** The value of the digits; -1 when some are missing. At most 8 digits. */
  private static long hex(String digits, int from, int to) {
    if (to > digits.length()) {
      return -1;
    }
    long code = 0;
    for (int i = from; i < to; i++) {
      if (!HexFormat.isHexDigit(digits.charAt(i))) {
        return -1;
      }
      code = code * 16 + HexFormat.fromHexDigit(digits.charAt(i));
    }
    return code;
  }

  private static boolean isValid(long code) {
    return code > 0 && code <= Character.MAX_CODE_POINT;
  }

  private static boolean isHigh(long code) {
    return code >= Character.MIN_HIGH_SURROGATE && code <= Character.MAX_HIGH_SURROGATE;
  }

  private static boolean isLow(long code) {
    return code >= Character.MIN_LOW_SURROGATE && code <= Character.MAX_LOW_SURROGATE;
  }

  private static boolean isOctal(char c) {
    return c >= '0' && c <= '7';
  }
}
