package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgWindow;
import io.gauss.compute.sql.algebra.WindowReference;
import io.gauss.compute.sql.exec.node.WindowFrame.Bound;
import io.gauss.compute.sql.exec.node.WindowFrame.Mode;
import io.gauss.compute.sql.exec.node.WindowFunction;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * DISTINCT ON: of the rows with the same values in some columns, the first in the query's order.
 */
final class DistinctOn {
  private DistinctOn() {}

  /**
   * @throws GaussException 42P10 when the order does not begin with the columns
   */
  static void check(
      List<Integer> columns, List<RelFieldCollation> order, List<OrderBinder.Key> keys) {
    int position = keys.isEmpty() ? 0 : keys.getFirst().position();
    List<Integer> left = new ArrayList<>(columns);
    for (RelFieldCollation key : order) {
      if (left.isEmpty()) {
        return;
      }
      if (!columns.contains(key.getFieldIndex())) {
        throw new GaussException(
                SqlState.INVALID_COLUMN_REFERENCE,
                "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
            .position(position);
      }
      left.removeIf(column -> column == key.getFieldIndex());
    }
  }

  static RelNode first(RelNode rel, List<Integer> columns, List<RelFieldCollation> order) {
    List<Integer> partition = columns.stream().distinct().toList();
    List<RelFieldCollation> within =
        order.stream().filter(key -> !partition.contains(key.getFieldIndex())).toList();
    WindowReference.Spec spec =
        new WindowReference.Spec(
            WindowFunction.ROW_NUMBER,
            null,
            0,
            false,
            partition.size(),
            within,
            Mode.RANGE,
            Bound.UNBOUNDED_PRECEDING,
            Bound.CURRENT_ROW,
            null);
    PgWindow.Call number =
        new PgWindow.Call(spec, PgRex.rel(PgType.INT8), List.of(), -1, List.of());
    RelNode numbered = new PgWindow(rel, partition, within, List.of(number));
    int width = rel.getRowType().getFieldCount();
    RexNode isFirst =
        PgRex.bool(
            SqlStdOperatorTable.EQUALS,
            PgRex.input(width, numbered.getRowType()),
            PgConstant.ofLong(PgType.INT8, 1));
    RelNode filtered = LogicalFilter.create(numbered, isFirst);
    List<RexNode> kept = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      kept.add(PgRex.input(i, rel.getRowType()));
    }
    return LogicalProject.create(filtered, List.of(), kept, rel.getRowType().getFieldNames());
  }
}
