package io.gauss.compute.sql.parse;

import java.util.concurrent.ConcurrentHashMap;
import org.apache.calcite.sql.SqlInternalOperator;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlPrefixOperator;
import org.apache.calcite.sql.type.ReturnTypes;

/**
 * Operators that the parser uses in addition to {@code SqlStdOperatorTable}. They only carry a
 * name; the binder looks up their meaning by that name and the types of the operands.
 */
public final class PgOperators {
  /** {@code x COLLATE name}: operands expression and collation identifier. */
  public static final SqlOperator COLLATE = internal("COLLATE");

  /** {@code agg(args ORDER BY ...)}: operands call and order list. */
  public static final SqlOperator AGGREGATE_ORDER_BY = internal("AGGREGATE ORDER BY");

  /** {@code agg(args) WITHIN GROUP (ORDER BY ...)}: operands call and order list. */
  public static final SqlOperator WITHIN_GROUP = internal("WITHIN GROUP");

  /**
   * {@code ONLY t} in FROM, UPDATE and DELETE: one operand. The same as the table, as there is no
   * inheritance.
   */
  public static final SqlOperator ONLY = internal("ONLY");

  /**
   * The slice in the brackets of {@code a[1:2]}: two bounds, an empty node list for a missing one.
   * As an expression: the array, then the bounds.
   */
  public static final SqlOperator SLICE = internal("SLICE");

  /** {@code f(...) WITH ORDINALITY} in FROM: one operand. */
  public static final SqlOperator WITH_ORDINALITY = internal("WITH ORDINALITY");

  private static final ConcurrentHashMap<String, SqlOperator> BINARY = new ConcurrentHashMap<>();
  private static final ConcurrentHashMap<String, SqlOperator> PREFIX = new ConcurrentHashMap<>();

  /** Users can write any string of operator characters; names beyond this number are not cached. */
  private static final int CACHED_NAMES_MAX = 256;

  private static final String ANY_SUFFIX = " ANY";
  private static final String ALL_SUFFIX = " ALL";

  private PgOperators() {}

  /**
   * The operator for any name but those in Calcite's standard table ({@code + - * / = <> < <= >
   * >=}).
   */
  public static SqlOperator binary(String name) {
    return cached(BINARY, name, new SqlInternalOperator(name, SqlKind.OTHER, 38));
  }

  /** Prefix operators other than plus and minus: {@code ~ @ |/ ||/}. */
  public static SqlOperator prefix(String name) {
    return cached(
        PREFIX, name, new SqlPrefixOperator(name, SqlKind.OTHER, 38, ReturnTypes.ARG0, null, null));
  }

  /**
   * {@code x op ANY (array or query)} for operators other than comparisons: operands x and the
   * array or query.
   */
  public static SqlOperator quantified(String name, boolean all) {
    return new SqlInternalOperator(name + (all ? ALL_SUFFIX : ANY_SUFFIX), SqlKind.OTHER, 38);
  }

  private static SqlOperator cached(
      ConcurrentHashMap<String, SqlOperator> cache, String name, SqlOperator made) {
    if (cache.size() >= CACHED_NAMES_MAX) {
      return cache.getOrDefault(name, made);
    }
    SqlOperator before = cache.putIfAbsent(name, made);
    return before == null ? made : before;
  }

  private static SqlOperator internal(String name) {
    return new SqlInternalOperator(name, SqlKind.OTHER, 90);
  }
}
