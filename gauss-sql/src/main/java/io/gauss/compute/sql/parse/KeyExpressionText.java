package io.gauss.compute.sql.parse;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Prints expressions that are keys of indexes as PostgreSQL does. */
public final class KeyExpressionText {
  private static final Set<String> QUERIES = Set.of("select", "with", "values");

  private KeyExpressionText() {}

  /**
   * The expression as an element of CREATE INDEX: in parentheses, unless it is a call of a function.
   *
   * @param sql text of the expression
   * @param pretty whether an expression that is no call is without parentheses of its own
   */
  public static String of(String sql, boolean pretty) {
    if (isCall(sql)) {
      return sql;
    }
    return pretty ? "(" + sql + ")" : "((" + sql + "))";
  }

  /** The expressions of an index as an expression by itself shows them. */
  public static String listed(List<String> expressions) {
    return expressions.stream()
        .map(sql -> isCall(sql) ? sql : "(" + sql + ")")
        .collect(Collectors.joining(", "));
  }

  /** The text without parentheses around the whole, unless it is a query. */
  public static String bare(String sql) {
    String text = sql.strip();
    PgLexer lexer = new PgLexer().scan(text);
    while (isParenthesised(lexer, 0) && !QUERIES.contains(lexer.source(1).toLowerCase(Locale.ROOT))) {
      text = text.substring(1, text.length() - 1).strip();
      lexer.scan(text);
    }
    return text;
  }

  /** Whether the text is one function with its arguments. */
  private static boolean isCall(String sql) {
    PgLexer lexer = new PgLexer().scan(sql);
    int token = 0;
    while (token + 2 < lexer.count()
        && lexer.isOperator(token + 1, '.')
        && isName(lexer, token)) {
      token += 2;
    }
    return token < lexer.count()
        && isName(lexer, token)
        && !lexer.isWord(token, "cast")
        && isParenthesised(lexer, token + 1);
  }

  private static boolean isName(PgLexer lexer, int token) {
    return lexer.kind(token) == PgLexer.WORD || lexer.kind(token) == PgLexer.QUOTED_NAME;
  }

  /** Whether the tokens from one to the last are between a parenthesis and its partner. */
  private static boolean isParenthesised(PgLexer lexer, int from) {
    int depth = 0;
    for (int token = from; token < lexer.count(); token++) {
      if (lexer.isOperator(token, '(')) {
        depth++;
      } else if (lexer.isOperator(token, ')')) {
        depth--;
      }
      if (depth == 0) {
        return token == lexer.count() - 1 && token > from;
      }
    }
    return false;
  }
}
