package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.SubQueries;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * Joins whose right side refers to the left side's row: LATERAL sub-queries and functions in FROM.
 * Stateless.
 */
final class Lateral {
  private Lateral() {}

  /** The scope of the right side of a join: the left side's entries, then the outer levels. */
  static Scope scope(Scope from, List<Relation> left, RelNode leftRel, int base) {
    Scope scope =
        new Scope(from.lateral != null ? from.lateral : from.parent, leftRel.getCluster());
    for (Relation relation : left) {
      scope.relations.add(relation.shifted(-base));
    }
    scope.close(leftRel.getRowType());
    return scope;
  }

  /**
   * @param condition over both rows
   * @throws GaussException 42P10 when the kind of join does not let the right side refer to the
   *     left
   */
  static RelNode join(
      RelNode left, RelNode right, RexNode condition, JoinRelType type, Scope lateral) {
    CorrelationId id = lateral.correlation();
    if (type != JoinRelType.INNER && type != JoinRelType.LEFT) {
      throw new GaussException(
              SqlState.INVALID_COLUMN_REFERENCE,
              "invalid reference to FROM-clause entry for table \""
                  + lateral.relations.getFirst().name
                  + "\"")
          .detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.");
    }
    RelNode inner = right;
    if (!PgRex.isTrue(condition)) {
      inner = LogicalFilter.create(right, overRight(condition, left, id));
    }
    return LogicalCorrelate.create(
        left, inner, List.of(), id, SubQueries.outerFields(inner, id), type);
  }

  /** The condition with the left row's columns as fields of the correlation variable. */
  private static RexNode overRight(RexNode condition, RelNode left, CorrelationId id) {
    int width = left.getRowType().getFieldCount();
    RexNode variable = PgRex.BUILDER.makeCorrel(left.getRowType(), id);
    return condition.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return ref.getIndex() >= width
                ? new RexInputRef(ref.getIndex() - width, ref.getType())
                : PgRex.BUILDER.makeFieldAccess(variable, ref.getIndex());
          }
        });
  }
}
