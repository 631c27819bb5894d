package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.expr.call.ResolvedCall;
import io.gauss.compute.sql.algebra.PgAggregate;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.WindowReference;
import io.gauss.compute.sql.bind.type.Coercion;
import io.gauss.compute.sql.exec.node.WindowFrame.Bound;
import io.gauss.compute.sql.exec.node.WindowFrame.Mode;
import io.gauss.compute.sql.exec.node.WindowFunction;
import io.gauss.compute.sql.parse.PgOperators;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlWindow;

/** Binds {@code f(...) OVER (...)}. One statement, one thread. */
final class WindowBinder {
  private static final String CLAUSE = "window definitions";

  private final BindContext context;
  private final ExprBinder expressions;

  WindowBinder(BindContext context, ExprBinder expressions) {
    this.context = context;
    this.expressions = expressions;
  }

  private static GaussException error(String message, int position) {
    return new GaussException(SqlState.WINDOWING_ERROR, message).position(position);
  }

  /**
   * @throws GaussException 42P20 when two definitions have one name
   */
  static void requireDistinctNames(SqlNodeList windows) {
    Set<String> names = new HashSet<>();
    for (SqlNode node : windows) {
      SqlIdentifier name = ((SqlWindow) node).getDeclName();
      if (!names.add(name.getSimple())) {
        throw error(
            "window \"" + name.getSimple() + "\" is already defined", ExprBinder.position(name));
      }
    }
  }

