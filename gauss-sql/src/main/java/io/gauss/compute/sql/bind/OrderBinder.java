package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.PgRex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;

/** Binds ORDER BY items: positions and names of output columns first, then expressions. */
final class OrderBinder {
  private final ExprBinder expressions;

  OrderBinder(ExprBinder expressions) {
    this.expressions = expressions;
  }

  /**
   * A sort key.
   *
   * @param output index of an output column, -1 when {@code expression} is used
   * @param expression over the row from which the select list is computed
   */
  record Key(int output, RexNode expression, boolean descending, boolean nullsFirst, int position) {
    /** The same over another row; output columns are unchanged. */
    Key rewritten(UnaryOperator<RexNode> rewrite) {
      return output >= 0
          ? this
          : new Key(-1, rewrite.apply(expression), descending, nullsFirst, position);
    }
  }

  private record Item(SqlNode node, boolean descending, boolean nullsFirst) {}

  private static Item item(SqlNode node) {
    boolean descending = false;
    Boolean nullsFirst = null;
    SqlNode inner = node;
    while (true) {
      if (inner.getKind() == SqlKind.NULLS_FIRST) {
        nullsFirst = true;
      } else if (inner.getKind() == SqlKind.NULLS_LAST) {
        nullsFirst = false;
      } else if (inner.getKind() == SqlKind.DESCENDING) {
        descending = true;
      } else {
        return new Item(inner, descending, nullsFirst == null ? descending : nullsFirst);
      }
      inner = ((SqlCall) inner).operand(0);
    }
  }

  /** The output column that an item names by position or by alias; -1 when it is an expression. */
  static int output(SqlNode node, List<String> names, List<RexNode> values, String clause) {
    if (node instanceof SqlNumericLiteral number) {
      if (!number.isInteger()) {
        throw new GaussException(SqlState.SYNTAX_ERROR, "non-integer constant in " + clause)
            .position(ExprBinder.position(node));
      }
      int index = number.intValue(false);
      if (index < 1 || index > names.size()) {
        throw new GaussException(
                SqlState.INVALID_COLUMN_REFERENCE,
                clause + " position " + index + " is not in select list")
            .position(ExprBinder.position(node));
      }
      return index - 1;
    }
    if (node instanceof SqlLiteral literal && literal.getValue() != null) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "non-integer constant in " + clause)
          .position(ExprBinder.position(node));
    }
    if (!(node instanceof SqlIdentifier identifier) || identifier.names.size() != 1) {
      return -1;
    }
    int found = -1;
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).equals(identifier.getSimple())) {
        if (found >= 0 && (values == null || !values.get(found).equals(values.get(i)))) {
          throw new GaussException(
                  SqlState.AMBIGUOUS_COLUMN,
                  clause + " \"" + identifier.getSimple() + "\" is ambiguous")
              .position(ExprBinder.position(node));
        }
        found = found < 0 ? i : found;
      }
    }
    return found;
  }

  Key bind(SqlNode node, List<String> names, List<RexNode> values, ExprContext in) {
    Item item = item(node);
    int output = output(item.node(), names, values, "ORDER BY");
    if (output >= 0) {
      Sortable.requireOrder(PgRex.type(values.get(output)), ExprBinder.position(item.node()));
    }
    if (output < 0) {
      RexNode expression =
          expressions.coercion.resolveUnknown(
              expressions.bind(item.node(), in), ExprBinder.position(node));
      Sortable.requireOrder(PgRex.type(expression), ExprBinder.position(item.node()));
      output = values.indexOf(expression);
      if (output < 0) {
        return new Key(
            -1, expression, item.descending(), item.nullsFirst(), ExprBinder.position(item.node()));
      }
    }
    return new Key(
        output, null, item.descending(), item.nullsFirst(), ExprBinder.position(item.node()));
  }

  static AggregateCollector.Order inAggregate(
      SqlNode node, ExprContext in, ExprBinder expressions) {
    Item item = item(node);
    RexNode expression =
        expressions.coercion.resolveUnknown(
            expressions.bind(item.node(), in), ExprBinder.position(node));
    Sortable.requireOrder(PgRex.type(expression), ExprBinder.position(item.node()));
    return new AggregateCollector.Order(expression, item.descending(), item.nullsFirst());
  }

  /** For set operations and VALUES: only output columns can be sorted by. */
  Key outputOnly(SqlNode node, List<BoundQuery.Output> columns, RelDataType rowType) {
    Item item = item(node);
    List<String> names = columns.stream().map(BoundQuery.Output::name).toList();
    int output = output(item.node(), names, null, "ORDER BY");
    if (output < 0) {
      if (item.node() instanceof SqlIdentifier identifier) {
        throw new GaussException(
                SqlState.UNDEFINED_COLUMN,
                "column \"" + String.join(".", identifier.names) + "\" does not exist")
            .position(ExprBinder.position(node));
      }
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
          .detail("Only result column names can be used, not expressions or functions.")
          .hint(
              "Add the expression/function to every SELECT, or move the UNION into a FROM clause.")
          .position(ExprBinder.position(node));
    }
    Sortable.requireOrder(columns.get(output).type(), ExprBinder.position(item.node()));
    return new Key(
        output, null, item.descending(), item.nullsFirst(), ExprBinder.position(item.node()));
  }

  /** Sort order of keys that are all output columns. */
  RelCollation collation(List<Key> keys) {
    List<RelFieldCollation> fields = new ArrayList<>();
    Set<Integer> seen = new HashSet<>();
    for (Key key : keys) {
      if (seen.add(key.output())) {
        fields.add(field(key.output(), key.descending(), key.nullsFirst()));
      }
    }
    return RelCollations.of(fields);
  }

  static RelFieldCollation field(int column, boolean descending, boolean nullsFirst) {
    return new RelFieldCollation(
        column,
        descending ? RelFieldCollation.Direction.DESCENDING : RelFieldCollation.Direction.ASCENDING,
        nullsFirst ? RelFieldCollation.NullDirection.FIRST : RelFieldCollation.NullDirection.LAST);
  }
}
