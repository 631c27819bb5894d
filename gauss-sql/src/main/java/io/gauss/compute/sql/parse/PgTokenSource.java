package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.impl.GaussSqlParserConstants;
import io.gauss.compute.sql.parse.impl.GaussSqlParserTokenManager;
import io.gauss.compute.sql.parse.impl.SimpleCharStream;
import io.gauss.compute.sql.parse.impl.Token;
import java.io.StringReader;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Feeds the generated parser with a range of a {@link PgLexer}'s tokens and decides which words are
 * keywords: PostgreSQL's reserved words always are, all others only where the context makes them
 * one. Replaces the generated token manager, none of whose rules apply.
 *
 * <p>It also distinguishes parentheses that contain a query, which requires unbounded lookahead,
 * counts nesting (54001), and keeps the highest parameter number.
 */
final class PgTokenSource extends GaussSqlParserTokenManager {
  /**
   * Bound of nested expressions and queries; each costs about 1.5 KB of stack in the generated
   * parser.
   */
  static final int NESTING_MAX = 250;

  private static final Map<String, Integer> KEYWORDS = new HashMap<>();
  private static final Map<String, Integer> CALLS = new HashMap<>();
  private static final Map<String, Integer> SYMBOLS = new HashMap<>();
  private static final Set<String> RESERVED =
      Set.of(
          "analyse",
          "analyze",
          "authorization",
          "binary",
          "collation",
          "concurrently",
          "freeze",
          "variadic",
          "verbose");

  static {
    Map<String, Integer> kinds = new HashMap<>();
    String[] images = GaussSqlParserConstants.tokenImage;
    for (int kind = 0; kind < images.length; kind++) {
      String image = images[kind];
      if (image.startsWith("\"") && image.endsWith("\"")) {
        kinds.putIfAbsent(image.substring(1, image.length() - 1).toLowerCase(Locale.ROOT), kind);
      }
    }
    String reserved =
        "all and any array as asc asymmetric both case cast check collate column constraint create"
            + " cross current_catalog current_date current_role current_schema current_time"
            + " current_timestamp current_user default deferrable desc distinct do else end except"
            + " false fetch for foreign from full grant group having ilike in initially inner"
            + " intersect into is isnull join lateral leading left like limit localtime"
            + " localtimestamp natural not notnull null offset on only or order outer overlaps"
            + " placing primary references returning right select session_user similar some"
            + " symmetric table tablesample then to trailing true union unique user using when"
            + " where window with";
    for (String word : reserved.split(" ")) {
      KEYWORDS.put(word, kinds.get(word));
    }
    KEYWORDS.put("between", GaussSqlParserConstants.PG_BETWEEN);
    for (String word : RESERVED) {
      KEYWORDS.put(word, GaussSqlParserConstants.PG_RESERVED);
    }
    for (String word : "exists extract overlay position row substring trim values".split(" ")) {
      CALLS.put(word, kinds.get(word));
    }
    for (String symbol : "( ) [ ] , ; . = > < <= >= <> + - * / % ^ :".split(" ")) {
      SYMBOLS.put(symbol, kinds.get(symbol));
    }
    SYMBOLS.put("=>", GaussSqlParserConstants.NAMED_ARGUMENT_ASSIGNMENT);
    SYMBOLS.put(":=", GaussSqlParserConstants.NAMED_ARGUMENT_ASSIGNMENT);
    SYMBOLS.put("::", GaussSqlParserConstants.PG_CAST);
    if (KEYWORDS.containsValue(null) || CALLS.containsValue(null) || SYMBOLS.containsValue(null)) {
      throw new IllegalStateException("the grammar lacks a token kind");
    }
  }

  private final PgLexer lexer;
  private final int from;
  private final int to;
  private int at;
  private int nesting;
  private int parametersMax;
  private int selects;
  private Into into;

  /** By token: whether a parenthesis there opens a query. */
  private boolean[] opensQuery;

  /** The table that SELECT INTO makes. */
  record Into(PgStatement.Name table, boolean temporary) {}

  PgTokenSource(PgLexer lexer, int from, int to) {
    super(new SimpleCharStream(new StringReader(""), 1, 1, 1));
    this.lexer = lexer;
    this.from = from;
    this.at = from;
    this.to = to;
    findQueries(from);
  }

  static boolean isReserved(String word) {
    return KEYWORDS.containsKey(word);
  }

  PgLexer lexer() {
    return lexer;
  }

