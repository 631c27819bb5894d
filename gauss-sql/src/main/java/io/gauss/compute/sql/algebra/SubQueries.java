package io.gauss.compute.sql.algebra;

import io.gauss.common.error.GaussException;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexVisitorImpl;

/** Looks for sub-queries in expressions. */
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
}
