package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import io.gauss.compute.sql.parse.impl.GaussSqlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlNode;

/**
 * A range of a {@link PgLexer}'s tokens that is read from left to right: the common base of the
 * hand-written parsers of utility statements. Expressions, types and queries inside utility
 * statements are read by the generated parser on the same tokens.
 */
final class TokenCursor {
  /**
   * Keywords that are values all the same: booleans, and those that may name functions or types.
   */
  private static final Set<String> RESERVED_VALUES =
      Set.of(
          ("true false on authorization between binary collation concurrently cross current_schema"
               + " freeze full ilike inner is isnull join left like natural notnull outer overlaps"
               + " right similar tablesample verbose")
              .split(" "));

  private final PgLexer lexer;
  private final int to;
  private int at;
  private int parametersMax;

  TokenCursor(PgLexer lexer, int from, int to) {
    this.lexer = lexer;
    this.at = from;
    this.to = to;
  }

  // -------------------------------------------------------------------------------------------------------- position

  boolean atEnd() {
    return at >= to;
  }

  int index() {
    return at;
  }

  void back(int index) {
    at = index;
  }

  int kind() {
    return at < to ? lexer.kind(at) : PgLexer.END;
  }

  /** Where the next token starts in the text, from 1. */
  int position() {
    return lexer.position(at < lexer.count() ? lexer.start(at) : lexer.text().length());
  }

  int parametersMax() {
    return parametersMax;
  }

  GaussException syntaxError() {
    return lexer.syntaxError(at);
  }

  void expectEnd() {
    if (at < to) {
      throw syntaxError();
    }
  }

  void skipToEnd() {
    at = to;
  }

  /** Source text from a token up to the next one. */
  String textFrom(int token) {
    return at > token ? lexer.text().substring(lexer.start(token), lexer.end(at - 1)) : "";
  }

  // ----------------------------------------------------------------------------------------------------------- words

  boolean isWord(String word) {
    return at < to && lexer.isWord(at, word);
  }

  boolean isWordAt(int distance, String word) {
    return at + distance < to && lexer.isWord(at + distance, word);
  }

  boolean isSymbol(char symbol) {
    return at < to && lexer.isOperator(at, symbol);
  }

  boolean isSymbolAt(int distance, char symbol) {
    return at + distance < to && lexer.isOperator(at + distance, symbol);
  }

  /** Takes the word if it is next. */
  boolean accept(String word) {
    if (isWord(word)) {
      at++;
      return true;
    }
    return false;
  }

  /** Takes all the words, or none of them. */
  boolean accept(String first, String second) {
    if (isWord(first) && isWordAt(1, second)) {
      at += 2;
      return true;
    }
    return false;
  }

  boolean accept(char symbol) {
    if (isSymbol(symbol)) {
      at++;
      return true;
    }
    return false;
  }

  boolean acceptOperator(String symbol) {
    if (at < to && lexer.isOperator(at, symbol)) {
      at++;
      return true;
    }
    return false;
  }

  void expect(String word) {
    if (!accept(word)) {
      throw syntaxError();
    }
  }

  void expect(String first, String second) {
    expect(first);
    expect(second);
  }

  void expect(char symbol) {
    if (!accept(symbol)) {
      throw syntaxError();
    }
  }

  /** Any word, reserved or not, in lower case. */
  String anyWord() {
    if (kind() != PgLexer.WORD) {
      throw syntaxError();
    }
    return lexer.word(at++);
  }

  void skip() {
    if (at >= to) {
      throw syntaxError();
    }
    at++;
  }

  // ----------------------------------------------------------------------------------------------------------- names

  boolean isName() {
    return kind() == PgLexer.QUOTED_NAME
        || (kind() == PgLexer.WORD && !PgTokenSource.isReserved(lexer.word(at)));
  }

  /** A name that is no reserved word. */
  String name() {
    if (!isName()) {
      throw syntaxError();
    }
    return lexer.name(at++);
  }

  /** A name that may be any word: after a point or AS, names of settings and options. */
  String label() {
    if (kind() != PgLexer.QUOTED_NAME && kind() != PgLexer.WORD) {
      throw syntaxError();
    }
    return lexer.name(at++);
  }

