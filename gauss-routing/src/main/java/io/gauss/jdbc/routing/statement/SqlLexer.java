package io.gauss.jdbc.routing.statement;

/**
 * Cuts a text into tokens by PostgreSQL's rules: nested comments, quoted names, strings with and
 * without escapes, between dollars and continued on the next line, {@code ?} and {@code $n} for
 * parameters, {@code ??} for pgjdbc's escaped question mark. The setting
 * standard_conforming_strings is taken to be on. Never fails: an unclosed token ends with the text.
 *
 * <p>A cursor, so that whoever needs only the first words of a text makes no objects for the rest.
 * Not thread-safe.
 */
public final class SqlLexer {
  /** Sorts of tokens. */
  public enum Kind {
    /** An unquoted name or keyword. */
    WORD,
    /** A name in double quotes. */
    QUOTED,
    /** A string literal of any sort; those that continue each other are one. */
    STRING,
    NUMBER,
    /** A question mark, or a dollar sign with a number. */
    PARAMETER,
    /** An operator or punctuation, of one or two characters. */
    SYMBOL,
    SEMICOLON,
    /** A comment that begins with a plus sign; others are left out. */
    HINT,
    /** Of the text. */
    END
  }

  private final String sql;
  private Kind kind;
  private int at;
  private int start;
  private int body; // of a string: where its contents begin
  private int bodyEnd; // of a string between dollars
  private boolean hasEscapes;

  public SqlLexer(String sql) {
    this.sql = sql;
  }

  /** Moves to the next token. */
  public Kind next() {
    skipBlanks();
    start = at;
    kind = at >= sql.length() ? Kind.END : read(sql.charAt(at));
    return kind;
  }

  /** Where the token begins in the text. */
  public int start() {
    return start;
  }

  /** Where the token has ended. */
  public int end() {
    return at;
  }

  /** The token as it is written. */
  public String text() {
    return sql.substring(start, at);
  }

  /** Whether the token is this word in any case, or this symbol. */
  public boolean is(String word) {
    return at - start == word.length() && sql.regionMatches(true, start, word, 0, word.length());
  }

  /** The character after the token; 0 at the end of the text. */
  char following() {
    return peek(0);
  }

  /** Of a quoted name: the name; of a string: its first characters as routing sees them. */
  public String value() {
    if (kind == Kind.QUOTED) {
      boolean isClosed = at > start + 1 && sql.charAt(at - 1) == '"';
      return sql.substring(start + 1, isClosed ? at - 1 : at).replace("\"\"", "\"");
    }
    if (bodyEnd >= 0) {
      return RoutingValue.cut(sql.substring(body, bodyEnd));
    }
    StringBuilder value = new StringBuilder();
    int end = at;
    at = body;
    string(value);
    at = end;
    return RoutingValue.cut(value.toString());
  }

  private Kind read(char c) {
    if (isWordStart(c)) {
      return word(c);
    }
    switch (c) {
      case '\'':
        return string(false);
      case '"':
        skipQuoted();
        return Kind.QUOTED;
      case ';':
        at++;
        return Kind.SEMICOLON;
      case '$':
        return dollar();
      case '/':
        if (peek(1) == '*') {
          skipComment(); // one with a hint: others are blanks
          return Kind.HINT;
        }
        return symbol();
      case '?':
        at += peek(1) == '?' ? 2 : 1;
        return at - start == 2 ? Kind.SYMBOL : Kind.PARAMETER;
      default:
        if (isDigit(c) || c == '.' && isDigit(peek(1))) {
          number();
          return Kind.NUMBER;
        }
        return symbol();
    }
  }

  private char peek(int ahead) {
    return at + ahead < sql.length() ? sql.charAt(at + ahead) : 0;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** As in PostgreSQL, where every byte of a character beyond ASCII may be part of a name. */
  private static boolean isWordStart(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80;
  }

  private static boolean isWordPart(char c) {
    return isWordStart(c) || isDigit(c) || c == '$';
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c >= '\t' && c <= '\r';
  }

  private static boolean isLineEnd(char c) {
    return c == '\n' || c == '\r';
  }

  // ---- what is left out

  private void skipBlanks() {
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (isBlank(c)) {
        at++;
      } else if (c == '-' && peek(1) == '-') {
        skipLine();
      } else if (c == '/' && peek(1) == '*' && peek(2) != '+') {
        skipComment();
      } else {
        return;
      }
    }
  }