  int parametersMax() {
    return parametersMax;
  }

  void sawParameter(int number) {
    parametersMax = Math.max(parametersMax, number);
  }

  /** Token number of a parser token, also for the end. */
  int indexOf(Token token) {
    return token instanceof PgToken known ? known.index : to;
  }

  /** Number of the token after a parser token. */
  int endOf(Token token) {
    return token instanceof PgToken known ? known.endIndex : from;
  }

  void sawSelect() {
    selects += nesting == 0 ? 1 : 0;
  }

  /**
   * Whether the statement's first SELECT is being read, not another part of a UNION or a sub-query.
   */
  boolean isFirstSelect() {
    return nesting == 0 && selects == 1;
  }

  void into(Into table) {
    into = table;
  }

  /** Null unless the statement is SELECT INTO. */
  Into into() {
    return into;
  }

  void enter(Token first) {
    if (++nesting > NESTING_MAX) {
      throw tooDeep().position(lexer.position(first.beginColumn - 1));
    }
  }

  void leave() {
    nesting--;
  }

  static GaussException tooDeep() {
    return new GaussException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
        .detail("The statement is nested more deeply than Gauss accepts.");
  }

  @Override
  public Token getNextToken() {
    if (at >= to) {
      int offset = to < lexer.count() ? lexer.start(to) : lexer.text().length();
      return new PgToken(GaussSqlParserConstants.EOF, "", to, to, offset, offset);
    }
    lexer.step();
    int index = at++;
    return switch (lexer.kind(index)) {
      case PgLexer.WORD -> word(index);
      case PgLexer.QUOTED_NAME ->
          token(GaussSqlParserConstants.QUOTED_IDENTIFIER, lexer.name(index), index);
      case PgLexer.STRING ->
          token(GaussSqlParserConstants.QUOTED_STRING, lexer.string(index), index);
      case PgLexer.INTEGER ->
          token(GaussSqlParserConstants.UNSIGNED_INTEGER_LITERAL, lexer.source(index), index);
      case PgLexer.DECIMAL ->
          token(GaussSqlParserConstants.DECIMAL_NUMERIC_LITERAL, lexer.source(index), index);
      case PgLexer.SCIENTIFIC ->
          token(GaussSqlParserConstants.APPROX_NUMERIC_LITERAL, lexer.source(index), index);
      case PgLexer.PARAMETER -> token(GaussSqlParserConstants.HOOK, lexer.source(index), index);
      case PgLexer.BIT_STRING ->
          throw GaussException.notSupported("bit string constant")
              .position(lexer.position(lexer.start(index)));
      default -> symbol(index);
    };
  }

  private PgToken token(int kind, String image, int index) {
    return new PgToken(kind, image, index, index + 1, lexer.start(index), lexer.end(index));
  }

  private Token word(int index) {
    String word = lexer.word(index);
    boolean beforeParenthesis = isSymbol(index + 1, '(');
    // After a point and after AS any word is a name.
    if (index > from && lexer.isOperator(index - 1, '.')) {
      return name(index);
    }
    if (index > from && lexer.isWord(index - 1, "as") && !word.equals("not")) {
      return name(index);
    }
    Integer kind = KEYWORDS.get(word);
    if (kind != null) {
      if (beforeParenthesis && (word.equals("left") || word.equals("right"))) {
        return name(index);
      }
      if (word.equals("not") && startsNegatedPredicate(index + 1)) {
        return token(GaussSqlParserConstants.PG_NOT_LA, word, index);
      }
      if (word.equals("with") && (isWord(index + 1, "time") || isWord(index + 1, "ordinality"))) {
        return token(GaussSqlParserConstants.PG_WITH_LA, word, index);
      }
      return token(kind, word, index);
    }
    if (word.equals("values") && (index == from || (index + 1 >= to && isWord(from, "insert")))) {
      return token(GaussSqlParserConstants.VALUES, word, index);
    }
    if (beforeParenthesis) {
      Integer call = CALLS.get(word);
      if (call != null) {
        return token(call, word, index);
      }
    }
    if (word.equals("nulls") && (isWord(index + 1, "first") || isWord(index + 1, "last"))) {
      return token(GaussSqlParserConstants.NULLS, word, index);
    }
    if (word.equals("interval") && startsIntervalLiteral(index + 1)) {
      return token(GaussSqlParserConstants.INTERVAL, word, index);
    }
    if (word.equals("operator") && beforeParenthesis) {
      Token qualified = qualifiedOperator(index);
      if (qualified != null) {
        return qualified;
      }
    }
    return name(index);
  }

