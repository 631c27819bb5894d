package io.gauss.jdbc.routing.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Cuts a statement's text into tokens by PostgreSQL's rules: nested comments, strings in quotes,
 * with escapes and between dollars, {@code ?} and {@code $n} for parameters. Never fails: an
 * unclosed token ends with the text.
 */
final class Tokens {
  /** A minus after these is a sign. */
  private static final Set<String> BEFORE_SIGN =
      Set.of(
          "where",
          "and",
          "or",
          "not",
          "between",
          "in",
          "then",
          "else",
          "when",
          "limit",
          "offset",
          "select",
          "values",
          "by",
          "returning",
          "on",
          "having",
          "case",
          "like");

  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private int questions;

  private Tokens(String sql) {
    this.sql = sql;
  }

  /** The tokens of the first statement in {@code sql}; the text after its semicolon is left out. */
  static List<Token> of(String sql) {
    Tokens t = new Tokens(sql);
    while (t.next()) {}
    return t.tokens;
  }

  private boolean next() {
    if (at >= sql.length()) {
      return false;
    }
    char c = sql.charAt(at);
    if (Character.isWhitespace(c)) {
      at++;
    } else if (sql.startsWith("--", at)) {
      int end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length() : end + 1;
    } else if (sql.startsWith("/*", at)) {
      comment();
    } else if (c == '\'') {
      string(false);
    } else if (c == '"') {
      quotedName();
    } else if (c == '$') {
      dollar();
    } else if (isDigit(c) || c == '.' && isDigit(peek(1))) {
      number(false);
    } else if (c == '-' && (isDigit(peek(1)) || peek(1) == '.') && isSignPlace()) {
      at++;
      number(true);
    } else if (Character.isLetter(c) || c == '_') {
      word();
    } else if (c == '?') {
      question();
    } else if (c == ';') {
      return !tokens.isEmpty() ? false : ++at > 0;
    } else {
      symbol();
    }
    return true;
  }

  private char peek(int ahead) {
    return at + ahead < sql.length() ? sql.charAt(at + ahead) : 0;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private boolean isSignPlace() {
    if (tokens.isEmpty()) {
      return false;
    }
    Token last = tokens.get(tokens.size() - 1);
    return switch (last.kind()) {
      case VALUE -> false;
      case WORD -> BEFORE_SIGN.contains(last.text());
      case SYMBOL -> !last.text().equals(")") && !last.text().equals("]");
    };
  }

  private void comment() {
    int depth = 0;
    do {
      if (sql.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && at < sql.length());
  }

  private void string(boolean escapes) {
    StringBuilder value = new StringBuilder();
    at++;
    while (at < sql.length()) {
      char c = sql.charAt(at++);
      if (c == '\\' && escapes && at < sql.length()) {
        value.append(sql.charAt(at++));
      } else if (c != '\'') {
        value.append(c);
      } else if (peek(0) == '\'') {
        value.append(c);
        at++;
      } else {
        break;
      }
    }
    tokens.add(Token.literal(RoutingValue.cut(value.toString())));
  }

  private void quotedName() {
    int start = ++at;
    StringBuilder name = new StringBuilder();
    boolean plain = true;
    while (at < sql.length()) {
      char c = sql.charAt(at++);
      if (c == '"') {
        if (peek(0) != '"') {
          break;
        }
        at++;
        plain = false;
      }
      plain &= c >= 'a' && c <= 'z' || c == '_' || at - 1 > start && isDigit(c);
      name.append(c);
    }
    String text = name.toString();
    // "id" is the name that id is; anything else keeps its quotes, and doubled ones inside.
    tokens.add(Token.word(plain ? text : '"' + text.replace("\"", "\"\"") + '"'));
  }

  private void dollar() {
    int end = at + 1;
    while (end < sql.length() && isDigit(sql.charAt(end))) {
      end++;
    }
    if (end > at + 1) {
      tokens.add(Token.parameter(position(sql, at + 1, end)));
      at = end;
      return;
    }
    while (end < sql.length()
        && Character.isJavaIdentifierPart(sql.charAt(end))
        && peekIsTag(end)) {
      end++;
    }
    if (end >= sql.length() || sql.charAt(end) != '$') {
      symbol();
      return;
    }
    String tag = sql.substring(at, end + 1);
    int close = sql.indexOf(tag, end + 1);
    String value = sql.substring(end + 1, close < 0 ? sql.length() : close);
    tokens.add(Token.literal(RoutingValue.cut(value)));
    at = close < 0 ? sql.length() : close + tag.length();
  }

  private boolean peekIsTag(int index) {
    return sql.charAt(index) != '$';
  }

  private static int position(String sql, int from, int to) {
    return to - from > 5 ? Integer.MAX_VALUE : Integer.parseInt(sql, from, to, 10) - 1;
  }

  private void number(boolean negative) {
    int start = at;
    while (at < sql.length() && (isDigit(peek(0)) || peek(0) == '.')) {
      at++;
    }
    char e = peek(0);
    if ((e == 'e' || e == 'E')
        && (isDigit(peek(1)) || (peek(1) == '-' || peek(1) == '+') && isDigit(peek(2)))) {
      at += 2;
      while (isDigit(peek(0))) {
        at++;
      }
    }
    Object value = RoutingNumbers.parse(sql.substring(start, at));
    if (negative && value instanceof Long l) {
      value = -l;
    } else if (negative && value instanceof Double d) {
      value = -d;
    }
    tokens.add(Token.literal(value));
  }

  private void word() {
    int start = at;
    while (at < sql.length()
        && (Character.isLetterOrDigit(peek(0)) || peek(0) == '_' || peek(0) == '$')) {
      at++;
    }
    boolean prefix = at - start == 1 && peek(0) == '\'';
    char first = Character.toLowerCase(sql.charAt(start));
    if (prefix && (first == 'e' || first == 'b' || first == 'x' || first == 'n')) {
      string(first == 'e');
      return;
    }
    tokens.add(Token.word(sql.substring(start, at).toLowerCase(Locale.ROOT)));
  }

  private void question() {
    // pgjdbc's escape for operators with question marks: ?? is not a parameter.
    if (peek(1) == '?') {
      tokens.add(Token.symbol("??"));
      at += 2;
      return;
    }
    tokens.add(Token.parameter(questions++));
    at++;
  }

  private void symbol() {
    int length = 1;
    if (at + 1 < sql.length()) {
      String two = sql.substring(at, at + 2);
      if (two.equals("<=")
          || two.equals(">=")
          || two.equals("<>")
          || two.equals("!=")
          || two.equals("::")
          || two.equals("||")) {
        length = 2;
      }
    }
    tokens.add(Token.symbol(sql.substring(at, at + length)));
    at += length;
  }
}
