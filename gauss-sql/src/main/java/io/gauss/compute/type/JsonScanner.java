package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/**
 * Splits a JSON text into tokens, and makes the errors of PostgreSQL's json_lex for what is none.
 * One use, one thread. The text is valid UTF-8.
 */
final class JsonScanner {
  /** Longest part of a line that the context of an error shows. */
  private static final int SHOWN_MAX = 50;

  private static final int FIRST_PRINTABLE = 32;
  private static final int NONE = -1;

  private final byte[] from;
  private final int end;

  /** Receives the content of strings; null = they are not decoded. */
  private final ByteSink decoded;

  private JsonToken token;
  private int start;
  private int after;
  private int afterPrevious;
  private int line = 1;
  private int lineStart;

  JsonScanner(byte[] from, int offset, int length, boolean decodes) {
    this.from = from;
    end = offset + length;
    decoded = decodes ? new ByteSink(64, ByteSink.LARGEST_VALUE) : null;
    after = offset;
    afterPrevious = offset;
    lineStart = offset;
  }

  /** The current token. */
  JsonToken token() {
    return token;
  }

  /** Where the current token begins. */
  int start() {
    return start;
  }

  /** The position after the current token. */
  int after() {
    return after;
  }

  /** The position after the token before. */
  int afterPrevious() {
    return afterPrevious;
  }

  /** Content of the current token, a string; null when strings are not decoded. */
  ByteSink decoded() {
    return decoded;
  }

  /**
   * @throws GaussException 22P02, 22P05
   */
  void next() {
    int p = after;
    while (p < end && isBlank(from[p])) {
      if (from[p++] == '\n') {
        line++;
        lineStart = p;
      }
    }
    start = p;
    if (p == end) {
      ended(JsonToken.END, p);
      return;
    }
    switch (from[p]) {
      case '{' -> ended(JsonToken.OBJECT_START, p + 1);
      case '}' -> ended(JsonToken.OBJECT_END, p + 1);
      case '[' -> ended(JsonToken.ARRAY_START, p + 1);
      case ']' -> ended(JsonToken.ARRAY_END, p + 1);
      case ',' -> ended(JsonToken.COMMA, p + 1);
      case ':' -> ended(JsonToken.COLON, p + 1);
      case '"' -> string(p);
      case '-' -> number(p + 1);
      case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number(p);
      default -> word(p);
    }
  }

  private void ended(JsonToken kind, int position) {
    token = kind;
    afterPrevious = after;
    after = position;
  }

