package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.impl.GaussSqlParserConstants;
import io.gauss.compute.sql.parse.impl.GaussSqlParserTokenManager;
import io.gauss.compute.sql.parse.impl.Token;
import io.gauss.compute.type.Numerics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.Span;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * Called by the actions of the generated parser: decisions by lookahead and construction of nodes.
 * Stateless.
 */
public final class ParserSupport {
  private static final Map<String, String> TYPE_NAMES =
      Map.ofEntries(
          Map.entry("int", "int4"),
          Map.entry("integer", "int4"),
          Map.entry("smallint", "int2"),
          Map.entry("bigint", "int8"),
          Map.entry("real", "float4"),
          Map.entry("double precision", "float8"),
          Map.entry("decimal", "numeric"),
          Map.entry("dec", "numeric"),
          Map.entry("boolean", "bool"),
          Map.entry("char", "bpchar"),
          Map.entry("character", "bpchar"),
          Map.entry("nchar", "bpchar"),
          Map.entry("national char", "bpchar"),
          Map.entry("national character", "bpchar"),
          Map.entry("char varying", "varchar"),
          Map.entry("character varying", "varchar"),
          Map.entry("nchar varying", "varchar"),
          Map.entry("national char varying", "varchar"),
          Map.entry("national character varying", "varchar"),
          Map.entry("bit varying", "varbit"),
          Map.entry("time with", "timetz"),
          Map.entry("time without", "time"),
          Map.entry("timestamp with", "timestamptz"),
          Map.entry("timestamp without", "timestamp"));
  private static final Set<String> INTERVAL_FIELDS =
      Set.of("year", "month", "day", "hour", "minute", "second");

  private ParserSupport() {}

  // ------------------------------------------------------------------------------------------------------- lookahead

  public static boolean is(Token token, int kind) {
    return token.kind == kind;
  }

  public static boolean word(Token token, String word) {
    return token.kind == GaussSqlParserConstants.IDENTIFIER && token.image.equals(word);
  }

  public static boolean word(Token token, String... words) {
    if (token.kind == GaussSqlParserConstants.IDENTIFIER) {
      for (String word : words) {
        if (token.image.equals(word)) {
          return true;
        }
      }
    }
    return false;
  }

  public static boolean isName(Token token) {
    return token.kind == GaussSqlParserConstants.IDENTIFIER
        || token.kind == GaussSqlParserConstants.QUOTED_IDENTIFIER;
  }

  /** PostgreSQL allows a SELECT of no columns. */
  public static boolean endsSelectList(Token token) {
    return switch (token.kind) {
      case GaussSqlParserConstants.EOF,
          GaussSqlParserConstants.RPAREN,
          GaussSqlParserConstants.FROM,
          GaussSqlParserConstants.WHERE,
          GaussSqlParserConstants.GROUP,
          GaussSqlParserConstants.HAVING,
          GaussSqlParserConstants.WINDOW,
          GaussSqlParserConstants.UNION,
          GaussSqlParserConstants.INTERSECT,
          GaussSqlParserConstants.EXCEPT,
          GaussSqlParserConstants.ORDER,
          GaussSqlParserConstants.LIMIT,
          GaussSqlParserConstants.OFFSET,
          GaussSqlParserConstants.FETCH,
          GaussSqlParserConstants.FOR,
          GaussSqlParserConstants.INTO ->
          true;
      default -> false;
    };
  }

  public static boolean startsJoin(Token token) {
    return switch (token.kind) {
      case GaussSqlParserConstants.CROSS,
          GaussSqlParserConstants.NATURAL,
          GaussSqlParserConstants.INNER,
          GaussSqlParserConstants.LEFT,
          GaussSqlParserConstants.RIGHT,
          GaussSqlParserConstants.FULL,
          GaussSqlParserConstants.JOIN ->
          true;
      default -> false;
    };
  }

  public static boolean startsAlias(Token token) {
    return token.kind == GaussSqlParserConstants.AS || isName(token);
  }

  /** The columns of a function's rows, without an alias. */
  public static boolean startsDefinitions(Token token, Token next) {
    return token.kind == GaussSqlParserConstants.AS
        && (next.kind == GaussSqlParserConstants.LPAREN
            || next.kind == GaussSqlParserConstants.PG_LPAREN_QUERY);
  }

