package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.ResolvedCall;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.bind.set.SelectSets;
import io.gauss.compute.sql.bind.type.Coercion;
import io.gauss.compute.sql.bind.type.Comparisons;
import io.gauss.compute.sql.parse.PgLocking;
import io.gauss.compute.sql.parse.PgOperators;
import io.gauss.compute.sql.parse.PgTypeSpec;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlLikeOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Binds expressions: names to columns, operators and functions to overloads, literals and
 * parameters to types, as PostgreSQL's parse_expr does. One statement, one thread.
 */
final class ExprBinder {
  private final BindContext context;
  final Coercion coercion;
  private final FunctionBinder functions;
  private final SubQueryBinder subQueries;
  private final WindowBinder windows;
  private final Comparisons comparisons;
  private final RowBinder rows;

  ExprBinder(BindContext context, QueryBinder queries) {
    this.context = context;
    this.coercion = new Coercion(context.parameters, context.literals, context::checks);
    this.comparisons = new Comparisons(context.functions, coercion);
    this.functions = new FunctionBinder(context, this);
    this.windows = new WindowBinder(context, this);
    this.rows = new RowBinder(this);
    this.subQueries = new SubQueryBinder(this, queries, comparisons);
  }

  FunctionBinder functions() {
    return functions;
  }

  /** The columns of a sub-query that gives several values at once. */
  List<RexNode> subQueryColumns(SqlNode query, int count, ExprContext in) {
    return subQueries.scalars(query, count, in);
  }

  static int position(SqlNode node) {
    return node == null ? 0 : Math.max(0, node.getParserPosition().getColumnNum());
  }

  RexNode bind(SqlNode node, ExprContext in) {
    context.watch.bound(context.view != null);
    return switch (node) {
      case SqlIdentifier identifier -> column(identifier, in);
      case SqlLiteral literal -> literal(literal);
      case SqlDynamicParam param -> parameter(param.getIndex());
      case SqlCase call -> caseExpression(call, in);
      case SqlCall call -> call(call, in);
      default -> throw GaussException.notSupported("expression " + node).position(position(node));
    };
  }

  /** Binds a condition of a clause. */
  RexNode condition(SqlNode node, ExprContext in) {
    return coercion.bool(bind(node, in), in.clause(), position(node));
  }

  // ------------------------------------------------------------------ leaves

