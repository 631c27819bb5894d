package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Turns the constants of a statement into parameters, so that simple queries that differ only in
 * them share one plan: {@code SELECT c FROM t WHERE id = 42} becomes {@code SELECT c FROM t WHERE
 * id = $1} with the value 42.
 *
 * <p>It works on tokens only, and does not touch anything that might mean something else as a
 * parameter: positions in ORDER BY and GROUP BY, constants with a type before them, type modifiers,
 * patterns of LIKE. Where GROUP BY or DISTINCT compare expressions, constants in these must stay
 * constants: such statements are not touched at all. If planning the changed text fails for any
 * reason, the caller plans the original, whose errors and positions are the right ones.
 *
 * <p>Reusable, not thread-safe: one per session.
 */
public final class LiteralExtractor {
  /**
   * Type oids of parameters: the types that PostgreSQL gives to constants of these forms; strings
   * are of unknown type.
   */
  public static final int UNKNOWN = 0;

  public static final int INT4 = 23;
  public static final int INT8 = 20;
  public static final int NUMERIC = 1700;

  /** Whether an expression has constants. */
  public static boolean hasLiteral(String expression) {
    PgLexer lexer = new PgLexer().scan(expression);
    for (int i = 0; i < lexer.count(); i++) {
      switch (lexer.kind(i)) {
        case PgLexer.STRING, PgLexer.INTEGER, PgLexer.DECIMAL, PgLexer.SCIENTIFIC -> {
          return true;
        }
        default -> {
          // a name, a word or an operator
        }
      }
    }
    return false;
  }

  /** Beyond this many constants (bulk INSERTs) a shared plan gains nothing. */
  private static final int VALUES_MAX = 256;

  private static final int TEXT_LENGTH_MAX = 16 * 1024;

  private static final Set<String> TYPES_WITH_MODIFIERS =
      Set.of(
          "numeric",
          "decimal",
          "dec",
          "varchar",
          "char",
          "character",
          "nchar",
          "varying",
          "bpchar",
          "bit",
          "float",
          "time",
          "timestamp",
          "timestamptz",
          "timetz",
          "interval",
          "current_time",
          "current_timestamp",
          "localtime",
          "localtimestamp");

  private final PgLexer lexer = new PgLexer();
  private final StringBuilder out = new StringBuilder();
  private final List<String> values = new ArrayList<>();
  private int[] oids = new int[16];

  /** By parenthesis depth: in a list of BY, and its kind. */
  private byte[] clauses = new byte[32];

  private static final byte NONE = 0;
  private static final byte ORDER = 1;
  private static final byte GROUP = 2;

  private boolean distinct;
  private boolean orderExpression;
  private boolean groupExpression;

  /**
   * Reads one statement (a semicolon may end it).
   *
   * @return whether constants were taken out; if not, the other methods have no meaningful result
   */
  public boolean extract(String sql) {
    values.clear();
    out.setLength(0);
    distinct = false;
    orderExpression = false;
    groupExpression = false;
    if (sql.length() > TEXT_LENGTH_MAX) {
      return false;
    }
    int count;
    try {
      count = lexer.scan(sql).count();
    } catch (GaussException e) {
      // The parser will report the error.
      return false;
    }
    if (count > 0 && lexer.isOperator(count - 1, ';')) {
      count--;
    }
    return count > 0 && isShareable(0) && replace(sql, count) && !values.isEmpty();
  }

  /** The text with {@code $n} for the constants, without the semicolon. */
  public String text() {
    return out.toString();
  }

  public int count() {
    return values.size();
  }

  /** The constant's text: digits, or a string's value without quotes. */
  public String value(int index) {
    return values.get(index);
  }

  /** The constant's type: one of the constants of this class. */
  int oid(int index) {
    return oids[index];
  }

  public int[] oids() {
    return Arrays.copyOf(oids, values.size());
  }

  private boolean isShareable(int token) {
    return lexer.isWord(token, "select")
        || lexer.isWord(token, "insert")
        || lexer.isWord(token, "update")
        || lexer.isWord(token, "delete")
        || lexer.isWord(token, "with");
  }

  private boolean replace(String sql, int count) {
    int copied = lexer.start(0);
    int depth = 0;
    clauses[0] = NONE;
    for (int i = 0; i < count; i++) {
      switch (lexer.kind(i)) {
        case PgLexer.PARAMETER, PgLexer.BIT_STRING -> {
          return false;
        }
        case PgLexer.WORD -> {
          word(i, depth);
          i = skipType(i, count);
        }
        case PgLexer.OPERATOR -> {
          if (lexer.isOperator(i, ';')) {
            return false;
          }
          if (lexer.isOperator(i, '(') || lexer.isOperator(i, '[')) {
            if (++depth == clauses.length) {
              clauses = Arrays.copyOf(clauses, depth * 2);
            }
            clauses[depth] = clauses[depth - 1];
          } else if (lexer.isOperator(i, ')') || lexer.isOperator(i, ']')) {
            if (--depth < 0) {
              return false;
            }
          } else if (lexer.isOperator(i, "::")) {
            i = skipTypeName(i + 1, count) - 1;
          }
        }
        case PgLexer.STRING, PgLexer.INTEGER, PgLexer.DECIMAL, PgLexer.SCIENTIFIC -> {
          if (takes(i, depth, count)) {
            if (values.size() == VALUES_MAX) {
              return false;
            }
            out.append(sql, copied, lexer.start(i));
            add(i);
            out.append('$').append(values.size());
            copied = lexer.end(i);
          }
        }
        default -> {}
      }
    }
    if (groupExpression || (distinct && orderExpression)) {
      return false;
    }
    out.append(sql, copied, lexer.end(count - 1));
    return true;
  }

