package io.gauss.compute.sql.exec.node;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.PgType;
import java.util.Arrays;

/** Derives output types of nodes from their inputs. */
final class NodeTypes {
  static final PgType[] NONE = new PgType[0];

  private NodeTypes() {}

  static PgType[] of(Expr[] columns) {
    if (columns == null) {
      return NONE;
    }
    PgType[] types = new PgType[columns.length];
    for (int i = 0; i < columns.length; i++) {
      types[i] = columns[i].type();
    }
    return types;
  }

  static PgType[] join(JoinType type, PlanNode left, PlanNode right) {
    return type.emitsRight() ? concat(left.types(), right.types()) : left.types();
  }

  static PgType[] concat(PgType[] left, PgType[] right) {
    PgType[] both = Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, both, left.length, right.length);
    return both;
  }
}