  private RexNode column(SqlIdentifier identifier, ExprContext in) {
    List<String> names = identifier.names;
    int position = position(identifier);
    Scope scope = in.scope();
    if (identifier.isStar()) {
      return wholeRow(identifier, in);
    }
    if (names.size() == 1) {
      Scope.Found found = scope.column(names.getFirst(), position);
      if (found != null) {
        return noted(found, position, in);
      }
      if (names.getFirst().equals("tableoid") && scope.relations.size() == 1) {
        return SystemColumns.tableOid(scope.relations.getFirst(), true, position);
      }
      Relation row = scope.relation(null, names.getFirst());
      if (row != null) {
        return rows.of(row, position, in);
      }
      throw new GaussException(
              SqlState.UNDEFINED_COLUMN, "column \"" + names.getFirst() + "\" does not exist")
          .position(position);
    }
    if (names.size() > 3) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR,
              "improper qualified name (too many dotted names): " + String.join(".", names))
          .position(position);
    }
    String schema = names.size() == 3 ? names.get(0) : null;
    String table = names.get(names.size() - 2);
    String column = names.getLast();
    Relation relation = scope.relation(schema, table);
    if (relation == null) {
      throw unknownRelation(scope, schema, table).position(position);
    }
    Scope.Found found = scope.columnOf(relation, column, position);
    if (found == null && column.equals("tableoid") && scope.relations.contains(relation)) {
      return SystemColumns.tableOid(relation, scope.relations.size() == 1, position);
    }
    if (found == null) {
      throw new GaussException(
              SqlState.UNDEFINED_COLUMN, "column " + table + "." + column + " does not exist")
          .position(position);
    }
    return noted(found, position, in);
  }

  /** {@code t.*} where a value stands. */
  private RexNode wholeRow(SqlIdentifier identifier, ExprContext in) {
    int position = position(identifier);
    int size = identifier.names.size();
    if (size < 2) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "row expansion via \"*\" is not supported here")
          .position(position);
    }
    String schema = size == 3 ? identifier.names.getFirst() : null;
    String table = identifier.names.get(size - 2);
    Relation relation = in.scope().relation(schema, table);
    if (relation == null) {
      throw unknownRelation(in.scope(), schema, table).position(position);
    }
    return rows.of(relation, position, in);
  }

  private static GaussException unknownRelation(Scope scope, String schema, String table) {
    return scope.hides(schema, table)
        ? new GaussException(
                SqlState.UNDEFINED_TABLE,
                "invalid reference to FROM-clause entry for table \"" + table + "\"")
            .hint(
                "There is an entry for table \""
                    + table
                    + "\", but it cannot be referenced from this part of the query.")
        : new GaussException(
            SqlState.UNDEFINED_TABLE, "missing FROM-clause entry for table \"" + table + "\"");
  }

  /** Remembers where a column was used, for the error that it is not grouped by. */
  RexNode noted(Scope.Found found, int position, ExprContext in) {
    context.noteUse(found.column());
    if (found.level() == 0
        && in.aggregates() != null
        && found.expression() instanceof org.apache.calcite.rex.RexInputRef ref) {
      in.scope().noteUse(ref.getIndex(), position);
    }
    return found.expression();
  }

  RexNode parameter(int index) {
    PgType type = context.parameters.type(index);
    if (!type.isDomain() && !type.isArrayOfDomain()) {
      return new RexDynamicParam(PgRex.rel(type), index);
    }
    RexNode plain = new RexDynamicParam(PgRex.rel(type.withTypmod(-1)), index);
    return coercion.to(plain, type, CastContext.IMPLICIT, 0); // what clients send is checked
  }

  static RexNode literal(SqlLiteral literal) {
    if (literal.getValue() == null) {
      return PgConstant.ofNull(PgType.UNKNOWN);
    }
    switch (literal.getTypeName()) {
      case BOOLEAN:
        return literal.booleanValue() ? PgRex.TRUE : PgRex.FALSE;
      case CHAR, VARCHAR:
        return PgConstant.ofLiteral(literal.getValueAs(String.class), position(literal));
      case DECIMAL, DOUBLE, BIGINT, INTEGER:
        return number((SqlNumericLiteral) literal);
      default:
        throw GaussException.notSupported("literal " + literal).position(position(literal));
    }
  }

  private static RexNode number(SqlNumericLiteral literal) {
    BigDecimal value = literal.getValueAs(BigDecimal.class);
    if (literal.isInteger() && value.scale() == 0) {
      if (value.unscaledValue().bitLength() < 32) {
        return PgConstant.ofLong(PgType.INT4, value.longValueExact());
      }
      if (value.unscaledValue().bitLength() < 64) {
        return PgConstant.ofLong(PgType.INT8, value.longValueExact());
      }
    }
    Numerics.checkRange(value);
    Value numeric = new Value();
    numeric.setNumeric(value.scale() < 0 ? value.setScale(0) : value);
    return PgConstant.of(PgType.NUMERIC, numeric);
  }

  // ------------------------------------------------------------------ calls

  private RexNode call(SqlCall call, ExprContext in) {
    SqlOperator operator = call.getOperator();
    int position = position(call);
    switch (call.getKind()) {
      case AND, OR:
        return andOr(call, in);
      case NOT:
        return PgRex.not(
            coercion.bool(bind(call.operand(0), in), "NOT", position(call.operand(0))));
      case IS_NULL, IS_NOT_NULL:
        return isNull(call, in);
      case IS_TRUE, IS_FALSE, IS_NOT_TRUE, IS_NOT_FALSE, IS_UNKNOWN:
        return isTruth(call, in);
      case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL:
        return comparison(call, in);
      case IS_DISTINCT_FROM, IS_NOT_DISTINCT_FROM:
        return distinctFrom(call, in);
      case BETWEEN:
        return between(call, in);
      case IN, NOT_IN:
        return in(call, in);
      case LIKE, SIMILAR:
        return like(call, in);
      case CAST:
        return cast(call, in);
      case EXISTS:
        return subQueries.exists(call.operand(0), in);
      case SOME, ALL:
        return subQueries.quantified(call, in);
      case SCALAR_QUERY:
        return subQueries.scalar(call.operand(0), in);
      case SELECT, UNION, INTERSECT, EXCEPT, VALUES, WITH, ORDER_BY, EXPLICIT_TABLE:
        return subQueries.scalar(call, in);
      case PLUS, MINUS, TIMES, DIVIDE:
        return operator(operator.getName(), call, in);
      case MINUS_PREFIX:
        return minus(call, in);
      case PLUS_PREFIX:
        return operator("+", call, in);
      case DEFAULT:
        throw new GaussException(SqlState.SYNTAX_ERROR, "DEFAULT is not allowed in this context")
            .position(position);
      case ROW:
        return RowBinder.constructed(row(call, in));
      case OVER:
        return windows.over(call, in);
      case FILTER:
        return functions.filtered(call, in);
      case ARRAY_VALUE_CONSTRUCTOR:
        return array(call, in);
      case ARRAY_QUERY_CONSTRUCTOR:
        return subQueries.array(call.operand(0), in);
      case ITEM:
        return item(call, in);
      case DOT:
        return field(call, in);
      default:
        break;
    }
    if (call instanceof PgLocking) {
      return subQueries.scalar(call, in);
    }
    if (operator == PgOperators.SLICE) {
      return slice(call, in);
    }
    if (operator instanceof SqlLikeOperator) {
      return like(call, in);
    }
    if (operator == PgOperators.AGGREGATE_ORDER_BY || operator == PgOperators.WITHIN_GROUP) {
      return functions.ordered(call, in);
    }
    if (operator == PgOperators.COLLATE) {
      return collate(call, in);
    }
    if (operator instanceof SqlFunction) {
      return functions.function(call, in);
    }
    if (call instanceof SqlBasicCall && call.operandCount() >= 1 && call.operandCount() <= 2) {
      return operator(operator.getName(), call, in);
    }
    throw GaussException.notSupported("expression " + operator.getName()).position(position);
  }

  /**
   * The parser gives chains as trees of binary calls. They are flattened here, together with the
   * expansions of BETWEEN and IN, since Calcite allows no AND directly below an AND.
   */
  private RexNode andOr(SqlCall call, ExprContext in) {
    List<RexNode> operands = new ArrayList<>();
    flatten(call, call.getKind(), in, operands);
    return call.getKind() == SqlKind.AND ? PgRex.and(operands) : PgRex.or(operands);
  }

  private void flatten(SqlCall call, SqlKind kind, ExprContext in, List<RexNode> out) {
    for (SqlNode operand : call.getOperandList()) {
      if (operand.getKind() == kind) {
        flatten((SqlCall) operand, kind, in, out);
      } else {
        out.add(coercion.bool(bind(operand, in), kind.name(), position(operand)));
      }
    }
  }

  private RexNode isNull(SqlCall call, ExprContext in) {
    RexNode operand = coercion.resolveUnknown(bind(only(call.operand(0)), in), position(call));
    RowBinder.refuse(operand, position(call));
    return PgRex.bool(
        call.getKind() == SqlKind.IS_NULL
            ? SqlStdOperatorTable.IS_NULL
            : SqlStdOperatorTable.IS_NOT_NULL,
        operand);
  }

  /** The only field of {@code ROW(a)}, which is compared, and is NULL, as the row is. */
  private static SqlNode only(SqlNode node) {
    return node instanceof SqlCall row && row.getKind() == SqlKind.ROW && row.operandCount() == 1
        ? row.operand(0)
        : node;
  }

  private RexNode isTruth(SqlCall call, ExprContext in) {
    String name = call.getOperator().getName();
    RexNode operand = coercion.bool(bind(call.operand(0), in), name, position(call.operand(0)));
    if (call.getOperator() == SqlStdOperatorTable.IS_NOT_UNKNOWN) {
      return PgRex.bool(SqlStdOperatorTable.IS_NOT_NULL, operand);
    }
    if (call.getKind() == SqlKind.IS_UNKNOWN) {
      return PgRex.bool(SqlStdOperatorTable.IS_NULL, operand);
    }
    return PgRex.bool(call.getOperator(), operand);
  }

  private RexNode comparison(SqlCall call, ExprContext in) {
    SqlNode left = call.operand(0);
    SqlNode right = call.operand(1);
    if (left.getKind() == SqlKind.ROW && right.getKind() == SqlKind.ROW) {
      return comparisons.rows(
          call.getKind(), row((SqlCall) left, in), row((SqlCall) right, in), position(call));
    }
    boolean isRow = left.getKind() == SqlKind.ROW || right.getKind() == SqlKind.ROW;
    if (isRow && (left.isA(SqlKind.QUERY) || right.isA(SqlKind.QUERY))) {
      throw GaussException.notSupported("a row as a value").position(position(call));
    }
    return comparisons.compare(call.getKind(), bind(left, in), bind(right, in), position(call));
  }

  RexNode equal(RexNode left, RexNode right, int position) {
    return comparisons.compare(SqlKind.EQUALS, left, right, position);
  }

  RexNode implicit(RexNode node, PgType type, int position) {
    return coercion.to(node, type, CastContext.IMPLICIT, position);
  }

  List<RexNode> row(SqlCall call, ExprContext in) {
    List<RexNode> nodes = new ArrayList<>();
    for (SqlNode operand : call.getOperandList()) {
      nodes.add(bind(operand, in));
    }
    return nodes;
  }

  private RexNode distinctFrom(SqlCall call, ExprContext in) {
    SqlNode left = call.operand(0);
    SqlNode right = call.operand(1);
    boolean rows = only(left) != left && only(right) != right;
    RexNode a = bind(rows ? only(left) : left, in);
    RexNode b = bind(rows ? only(right) : right, in);
    boolean isDistinct = call.getKind() == SqlKind.IS_DISTINCT_FROM;
    if (PgRex.type(a).is(PgType.JSON) && isNullLiteral(right)) {
      // Needs no equality, which json does not have.
      return PgRex.bool(
          isDistinct ? SqlStdOperatorTable.IS_NOT_NULL : SqlStdOperatorTable.IS_NULL, a);
    }
    return comparisons.distinct(isDistinct, a, b, position(call));
  }

  private static boolean isNullLiteral(SqlNode node) {
    return node instanceof SqlLiteral literal && literal.getValue() == null;
  }

  private RexNode between(SqlCall call, ExprContext in) {
    SqlBetweenOperator operator = (SqlBetweenOperator) call.getOperator();
    RexNode value = bind(call.operand(0), in);
    RexNode low = bind(call.operand(1), in);
    RexNode high = bind(call.operand(2), in);
    int position = position(call);
    RexNode result = inside(value, low, high, position);
    if (operator.flag == SqlBetweenOperator.Flag.SYMMETRIC) {
      result = PgRex.or(List.of(result, inside(value, high, low, position)));
    }
    return operator.isNegated() ? PgRex.not(result) : result;
  }

  private RexNode inside(RexNode value, RexNode low, RexNode high, int position) {
    return PgRex.and(
        List.of(
            comparisons.compare(SqlKind.GREATER_THAN_OR_EQUAL, value, low, position),
            comparisons.compare(SqlKind.LESS_THAN_OR_EQUAL, value, high, position)));
  }

  private RexNode in(SqlCall call, ExprContext in) {
    boolean negated = call.getKind() == SqlKind.NOT_IN;
    SqlNode left = call.operand(0);
    SqlNode right = call.operand(1);
    int position = position(call);
    RexNode result;
    if (right instanceof SqlNodeList list) {
      result = inList(left, list, in, position);
    } else {
      result = subQueries.in(left, right, in, position);
    }
    return negated ? PgRex.not(result) : result;
  }

  private RexNode inList(SqlNode left, SqlNodeList list, ExprContext in, int position) {
    if (left instanceof SqlCall call && call.getKind() == SqlKind.ROW) {
      List<RexNode> row = row(call, in);
      List<RexNode> any = new ArrayList<>();
      for (SqlNode item : list) {
        if (item.getKind() != SqlKind.ROW) {
          throw new GaussException(
                  SqlState.UNDEFINED_FUNCTION, "operator does not exist: record = element")
              .position(position);
        }
        any.add(comparisons.rows(SqlKind.EQUALS, row, row((SqlCall) item, in), position));
      }
      return PgRex.or(any);
    }
    List<RexNode> items = new ArrayList<>();
    for (SqlNode item : list) {
      items.add(bind(item, in));
    }
    return comparisons.inList(bind(left, in), items, position);
  }

  private RexNode like(SqlCall call, ExprContext in) {
    SqlLikeOperator operator = (SqlLikeOperator) call.getOperator();
    int position = position(call);
    RexNode value = bind(call.operand(0), in);
    RexNode pattern = bind(call.operand(1), in);
    if (operator.getKind() == SqlKind.SIMILAR) {
      List<RexNode> written = new ArrayList<>(List.of(pattern));
      if (call.operandCount() > 2) {
        written.add(bind(call.operand(2), in));
      }
      RexNode regex = functions.call("similar_to_escape", written, position);
      return binary(operator.isNegated() ? "!~" : "~", value, regex, position);
    }
    if (call.operandCount() > 2) {
      RexNode escape = bind(call.operand(2), in);
      pattern = functions.call("like_escape", List.of(pattern, escape), position);
    }
    boolean caseless = !operator.isCaseSensitive();
    String symbol = (operator.isNegated() ? "!~~" : "~~") + (caseless ? "*" : "");
    return binary(symbol, value, pattern, position);
  }

  private RexNode cast(SqlCall call, ExprContext in) {
    SqlDataTypeSpec spec = call.operand(1);
    PgType target = context.type(PgTypeSpec.of(spec));
    if (target.isArray()
        && call.operand(0) instanceof SqlCall array
        && array.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR
        && array.operandCount() == 0) {
      PgType plain = target.withTypmod(target.typmod());
      return coercion.to(
          SubQueryBinder.emptyArray(plain), target, CastContext.EXPLICIT, position(call));
    }
    RexNode value = bind(call.operand(0), in);
    RowBinder.refuse(value, position(call));
    return coercion.to(value, target, CastContext.EXPLICIT, position(call));
  }

  private RexNode minus(SqlCall call, ExprContext in) {
    return operator("-", call, in);
  }

  private RexNode operator(String name, SqlCall call, ExprContext in) {
    int position = position(call);
    if (call.operandCount() == 1) {
      RexNode operand = bind(call.operand(0), in);
      try {
        return functions.resolved(
            context.functions.operator(name, null, PgRex.type(operand)),
            List.of(operand),
            position);
      } catch (GaussException e) {
        throw Coercion.at(e, position);
      }
    }
    return binary(name, bind(call.operand(0), in), bind(call.operand(1), in), position);
  }

  RexNode binary(String name, RexNode left, RexNode right, int position) {
    try {
      ResolvedCall resolved = context.functions.operator(name, PgRex.type(left), PgRex.type(right));
      return functions.resolved(resolved, List.of(left, right), position);
    } catch (GaussException e) {
      throw Coercion.at(e, position);
    }
  }

  private RexNode collate(SqlCall call, ExprContext in) {
    SqlIdentifier collation = call.operand(1);
    String name = collation.names.getLast();
    if (!name.equals("C") && !name.equals("POSIX") && !name.equals("default")) {
      throw GaussException.notSupported("collation \"" + name + "\"").position(position(collation));
    }
    return bind(call.operand(0), in);
  }

  private RexNode array(SqlCall call, ExprContext in) {
    int position = position(call);
    List<RexNode> items = row(call, in);
    if (items.isEmpty()) {
      throw new GaussException(
              SqlState.INDETERMINATE_DATATYPE, "cannot determine type of empty array")
          .hint("Explicitly cast to the desired type, for example ARRAY[]::integer[].")
          .position(position);
    }
    PgType element = coercion.common("ARRAY", items, position).withTypmod(-1);
    if (element.array() == null) {
      throw GaussException.notSupported("an array of type " + element.displayName())
          .position(position);
    }
    items.replaceAll(item -> implicit(item, element, position));
    return PgRex.call(PgOperator.ARRAY, element.array(), items);
  }

  private RexNode slice(SqlCall call, ExprContext in) {
    RexNode array = subscripted(call, in);
    if (PgRex.type(array).is(PgType.JSONB)) {
      throw JsonbSubscripts.noSlices(position(call));
    }
    return functions.call(
        "[:]",
        List.of(
            array,
            bound(call.operand(1), Integer.MIN_VALUE, in),
            bound(call.operand(2), Integer.MAX_VALUE, in)),
        position(call));
  }

  /** A bound of a slice; a missing one is the array's bound. */
  RexNode bound(SqlNode node, int missing, ExprContext in) {
    return node instanceof SqlNodeList
        ? PgConstant.ofLong(PgType.INT4, missing)
        : coercion.to(bind(node, in), PgType.INT4, CastContext.ASSIGNMENT, position(node));
  }

  private RexNode item(SqlCall call, ExprContext in) {
    RexNode array = subscripted(call, in);
    int position = position(call);
    if (PgRex.type(array).is(PgType.JSONB)) {
      RexNode step =
          JsonbSubscripts.step(bind(call.operand(1), in), coercion, position(call.operand(1)));
      return functions.call("[]", List.of(array, step), position);
    }
    RexNode index =
        coercion.to(bind(call.operand(1), in), PgType.INT4, CastContext.ASSIGNMENT, position);
    return functions.call("[]", List.of(array, index), position);
  }

  /**
   * The steps of an assignment to a part of a jsonb column.
   *
   * @param subscript one, or a list of several
   * @return the steps as an array of texts, and whether the first one is an index
   */
  List<RexNode> jsonbSteps(SqlNode subscript, ExprContext in, int position) {
    List<SqlNode> written = subscript instanceof SqlNodeList list ? list : List.of(subscript);
    List<RexNode> steps = new ArrayList<>();
    boolean isIndex = false;
    for (SqlNode node : written) {
      if (node instanceof SqlCall call && call.getOperator() == PgOperators.SLICE) {
        throw JsonbSubscripts.noSlices(position);
      }
      RexNode step = JsonbSubscripts.step(bind(node, in), coercion, position(node));
      isIndex |= steps.isEmpty() && PgRex.type(step).is(PgType.INT4);
      steps.add(coercion.to(step, PgType.TEXT, CastContext.EXPLICIT, position(node)));
    }
    return List.of(
        PgRex.call(PgOperator.ARRAY, PgType.TEXT_ARRAY, steps), isIndex ? PgRex.TRUE : PgRex.FALSE);
  }

  private RexNode subscripted(SqlCall call, ExprContext in) {
    int position = position(call);
    RexNode array = bind(call.operand(0), in);
    if (!PgRex.type(array).isArray() && !PgRex.type(array).is(PgType.JSONB)) {
      throw new GaussException(
              SqlState.DATATYPE_MISMATCH,
              "cannot subscript type "
                  + PgRex.type(array).displayName()
                  + " because it does not support subscripting")
          .position(position);
    }
    return array;
  }

  private RexNode field(SqlCall call, ExprContext in) {
    SqlNode inner = call.operand(0);
    while (inner instanceof SqlCall row
        && row.getKind() == SqlKind.ROW
        && row.operandCount() == 1) {
      inner = row.operand(0);
    }
    String field = ((SqlIdentifier) call.operand(1)).getSimple();
    if (inner instanceof SqlIdentifier row && !row.isStar()) {
      String name = Relation.fieldName(row.names.getLast(), field);
      List<String> names = new ArrayList<>(row.names);
      names.set(names.size() - 1, name);
      try {
        return column(new SqlIdentifier(names, row.getParserPosition()), in);
      } catch (GaussException e) {
        if (e.state() != SqlState.UNDEFINED_COLUMN) {
          throw e;
        }
        GaussException refused =
            GaussException.notSupported("a field of a row value").position(position(call));
        refused.addSuppressed(e);
        throw refused;
      }
    }
    if (!(inner instanceof SqlCall function)) {
      throw GaussException.notSupported("a field of a row value").position(position(call));
    }
    return functions.field(function, field, in);
  }

  private RexNode caseExpression(SqlCase call, ExprContext in) {
    int position = position(call);
    RexNode value = call.getValueOperand() == null ? null : bind(call.getValueOperand(), in);
    if (value != null) {
      value = coercion.resolveUnknown(value, position);
    }
    List<RexNode> results = new ArrayList<>();
    List<RexNode> conditions = new ArrayList<>();
    for (int i = 0; i < call.getWhenOperands().size(); i++) {
      SqlNode when = call.getWhenOperands().get(i);
      RexNode bound = bind(when, in);
      conditions.add(
          value == null
              ? coercion.bool(bound, "CASE/WHEN", position(when))
              : comparisons.compare(SqlKind.EQUALS, value, bound, position(when)));
      results.add(bind(call.getThenOperands().get(i), in));
    }
    SqlNode otherwise = call.getElseOperand();
    results.add(otherwise == null ? PgConstant.ofNull(PgType.UNKNOWN) : bind(otherwise, in));
    SelectSets.refuse(results, "CASE", position);
    if (conditions.stream().anyMatch(SelectSets::isIn)) {
      throw new GaussException(
              SqlState.DATATYPE_MISMATCH, "argument of CASE/WHEN must not return a set")
          .position(position);
    }
    // PostgreSQL considers ELSE first when it decides the common type.
    List<RexNode> order = new ArrayList<>();
    order.add(results.getLast());
    order.addAll(results.subList(0, results.size() - 1));
    PgType type = coercion.common("CASE", order, position);
    List<RexNode> operands = new ArrayList<>();
    for (int i = 0; i < conditions.size(); i++) {
      operands.add(conditions.get(i));
      operands.add(coercion.to(results.get(i), type, CastContext.IMPLICIT, position));
    }
    operands.add(coercion.to(results.getLast(), type, CastContext.IMPLICIT, position));
    return PgRex.call(SqlStdOperatorTable.CASE, type, operands);
  }
}