  /**
   * The name of the function in FROM whose columns are defined: its alias when none is written.
   *
   * @param open of the parenthesis that begins the definitions
   * @throws GaussException 42601 when it is no function
   */
  public static SqlIdentifier functionName(SqlNode from, SqlParserPos open) {
    SqlNode call = from;
    while (call.getKind() == SqlKind.LATERAL
        || call.getKind() == SqlKind.COLLECTION_TABLE
        || (call instanceof SqlCall outer && outer.getOperator() == PgOperators.WITH_ORDINALITY)) {
      call = ((SqlCall) call).operand(0);
    }
    if (call == from || !(call instanceof SqlCall function)) {
      throw syntax("syntax error at or near \"(\"", open);
    }
    SqlIdentifier name = ((SqlFunction) function.getOperator()).getNameAsId();
    return new SqlIdentifier(name.names.getLast(), name.getParserPosition());
  }

  public static boolean startsPredicate(Token token) {
    return switch (token.kind) {
      case GaussSqlParserConstants.PG_NOT_LA,
          GaussSqlParserConstants.LIKE,
          GaussSqlParserConstants.ILIKE,
          GaussSqlParserConstants.SIMILAR,
          GaussSqlParserConstants.PG_BETWEEN,
          GaussSqlParserConstants.IN,
          GaussSqlParserConstants.OVERLAPS ->
          true;
      default -> false;
    };
  }

  public static boolean variadic(Token token) {
    return token.kind == GaussSqlParserConstants.PG_RESERVED && token.image.equals("variadic");
  }

  public static boolean startsIntervalFields(Token token) {
    return token.kind == GaussSqlParserConstants.IDENTIFIER
        && INTERVAL_FIELDS.contains(token.image);
  }

  public static boolean takesPrecision(String name) {
    return name.startsWith("current_time") || name.startsWith("local");
  }

  /**
   * {@code SUBSTRING(x SIMILAR p ESCAPE e)}: whether SIMILAR comes before the parenthesis closes.
   */
  public static boolean substringSimilar(GaussSqlParserTokenManager source, Token first) {
    PgTokenSource tokens = (PgTokenSource) source;
    int depth = 0;
    for (int i = tokens.indexOf(first);
        tokens.isKind(i, PgLexer.OPERATOR) || !tokens.isKind(i, PgLexer.END);
        i++) {
      if (tokens.isSymbol(i, '(')) {
        depth++;
      } else if (tokens.isSymbol(i, ')') && --depth < 0) {
        return false;
      } else if (depth == 0 && tokens.isWord(i, "similar")) {
        return !tokens.isWord(i + 1, "to");
      } else if (tokens.lexer().kind(i) == PgLexer.END) {
        return false;
      }
    }
    return false;
  }

  /**
   * Whether a type name and a string constant are next: {@code DATE '...'}, {@code timestamp (3)
   * with time zone '...'}.
   */
  public static boolean startsTypedLiteral(GaussSqlParserTokenManager source, Token first) {
    if (!isName(first)) {
      return false;
    }
    PgTokenSource tokens = (PgTokenSource) source;
    int i = tokens.indexOf(first);
    while (tokens.isSymbol(i + 1, '.')
        && (tokens.isKind(i + 2, PgLexer.WORD) || tokens.isKind(i + 2, PgLexer.QUOTED_NAME))) {
      i += 2;
    }
    if (first.kind == GaussSqlParserConstants.IDENTIFIER) {
      if (tokens.isWord(i, "national")) {
        i++;
      }
      if (tokens.isWord(i + 1, "precision") || tokens.isWord(i + 1, "varying")) {
        i++;
      }
    }
    i++;
    if (tokens.isSymbol(i, '(') && tokens.isKind(i + 1, PgLexer.INTEGER)) {
      i += 2;
      while (tokens.isSymbol(i, ',') && tokens.isKind(i + 1, PgLexer.INTEGER)) {
        i += 2;
      }
      if (!tokens.isSymbol(i, ')')) {
        return false;
      }
      i++;
    }
    if ((tokens.isWord(i, "with") || tokens.isWord(i, "without"))
        && tokens.isWord(i + 1, "time")
        && tokens.isWord(i + 2, "zone")) {
      i += 3;
    }
    return tokens.isKind(i, PgLexer.STRING);
  }

