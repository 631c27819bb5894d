package io.gauss.compute.sql.exec.row;

import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.Expr;
import java.util.Arrays;
import java.util.List;

/** Determines which input columns an expression uses. */
public final class ColumnUse {
  private ColumnUse() {}

  /** Marks the columns; all of them for a node that does not declare how it depends on the row. */
  public static void mark(Expr expression, boolean[] used) {
    if (expression instanceof ColumnExpr column) {
      used[column.column()] = true;
      return;
    }
    List<Expr> children = expression.children();
    if (children.isEmpty() && expression.dependsOnRow()) {
      Arrays.fill(used, true);
    }
    for (Expr child : children) {
      mark(child, used);
    }
  }
}
