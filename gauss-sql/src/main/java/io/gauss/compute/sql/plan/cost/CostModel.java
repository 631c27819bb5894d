package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/**
 * Costs and selectivities. The unit is PostgreSQL's: a page read in sequence costs 1; a page that
 * is probably in the buffer pool, as most index pages are, costs less.
 */
public final class CostModel {
  public static final double ROW = 0.01;
  public static final double OPERATOR = 0.0025;

  /** Walk from the root to a leaf. */
  static final double DESCENT = 0.5;

  /** Look-up of a row in the clustered tree for an index entry. */
  static final double ROW_LOOKUP = 0.6;

  /** Default selectivity of a condition about which nothing is known. */
  static final double UNKNOWN = 1.0 / 3;

  private static final double EQUALITY_WITHOUT_STATISTICS = 0.005;
  private static final double RANGE = 1.0 / 3;

  /** Both ends given: queries usually ask for a short interval. */
  static final double INTERVAL = 0.005;

  private static final double LIKE = 0.05;

  private final TableEstimates estimates;

  public CostModel(TableEstimates estimates) {
    this.estimates = estimates;
  }

  double rows(TableDef table) {
    return Math.max(1, estimates.rows(table));
  }

  /** Leaf pages, in proportion when the table has grown since it was analyzed. */
  double pages(TableDef table) {
    TableStatistics statistics = table.statistics();
    double perPage = Math.max(1, statistics.rows() / Math.max(1, statistics.pages()));
    return Math.max(1, rows(table) / perPage);
  }

  /** Number of different values of a column or an expression; NaN when nothing is known. */
  private double distinct(TableDef table, int column, KeyExpression expression) {
    TableStatistics.ColumnStatistics values = table.statistics().of(column, expression);
    if (values == null || values.distinct() == 0) {
      return Double.NaN;
    }
    double distinct = values.distinct();
    return distinct < 0 ? Math.max(1, -distinct * rows(table)) : distinct;
  }

  /** Fraction of rows with one value of a column. */
  private double equality(TableDef table, int column) {
    if (table.primaryKey().length == 1 && table.primaryKey()[0] == column) {
      return 1 / rows(table);
    }
    for (TableDef.IndexDef index : table.indexes()) {
      if (index.isUniqueAtCommit()
          && !index.isPartial()
          && index.columns().length == 1
          && index.columns()[0] == column) {
        return 1 / rows(table);
      }
    }
    double distinct = distinct(table, column, null);
    if (!Double.isNaN(distinct)) {
      return 1 / Math.max(1, distinct);
    }
    double inKey = keyColumnSelectivity(table, column);
    return Double.isNaN(inKey) ? EQUALITY_WITHOUT_STATISTICS : inKey;
  }

  /** The same of a key that is an expression. */
  private double equality(TableDef table, KeyExpression expression) {
    for (TableDef.IndexDef index : table.indexes()) {
      if (index.unique()
          && !index.isPartial()
          && index.columns().length == 1
          && expression.equals(index.expression(0))) {
        return 1 / rows(table);
      }
    }
    double distinct = distinct(table, -1, expression);
    return Double.isNaN(distinct) ? EQUALITY_WITHOUT_STATISTICS : 1 / Math.max(1, distinct);
  }

  /** Fraction of rows with one value of a column or an expression. */
  public double equality(TableDef table, KeyColumns keys, int number) {
    KeyExpression expression = keys.expression(number);
    return expression == null ? equality(table, number) : equality(table, expression);
  }

  private double equality(TableDef table, Sarg sarg) {
    return sarg.expression() == null
        ? equality(table, sarg.column())
        : equality(table, sarg.expression());
  }

  /**
   * Without statistics: the first k of a key's n columns are assumed to leave rows^(1 - (k/n)^2)
   * rows, since leading columns are usually the coarse ones (warehouse, district, order, line).
   */
  private double keyColumnSelectivity(TableDef table, int column) {
    int[] key = table.primaryKey();
    for (int i = 0; i < key.length; i++) {
      if (key[i] == column) {
        return Math.pow(rows(table), -(2.0 * i + 1) / (key.length * key.length));
      }
    }
    return Double.NaN;
  }

  double selectivity(TableDef table, Sarg sarg) {
    return switch (sarg.kind()) {
      case EQUAL -> equality(table, sarg);
      case IN -> Math.min(1, sarg.values().size() * equality(table, sarg));
      case IS_NULL -> nullFraction(table, sarg);
      case PREFIX -> prefix(sarg);
      default -> RANGE;
    };
  }

  /** Each character of a prefix leaves a quarter of the rows. */
  private static double prefix(Sarg sarg) {
    int length =
        io.gauss.compute.sql.algebra.PgConstant.of(sarg.values().getFirst()).text().length();
    return Math.max(0.002, Math.pow(0.25, length));
  }

  private static double nullFraction(TableDef table, Sarg sarg) {
    if (sarg.isNeverNull(table)) {
      return 0;
    }
    TableStatistics.ColumnStatistics values =
        table.statistics().of(sarg.column(), sarg.expression());
    return values == null ? 0.01 : values.nullFraction();
  }

  /** Selectivity of a condition of which only the form is known. */
  public static double selectivity(RexNode condition) {
    if (!(condition instanceof RexCall call)) {
      return condition instanceof RexInputRef ? 0.5 : UNKNOWN;
    }
    return switch (call.getKind()) {
      case EQUALS -> EQUALITY_WITHOUT_STATISTICS;
      case NOT_EQUALS -> 1 - EQUALITY_WITHOUT_STATISTICS;
      case IS_NOT_NULL -> 0.99;
      case IS_NULL -> 0.01;
      case AND -> product(call.operands);
      case OR -> {
        double none = 1;
        for (RexNode operand : call.operands) {
          none *= 1 - selectivity(operand);
        }
        yield 1 - none;
      }
      case NOT -> 1 - selectivity(call.operands.getFirst());
      default ->
          call.op instanceof PgFunction function && function.function().name().equals("~~")
              ? LIKE
              : call.getKind() == SqlKind.CASE ? 0.5 : UNKNOWN;
    };
  }

  private static double product(List<RexNode> conditions) {
    double result = 1;
    for (RexNode condition : conditions) {
      result *= selectivity(condition);
    }
    return result;
  }

  public static double sort(double rows) {
    double n = Math.max(2, rows);
    return n * Math.log(n) / Math.log(2) * OPERATOR * 2;
  }

  static int width(PgType type) {
    if (type.typlen() > 0) {
      return type.typlen();
    }
    return type.isString() && type.length() > 0
        ? Math.min(type.length() + 4, 32 + type.length() / 2)
        : 32;
  }

  public static int width(PgType[] types) {
    int width = 0;
    for (PgType type : types) {
      width += width(type);
    }
    return width;
  }
}