  /**
   * Whether the word belongs to the type's name: {@code double precision}, {@code character
   * varying}.
   */
  public static boolean continuesType(List<String> words, Token next) {
    String last = words.get(words.size() - 1);
    if (word(next, "precision")) {
      return words.size() == 1 && last.equals("double");
    }
    if (word(next, "varying")) {
      return last.equals("char")
          || last.equals("character")
          || last.equals("nchar")
          || last.equals("bit");
    }
    return words.size() == 1 && last.equals("national") && word(next, "char", "character");
  }

  public static boolean startsTimeZone(List<String> words, Token first, Token second) {
    if (!words.get(0).equals("time") && !words.get(0).equals("timestamp")) {
      return false;
    }
    return first.kind == GaussSqlParserConstants.PG_WITH_LA
        || (word(first, "without") && word(second, "time"));
  }

  public static void enter(GaussSqlParserTokenManager source, Token first) {
    ((PgTokenSource) source).enter(first);
  }

  /** A SELECT begins: only the first of a statement may have INTO. */
  public static void sawSelect(GaussSqlParserTokenManager source) {
    ((PgTokenSource) source).sawSelect();
  }

  /** TEMP or TEMPORARY of SELECT INTO, not a table of that name. */
  public static boolean intoTemporary(Token first, Token second) {
    return word(first, "temp", "temporary")
        && (isName(second) || is(second, GaussSqlParserConstants.TABLE));
  }

  public static boolean intoUnlogged(Token first, Token second) {
    return word(first, "unlogged") && (isName(second) || is(second, GaussSqlParserConstants.TABLE));
  }

