package io.gauss.compute.sql.plan;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.ConstExpr;
import io.gauss.compute.expr.ConstantFolder;
import io.gauss.compute.expr.DomainExpr;
import io.gauss.compute.expr.DomainValueExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.ParamExpr;
import io.gauss.compute.expr.call.CastRegistry;
import io.gauss.compute.expr.call.Exprs;
import io.gauss.compute.expr.call.FunctionDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.PgCast;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgDomainCast;
import io.gauss.compute.sql.algebra.PgDomainValue;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PlanningWatch;
import io.gauss.compute.type.PgType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;

/**
 * Turns expressions of the algebra into executable ones; Gauss's evaluator folds constants.
 * Overloads of comparisons are found again by the operands' types. One thread.
 */
final class ExprCompiler {
  private final FunctionRegistry functions;
  private final Slots slots;
  private final PlanningWatch watch;

  ExprCompiler(FunctionRegistry functions, Slots slots, PlanningWatch watch) {
    this.watch = watch;
    this.functions = functions;
    this.slots = slots;
  }

  /**
   * @param columns positions in the batch of the fields that the expression refers to; null when it
   *     has none
   */
  Expr compile(RexNode node, ColumnMap columns) {
    watch.compiled();
    return switch (node) {
      case RexInputRef ref -> new ColumnExpr(columns.position(ref.getIndex()), PgRex.type(ref));
      case RexDynamicParam param -> new ParamExpr(param.getIndex(), PgRex.type(param));
      case RexFieldAccess access -> outer(access);
      case RexLiteral literal -> literal(literal);
      case RexCall call -> call(call, columns);
      default -> throw new IllegalStateException("expression " + node + " " + node.getClass());
    };
  }

  Expr[] compile(List<? extends RexNode> nodes, ColumnMap columns) {
    Expr[] result = new Expr[nodes.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = compile(nodes.get(i), columns);
    }
    return result;
  }

  private Expr outer(RexFieldAccess access) {
    if (!(access.getReferenceExpr() instanceof RexCorrelVariable variable)) {
      throw new IllegalStateException("field of " + access.getReferenceExpr());
    }
    return new ParamExpr(slots.slot(variable.id, access.getField().getIndex()), PgRex.type(access));
  }

  /** Literals come only from Calcite's rules and for TRUE and FALSE. */
  private static Expr literal(RexLiteral literal) {
    PgType type = PgRex.type(literal);
    if (literal.isNull()) {
      return ConstExpr.ofNull(type);
    }
    if (type.is(PgType.BOOL)) {
      return ConstExpr.ofBoolean(Boolean.TRUE.equals(literal.getValue()));
    }
    if (type.isInteger()) {
      return ConstExpr.ofLong(type, literal.getValueAs(BigDecimal.class).longValueExact());
    }
    throw new IllegalStateException("literal " + literal + " of type " + type);
  }

  private List<Expr> operands(RexCall call, ColumnMap columns) {
    List<Expr> result = new ArrayList<>(call.operands.size());
    for (RexNode operand : call.operands) {
      result.add(compile(operand, columns));
    }
    return result;
  }

  private Expr call(RexCall call, ColumnMap columns) {
    if (call.op instanceof PgConstant constant) {
      return ConstExpr.copyOf(constant.type(), constant.value());
    }
    List<Expr> operands = operands(call, columns);
    if (call.op instanceof PgFunction function) {
      FunctionDef def = function.function();
      return ConstantFolder.fold(def.factory().create(def, operands.toArray(Expr[]::new)));
    }
    if (call.op instanceof PgCast cast) {
      return ConstantFolder.fold(
          CastRegistry.coerce(operands.getFirst(), cast.target(), cast.context()));
    }
    if (call.op instanceof PgDomainCast cast) {
      List<DomainExpr.Check> checks = new ArrayList<>();
      for (PgDomainCast.Check check : cast.checks()) {
        checks.add(new DomainExpr.Check(check.name(), compile(check.condition(), null)));
      }
      return ConstantFolder.fold(new DomainExpr(operands.getFirst(), cast.target(), checks));
    }
    if (call.op instanceof PgDomainValue) {
      return new DomainValueExpr(PgRex.type(call));
    }
    if (call.op instanceof PgOperator operator) {
      return construct(operator, operands);
    }
    return switch (call.getKind()) {
      case AND -> Exprs.and(operands);
      case OR -> Exprs.or(operands);
      case NOT -> Exprs.not(operands.getFirst());
      case IS_NULL -> Exprs.isNull(operands.getFirst());
      case IS_NOT_NULL -> Exprs.isNotNull(operands.getFirst());
      case IS_TRUE -> Exprs.isBoolean(operands.getFirst(), true, false);
      case IS_FALSE -> Exprs.isBoolean(operands.getFirst(), false, false);
      case IS_NOT_TRUE -> Exprs.isBoolean(operands.getFirst(), true, true);
      case IS_NOT_FALSE -> Exprs.isBoolean(operands.getFirst(), false, true);
      case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
          comparison(call.op.getName(), operands.get(0), operands.get(1));
      case IS_DISTINCT_FROM -> Exprs.isDistinct(functions, operands.get(0), operands.get(1), false);
      case IS_NOT_DISTINCT_FROM ->
          Exprs.isDistinct(functions, operands.get(0), operands.get(1), true);
      case CASE -> caseWhen(operands);
      default -> throw GaussException.notSupported("operator " + call.op.getName());
    };
  }

  private Expr comparison(String name, Expr left, Expr right) {
    return functions.operator(name, left.type(), right.type()).bind(left, right);
  }

  private Expr construct(PgOperator operator, List<Expr> operands) {
    if (operator == PgOperator.IN_LIST) {
      return Exprs.in(functions, operands.getFirst(), operands.subList(1, operands.size()), false);
    }
    if (operator == PgOperator.COALESCE) {
      return Exprs.coalesce(operands);
    }
    if (operator == PgOperator.NULLIF) {
      return Exprs.nullIf(functions, operands.get(0), operands.get(1));
    }
    if (operator == PgOperator.ARRAY) {
      return Exprs.array(operands);
    }
    if (operator.isQuantified()) {
      return Exprs.quantified(
          functions, operator.comparison(), operands.get(0), operands.get(1), operator.isAny());
    }
    return Exprs.extreme(operands, operator == PgOperator.GREATEST);
  }

  private static Expr caseWhen(List<Expr> operands) {
    List<Expr> conditions = new ArrayList<>();
    List<Expr> results = new ArrayList<>();
    for (int i = 0; i + 1 < operands.size(); i += 2) {
      conditions.add(operands.get(i));
      results.add(operands.get(i + 1));
    }
    return Exprs.caseWhen(conditions, results, operands.getLast());
  }
}
