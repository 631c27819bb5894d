package io.gauss.compute.sql.algebra;

import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * Constructs with special syntax and evaluation for which Calcite has no operator, or only a
 * narrower one.
 */
public final class PgOperator extends SqlFunction {
  /** {@code x IN (a, b, ...)}: x first. */
  public static final PgOperator IN_LIST = new PgOperator("IN");

  public static final PgOperator COALESCE = new PgOperator("COALESCE");
  public static final PgOperator NULLIF = new PgOperator("NULLIF");

  public static final PgOperator GREATEST = new PgOperator("GREATEST");
  public static final PgOperator LEAST = new PgOperator("LEAST");

  /** {@code ARRAY[a, b, ...]}. */
  public static final PgOperator ARRAY = new PgOperator("ARRAY");

  /** Comparison of {@code x op ANY (array)}; null for the others. */
  private final String comparison;

  private final boolean any;

  private PgOperator(String name) {
    this(name, null, false);
  }

  private PgOperator(String name, String comparison, boolean any) {
    super(name, SqlKind.OTHER_FUNCTION, null, null, null, SqlFunctionCategory.SYSTEM);
    this.comparison = comparison;
    this.any = any;
  }

  /** {@code x op ANY (array)} and {@code x op ALL (array)}. */
  public static PgOperator quantified(String comparison, boolean any) {
    return new PgOperator(comparison + (any ? " ANY" : " ALL"), comparison, any);
  }

  public boolean isQuantified() {
    return comparison != null;
  }

  public String comparison() {
    return comparison;
  }

  public boolean isAny() {
    return any;
  }
}
