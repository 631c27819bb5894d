package io.gauss.compute.sql.algebra;

import io.gauss.compute.sql.exec.node.WindowFrame;
import io.gauss.compute.sql.exec.node.WindowFunction;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * Stands for a window function's value until the binder has put the function on top of the select
 * list's input. Operands, in this order: arguments, the filter if there is one, partition, order,
 * the frame's offsets as far as it has them.
 */
public final class WindowReference extends SqlFunction {
  /**
   * @param aggregate null for a function that is no aggregate
   * @param order directions of the order's operands
   * @param steps over (order value, offset): the values an offset before and after it; null without
   *     RANGE offsets
   */
  public record Spec(
      WindowFunction function,
      PgAggregate aggregate,
      int arguments,
      boolean filter,
      int partition,
      java.util.List<RelFieldCollation> order,
      WindowFrame.Mode mode,
      WindowFrame.Bound start,
      WindowFrame.Bound end,
      Steps steps) {}

  /** How to move from a value by an offset: operators whose overloads have been found. */
  public record Steps(PgFunction minus, PgFunction plus) {}

  private final Spec spec;

  public WindowReference(Spec spec) {
    super("window " + spec, SqlKind.OTHER_FUNCTION, null, null, null, SqlFunctionCategory.SYSTEM);
    this.spec = spec;
  }

  public Spec spec() {
    return spec;
  }

  static WindowReference of(RexNode node) {
    return node instanceof RexCall call && call.op instanceof WindowReference reference
        ? reference
        : null;
  }
}
