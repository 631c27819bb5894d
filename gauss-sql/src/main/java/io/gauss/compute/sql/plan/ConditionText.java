package io.gauss.compute.sql.plan;

import io.gauss.compute.sql.algebra.PgCast;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgDomainCast;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import java.util.List;
import java.util.StringJoiner;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/** Prints conditions for EXPLAIN, much as PostgreSQL does. */
final class ConditionText {
  private final List<String> names;

  private ConditionText(List<String> names) {
    this.names = names;
  }

  /**
   * @param names of the columns that references stand for
   */
  static String of(List<RexNode> conditions, List<String> names) {
    ConditionText text = new ConditionText(names);
    if (conditions.size() == 1) {
      return text.parenthesised(conditions.getFirst());
    }
    StringJoiner joined = new StringJoiner(" AND ", "(", ")");
    conditions.forEach(c -> joined.add(text.parenthesised(c)));
    return joined.toString();
  }

  private String parenthesised(RexNode node) {
    String text = print(node);
    return text.startsWith("(") ? text : "(" + text + ")";
  }

  private String print(RexNode node) {
    return switch (node) {
      case RexInputRef ref ->
          names != null && ref.getIndex() < names.size()
              ? names.get(ref.getIndex())
              : "column " + (ref.getIndex() + 1);
      case RexDynamicParam param -> "$" + (param.getIndex() + 1);
      case RexFieldAccess access -> access.getField().getName();
      case RexLiteral literal -> String.valueOf(literal.getValue());
      case RexCall call -> call(call);
      default -> node.toString();
    };
  }

  private String call(RexCall call) {
    if (call.op instanceof PgConstant constant) {
      return constant(constant);
    }
    if (call.op instanceof PgCast cast) {
      return "(" + print(call.operands.getFirst()) + ")::" + cast.target().format();
    }
    if (call.op instanceof PgDomainCast cast) {
      return "(" + print(call.operands.getFirst()) + ")::" + cast.target().format();
    }
    if (call.op instanceof PgFunction function) {
      return function.function().operator() && call.operands.size() == 2
          ? infix(function.function().name(), call)
          : list(function.function().name() + "(", call.operands);
    }
    if (call.op instanceof PgOperator operator && operator.isQuantified()) {
      return "("
          + print(call.operands.get(0))
          + " "
          + operator.getName()
          + " ("
          + print(call.operands.get(1))
          + "))";
    }
    if (call.op == PgOperator.IN_LIST) {
      return "("
          + print(call.operands.getFirst())
          + " = ANY "
          + list("(", call.operands.subList(1, call.operands.size()))
          + ")";
    }
    return switch (call.getKind()) {
      case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
          infix(call.op.getName(), call);
      case AND, OR -> {
        StringJoiner joined = new StringJoiner(" " + call.getKind() + " ", "(", ")");
        call.operands.forEach(o -> joined.add(print(o)));
        yield joined.toString();
      }
      case NOT -> "(NOT " + print(call.operands.getFirst()) + ")";
      case IS_NULL, IS_NOT_NULL, IS_TRUE, IS_FALSE, IS_NOT_TRUE, IS_NOT_FALSE ->
          "(" + print(call.operands.getFirst()) + " " + call.op.getName() + ")";
      default ->
          call.getKind() == SqlKind.IS_DISTINCT_FROM
              ? infix("IS DISTINCT FROM", call)
              : list(call.op.getName() + "(", call.operands);
    };
  }

  private String infix(String operator, RexCall call) {
    return "("
        + print(call.operands.get(0))
        + " "
        + operator
        + " "
        + print(call.operands.get(1))
        + ")";
  }

  private String list(String open, List<RexNode> operands) {
    StringJoiner joined = new StringJoiner(", ", open, ")");
    operands.forEach(o -> joined.add(print(o)));
    return joined.toString();
  }

  private static String constant(PgConstant constant) {
    PgType type = constant.type();
    if (constant.isNull()) {
      return "NULL::" + type.format();
    }
    String text = TypeCodec.of(type).toText(constant.value(), TypeContext.DEFAULT);
    if (type.isInteger() || type.is(PgType.NUMERIC)) {
      return text;
    }
    return "'" + text.replace("'", "''") + "'::" + type.displayName();
  }
}