  /** Follows the clauses that a word starts or ends. */
  private void word(int i, int depth) {
    if (lexer.isWord(i, "by") && i > 0) {
      clauses[depth] = lexer.isWord(i - 1, "group") ? GROUP : ORDER;
    } else if (lexer.isWord(i, "distinct")) {
      // IS DISTINCT FROM is harmless here: it only makes this check stricter.
      distinct = true;
    } else if (clauses[depth] != NONE && endsList(i)) {
      clauses[depth] = NONE;
    } else if (lexer.isWord(i, "select")) {
      clauses[depth] = NONE;
    }
  }

  private boolean endsList(int i) {
    return lexer.isWord(i, "limit")
        || lexer.isWord(i, "offset")
        || lexer.isWord(i, "fetch")
        || lexer.isWord(i, "for")
        || lexer.isWord(i, "having")
        || lexer.isWord(i, "window")
        || lexer.isWord(i, "union")
        || lexer.isWord(i, "intersect")
        || lexer.isWord(i, "except");
  }

  /** Whether a constant may become a parameter. */
  private boolean takes(int i, int depth, int count) {
    if (clauses[depth] != NONE) {
      boolean position =
          lexer.kind(i) == PgLexer.INTEGER
              && (lexer.isWord(i - 1, "by") || lexer.isOperator(i - 1, ','));
      if (!position || isExpressionAfter(i + 1, count)) {
        orderExpression |= clauses[depth] == ORDER;
        groupExpression |= clauses[depth] == GROUP;
      }
      return false;
    }
    int before = lexer.kind(i - 1);
    if (lexer.kind(i) == PgLexer.STRING) {
      if (before == PgLexer.QUOTED_NAME || lexer.isOperator(i - 1, ')')) {
        return false;
      }
      if (before == PgLexer.WORD) {
        String word = lexer.word(i - 1);
        // A word that is not reserved is a type; patterns stay for the planner to see.
        if (!PgTokenSource.isReserved(word)
            || word.equals("like")
            || word.equals("ilike")
            || word.equals("to")) {
          return false;
        }
      }
      if (before == PgLexer.OPERATOR && source(i - 1, '~')) {
        return false;
      }
      // EXTRACT('year' FROM x) and the like require a constant.
      return !(i + 1 < count && lexer.isWord(i + 1, "from") && lexer.isOperator(i - 1, '('));
    }
    String digits = lexer.source(i);
    // With a minus before them these are an integer and a bigint, but not without.
    return !digits.equals("2147483648")
        && !digits.equals("9223372036854775808")
        && digits.length() < 1000;
  }

  private boolean source(int token, char within) {
    return lexer.source(token).indexOf(within) >= 0;
  }

  private boolean isExpressionAfter(int i, int count) {
    if (i >= count || lexer.isOperator(i, ',') || lexer.isOperator(i, ')')) {
      return false;
    }
    return lexer.kind(i) != PgLexer.WORD;
  }

  private void add(int i) {
    if (values.size() == oids.length) {
      oids = Arrays.copyOf(oids, oids.length * 2);
    }
    int oid;
    String value;
    if (lexer.kind(i) == PgLexer.STRING) {
      oid = UNKNOWN;
      value = lexer.string(i);
    } else {
      value = lexer.source(i);
      oid = lexer.kind(i) == PgLexer.INTEGER ? integerType(value) : NUMERIC;
    }
    oids[values.size()] = oid;
    values.add(value);
  }

  private static int integerType(String digits) {
    if (digits.length() < 10) {
      return INT4;
    }
    try {
      long value = Long.parseLong(digits);
      return value <= Integer.MAX_VALUE ? INT4 : INT8;
    } catch (NumberFormatException e) {
      return NUMERIC;
    }
  }

  /** Skips the modifiers of a type, and the type or alias after AS. */
  private int skipType(int i, int count) {
    if (lexer.isWord(i, "as")) {
      return i + 1 < count && !lexer.isOperator(i + 1, '(') && !isShareable(i + 1)
          ? skipTypeName(i + 1, count) - 1
          : i;
    }
    if (i + 1 < count
        && lexer.isOperator(i + 1, '(')
        && TYPES_WITH_MODIFIERS.contains(lexer.word(i))) {
      return skipParentheses(i + 1, count) - 1;
    }
    return i;
  }

  /** The token after a type name with its modifiers and brackets. */
  private int skipTypeName(int from, int count) {
    int i = from;
    if (i < count && (lexer.kind(i) == PgLexer.WORD || lexer.kind(i) == PgLexer.QUOTED_NAME)) {
      i++;
    }
    while (i + 1 < count && lexer.isOperator(i, '.')) {
      i += 2;
    }
    while (i < count && (lexer.isWord(i, "precision") || lexer.isWord(i, "varying"))) {
      i++;
    }
    if (i < count && lexer.isOperator(i, '(')) {
      i = skipParentheses(i, count);
    }
    while (i + 1 < count && lexer.isOperator(i, '[')) {
      while (i < count && !lexer.isOperator(i, ']')) {
        i++;
      }
      i++;
    }
    return i;
  }

  private int skipParentheses(int open, int count) {
    int depth = 0;
    int i = open;
    while (i < count) {
      if (lexer.isOperator(i, '(')) {
        depth++;
      } else if (lexer.isOperator(i, ')') && --depth == 0) {
        return i + 1;
      }
      i++;
    }
    return i;
  }
}
