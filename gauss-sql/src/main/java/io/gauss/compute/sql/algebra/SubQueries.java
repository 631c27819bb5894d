package io.gauss.compute.sql.algebra;

import io.gauss.common.error.GaussException;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.ImmutableBitSet;

/** Looks for sub-queries in expressions, and at how they depend on the rows around them. */
public final class SubQueries {
  private SubQueries() {}

  public static boolean isIn(RexNode node) {
    boolean[] found = new boolean[1];
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitCall(RexCall call) {
            found[0] |= call.op instanceof PgSubQuery;
            return super.visitCall(call);
          }
        });
    return found[0];
  }

  public static void refuse(RexNode node, String what) {
    if (isIn(node)) {
      throw GaussException.notSupported(what);
    }
  }

  /** Whether a sub-query looks at the outer row. */
  public static boolean useOuterRow(RelNode rel, CorrelationId id) {
    return !outerFields(rel, id).isEmpty();
  }

  /** Fields of the outer row that a sub-query looks at. */
  public static ImmutableBitSet outerFields(RelNode rel, CorrelationId id) {
    ImmutableBitSet.Builder fields = ImmutableBitSet.builder();
    collect(rel, id, fields);
    return fields.build();
  }

  private static void collect(RelNode rel, CorrelationId id, ImmutableBitSet.Builder fields) {
    rel.accept(
        new RexShuttle() {
          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            if (access.getReferenceExpr() instanceof RexCorrelVariable variable
                && variable.id.equals(id)) {
              fields.set(access.getField().getIndex());
            }
            return access;
          }

          @Override
          public RexNode visitCall(RexCall call) {
            if (call.op instanceof PgSubQuery subQuery) {
              collect(subQuery.rel(), id, fields);
            }
            return super.visitCall(call);
          }
        });
    for (RelNode input : rel.getInputs()) {
      collect(input, id, fields);
    }
  }
}
