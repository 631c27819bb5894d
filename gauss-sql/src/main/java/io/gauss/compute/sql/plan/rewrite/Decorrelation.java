package io.gauss.compute.sql.plan.rewrite;

import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.SubQueries;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * Takes the conditions that refer to the outer row out of a sub-query, if all of them are
 * conditions of its joins and filters; then the sub-query can be joined like a table.
 *
 * @param rel the sub-query without them; its row has the fields of all its tables
 * @param conditions over outer row ++ row of {@code rel}
 * @param outputs the sub-query's columns over outer row ++ row of {@code rel}
 */
record Decorrelation(RelNode rel, List<RexNode> conditions, List<RexNode> outputs) {
  /**
   * Null when the outer row is referred to elsewhere: below an aggregation, a limit or an outer
   * join.
   */
  static Decorrelation of(RelNode query, CorrelationId id, int outerWidth) {
    JoinBlock block = JoinBlock.of(query);
    for (JoinBlock.Leaf leaf : block.leaves()) {
      if (SubQueries.useOuterRow(leaf.rel(), id)) {
        return null;
      }
    }
    List<RexNode> own = new ArrayList<>();
    List<RexNode> pulled = new ArrayList<>();
    for (RexNode condition : block.conditions()) {
      if (mentions(condition, id)) {
        pulled.add(outward(condition, id, outerWidth));
      } else {
        own.add(condition);
      }
    }
    RelNode rel = null;
    for (JoinBlock.Leaf leaf : block.leaves()) {
      rel =
          rel == null
              ? leaf.rel()
              : LogicalJoin.create(
                  rel, leaf.rel(), List.of(), PgRex.TRUE, Set.of(), JoinRelType.INNER);
    }
    if (!own.isEmpty()) {
      rel = LogicalFilter.create(rel, PgRex.and(own));
    }
    List<RexNode> outputs = new ArrayList<>();
    for (RexNode output : block.outputs()) {
      outputs.add(outward(output, id, outerWidth));
    }
    return new Decorrelation(rel, pulled, outputs);
  }

  private static boolean mentions(RexNode node, CorrelationId id) {
    boolean[] found = new boolean[1];
    node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            found[0] |= access.getReferenceExpr() instanceof RexCorrelVariable v && v.id.equals(id);
            return access;
          }
        });
    return found[0];
  }

  private static RexNode outward(RexNode node, CorrelationId id, int outerWidth) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return new RexInputRef(ref.getIndex() + outerWidth, ref.getType());
          }

          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            return access.getReferenceExpr() instanceof RexCorrelVariable v && v.id.equals(id)
                ? new RexInputRef(access.getField().getIndex(), access.getType())
                : super.visitFieldAccess(access);
          }
        });
  }
}