  Name qualifiedName() {
    int position = position();
    String first = name();
    if (!accept('.')) {
      return new Name(null, first, position);
    }
    String second = label();
    if (isSymbol('.')) {
      at++;
      String third = label();
      // database.schema.name: there is one database and the binder knows its name; the qualifier is
      // checked nowhere else.
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "cross-database references are not implemented: \""
                  + first
                  + "."
                  + second
                  + "."
                  + third
                  + "\"")
          .position(position);
    }
    return new Name(first, second, position);
  }

  List<Name> qualifiedNames() {
    List<Name> names = new ArrayList<>();
    do {
      names.add(qualifiedName());
    } while (accept(','));
    return names;
  }

  List<String> names() {
    List<String> names = new ArrayList<>();
    do {
      names.add(name());
    } while (accept(','));
    return names;
  }

  /** {@code (a, b)}. */
  List<String> nameList() {
    expect('(');
    List<String> names = names();
    expect(')');
    return names;
  }

  /** A name of any number of parts. */
  List<String> path() {
    List<String> parts = new ArrayList<>();
    parts.add(name());
    while (accept('.')) {
      parts.add(label());
    }
    return parts;
  }

  // ---------------------------------------------------------------------------------------------------------- values

  boolean isString() {
    return kind() == PgLexer.STRING;
  }

  String string() {
    if (!isString()) {
      throw syntaxError();
    }
    return lexer.string(at++);
  }

  /** An integer with an optional sign. */
  long integer() {
    int start = at;
    boolean negative = accept('-');
    if (!negative) {
      accept('+');
    }
    if (kind() != PgLexer.INTEGER && kind() != PgLexer.DECIMAL) {
      throw syntaxError();
    }
    String digits = (negative ? "-" : "") + lexer.source(at);
    try {
      long value = Long.parseLong(digits);
      at++;
      return value;
    } catch (NumberFormatException e) {
      throw new GaussException(
              SqlState.INVALID_TEXT_REPRESENTATION,
              "invalid input syntax for type bigint: \"" + digits + "\"",
              e)
          .position(lexer.position(lexer.start(start)));
    }
  }

  /** A constant of a setting or option: a word, a string, or a number with its sign. */
  String settingValue() {
    if (isString()) {
      return string();
    }
    int kind = kind();
    if (kind == PgLexer.WORD || kind == PgLexer.QUOTED_NAME) {
      return lexer.name(at++);
    }
    String sign = accept('-') ? "-" : "";
    if (sign.isEmpty()) {
      accept('+');
    }
    kind = kind();
    if (kind != PgLexer.INTEGER && kind != PgLexer.DECIMAL && kind != PgLexer.SCIENTIFIC) {
      throw syntaxError();
    }
    return sign + lexer.source(at++);
  }

  /** A value of SET: a word that is no reserved one, besides those of booleans. */
  String variableValue() {
    if (kind() == PgLexer.WORD) {
      String word = lexer.word(at);
      if (PgTokenSource.isReserved(word) && !RESERVED_VALUES.contains(word)) {
        throw syntaxError();
      }
    }
    return settingValue();
  }

  /** {@code (a = 1, b)} or {@code (a 1, b)}, in parentheses. */
  List<Option> optionList() {
    expect('(');
    List<Option> options = new ArrayList<>();
    do {
      StringBuilder name = new StringBuilder(label());
      while (accept('.')) {
        name.append('.').append(label());
      }
      accept('=');
      String value = null;
      if (isSymbol('(')) {
        int start = at;
        skipParentheses();
        value = textFrom(start);
      } else if (accept('*')) {
        value = "*";
      } else if (!isSymbol(',') && !isSymbol(')')) {
        value = settingValue();
      }
      options.add(new Option(name.toString(), value));
    } while (accept(','));
    expect(')');
    return options;
  }

  void skipParentheses() {
    expect('(');
    int depth = 1;
    while (depth > 0) {
      if (isSymbol('(')) {
        depth++;
      } else if (isSymbol(')')) {
        depth--;
      }
      skip();
    }
  }

  // ------------------------------------------------------------------------------------------- by
  // the generated parser

  TypeName type() {
    return generated(GaussSqlParser::PgType);
  }

  /** Reads an expression and gives its source text. */
  String expressionText() {
    int start = at;
    generated(GaussSqlParser::PgExpr);
    return textFrom(start);
  }

  /**
   * Reads an expression that the word DEFAULT introduces. Unlike others it ends before NOT NULL,
   * CHECK and the like, as in gram.y, which allows only operators that bind tighter there.
   */
  String defaultText() {
    int start = at;
    generated(GaussSqlParser::PgOperation);
    return textFrom(start);
  }

  SqlNode expression() {
    return generated(GaussSqlParser::PgExpr);
  }

  /** The rest of the range as a query or DML statement. */
  PgStatement query() {
    if (at >= to) {
      throw syntaxError();
    }
    PgTokenSource tokens = new PgTokenSource(lexer, at, to);
    PgStatement statement = PgParser.query(lexer, tokens);
    parametersMax = Math.max(parametersMax, tokens.parametersMax());
    at = to;
    return statement;
  }

  /** A query that WITH [NO] DATA may follow at the end of the range. */
  PgStatement queryBeforeWithData() {
    int end = to;
    if (end - 2 > at && lexer.isWord(end - 1, "data") && lexer.isWord(end - 2, "with")) {
      end -= 2;
    } else if (end - 3 > at
        && lexer.isWord(end - 1, "data")
        && lexer.isWord(end - 2, "no")
        && lexer.isWord(end - 3, "with")) {
      end -= 3;
    }
    if (at >= end) {
      throw syntaxError();
    }
    PgTokenSource tokens = new PgTokenSource(lexer, at, end);
    PgStatement statement = PgParser.query(lexer, tokens);
    parametersMax = Math.max(parametersMax, tokens.parametersMax());
    at = end;
    return statement;
  }

  /**
   * Skips a query that WITH CHECK OPTION may follow at the end of the range, and stops before these
   * words.
   *
   * @return whether they are there
   */
  boolean queryBeforeCheckOption() {
    int end = to;
    if (end - 3 > at && lexer.isWord(end - 1, "option") && lexer.isWord(end - 2, "check")) {
      boolean qualified = lexer.isWord(end - 3, "cascaded") || lexer.isWord(end - 3, "local");
      int with = qualified ? end - 4 : end - 3;
      end = lexer.isWord(with, "with") ? with : end;
    }
    if (at >= end) {
      throw syntaxError();
    }
    PgTokenSource tokens = new PgTokenSource(lexer, at, end);
    PgParser.query(lexer, tokens);
    parametersMax = Math.max(parametersMax, tokens.parametersMax());
    at = end;
    return end < to;
  }

  /** A query in parentheses. */
  PgStatement parenthesizedQuery() {
    expect('(');
    int open = at;
    int depth = 1;
    int i = at;
    while (i < to && depth > 0) {
      depth += lexer.isOperator(i, '(') ? 1 : lexer.isOperator(i, ')') ? -1 : 0;
      i++;
    }
    if (depth > 0) {
      at = to;
      throw syntaxError();
    }
    PgTokenSource tokens = new PgTokenSource(lexer, open, i - 1);
    PgStatement statement = PgParser.query(lexer, tokens);
    parametersMax = Math.max(parametersMax, tokens.parametersMax());
    at = i;
    return statement;
  }

  /** A statement of any kind that takes the rest of the range. */
  PgStatement statement() {
    if (at >= to) {
      throw syntaxError();
    }
    if (UtilityParser.startsQuery(lexer, at, to)) {
      return query();
    }
    UtilityParser nested = new UtilityParser(lexer, at, to);
    PgStatement statement = nested.statement();
    parametersMax = Math.max(parametersMax, nested.parametersMax());
    at = to;
    return statement;
  }

  private <T> T generated(PgParser.Production<T> production) {
    if (at >= to) {
      throw syntaxError();
    }
    PgTokenSource tokens = new PgTokenSource(lexer, at, to);
    GaussSqlParser parser = new GaussSqlParser(tokens);
    T result = PgParser.checked(lexer, parser, production);
    parametersMax = Math.max(parametersMax, tokens.parametersMax());
    // The parser has read at most one token further; the last token that it consumed counts.
    at = tokens.endOf(parser.token);
    return result;
  }

  /** Reads IF NOT EXISTS; false when it is not there. */
  boolean acceptIfNotExists() {
    if (isWord("if") && isWordAt(1, "not")) {
      expect("if", "not");
      expect("exists");
      return true;
    }
    return false;
  }
}