  private void skipLine() {
    while (at < sql.length() && !isLineEnd(sql.charAt(at))) {
      at++;
    }
  }

  private void skipComment() {
    int depth = 0;
    do {
      if (peek(0) == '/' && peek(1) == '*') {
        depth++;
        at += 2;
      } else if (peek(0) == '*' && peek(1) == '/') {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && at < sql.length());
  }

  // ---- tokens

  private Kind word(char first) {
    while (at < sql.length() && isWordPart(sql.charAt(at))) {
      at++;
    }
    if (at - start == 1 && peek(0) == '\'') {
      switch (first) {
        case 'e', 'E' -> {
          return string(true);
        }
        case 'b', 'B', 'x', 'X', 'n', 'N' -> {
          return string(false);
        }
        default -> {
          // A word that a string follows.
        }
      }
    }
    return Kind.WORD;
  }

  private Kind string(boolean escapes) {
    hasEscapes = escapes;
    bodyEnd = -1;
    body = at + 1;
    at = body;
    string(null);
    return Kind.STRING;
  }

  /** From the first character of its contents to behind its end. */
  private void string(StringBuilder value) {
    while (at < sql.length()) {
      char c = sql.charAt(at++);
      if (c == '\'') {
        if (peek(0) == '\'') {
          at++;
        } else if (continues()) {
          continue;
        } else {
          return;
        }
      } else if (c == '\\' && hasEscapes && at < sql.length()) {
        c = sql.charAt(at++);
      }
      if (value != null && value.length() < RoutingValue.MAX_CHARS) {
        value.append(c);
      }
    }
  }

  /** Two strings with a line's end between them are one; then this moves into the second. */
  private boolean continues() {
    int from = at;
    boolean hasLineEnd = false;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (isBlank(c)) {
        hasLineEnd |= isLineEnd(c);
        at++;
      } else if (c == '-' && peek(1) == '-') {
        skipLine();
      } else if (c == '\'' && hasLineEnd) {
        at++;
        return true;
      } else {
        break;
      }
    }
    at = from;
    return false;
  }

  private void skipQuoted() {
    at++;
    while (at < sql.length()) {
      if (sql.charAt(at++) == '"') {
        if (peek(0) != '"') {
          return;
        }
        at++;
      }
    }
  }

  private Kind dollar() {
    if (isDigit(peek(1))) {
      at++;
      while (isDigit(peek(0))) {
        at++;
      }
      return Kind.PARAMETER;
    }
    int end = at + 1;
    while (end < sql.length() && (isWordStart(sql.charAt(end)) || isDigit(sql.charAt(end)))) {
      end++;
    }
    if (end >= sql.length() || sql.charAt(end) != '$') {
      return symbol();
    }
    String tag = sql.substring(at, end + 1);
    body = end + 1;
    int close = sql.indexOf(tag, body);
    bodyEnd = close < 0 ? sql.length() : close;
    at = close < 0 ? sql.length() : close + tag.length();
    return Kind.STRING;
  }

  private void number() {
    while (isDigit(peek(0)) || peek(0) == '.') {
      at++;
    }
    char e = peek(0);
    boolean isSigned = peek(1) == '-' || peek(1) == '+';
    if ((e == 'e' || e == 'E') && (isDigit(peek(1)) || isSigned && isDigit(peek(2)))) {
      at += 2;
      while (isDigit(peek(0))) {
        at++;
      }
    }
  }

  private Kind symbol() {
    char c = sql.charAt(at);
    char next = peek(1);
    boolean isPair =
        switch (c) {
          case '<' -> next == '=' || next == '>';
          case '>', '!' -> next == '=';
          case ':', '|' -> next == c;
          default -> false;
        };
    at += isPair ? 2 : 1;
    return Kind.SYMBOL;
  }
}