  /** A window function that was called without OVER. */
  static void requireOver(String name, int position) {
    if (WindowFunction.named(name) != null) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE, "window function " + name + " requires an OVER clause")
          .position(position);
    }
  }

  RexNode over(SqlCall over, ExprContext in) {
    SqlCall call = over.operand(0);
    SqlNode filter = null;
    if (call.getKind() == SqlKind.FILTER) {
      filter = call.operand(1);
      call = call.operand(0);
    }
    int position = ExprBinder.position(call);
    checkAllowed(in, position);
    if (call.getOperator() == PgOperators.AGGREGATE_ORDER_BY) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "aggregate ORDER BY is not implemented for window functions")
          .position(position);
    }
    if (!(call.getOperator() instanceof SqlFunction)) {
      throw GaussException.notSupported("this expression with OVER").position(position);
    }
    String name = FunctionBinder.name(call);
    if (call.getFunctionQuantifier() != null) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED, "DISTINCT is not implemented for window functions")
          .position(position);
    }
    ExprContext inside = new ExprContext(in.scope(), CLAUSE, in.aggregates(), false);
    Function function = function(name, call, filter != null, inside, position);
    List<RexNode> operands = new ArrayList<>(function.arguments());
    if (filter != null) {
      operands.add(expressions.condition(filter, new ExprContext(in.scope(), CLAUSE, null, false)));
    }
    Definition window = definition(over.operand(1), in.scope());
    for (SqlNode node : window.partition()) {
      RexNode key = resolved(node, inside);
      Sortable.requireEquality(PgRex.type(key), ExprBinder.position(node));
      operands.add(key);
    }
    List<RelFieldCollation> order = new ArrayList<>();
    int firstKey = operands.size();
    for (SqlNode node : window.order()) {
      AggregateCollector.Order key = OrderBinder.inAggregate(node, inside, expressions);
      operands.add(key.expression());
      order.add(OrderBinder.field(order.size(), key.descending(), key.nullsFirst()));
    }
    SqlWindow frame = window.frame();
    Mode mode = frame != null && frame.isRows() ? Mode.ROWS : Mode.RANGE;
    Bound start = start(frame);
    Bound end = end(frame);
    check(start, end, frame, position);
    WindowReference.Steps steps = null;
    if (start.hasOffset() || end.hasOffset()) {
      List<RexNode> offsets = offsets(frame, inside, mode);
      if (mode == Mode.RANGE) {
        if (order.size() != 1) {
          throw error(
              "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
              position);
        }
        steps = steps(operands, firstKey, offsets, position);
      }
      operands.addAll(offsets);
    }
    WindowReference.Spec spec =
        new WindowReference.Spec(
            function.kind(),
            function.aggregate(),
            function.arguments().size(),
            filter != null,
            window.partition().size(),
            order,
            mode,
            start,
            end,
            steps);
    return PgRex.call(new WindowReference(spec), function.result(), operands);
  }

  private static void checkAllowed(ExprContext in, int position) {
    if (in.inAggregate()) {
      throw new GaussException(
              SqlState.GROUPING_ERROR,
              "aggregate function calls cannot contain window function calls")
          .position(position);
    }
    if (in.clause().equals(CLAUSE)) {
      throw error("window function calls cannot be nested", position);
    }
    if (!in.clause().equals("SELECT") && !in.clause().equals("ORDER BY")) {
      throw error("window functions are not allowed in " + in.clause(), position);
    }
  }

  private RexNode resolved(SqlNode node, ExprContext in) {
    return expressions.coercion.resolveUnknown(
        expressions.bind(node, in), ExprBinder.position(node));
  }

  // ------------------------------------------------------------------ functions

  private record Function(
      WindowFunction kind, PgAggregate aggregate, List<RexNode> arguments, PgType result) {}

  private Function function(
      String name, SqlCall call, boolean filtered, ExprContext in, int position) {
    boolean star = FunctionBinder.isStar(call);
    List<RexNode> arguments = star ? new ArrayList<>() : expressions.row(call, in);
    if (name.equals("count")) {
      arguments.replaceAll(RowBinder::presence);
    }
    if (context.functions.isAggregate(name)) {
      if (arguments.isEmpty() && !star) {
        throw new GaussException(
                SqlState.WRONG_OBJECT_TYPE,
                name + "(*) must be used to call a parameterless aggregate function")
            .position(position);
      }
      return aggregate(name, arguments, position);
    }
    WindowFunction kind = WindowFunction.named(name);
    if (kind == null) {
      if (context.functions.isFunction(name)) {
        throw new GaussException(
                SqlState.WRONG_OBJECT_TYPE,
                "OVER specified, but "
                    + name
                    + " is not a window function nor an aggregate function")
            .position(position);
      }
      throw missing(name, arguments, position);
    }
    if (filtered) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "FILTER is not implemented for non-aggregate window functions")
          .position(position);
    }
    return plain(name, kind, arguments, position);
  }

  private GaussException missing(String name, List<RexNode> arguments, int position) {
    List<String> types = arguments.stream().map(a -> PgRex.type(a).displayName()).toList();
    return new GaussException(
            SqlState.UNDEFINED_FUNCTION,
            "function " + name + "(" + String.join(", ", types) + ") does not exist")
        .hint(
            "No function matches the given name and argument types. "
                + "You might need to add explicit type casts.")
        .position(position);
  }

  private Function aggregate(String name, List<RexNode> arguments, int position) {
    ResolvedAggregate resolved;
    try {
      resolved = context.functions.aggregate(name, arguments.stream().map(PgRex::type).toList());
    } catch (GaussException e) {
      throw Coercion.at(e, position);
    }
    List<RexNode> typed = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      typed.add(to(arguments.get(i), resolved.argumentTypes().get(i), position));
    }
    return new Function(
        WindowFunction.AGGREGATE, new PgAggregate(resolved), typed, resolved.resultType());
  }

  private RexNode to(RexNode node, PgType type, int position) {
    return PgRex.type(node).sameType(type)
        ? node
        : expressions.coercion.to(node, type, CastContext.IMPLICIT, position);
  }

  private Function plain(String name, WindowFunction kind, List<RexNode> given, int position) {
    int least =
        switch (kind) {
          case ROW_NUMBER, RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST -> 0;
          case NTH_VALUE -> 2;
          default -> 1;
        };
    int most = kind == WindowFunction.LAG || kind == WindowFunction.LEAD ? 3 : least;
    if (given.size() < least || given.size() > most) {
      throw missing(name, given, position);
    }
    List<RexNode> arguments = new ArrayList<>(given);
    PgType result =
        switch (kind) {
          case ROW_NUMBER, RANK, DENSE_RANK -> PgType.INT8;
          case PERCENT_RANK, CUME_DIST -> PgType.FLOAT8;
          case NTILE -> {
            arguments.set(0, to(given.get(0), PgType.INT4, position));
            yield PgType.INT4;
          }
          default -> value(arguments, position);
        };
    return new Function(kind, null, arguments, result);
  }

  /** lag, lead, first_value, last_value, nth_value: the type of their first argument. */
  private PgType value(List<RexNode> arguments, int position) {
    if (arguments.size() == 3) {
      PgType common =
          expressions.coercion.common("lag", List.of(arguments.get(0), arguments.get(2)), position);
      arguments.set(2, to(arguments.get(2), common, position));
      arguments.set(0, to(arguments.get(0), common, position));
    } else {
      arguments.set(0, expressions.coercion.resolveUnknown(arguments.get(0), position));
    }
    if (arguments.size() > 1) {
      arguments.set(1, to(arguments.get(1), PgType.INT4, position));
    }
    return PgRex.type(arguments.get(0)).withTypmod(-1);
  }

  // ------------------------------------------------------------------ windows

  /**
   * @param frame where the frame is written, null = the default
   */
  private record Definition(SqlNodeList partition, SqlNodeList order, SqlWindow frame) {}

  private Definition definition(SqlNode node, Scope scope) {
    if (node instanceof SqlIdentifier name) {
      return definition(named(name, scope), scope);
    }
    SqlWindow window = (SqlWindow) node;
    SqlWindow frame =
        window.getLowerBound() == null && window.getUpperBound() == null ? null : window;
    if (window.getRefName() == null) {
      return new Definition(window.getPartitionList(), window.getOrderList(), frame);
    }
    String name = window.getRefName().getSimple();
    int position = ExprBinder.position(window.getRefName());
    Definition base = definition(named(window.getRefName(), scope), scope);
    if (!window.getPartitionList().isEmpty()) {
      throw error("cannot override PARTITION BY clause of window \"" + name + "\"", position);
    }
    if (!window.getOrderList().isEmpty() && !base.order().isEmpty()) {
      throw error("cannot override ORDER BY clause of window \"" + name + "\"", position);
    }
    if (base.frame() != null) {
      GaussException refused =
          error("cannot copy window \"" + name + "\" because it has a frame clause", position);
      boolean bare = window.getOrderList().isEmpty() && frame == null;
      throw bare ? refused.hint("Omit the parentheses in this OVER clause.") : refused;
    }
    return new Definition(
        base.partition(),
        window.getOrderList().isEmpty() ? base.order() : window.getOrderList(),
        frame);
  }

  private static SqlWindow named(SqlIdentifier name, Scope scope) {
    for (SqlNode node : scope.windows) {
      SqlWindow window = (SqlWindow) node;
      if (window.getDeclName().getSimple().equals(name.getSimple())) {
        return window;
      }
    }
    throw new GaussException(
            SqlState.UNDEFINED_OBJECT, "window \"" + name.getSimple() + "\" does not exist")
        .position(ExprBinder.position(name));
  }

  private static Bound start(SqlWindow frame) {
    return frame == null ? Bound.UNBOUNDED_PRECEDING : bound(frame.getLowerBound());
  }

  private static Bound end(SqlWindow frame) {
    return frame == null || frame.getUpperBound() == null
        ? Bound.CURRENT_ROW
        : bound(frame.getUpperBound());
  }

  private static Bound bound(SqlNode node) {
    if (SqlWindow.isCurrentRow(node)) {
      return Bound.CURRENT_ROW;
    }
    if (SqlWindow.isUnboundedPreceding(node)) {
      return Bound.UNBOUNDED_PRECEDING;
    }
    if (SqlWindow.isUnboundedFollowing(node)) {
      return Bound.UNBOUNDED_FOLLOWING;
    }
    return node.getKind() == SqlKind.PRECEDING ? Bound.PRECEDING : Bound.FOLLOWING;
  }

  private static void check(Bound start, Bound end, SqlWindow frame, int position) {
    int at = frame == null ? position : ExprBinder.position(frame.getLowerBound());
    if (start == Bound.UNBOUNDED_FOLLOWING) {
      throw error("frame start cannot be UNBOUNDED FOLLOWING", at);
    }
    if (end == Bound.UNBOUNDED_PRECEDING) {
      throw error("frame end cannot be UNBOUNDED PRECEDING", at);
    }
    if (start == Bound.CURRENT_ROW && end == Bound.PRECEDING) {
      throw error("frame starting from current row cannot have preceding rows", at);
    }
    if (start == Bound.FOLLOWING && (end == Bound.PRECEDING || end == Bound.CURRENT_ROW)) {
      throw error("frame starting from following row cannot have preceding rows", at);
    }
  }

  private List<RexNode> offsets(SqlWindow frame, ExprContext in, Mode mode) {
    List<RexNode> offsets = new ArrayList<>();
    for (SqlNode bound : new SqlNode[] {frame.getLowerBound(), frame.getUpperBound()}) {
      if (bound == null || !bound(bound).hasOffset()) {
        continue;
      }
      SqlNode amount = ((SqlCall) bound).operand(0);
      RexNode offset = expressions.bind(amount, in);
      offsets.add(
          mode == Mode.ROWS
              ? expressions.coercion.to(
                  offset, PgType.INT8, CastContext.IMPLICIT, ExprBinder.position(amount))
              : offset);
    }
    return offsets;
  }

  /** Finds the operators of RANGE offsets, and brings order value and offsets to their types. */
  private WindowReference.Steps steps(
      List<RexNode> operands, int key, List<RexNode> offsets, int position) {
    PgType type = PgRex.type(operands.get(key));
    PgType wanted = type.isInteger() ? PgType.INT8 : type.is(PgType.DATE) ? PgType.TIMESTAMP : type;
    PgType by =
        wanted.isInteger() || wanted.is(PgType.NUMERIC) || wanted.isFloat()
            ? wanted.withTypmod(-1)
            : PgType.INTERVAL;
    boolean possible =
        wanted.is(PgType.INT8)
            || wanted.is(PgType.NUMERIC)
            || wanted.isFloat()
            || wanted.is(PgType.TIMESTAMP)
            || wanted.is(PgType.TIMESTAMPTZ)
            || wanted.is(PgType.INTERVAL);
    if (!possible) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
                  + type.displayName())
          .position(position);
    }
    operands.set(key, to(operands.get(key), wanted, position));
    offsets.replaceAll(offset -> to(offset, by, position));
    ResolvedCall minus = context.functions.operator("-", wanted, by);
    ResolvedCall plus = context.functions.operator("+", wanted, by);
    return new WindowReference.Steps(
        new PgFunction(minus.function()), new PgFunction(plus.function()));
  }
}
