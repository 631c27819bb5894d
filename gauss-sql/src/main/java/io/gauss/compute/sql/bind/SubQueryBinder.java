package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.PgAggregate;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgSubQuery;
import io.gauss.compute.sql.bind.type.Comparisons;
import io.gauss.compute.sql.parse.PgLocking;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.util.ImmutableBitSet;

/** Binds sub-queries in expressions to {@link PgSubQuery} calls. One statement, one thread. */
final class SubQueryBinder {
  private final ExprBinder expressions;
  private final QueryBinder queries;
  private final Comparisons comparisons;

  SubQueryBinder(ExprBinder expressions, QueryBinder queries, Comparisons comparisons) {
    this.expressions = expressions;
    this.queries = queries;
    this.comparisons = comparisons;
  }

  private PgSubQuery subQuery(
      PgSubQuery.Kind kind, BoundQuery query, PgSubQuery.Comparison comparison, ExprContext in) {
    return new PgSubQuery(kind, query.rel(), comparison, in.scope().correlation());
  }

  RexNode exists(SqlNode query, ExprContext in) {
    BoundQuery bound = queries.subQuery(query, in.scope());
    return PgRex.call(subQuery(PgSubQuery.Kind.EXISTS, bound, null, in), PgType.BOOL, List.of());
  }

