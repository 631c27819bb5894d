package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.aggregate.OrderedSetLibrary;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.expr.call.ResolvedCall;
import io.gauss.compute.sql.algebra.PgAggregate;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.bind.set.SelectSets;
import io.gauss.compute.sql.bind.set.SetFunctions;
import io.gauss.compute.sql.bind.set.SetReference;
import io.gauss.compute.sql.bind.type.Coercion;
import io.gauss.compute.sql.exec.node.WindowFunction;
import io.gauss.compute.sql.parse.PgOperators;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.StoredTypes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/** Binds calls of functions and aggregates, and COALESCE and similar. One statement, one thread. */
final class FunctionBinder {
  private static final int GROUPING_ARGUMENTS_MAX = 31;

  private final BindContext context;
  private final ExprBinder expressions;

  FunctionBinder(BindContext context, ExprBinder expressions) {
    this.context = context;
    this.expressions = expressions;
  }

  /** The function's name as written in the call, without schema pg_catalog. */
  static String name(SqlCall call) {
    SqlIdentifier id = ((SqlFunction) call.getOperator()).getNameAsId();
    List<String> names = id.names;
    String schema = names.size() > 1 ? names.get(names.size() - 2) : "pg_catalog";
    boolean standard =
        schema.equals("information_schema") && names.getLast().equals("_pg_expandarray");
    if (!schema.equals("pg_catalog") && !standard) {
      throw new GaussException(
              SqlState.UNDEFINED_FUNCTION,
              "function " + String.join(".", names) + " does not exist")
          .position(ExprBinder.position(call));
    }
    return names.getLast();
  }

  /** {@code agg(...) FILTER (WHERE ...)}. */
  RexNode filtered(SqlCall call, ExprContext in) {
    return aggregateOrFunction(call.operand(0), call.operand(1), in);
  }

  /** {@code agg(... ORDER BY ...)}. */
  RexNode ordered(SqlCall call, ExprContext in) {
    return aggregateOrFunction(call, null, in);
  }

  RexNode function(SqlCall call, ExprContext in) {
    return aggregateOrFunction(call, null, in);
  }

