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
   * The expression as an element of CREATE INDEX: in parentheses, unless it is a call of a
   * function.
   *
   * @param sql text of the expression
   * @param pretty whether an expression that is no call is without parentheses of its own
   */
  public static String of(String sql, boolean pretty) {
    if (isCall(sql)) {
      return sql;
    }
    return "(" + (pretty ? sql : operand(sql)) + ")";
  }

  /** The expressions of an index as an expression by itself shows them. */
  public static String listed(List<String> expressions) {
    return expressions.stream().map(KeyExpressionText::operand).collect(Collectors.joining(", "));
  }

  /** As PostgreSQL prints an expression that may be a part of another one. */
  private static String operand(String sql) {
    PgLexer lexer = new PgLexer().scan(sql);
    return lexer.count() == 1 || isCall(lexer) ? sql : "(" + sql + ")";
  }

  /** The text without parentheses around the whole, unless it is a query. */
  public static String bare(String sql) {
    String text = sql.strip();
    PgLexer lexer = new PgLexer().scan(text);
    while (lexer.count() > 2
        && closed(lexer, 0) == lexer.count()
        && !QUERIES.contains(lexer.source(1).toLowerCase(Locale.ROOT))) {
      text = text.substring(1, text.length() - 1).strip();
      lexer.scan(text);
    }
    return text;
  }

  /** Whether the text is one function with its arguments, and no cast. */
  private static boolean isCall(String sql) {
    PgLexer lexer = new PgLexer().scan(sql);
    return !lexer.isWord(0, "cast") && isCall(lexer);
  }

  private static boolean isCall(PgLexer lexer) {
    return !lexer.isWord(0, "not")
        && !lexer.isWord(0, "row")
        && endOfCall(lexer) == lexer.count()
        && lexer.isOperator(lexer.count() - 1, ')');
  }

  /**
   * The token after the function with its arguments that the text begins with; where there is none,
   * that after its name.
   */
  private static int endOfCall(PgLexer lexer) {
    int token = 0;
    while (token + 2 < lexer.count() && lexer.isOperator(token + 1, '.')) {
      token += 2;
    }
    boolean isName = lexer.kind(token) == PgLexer.WORD || lexer.kind(token) == PgLexer.QUOTED_NAME;
    return isName ? closed(lexer, token + 1) : token;
  }

  /** The token after the partner of the parenthesis at one; that one itself when it is none. */
  private static int closed(PgLexer lexer, int from) {
    int depth = 0;
    for (int token = from; token < lexer.count(); token++) {
      if (lexer.isOperator(token, '(')) {
        depth++;
      } else if (lexer.isOperator(token, ')')) {
        depth--;
      }
      if (depth == 0) {
        return token == from ? from : token + 1;
      }
    }
    return from;
  }
}
