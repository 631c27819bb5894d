package io.gauss.compute.sql.bind.set;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.PgProducer;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.function.Lockstep;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Set-returning functions of a select list: all of them run side by side for each input row, and
 * their columns are added after that row's. One query level.
 */
public final class SelectSets {
  private final RelNode rel;
  private final List<RexNode> expressions;

  private SelectSets(RelNode rel, List<RexNode> expressions) {
    this.rel = rel;
    this.expressions = expressions;
  }

  public RelNode rel() {
    return rel;
  }

  /** The expressions over the longer row. */
  public List<RexNode> expressions() {
    return expressions;
  }

  public static boolean isIn(RexNode node) {
    boolean[] found = new boolean[1];
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitCall(RexCall call) {
            found[0] |= call.op instanceof SetReference;
            return super.visitCall(call);
          }
        });
    return found[0];
  }

  /**
   * Some arguments are not always evaluated; then the number of rows of such a function is
   * undefined.
   */
  public static void refuse(List<RexNode> nodes, String where, int position) {
    if (nodes.stream().anyMatch(SelectSets::isIn)) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED, "set-returning functions are not allowed in " + where)
          .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
          .position(position);
    }
  }

  /** One function with its arguments, and the position of its first column. */
  private record Used(SetFunctions.Call call, List<RexNode> arguments, int firstColumn) {}

  /** Null when the expressions have no such function. */
  public static SelectSets of(RelNode input, List<RexNode> expressions) {
    if (expressions.stream().noneMatch(SelectSets::isIn)) {
      return null;
    }
    List<Used> used = new ArrayList<>();
    int width = input.getRowType().getFieldCount();
    int[] arguments = new int[1];
    int[] columns = new int[1];
    for (RexNode expression : expressions) {
      expression.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitCall(RexCall call) {
              if (call.op instanceof SetReference reference) {
                if (call.operands.stream().anyMatch(SelectSets::isIn)) {
                  throw GaussException.notSupported(
                      "a set-returning function as an argument of another one");
                }
                if (find(used, reference, call) == null) {
                  used.add(new Used(reference.call(), call.operands, columns[0]));
                  arguments[0] += call.operands.size();
                  columns[0] += reference.call().types().size();
                }
                return null;
              }
              return super.visitCall(call);
            }
          });
    }
    int first = width + arguments[0];
    RelNode joined = joined(input, used);
    List<RexNode> above = new ArrayList<>();
    for (RexNode expression : expressions) {
      above.add(
          expression.accept(
              new RexShuttle() {
                @Override
                public RexNode visitCall(RexCall call) {
                  if (call.op instanceof SetReference reference) {
                    Used found = find(used, reference, call);
                    return new RexInputRef(
                        first + found.firstColumn() + reference.column(), call.getType());
                  }
                  return super.visitCall(call);
                }
              }));
    }
    return new SelectSets(joined, above);
  }

  private static Used find(List<Used> used, SetReference reference, RexCall call) {
    for (Used candidate : used) {
      if (candidate.call().equals(reference.call())
          && candidate.arguments().equals(call.operands)) {
        return candidate;
      }
    }
    return null;
  }

  /** Input row, then all arguments, then the functions' columns. */
  private static RelNode joined(RelNode input, List<Used> used) {
    List<RexNode> row = new ArrayList<>();
    int width = input.getRowType().getFieldCount();
    for (int i = 0; i < width; i++) {
      row.add(PgRex.input(i, input.getRowType()));
    }
    List<Lockstep.Part> parts = new ArrayList<>();
    var type = PgTypeFactory.INSTANCE.builder();
    int column = 0;
    for (Used one : used) {
      row.addAll(one.arguments());
      parts.add(
          new Lockstep.Part(
              one.call().producer(),
              one.arguments().size(),
              one.call().types().toArray(PgType[]::new)));
      for (PgType columnType : one.call().types()) {
        type.add("set" + column++, PgRex.rel(columnType));
      }
    }
    RelNode left = LogicalProject.create(input, List.of(), row, (List<String>) null);
    CorrelationId id = input.getCluster().createCorrel();
    RexNode variable = PgRex.BUILDER.makeCorrel(left.getRowType(), id);
    List<RexNode> arguments = new ArrayList<>();
    for (int i = width; i < row.size(); i++) {
      arguments.add(PgRex.BUILDER.makeFieldAccess(variable, i));
    }
    RowProducer producer =
        parts.size() == 1
            ? used.getFirst().call().producer()
            : new Lockstep(parts.toArray(Lockstep.Part[]::new), false);
    RelNode right =
        new PgProducer(
            input.getCluster(), used.getFirst().call().name(), type.build(), producer, arguments);
    return LogicalCorrelate.create(
        left, right, List.of(), id, ImmutableBitSet.range(width, row.size()), JoinRelType.INNER);
  }
}