  RexNode scalar(SqlNode query, ExprContext in) {
    BoundQuery bound = queries.subQuery(query, in.scope());
    if (bound.columns().size() != 1) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "subquery must return only one column")
          .position(ExprBinder.position(query));
    }
    PgType type = bound.columns().getFirst().type();
    return PgRex.call(subQuery(PgSubQuery.Kind.SCALAR, bound, null, in), type, List.of());
  }

  /**
   * The columns of a query of at most one row as scalar sub-queries, NULL without a row.
   *
   * @param count required number of columns
   */
  List<RexNode> scalars(SqlNode query, int count, ExprContext in) {
    BoundQuery bound = queries.subQuery(query, in.scope());
    if (bound.columns().size() != count) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "number of columns does not match number of values")
          .position(ExprBinder.position(query));
    }
    List<RexNode> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      BoundQuery.Output output = bound.columns().get(i);
      RelNode column =
          LogicalProject.create(
              bound.rel(),
              List.of(),
              List.of(PgRex.input(i, bound.rel().getRowType())),
              List.of(output.name()));
      BoundQuery one = new BoundQuery(column, List.of(output));
      values.add(
          PgRex.call(subQuery(PgSubQuery.Kind.SCALAR, one, null, in), output.type(), List.of()));
    }
    return values;
  }

  /** {@code ARRAY(query)}: array_agg over the query's rows in their order, empty without a row. */
  RexNode array(SqlNode query, ExprContext in) {
    int position = ExprBinder.position(query);
    BoundQuery bound = queries.subQuery(query, in.scope());
    if (bound.columns().size() != 1) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "subquery must return only one column")
          .position(position);
    }
    PgType element = bound.columns().getFirst().type().withTypmod(-1);
    PgType array = element.array();
    if (array == null) {
      throw GaussException.notSupported("an array of type " + element.displayName())
          .position(position);
    }
    PgAggregate function =
        new PgAggregate(queries.context.functions.aggregate("array_agg", List.of(element)));
    RelNode collected =
        LogicalAggregate.create(
            bound.rel(),
            List.of(),
            ImmutableBitSet.of(),
            null,
            List.of(
                AggregateCall.create(
                    function,
                    false,
                    false,
                    List.of(0),
                    -1,
                    RelCollations.EMPTY,
                    PgRex.rel(array),
                    "array")));
    BoundQuery one =
        new BoundQuery(collected, List.of(new BoundQuery.Output("array", array, 0, 0)));
    RexNode value = PgRex.call(subQuery(PgSubQuery.Kind.SCALAR, one, null, in), array, List.of());
    RexNode empty = emptyArray(array);
    return PgRex.call(PgOperator.COALESCE, array, List.of(value, empty));
  }

  /** {@code '{}'} of an array type. */
  static RexNode emptyArray(PgType array) {
    Value value = new Value();
    new ArrayBuilder(array.element()).finish(value);
    return PgConstant.of(array, value);
  }

  RexNode in(SqlNode left, SqlNode query, ExprContext in, int position) {
    return compared(PgSubQuery.Kind.ANY, SqlKind.EQUALS, left, query, in, position);
  }

  /** {@code x op ANY (query)}, {@code x op ALL (query)}. */
  RexNode quantified(SqlCall call, ExprContext in) {
    SqlQuantifyOperator operator = (SqlQuantifyOperator) call.getOperator();
    SqlNode right = call.operand(1);
    int position = ExprBinder.position(call);
    if (!isQuery(right)) {
      return array(
          operator, expressions.bind(call.operand(0), in), expressions.bind(right, in), position);
    }
    PgSubQuery.Kind kind =
        operator.getKind() == SqlKind.ALL ? PgSubQuery.Kind.ALL : PgSubQuery.Kind.ANY;
    return compared(kind, operator.comparisonKind, call.operand(0), right, in, position);
  }

  private RexNode array(SqlQuantifyOperator operator, RexNode value, RexNode array, int position) {
    boolean any = operator.getKind() != SqlKind.ALL;
    String symbol =
        switch (operator.comparisonKind) {
          case EQUALS -> "=";
          case NOT_EQUALS -> "<>";
          case LESS_THAN -> "<";
          case LESS_THAN_OR_EQUAL -> "<=";
          case GREATER_THAN -> ">";
          default -> ">=";
        };
    PgType element = PgRex.type(array).element();
    element = element == null ? null : element.baseType();
    RexNode typedArray = array;
    if (PgRex.type(array).isUnknown()) {
      element = PgRex.type(value).isUnknown() ? PgType.TEXT : PgRex.type(value).withTypmod(-1);
      if (element.array() == null) {
        throw GaussException.notSupported("an array of type " + element.displayName())
            .position(position);
      }
      typedArray = expressions.implicit(array, element.array(), position);
    } else if (element == null) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE, "op ANY/ALL (array) requires array on right side")
          .position(position);
    }
    RexNode typed =
        PgRex.type(value).isUnknown() ? expressions.implicit(value, element, position) : value;
    return PgRex.call(PgOperator.quantified(symbol, any), PgType.BOOL, List.of(typed, typedArray));
  }

  private static boolean isQuery(SqlNode node) {
    if (node instanceof PgLocking) {
      return true;
    }
    return switch (node.getKind()) {
      case SELECT, UNION, INTERSECT, EXCEPT, VALUES, WITH, ORDER_BY, EXPLICIT_TABLE -> true;
      default -> false;
    };
  }

  private RexNode compared(
      PgSubQuery.Kind kind,
      SqlKind comparison,
      SqlNode left,
      SqlNode query,
      ExprContext in,
      int position) {
    List<RexNode> values =
        left instanceof SqlBasicCall call && call.getKind() == SqlKind.ROW
            ? expressions.row(call, in)
            : List.of(expressions.bind(left, in));
    BoundQuery bound = queries.subQuery(query, in.scope());
    int columns = bound.columns().size();
    if (columns != values.size()) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR,
              columns < values.size()
                  ? "subquery has too few columns"
                  : "subquery has too many columns")
          .position(position);
    }
    RelNode rel = bound.rel();
    List<RexNode> typed = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      // Decides types of unknown literals and parameters on the left side, and checks that there is
      // an operator.
      RexNode sample = PgRex.input(i, rel.getRowType());
      RexNode compared = comparisons.compare(SqlKind.EQUALS, values.get(i), sample, position);
      RexNode value = values.get(i);
      typed.add(
          PgRex.type(value).isUnknown()
              ? ((org.apache.calcite.rex.RexCall) compared).operands.get(0)
              : value);
    }
    PgSubQuery.Comparison make = (l, r) -> comparisons.rows(comparison, l, r, position);
    return PgRex.call(subQuery(kind, bound, make, in), PgType.BOOL, typed);
  }
}
