package io.gauss.compute.sql.bind.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.ResolvedCall;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Binds comparisons of values and rows. They become Calcite's operators over operands of the types
 * that PostgreSQL's overload resolution selects. When the expression is compiled, the overload is
 * found again by these types.
 */
public final class Comparisons {
  private final FunctionRegistry functions;
  private final Coercion coercion;

  public Comparisons(FunctionRegistry functions, Coercion coercion) {
    this.functions = functions;
    this.coercion = coercion;
  }

  private static SqlOperator operator(SqlKind kind) {
    return switch (kind) {
      case EQUALS -> SqlStdOperatorTable.EQUALS;
      case NOT_EQUALS -> SqlStdOperatorTable.NOT_EQUALS;
      case LESS_THAN -> SqlStdOperatorTable.LESS_THAN;
      case LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      case GREATER_THAN -> SqlStdOperatorTable.GREATER_THAN;
      case GREATER_THAN_OR_EQUAL -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      default -> throw new IllegalStateException("not a comparison: " + kind);
    };
  }

  public RexNode compare(SqlKind kind, RexNode left, RexNode right, int position) {
    SqlOperator operator = operator(kind);
    List<RexNode> operands = operands(operator.getName(), left, right, position);
    return PgRex.call(operator, PgType.BOOL, operands);
  }

  private List<RexNode> operands(String symbol, RexNode left, RexNode right, int position) {
    try {
      ResolvedCall call = functions.operator(symbol, PgRex.type(left), PgRex.type(right));
      PgType leftType = call.argumentTypes().get(0);
      PgType rightType = call.argumentTypes().get(1);
      return List.of(
          coercion.to(left, leftType.withTypmod(-1), CastContext.IMPLICIT, position),
          coercion.to(right, rightType.withTypmod(-1), CastContext.IMPLICIT, position));
    } catch (GaussException e) {
      throw Coercion.at(e, position);
    }
  }

  public RexNode distinct(boolean distinct, RexNode left, RexNode right, int position) {
    return PgRex.call(
        distinct ? SqlStdOperatorTable.IS_DISTINCT_FROM : SqlStdOperatorTable.IS_NOT_DISTINCT_FROM,
        PgType.BOOL,
        operands("=", left, right, position));
  }

  public RexNode inList(RexNode left, List<RexNode> items, int position) {
    List<RexNode> all = new ArrayList<>();
    all.add(left);
    all.addAll(items);
    PgType common;
    try {
      common = coercion.common("IN", all, position);
    } catch (GaussException e) {
      // Without a common type PostgreSQL compares one by one, and reports the missing operator.
      List<RexNode> any = new ArrayList<>();
      for (RexNode item : items) {
        any.add(compare(SqlKind.EQUALS, left, item, position));
      }
      return PgRex.or(any);
    }
    PgType bare = common.withTypmod(-1);
    RexNode value = coercion.to(left, bare, CastContext.IMPLICIT, position);
    List<RexNode> operands = new ArrayList<>();
    for (RexNode item : items) {
      RexNode typed = coercion.to(item, bare, CastContext.IMPLICIT, position);
      List<RexNode> pair = operands("=", value, typed, position);
      if (operands.isEmpty()) {
        operands.add(pair.get(0));
      }
      operands.add(pair.get(1));
    }
    if (items.size() == 1) {
      return PgRex.call(SqlStdOperatorTable.EQUALS, PgType.BOOL, operands);
    }
    return PgRex.call(PgOperator.IN_LIST, PgType.BOOL, operands);
  }

  /** Compares rows: equality column by column, order by the first column that differs. */
  public RexNode rows(SqlKind kind, List<RexNode> left, List<RexNode> right, int position) {
    if (left.size() != right.size()) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "unequal number of entries in row expressions")
          .position(position);
    }
    List<RexNode> parts = new ArrayList<>();
    switch (kind) {
      case EQUALS:
        for (int i = 0; i < left.size(); i++) {
          parts.add(compare(SqlKind.EQUALS, left.get(i), right.get(i), position));
        }
        return PgRex.and(parts);
      case NOT_EQUALS:
        for (int i = 0; i < left.size(); i++) {
          parts.add(compare(SqlKind.NOT_EQUALS, left.get(i), right.get(i), position));
        }
        return PgRex.or(parts);
      default:
        break;
    }
    SqlKind strict =
        kind == SqlKind.LESS_THAN || kind == SqlKind.LESS_THAN_OR_EQUAL
            ? SqlKind.LESS_THAN
            : SqlKind.GREATER_THAN;
    int last = left.size() - 1;
    RexNode result = compare(kind, left.get(last), right.get(last), position);
    for (int i = last - 1; i >= 0; i--) {
      RexNode less = compare(strict, left.get(i), right.get(i), position);
      RexNode equal = compare(SqlKind.EQUALS, left.get(i), right.get(i), position);
      result = PgRex.or(List.of(less, PgRex.and(List.of(equal, result))));
    }
    return result;
  }
}