  private static boolean isBlank(int c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  private static boolean isWordPart(int c) {
    return c < 0
        || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || Ascii.isDigit(c)
        || c == '_';
  }

  private void word(int p) {
    int q = p;
    while (q < end && isWordPart(from[q])) {
      q++;
    }
    if (q == p) {
      after = p + 1;
      throw invalidToken();
    }
    JsonToken kind =
        switch (q - p) {
          case 4 -> is("true", p) ? JsonToken.TRUE : is("null", p) ? JsonToken.NULL : null;
          case 5 -> is("false", p) ? JsonToken.FALSE : null;
          default -> null;
        };
    if (kind == null) {
      after = q;
      throw invalidToken();
    }
    ended(kind, q);
  }

  private boolean is(String word, int p) {
    for (int i = 0; i < word.length(); i++) {
      if (from[p + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** A number, whose sign has been read; what letters and digits follow belongs to it in errors. */
  private void number(int first) {
    int p = first;
    boolean wrong = false;
    if (p < end && from[p] == '0') {
      p++;
    } else {
      int digits = p;
      p = afterDigits(p);
      wrong = p == digits;
    }
    if (p < end && from[p] == '.') {
      int digits = p + 1;
      p = afterDigits(digits);
      wrong |= p == digits;
    }
    if (p < end && (from[p] == 'e' || from[p] == 'E')) {
      p++;
      if (p < end && (from[p] == '+' || from[p] == '-')) {
        p++;
      }
      int digits = p;
      p = afterDigits(p);
      wrong |= p == digits;
    }
    int numberEnd = p;
    while (p < end && isWordPart(from[p])) {
      p++;
    }
    if (wrong || p > numberEnd) {
      after = p;
      throw invalidToken();
    }
    ended(JsonToken.NUMBER, p);
  }

  private int afterDigits(int from) {
    int p = from;
    while (p < end && Ascii.isDigit(this.from[p])) {
      p++;
    }
    return p;
  }

  // ------------------------------------------------------------------ strings

  private void string(int quote) {
    int p = quote + 1;
    if (decoded != null) {
      decoded.clear();
    }
    int copied = p;
    int high = NONE;
    while (true) {
      if (p >= end) {
        after = end;
        throw invalidToken();
      }
      int c = from[p];
      if (c == '"') {
        break;
      }
      if (c >= 0 && c < FIRST_PRINTABLE) {
        after = p;
        throw invalid("Character with value 0x%02x must be escaped.".formatted(c));
      }
      if (c != '\\') {
        if (high != NONE) {
          throw missingLow();
        }
        p++;
        continue;
      }
      copy(copied, p);
      int escape = p + 1;
      if (escape >= end) {
        after = end;
        throw invalidToken();
      }
      if (from[escape] == 'u') {
        high = unicode(escape, high);
        p = escape + 5;
      } else {
        simple(escape, high);
        p = escape + 1;
      }
      copied = p;
    }
    if (high != NONE) {
      throw missingLow();
    }
    copy(copied, p);
    ended(JsonToken.STRING, p + 1);
  }

  private void copy(int first, int limit) {
    if (decoded != null && limit > first) {
      decoded.putBytes(from, first, limit - first);
    }
  }

  private void simple(int at, int high) {
    if (high != NONE) {
      throw missingLow();
    }
    int c =
        switch (from[at]) {
          case '"', '\\', '/' -> from[at];
          case 'b' -> '\b';
          case 'f' -> '\f';
          case 'n' -> '\n';
          case 'r' -> '\r';
          case 't' -> '\t';
          default -> {
            start = at;
            after = afterCharacter(at);
            throw invalid("Escape sequence \"\\" + text(at, after) + "\" is invalid.");
          }
        };
    if (decoded != null) {
      decoded.putByte(c);
    }
  }

  private int afterCharacter(int at) {
    return Math.min(end, at + Utf8.sequenceLength(from[at]));
  }

  /**
   * @param at of the u
   * @param high a first half of a surrogate pair that has been read, or NONE
   * @return a first half that the next escape has to complete, or NONE
   */
  private int unicode(int at, int high) {
    int code = 0;
    for (int p = at + 1; p <= at + 4; p++) {
      if (p >= end) {
        after = end;
        throw invalidToken();
      }
      int digit = from[p] < 0 ? -1 : Character.digit(from[p], 16);
      if (digit < 0) {
        after = afterCharacter(p);
        throw invalid("\"\\u\" must be followed by four hexadecimal digits.");
      }
      code = code << 4 | digit;
    }
    if (decoded == null) {
      return NONE;
    }
    if (Character.isHighSurrogate((char) code)) {
      if (high != NONE) {
        throw invalid("Unicode high surrogate must not follow a high surrogate.");
      }
      return code;
    }
    if (Character.isLowSurrogate((char) code)) {
      if (high == NONE) {
        throw missingLow();
      }
      Utf8.putCodePoint(Character.toCodePoint((char) high, (char) code), decoded);
      return NONE;
    }
    if (high != NONE) {
      throw missingLow();
    }
    if (code == 0) {
      throw new GaussException(
              SqlState.UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
          .detail("\\u0000 cannot be converted to text.")
          .context(context());
    }
    Utf8.putCodePoint(code, decoded);
    return NONE;
  }

  // ------------------------------------------------------------------ errors

  private GaussException missingLow() {
    return invalid("Unicode low surrogate must follow a high surrogate.");
  }

  private GaussException invalidToken() {
    return invalid("Token \"" + text(start, after) + "\" is invalid.");
  }

  /**
   * The current token is not one of those that may stand here.
   *
   * @param expected begins the detail, for example {@code Expected JSON value}
   */
  GaussException unexpected(String expected) {
    return token == JsonToken.END
        ? invalid("The input string ended unexpectedly.")
        : invalid(expected + ", but found \"" + text(start, after) + "\".");
  }

  private GaussException invalid(String detail) {
    return new GaussException(
            SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type json")
        .detail(detail)
        .context(context());
  }

  private String text(int first, int limit) {
    return TypeErrors.text(from, first, limit - first);
  }

  /** The line up to the current token, as PostgreSQL's report_json_context shows it. */
  private String context() {
    int shown = lineStart;
    while (after - shown >= SHOWN_MAX) {
      shown += Utf8.sequenceLength(from[shown]);
    }
    if (shown - lineStart <= 3) {
      shown = lineStart;
    }
    boolean more =
        token != JsonToken.END && after < end && from[after] != '\n' && from[after] != '\r';
    return "JSON data, line "
        + line
        + ": "
        + (shown > lineStart ? "..." : "")
        + text(shown, Math.max(shown, after))
        + (more ? "..." : "");
  }
}
