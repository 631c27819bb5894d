package io.gauss.compute.sql.algebra;

import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Makes and takes apart expressions. All types that it makes are nullable: PostgreSQL does not
 * report nullability to clients.
 */
public final class PgRex {
  public static final RexBuilder BUILDER = new RexBuilder(PgTypeFactory.INSTANCE);
  public static final RexNode TRUE = PgConstantHolder.TRUE;
  public static final RexNode FALSE = PgConstantHolder.FALSE;

  private PgRex() {}

  /** Delays the literals until the builder exists. */
  private static final class PgConstantHolder {
    static final RexNode TRUE = BUILDER.makeLiteral(true);
    static final RexNode FALSE = BUILDER.makeLiteral(false);
  }

  public static PgType type(RexNode node) {
    return PgTypeFactory.pg(node.getType());
  }

  public static RelDataType rel(PgType type) {
    return PgTypeFactory.INSTANCE.of(type);
  }

  public static RexNode call(SqlOperator operator, PgType type, List<RexNode> operands) {
    return PlanningWatch.checked(BUILDER.makeCall(rel(type), operator, operands));
  }

  public static RexNode bool(SqlOperator operator, RexNode... operands) {
    return call(operator, PgType.BOOL, List.of(operands));
  }

  public static RexNode input(int index, RelDataType rowType) {
    return new RexInputRef(index, rowType.getFieldList().get(index).getType());
  }

  public static RexNode not(RexNode condition) {
    return bool(SqlStdOperatorTable.NOT, condition);
  }

  /** AND over a list, flat; TRUE when it is empty. */
  public static RexNode and(List<RexNode> conditions) {
    List<RexNode> flat = new ArrayList<>();
    conditions.forEach(c -> addConjuncts(c, flat));
    return switch (flat.size()) {
      case 0 -> TRUE;
      case 1 -> flat.getFirst();
      default -> call(SqlStdOperatorTable.AND, PgType.BOOL, flat);
    };
  }

  /** OR over a list, flat. */
  public static RexNode or(List<RexNode> conditions) {
    List<RexNode> flat = new ArrayList<>();
    for (RexNode condition : conditions) {
      flat.addAll(RelOptUtil.disjunctions(condition));
    }
    return switch (flat.size()) {
      case 0 -> FALSE;
      case 1 -> flat.getFirst();
      default -> call(SqlStdOperatorTable.OR, PgType.BOOL, flat);
    };
  }

  /** The parts of a condition that must all be true; none for TRUE. */
  public static List<RexNode> conjuncts(RexNode condition) {
    List<RexNode> out = new ArrayList<>();
    if (condition != null) {
      addConjuncts(condition, out);
    }
    return out;
  }

  private static void addConjuncts(RexNode condition, List<RexNode> out) {
    if (condition.isA(SqlKind.AND)) {
      for (RexNode operand : ((RexCall) condition).operands) {
        addConjuncts(operand, out);
      }
    } else if (!isTrue(condition)) {
      out.add(condition);
    }
  }

  public static boolean isTrue(RexNode node) {
    if (node instanceof RexLiteral literal) {
      return Boolean.TRUE.equals(literal.getValue());
    }
    PgConstant constant = PgConstant.of(node);
    return constant != null
        && constant.type().is(PgType.BOOL)
        && !constant.isNull()
        && constant.value().l != 0;
  }

  /** Moves all column references by a number of positions. */
  public static RexNode shift(RexNode node, int by) {
    if (by == 0) {
      return node;
    }
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return new RexInputRef(ref.getIndex() + by, ref.getType());
          }
        });
  }
}