  private RexNode aggregateOrFunction(SqlCall written, SqlNode filter, ExprContext in) {
    SqlCall call = written;
    if (call.getOperator() == PgOperators.WITHIN_GROUP) {
      return orderedSet(call.operand(0), call.operand(1), filter, in);
    }
    SqlNodeList order = null;
    if (call.getOperator() == PgOperators.AGGREGATE_ORDER_BY) {
      order = call.operand(1);
      call = call.operand(0);
    }
    String name = name(call);
    int position = ExprBinder.position(call);
    if (context.functions.isAggregate(name)) {
      return aggregate(name, call, order, filter, in);
    }
    if (name.equals("grouping") && order == null && filter == null) {
      return grouping(call, in);
    }
    boolean decorated = order != null || filter != null || call.getFunctionQuantifier() != null;
    boolean known =
        context.functions.isFunction(name)
            || SetFunctions.contains(name)
            || WindowFunction.named(name) != null;
    if (decorated && !known) {
      return call(name, expressions.row(call, in), position); // throws: there is none
    }
    if (order != null) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE,
              "ORDER BY specified, but " + name + " is not an aggregate function")
          .position(position);
    }
    if (filter != null) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE,
              "FILTER specified, but " + name + " is not an aggregate function")
          .position(position);
    }
    if (call.getFunctionQuantifier() != null) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE,
              "DISTINCT specified, but " + name + " is not an aggregate function")
          .position(position);
    }
    List<RexNode> arguments = new ArrayList<>();
    List<SqlNode> operands = NamedArguments.inOrder(name, call);
    if (operands == null) {
      throw missing(name, call, in, position);
    }
    for (SqlNode operand : operands) {
      arguments.add(expressions.bind(operand, in));
    }
    if (SetFunctions.contains(name)) {
      return set(name, arguments, null, in, position);
    }
    if (!context.functions.isFunction(name)) {
      WindowBinder.requireOver(name, position);
    }
    checkCount(name, call);
    return switch (name) {
      case "coalesce" -> {
        SelectSets.refuse(arguments, "COALESCE", position);
        yield common(PgOperator.COALESCE, arguments, position);
      }
      case "greatest" -> common(PgOperator.GREATEST, arguments, position);
      case "least" -> common(PgOperator.LEAST, arguments, position);
      case "nullif" -> nullIf(arguments, position);
      default -> call(name, arguments, position);
    };
  }

  /** In PostgreSQL these are syntax, so too few or too many arguments are syntax errors. */
  private static void checkCount(String name, SqlCall call) {
    int count = call.operandCount();
    boolean isRight =
        switch (name) {
          case "coalesce", "greatest", "least" -> count > 0;
          case "nullif" -> count == 2;
          default -> true;
        };
    if (!isRight) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR,
              "syntax error at or near \"%s\"".formatted(count > 2 ? "," : ")"))
          .position(call.getParserPosition().getEndColumnNum());
    }
  }

  /** There is no function with arguments of these names and types. */
  private GaussException missing(String name, SqlCall call, ExprContext in, int position) {
    List<String> shown = new ArrayList<>();
    for (SqlNode operand : call.getOperandList()) {
      boolean named = NamedArguments.isNamed(operand);
      SqlNode value = named ? ((SqlCall) operand).operand(0) : operand;
      String type = PgRex.type(expressions.bind(value, in)).displayName();
      shown.add(named ? ((SqlCall) operand).operand(1) + " => " + type : type);
    }
    return missing(name, shown, position);
  }

  private static GaussException missing(String name, List<String> arguments, int position) {
    return new GaussException(
            SqlState.UNDEFINED_FUNCTION,
            "function " + name + "(" + String.join(", ", arguments) + ") does not exist")
        .hint(
            "No function matches the given name and argument types. "
                + "You might need to add explicit type casts.")
        .position(position);
  }

  /** {@code (f(x)).column} of a set-returning function. */
  RexNode field(SqlCall call, String column, ExprContext in) {
    int position = ExprBinder.position(call);
    String name = call.getOperator() instanceof SqlFunction ? name(call) : "";
    if (!SetFunctions.contains(name)) {
      throw GaussException.notSupported("a field of a row value").position(position);
    }
    return set(name, expressions.row(call, in), column, in, position);
  }

  /** A column of a set-returning function. */
  record Field(String name, RexNode value) {}

  /** Whether it is a call of a function that returns a set of rows of several columns. */
  boolean isRowSet(SqlNode node) {
    return node instanceof SqlCall call
        && call.getOperator() instanceof SqlFunction function
        && function.getNameAsId() != null
        && function.getNameAsId().names.getLast().equals("_pg_expandarray");
  }

  List<Field> fields(SqlCall call, ExprContext in) {
    int position = ExprBinder.position(call);
    List<RexNode> arguments = expressions.row(call, in);
    String name = name(call);
    List<Field> fields = new ArrayList<>();
    for (String column :
        new SetFunctions(context.functions, expressions.coercion)
            .resolve(name, arguments, position)
            .call()
            .columns()) {
      fields.add(new Field(column, set(name, arguments, column, in, position)));
    }
    return fields;
  }

  /**
   * @param column null = the only one
   */
  private RexNode set(
      String name, List<RexNode> arguments, String column, ExprContext in, int position) {
    boolean allowed =
        !in.inAggregate() && (in.clause().equals("SELECT") || in.clause().equals("ORDER BY"));
    if (!allowed && in.inAggregate()) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "aggregate function calls cannot contain set-returning function calls")
          .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
          .position(position);
    }
    if (!allowed) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "set-returning functions are not allowed in " + in.clause())
          .position(position);
    }
    SetFunctions.Resolved resolved =
        new SetFunctions(context.functions, expressions.coercion)
            .resolve(name, arguments, position);
    SetFunctions.Call call = resolved.call();
    int index = column == null ? 0 : call.columns().indexOf(column);
    if (column == null && call.types().size() > 1) {
      throw GaussException.notSupported("a row as a value").position(position);
    }
    if (index < 0) {
      throw new GaussException(
              SqlState.UNDEFINED_COLUMN, "column \"" + column + "\" not found in data type record")
          .position(position);
    }
    return PgRex.call(new SetReference(call, index), call.types().get(index), resolved.arguments());
  }

  private RexNode common(PgOperator operator, List<RexNode> arguments, int position) {
    Coercion coercion = expressions.coercion;
    PgType type = coercion.common(operator.getName(), arguments, position);
    List<RexNode> operands = new ArrayList<>();
    for (RexNode argument : arguments) {
      operands.add(coercion.to(argument, type, CastContext.IMPLICIT, position));
    }
    return operands.size() == 1 ? operands.getFirst() : PgRex.call(operator, type, operands);
  }

  private RexNode nullIf(List<RexNode> arguments, int position) {
    RexNode left = expressions.coercion.resolveUnknown(arguments.get(0), position);
    RexNode equal = expressions.equal(left, arguments.get(1), position);
    RexNode right = ((RexCall) equal).operands.get(1);
    return PgRex.call(PgOperator.NULLIF, PgRex.type(left), List.of(left, right));
  }

  /** Calls a function by name; a type's name with one argument is a cast. */
  RexNode call(String name, List<RexNode> arguments, int position) {
    List<PgType> types = new ArrayList<>();
    for (RexNode argument : arguments) {
      types.add(PgRex.type(argument));
    }
    try {
      return resolved(context.functions.function(name, types), arguments, position);
    } catch (GaussException e) {
      if (e.state() == SqlState.UNDEFINED_FUNCTION && arguments.size() == 1) {
        PgType type = typeNamed(name);
        if (type != null) {
          return expressions.coercion.to(
              arguments.getFirst(), type, CastContext.EXPLICIT, position);
        }
      }
      throw Coercion.at(e, position);
    }
  }

  private PgType typeNamed(String name) {
    for (PgType type : PgTypes.scalars()) {
      if (type.name().equals(name) && !type.isPseudo() && !type.isUnknown()) {
        return type;
      }
    }
    int stored = StoredTypes.oid(name);
    PgType made =
        stored == 0
            ? context.catalog.type(context.searchPath, null, name)
            : context.catalog.type(stored);
    return made == null || made.isPlainArray() ? null : made;
  }

  RexNode resolved(ResolvedCall call, List<RexNode> arguments, int position) {
    List<RexNode> operands = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      PgType wanted = call.argumentTypes().get(i);
      RexNode argument = arguments.get(i);
      boolean same = PgRex.type(argument).sameType(wanted);
      operands.add(
          same
              ? argument
              : expressions.coercion.to(argument, wanted, CastContext.IMPLICIT, position));
    }
    return PgRex.call(new PgFunction(call.function()), call.resultType(), operands);
  }

  // ------------------------------------------------------------------ aggregates

  /** An argument that is not evaluated for rows that FILTER leaves out: it may fail for them. */
  private static RexNode guarded(RexNode argument, RexNode filter) {
    boolean harmless = !(argument instanceof RexCall) || !RexUtil.isDeterministic(filter);
    if (harmless) {
      return argument;
    }
    PgType type = PgRex.type(argument);
    return PgRex.call(
        SqlStdOperatorTable.CASE, type, List.of(filter, argument, PgConstant.ofNull(type)));
  }

  /** {@code GROUPING(a, b)}: it is checked later that the arguments are grouping expressions. */
  private RexNode grouping(SqlCall call, ExprContext in) {
    if (in.aggregates() == null) {
      throw new GaussException(
              SqlState.GROUPING_ERROR,
              in.inAggregate()
                  ? "aggregate function calls cannot contain grouping operations"
                  : "grouping operations are not allowed in " + in.clause())
          .position(ExprBinder.position(call));
    }
    if (call.operandCount() > GROUPING_ARGUMENTS_MAX) {
      throw new GaussException(
              SqlState.TOO_MANY_ARGUMENTS, "GROUPING must have fewer than 32 arguments")
          .position(ExprBinder.position(call));
    }
    List<RexNode> arguments = new ArrayList<>();
    for (SqlNode operand : call.getOperandList()) {
      arguments.add(expressions.bind(operand, in));
    }
    return in.aggregates().addGrouping(arguments);
  }

  /** {@code percentile_cont(0.5) WITHIN GROUP (ORDER BY x)}: x, then the direct argument. */
  private RexNode orderedSet(SqlCall call, SqlNodeList order, SqlNode filter, ExprContext in) {
    int position = ExprBinder.position(call);
    String name = name(call);
    if (!OrderedSetLibrary.NAMES.contains(name)) {
      throw noOrderedSet(name, call, order, in, position);
    }
    allowAggregate(in, position);
    ExprContext inside = in.insideAggregate();
    List<AggregateCollector.Order> keys = new ArrayList<>();
    List<RexNode> arguments = new ArrayList<>();
    for (SqlNode item : order) {
      AggregateCollector.Order key = OrderBinder.inAggregate(item, inside, expressions);
      keys.add(key);
      arguments.add(key.expression());
    }
    for (SqlNode operand : call.getOperandList()) {
      RexNode direct = expressions.bind(operand, inside);
      if (!RelOptUtil.InputFinder.bits(direct).isEmpty()) {
        throw GaussException.notSupported("a column as a direct argument of " + name)
            .position(ExprBinder.position(operand));
      }
      arguments.add(direct);
    }
    RexNode condition = filter(filter, in);
    try {
      return collected(name, arguments, false, condition, keys, in, position);
    } catch (GaussException e) {
      if (e.state() != SqlState.UNDEFINED_FUNCTION) {
        throw e;
      }
      // Written, and so shown, with the direct arguments first.
      Collections.rotate(arguments, -keys.size());
      throw missing(
          name, arguments.stream().map(a -> PgRex.type(a).displayName()).toList(), position);
    }
  }

  /** The error for WITHIN GROUP after any other function. */
  private GaussException noOrderedSet(
      String name, SqlCall call, SqlNodeList order, ExprContext in, int position) {
    if (WindowFunction.named(name) != null) {
      return GaussException.notSupported("a hypothetical-set aggregate").position(position);
    }
    List<RexNode> arguments = new ArrayList<>(expressions.row(call, in));
    order.forEach(
        item ->
            arguments.add(
                OrderBinder.inAggregate(item, in.insideAggregate(), expressions).expression()));
    if (!context.functions.isAggregate(name)) {
      call(name, arguments, position);
      return new GaussException(
              SqlState.WRONG_OBJECT_TYPE,
              "WITHIN GROUP specified, but " + name + " is not an aggregate function")
          .position(position);
    }
    resolvedAggregate(name, arguments, position);
    return new GaussException(
            SqlState.WRONG_OBJECT_TYPE,
            name + " is not an ordered-set aggregate, so it cannot have WITHIN GROUP")
        .position(position);
  }

  private ResolvedAggregate resolvedAggregate(String name, List<RexNode> arguments, int position) {
    try {
      return context.functions.aggregate(name, arguments.stream().map(PgRex::type).toList());
    } catch (GaussException e) {
      throw Coercion.at(e, position);
    }
  }

  private static void allowAggregate(ExprContext in, int position) {
    if (in.inAggregate()) {
      throw new GaussException(SqlState.GROUPING_ERROR, "aggregate function calls cannot be nested")
          .position(position);
    }
    if (in.aggregates() == null) {
      throw new GaussException(
              SqlState.GROUPING_ERROR, "aggregate functions are not allowed in " + in.clause())
          .position(position);
    }
  }

  private RexNode filter(SqlNode filter, ExprContext in) {
    return filter == null
        ? null
        : expressions.condition(filter, new ExprContext(in.scope(), "FILTER", null, true));
  }

  /** {@code f(*)}; {@code f(t.*)} has a row as its argument. */
  static boolean isStar(SqlCall call) {
    return call.operandCount() == 1
        && call.operand(0) instanceof SqlIdentifier identifier
        && identifier.isStar()
        && identifier.names.size() == 1;
  }

  private RexNode aggregate(
      String name, SqlCall call, SqlNodeList order, SqlNode filter, ExprContext in) {
    int position = ExprBinder.position(call);
    allowAggregate(in, position);
    boolean distinct =
        call.getFunctionQuantifier() != null
            && call.getFunctionQuantifier().symbolValue(SqlSelectKeyword.class)
                == SqlSelectKeyword.DISTINCT;
    ExprContext inside = in.insideAggregate();
    boolean star = isStar(call);
    List<RexNode> arguments = new ArrayList<>();
    if (!star) {
      for (SqlNode operand : call.getOperandList()) {
        RexNode argument = expressions.bind(operand, inside);
        boolean counted = name.equals("count") && !distinct;
        arguments.add(counted ? RowBinder.presence(argument) : argument);
      }
    } else if (!name.equals("count")) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE,
              name
                  + "(*) specified, but "
                  + name
                  + " is not an aggregate function without arguments")
          .position(position);
    } else if (distinct) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "DISTINCT specified with *")
          .position(position);
    }
    if (OrderedSetLibrary.NAMES.contains(name)) {
      resolvedAggregate(name, arguments, position);
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE,
              "WITHIN GROUP is required for ordered-set aggregate " + name)
          .position(position);
    }
    if (arguments.isEmpty() && !star) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE,
              name + "(*) must be used to call a parameterless aggregate function")
          .position(position);
    }
    List<AggregateCollector.Order> keys = new ArrayList<>();
    if (order != null) {
      for (SqlNode item : order) {
        AggregateCollector.Order key = OrderBinder.inAggregate(item, inside, expressions);
        if (distinct && !arguments.contains(key.expression())) {
          throw new GaussException(
                  SqlState.INVALID_COLUMN_REFERENCE,
                  "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument"
                      + " list")
              .position(ExprBinder.position(item));
        }
        keys.add(key);
      }
    }
    RexNode condition = filter(filter, in);
    return collected(name, arguments, distinct, condition, keys, in, position);
  }

  private RexNode collected(
      String name,
      List<RexNode> arguments,
      boolean distinct,
      RexNode condition,
      List<AggregateCollector.Order> keys,
      ExprContext in,
      int position) {
    ResolvedAggregate resolved = resolvedAggregate(name, arguments, position);
    List<RexNode> typed = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      PgType wanted = resolved.argumentTypes().get(i);
      RexNode argument = arguments.get(i);
      typed.add(
          PgRex.type(argument).sameType(wanted)
              ? argument
              : expressions.coercion.to(argument, wanted, CastContext.IMPLICIT, position));
    }
    if (condition != null) {
      typed.replaceAll(argument -> guarded(argument, condition));
    }
    if (distinct) {
      typed.forEach(argument -> Sortable.requireEquality(PgRex.type(argument), position));
    }
    boolean each = distinct && !name.equals("min") && !name.equals("max");
    return in.aggregates()
        .add(
            new AggregateCollector.Item(
                new PgAggregate(resolved), typed, each, condition, List.copyOf(keys)));
  }
}
