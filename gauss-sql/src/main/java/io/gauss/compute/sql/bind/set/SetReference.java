package io.gauss.compute.sql.bind.set;

import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * Stands in a select list for a column of a set-returning function whose operands are the
 * function's arguments, until {@link SelectSets} has added the function's columns to the FROM row.
 */
public final class SetReference extends SqlFunction {
  private final SetFunctions.Call call;
  private final int column;

  public SetReference(SetFunctions.Call call, int column) {
    super(
        "set " + call.name() + call.types() + "." + column,
        SqlKind.OTHER_FUNCTION,
        null,
        null,
        null,
        SqlFunctionCategory.SYSTEM);
    this.call = call;
    this.column = column;
  }

  SetFunctions.Call call() {
    return call;
  }

  int column() {
    return column;
  }

  static SetReference of(RexNode node) {
    return node instanceof RexCall call && call.op instanceof SetReference reference
        ? reference
        : null;
  }
}