  private PgToken name(int index) {
    return token(GaussSqlParserConstants.IDENTIFIER, lexer.name(index), index);
  }

  private Token symbol(int index) {
    String symbol = lexer.operator(index);
    if (symbol.equals("(")) {
      return token(
          opensQuery[index]
              ? GaussSqlParserConstants.PG_LPAREN_QUERY
              : GaussSqlParserConstants.LPAREN,
          symbol,
          index);
    }
    Integer kind = SYMBOLS.get(symbol);
    if (kind != null) {
      return token(kind, symbol, index);
    }
    boolean operator = "~!@#^&|`?+-*/%<>=".indexOf(symbol.charAt(0)) >= 0;
    return token(
        operator ? GaussSqlParserConstants.PG_OP : GaussSqlParserConstants.PG_RESERVED,
        symbol,
        index);
  }

  /**
   * {@code OPERATOR(pg_catalog.~)}: one operator token; all of them bind like any other operator.
   */
  private Token qualifiedOperator(int index) {
    int i = index + 2;
    while (i + 1 < to
        && (lexer.kind(i) == PgLexer.WORD || lexer.kind(i) == PgLexer.QUOTED_NAME)
        && lexer.isOperator(i + 1, '.')) {
      i += 2;
    }
    if (i + 1 < to
        && lexer.kind(i) == PgLexer.OPERATOR
        && isSymbol(i + 1, ')')
        && !isSymbol(i, '(')) {
      at = i + 2;
      return new PgToken(
          GaussSqlParserConstants.PG_OP,
          lexer.operator(i),
          index,
          i + 2,
          lexer.start(index),
          lexer.end(i + 1));
    }
    return null;
  }

  private boolean startsNegatedPredicate(int index) {
    return isWord(index, "in")
        || isWord(index, "like")
        || isWord(index, "between")
        || isWord(index, "ilike")
        || isWord(index, "similar");
  }

  /**
   * {@code INTERVAL '1 day'} and {@code INTERVAL (3) '1 day'}, but not a column or a cast's type.
   */
  private boolean startsIntervalLiteral(int index) {
    if (index < to && lexer.kind(index) == PgLexer.STRING) {
      return true;
    }
    return isSymbol(index, '(')
        && index + 3 < to
        && lexer.kind(index + 1) == PgLexer.INTEGER
        && isSymbol(index + 2, ')')
        && lexer.kind(index + 3) == PgLexer.STRING;
  }

  boolean isWord(int index, String word) {
    return index < to && lexer.isWord(index, word);
  }

  boolean isSymbol(int index, char symbol) {
    return index < to && lexer.isOperator(index, symbol);
  }

  boolean isKind(int index, int kind) {
    return index < to && lexer.kind(index) == kind;
  }

  /**
   * Marks parentheses that contain a query. {@code (SELECT ...)} does; {@code ((SELECT ...) ...)}
   * does when what comes after the inner one continues with a query: a set operation, ORDER BY,
   * LIMIT, or the closing parenthesis.
   */
  private void findQueries(int from) {
    opensQuery = new boolean[to + 1];
    int[] closing = new int[to + 1];
    int[] open = new int[to - from + 1];
    int depth = 0;
    for (int i = from; i < to; i++) {
      if (lexer.isOperator(i, '(')) {
        open[depth++] = i;
      } else if (depth > 0 && lexer.isOperator(i, ')')) {
        closing[open[--depth]] = i;
      }
    }
    for (int i = to - 1; i >= from; i--) {
      if (!lexer.isOperator(i, '(')) {
        continue;
      }
      if (isSymbol(i + 1, '(')) {
        int after = closing[i + 1] + 1;
        opensQuery[i] = opensQuery[i + 1] && after > 1 && continuesQuery(after);
      } else {
        opensQuery[i] =
            isWord(i + 1, "select")
                || isWord(i + 1, "with")
                || isWord(i + 1, "table")
                || (isWord(i + 1, "values") && isSymbol(i + 2, '('));
      }
    }
  }

  private boolean continuesQuery(int index) {
    return isSymbol(index, ')')
        || isWord(index, "union")
        || isWord(index, "intersect")
        || isWord(index, "except")
        || isWord(index, "order")
        || isWord(index, "limit")
        || isWord(index, "offset")
        || isWord(index, "fetch")
        || isWord(index, "for");
  }
}