  /** The table that a SELECT INTO makes. */
  public static void into(
      GaussSqlParserTokenManager source,
      Token start,
      SqlIdentifier table,
      boolean temporary,
      boolean unlogged) {
    PgTokenSource tokens = (PgTokenSource) source;
    if (!tokens.isFirstSelect()) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "SELECT ... INTO is not allowed here")
          .position(table.getParserPosition().getColumnNum());
    }
    if (unlogged) {
      throw notSupported("an unlogged table", table.getParserPosition());
    }
    if (table.names.size() > 2) {
      throw notSupported("a reference to another database", table.getParserPosition());
    }
    tokens.into(
        new PgTokenSource.Into(
            new PgStatement.Name(
                table.names.size() > 1 ? table.names.getFirst() : null,
                table.names.getLast(),
                table.getParserPosition().getColumnNum()),
            temporary));
  }

  /** An element or a slice of an array. */
  public static SqlNode subscripted(SqlParserPos pos, SqlNode array, SqlNode subscript) {
    return subscript instanceof SqlCall slice && slice.getOperator() == PgOperators.SLICE
        ? PgOperators.SLICE.createCall(pos, array, slice.operand(0), slice.operand(1))
        : SqlStdOperatorTable.ITEM.createCall(pos, array, subscript);
  }

  /** The subscripts of an assignment's target with one more: itself, or a list of several. */
  public static SqlNode subscripts(SqlNode before, SqlNode next, SqlParserPos pos) {
    if (before == null) {
      return next;
    }
    SqlNodeList all = before instanceof SqlNodeList list ? list : SqlNodeList.of(before);
    SqlNodeList longer = new SqlNodeList(all, pos);
    longer.add(next);
    return longer;
  }

  public static void leave(GaussSqlParserTokenManager source) {
    ((PgTokenSource) source).leave();
  }

  // ---------------------------------------------------------------------------------------------------------- errors

  /** Fails as the grammar would when a token is not the required word. */
  public static void check(
      GaussSqlParserTokenManager source, Token token, String first, String second) {
    if (!token.image.equals(first) && !token.image.equals(second)) {
      PgTokenSource tokens = (PgTokenSource) source;
      throw tokens.lexer().syntaxError(tokens.indexOf(token));
    }
  }

  public static GaussException unexpected(GaussSqlParserTokenManager source, Token token) {
    PgTokenSource tokens = (PgTokenSource) source;
    return tokens.lexer().syntaxError(tokens.indexOf(token));
  }

  public static GaussException limitWithComma(SqlParserPos limit) {
    return syntax("LIMIT #,# syntax is not supported", limit)
        .hint("Use separate LIMIT and OFFSET clauses.");
  }

  public static GaussException notSupported(String what, SqlParserPos pos) {
    return GaussException.notSupported(what).position(pos.getColumnNum());
  }

  static GaussException syntax(String message, SqlParserPos pos) {
    return new GaussException(SqlState.SYNTAX_ERROR, message).position(pos.getColumnNum());
  }

  static GaussException duplicateClause(SqlParserPos pos, String clause) {
    return syntax("multiple " + clause + " clauses not allowed", pos);
  }

  public static GaussException subqueryWithoutAlias(SqlNode query, SqlParserPos open) {
    boolean values = query.getKind() == SqlKind.VALUES;
    return syntax((values ? "VALUES" : "subquery") + " in FROM must have an alias", open)
        .hint("For example, FROM (" + (values ? "VALUES" : "SELECT") + " ...) [AS] foo.");
  }

  public static GaussException conflictTargetMissing(SqlParserPos pos) {
    return syntax("ON CONFLICT DO UPDATE requires inference specification or constraint name", pos)
        .hint("For example, ON CONFLICT (column_name).");
  }

  public static String lockTarget(SqlIdentifier name) {
    if (!name.isSimple()) {
      throw syntax("FOR UPDATE must specify unqualified relation names", name.getParserPosition());
    }
    return name.getSimple();
  }

  // ----------------------------------------------------------------------------------------------------------- nodes

  public static SqlNode withClause(SqlNodeList with, SqlNode body) {
    if (with == null) {
      return body;
    }
    if (body instanceof SqlWith) {
      throw syntax("multiple WITH clauses not allowed", with.getParserPosition());
    }
    return new SqlWith(Span.of(with).end(body), with, body);
  }

  /**
   * Puts ORDER BY, LIMIT and locking around a query. A query in parentheses that lacks the clause
   * gets it, as in PostgreSQL: {@code (SELECT ... LIMIT 5) ORDER BY x} sorts before it limits.
   */
  public static SqlNode tail(
      SqlNode query,
      SqlNodeList order,
      SqlNode offset,
      SqlParserPos offsetPos,
      SqlNode limit,
      SqlParserPos limitPos,
      List<PgLocking.Clause> locking) {
    if (order == null && offset == null && limitPos == null && locking.isEmpty()) {
      return query;
    }
    if (query instanceof SqlWith with) {
      return new SqlWith(
          with.getParserPosition(),
          with.withList,
          tail(with.body, order, offset, offsetPos, limit, limitPos, locking));
    }
    SqlNode body = query;
    List<PgLocking.Clause> clauses = locking;
    if (body instanceof PgLocking inner) {
      clauses = new ArrayList<>(inner.clauses());
      clauses.addAll(locking);
      body = inner.query();
    }
    SqlNodeList orderList = order == null ? SqlNodeList.EMPTY : order;
    SqlNode start = offset;
    SqlNode count = limit;
    if (body instanceof SqlOrderBy inner) {
      if (order != null && !inner.orderList.isEmpty()) {
        throw duplicateClause(order.getParserPosition(), "ORDER BY");
      }
      if (offset != null && inner.offset != null) {
        throw duplicateClause(offsetPos, "OFFSET");
      }
      if (limit != null && inner.fetch != null) {
        throw duplicateClause(limitPos, "LIMIT");
      }
      orderList = order == null ? inner.orderList : order;
      start = offset == null ? inner.offset : offset;
      count = limit == null ? inner.fetch : limit;
      body = inner.query;
    }
    if (!orderList.isEmpty() || start != null || count != null) {
      body = new SqlOrderBy(body.getParserPosition(), body, orderList, start, count);
    }
    return clauses.isEmpty() ? body : new PgLocking(body.getParserPosition(), body, clauses);
  }

  public static SqlNode select(
      SqlParserPos pos,
      List<SqlLiteral> keywords,
      SqlNodeList distinctOn,
      List<SqlNode> items,
      SqlNode from,
      SqlNode where,
      SqlNodeList groupBy,
      SqlNode having,
      SqlNodeList windows) {
    SqlNodeList keywordList = new SqlNodeList(keywords, pos);
    SqlNodeList itemList = new SqlNodeList(items, pos);
    if (distinctOn != null) {
      return new PgSelect(
          pos, keywordList, distinctOn, itemList, from, where, groupBy, having, windows);
    }
    return new SqlSelect(
        pos,
        keywordList,
        itemList,
        from,
        where,
        groupBy,
        having,
        windows,
        null,
        null,
        null,
        null,
        null);
  }

  public static SqlNode join(
      SqlNode left,
      boolean natural,
      JoinType type,
      SqlNode right,
      JoinConditionType kind,
      SqlNode condition) {
    SqlParserPos pos = Span.of(left).end(right);
    return new SqlJoin(
        pos,
        left,
        SqlLiteral.createBoolean(natural, pos),
        type.symbol(pos),
        right,
        kind.symbol(pos),
        condition);
  }

  /**
   * A balanced tree, so that the depth of a long chain of AND or OR stays small; the order of the
   * operands stays.
   */
  public static SqlNode balanced(SqlOperator operator, List<SqlNode> operands) {
    int count = operands.size();
    if (count == 1) {
      return operands.get(0);
    }
    SqlNode left = balanced(operator, operands.subList(0, count / 2));
    SqlNode right = balanced(operator, operands.subList(count / 2, count));
    return operator.createCall(Span.of(left).end(right), left, right);
  }

  public static SqlOperator comparison(SqlKind kind) {
    return switch (kind) {
      case EQUALS -> SqlStdOperatorTable.EQUALS;
      case NOT_EQUALS -> SqlStdOperatorTable.NOT_EQUALS;
      case LESS_THAN -> SqlStdOperatorTable.LESS_THAN;
      case LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      case GREATER_THAN -> SqlStdOperatorTable.GREATER_THAN;
      case GREATER_THAN_OR_EQUAL -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      default -> throw new IllegalStateException(kind + " is no comparison");
    };
  }

  public static SqlNode postfix(SqlOperator operator, SqlNode operand, SqlParserPos pos) {
    return operator.createCall(Span.of(operand).add(pos).pos(), operand);
  }

  public static SqlNode overlaps(SqlNode left, SqlNode right, SqlParserPos pos) {
    List<SqlNode> operands = new ArrayList<>();
    for (SqlNode side : List.of(left, right)) {
      if (side.getKind() != SqlKind.ROW || ((SqlCall) side).operandCount() != 2) {
        throw syntax(
            "wrong number of parameters on "
                + (side == left ? "left" : "right")
                + " side of OVERLAPS expression",
            pos);
      }
      operands.addAll(((SqlCall) side).getOperandList());
    }
    return function("overlaps", pos, operands);
  }

  /**
   * A minus sign before a number makes a negative constant, as in PostgreSQL; so the smallest
   * bigint can be written.
   */
  public static SqlNode negate(SqlNode operand, SqlParserPos pos) {
    if (operand instanceof SqlNumericLiteral number) {
      return SqlLiteral.createNegative(number, Span.of(pos).end(operand));
    }
    return SqlStdOperatorTable.UNARY_MINUS.createCall(pos, operand);
  }

  /**
   * A constant of digits and at most one point.
   *
   * @throws GaussException 22003 when it is longer than any numeric; nothing is converted then,
   *     since the conversion takes quadratic time
   */
  public static SqlNode exact(String image, SqlParserPos pos) {
    checkDigits(image, pos);
    return SqlLiteral.createExactNumeric(image, pos);
  }

  private static void checkDigits(String image, SqlParserPos pos) {
    int leading = 0;
    while (leading < image.length()
        && (image.charAt(leading) == '0' || image.charAt(leading) == '.')) {
      leading++;
    }
    if (image.length() - leading > Numerics.MAX_WHOLE_DIGITS + Numerics.MAX_SCALE + 1) {
      throw overflow(pos);
    }
  }

  private static GaussException overflow(SqlParserPos pos) {
    return new GaussException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
        .position(pos.getColumnNum());
  }

  /** {@code 1e5} is numeric in PostgreSQL; digits and scale are those of the value written out. */
  public static SqlNode scientific(String image, SqlParserPos pos) {
    checkDigits(image, pos);
    java.math.BigDecimal value;
    try {
      value = new java.math.BigDecimal(image);
      // Refuse numbers that would write out as megabytes of zeros; numeric's range ends long
      // before.
      if (Math.abs((long) value.scale()) > 20_000) {
        throw new NumberFormatException(image);
      }
    } catch (NumberFormatException e) {
      throw overflow(pos);
    }
    // A point makes it numeric even when no fraction is left: 1e3 is numeric, not integer.
    String plain = value.toPlainString();
    return SqlLiteral.createApproxNumeric(plain.indexOf('.') < 0 ? plain + "." : plain, pos);
  }

  public static SqlNode parameter(
      GaussSqlParserTokenManager source, Token token, SqlParserPos pos) {
    PgTokenSource tokens = (PgTokenSource) source;
    int number = tokens.lexer().parameter(tokens.indexOf(token));
    if (number < 1 || number > 65_535) {
      throw new GaussException(SqlState.UNDEFINED_PARAMETER, "there is no parameter " + token.image)
          .position(pos.getColumnNum());
    }
    tokens.sawParameter(number);
    return new SqlDynamicParam(number - 1, pos);
  }

  public static int modifier(String image, boolean negative, SqlParserPos pos) {
    try {
      int value = Integer.parseInt(image);
      return negative ? -value : value;
    } catch (NumberFormatException e) {
      throw syntax("syntax error at or near \"" + image + "\"", pos);
    }
  }

  public static SqlNode cast(SqlNode operand, TypeName type, SqlParserPos pos) {
    return SqlStdOperatorTable.CAST.createCall(
        pos, operand, new SqlDataTypeSpec(new PgTypeSpec(type, pos), pos));
  }

  public static SqlNode function(String name, SqlParserPos pos, SqlNode... operands) {
    return function(name, pos, List.of(operands));
  }

  public static SqlNode function(String name, SqlParserPos pos, List<SqlNode> operands) {
    SqlUnresolvedFunction function =
        new SqlUnresolvedFunction(
            new SqlIdentifier(name, pos),
            null,
            null,
            null,
            null,
            SqlFunctionCategory.USER_DEFINED_FUNCTION);
    return function.createCall(null, pos, operands.toArray(new SqlNode[0]));
  }

  /**
   * Converts a type to the catalog's spelling.
   *
   * @param verbatim the name was quoted or qualified: words of the standard have no special meaning
   */
  public static TypeName type(
      String schema,
      List<String> words,
      boolean verbatim,
      List<Integer> modifiers,
      int dimensions,
      String fields,
      SqlParserPos pos) {
    String written = String.join(" ", words);
    String name = verbatim ? written : TYPE_NAMES.getOrDefault(written, written);
    List<Integer> numbers = modifiers;
    if (!verbatim && written.equals("float")) {
      name = "float8";
      if (!modifiers.isEmpty()) {
        name = floatOf(modifiers.get(0), pos);
        numbers = List.of();
      }
    } else if (!verbatim
        && name.equals("bpchar")
        && modifiers.isEmpty()
        && !written.equals("bpchar")) {
      numbers = List.of(1);
    } else if (!verbatim && name.equals("bit") && modifiers.isEmpty()) {
      numbers = List.of(1);
    }
    return new TypeName(schema, name, numbers, dimensions, fields, pos.getColumnNum());
  }

  private static String floatOf(int bits, SqlParserPos pos) {
    if (bits < 1 || bits > 53) {
      throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              String.format(
                  Locale.ROOT,
                  "precision for type float must be %s bit%s",
                  bits < 1 ? "at least 1" : "less than 54",
                  bits < 1 ? "" : "s"))
          .position(pos.getColumnNum());
    }
    return bits <= 24 ? "float4" : "float8";
  }
}
