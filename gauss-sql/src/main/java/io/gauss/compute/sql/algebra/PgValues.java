package io.gauss.compute.sql.algebra;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * Rows of expressions without columns: VALUES, and the one row without columns that a SELECT
 * without FROM reads.
 */
public final class PgValues extends AbstractRelNode {
  private final List<List<RexNode>> rows;

  public PgValues(RelOptCluster cluster, RelDataType rowType, List<List<RexNode>> rows) {
    super(cluster, cluster.traitSetOf(Convention.NONE));
    this.rowType = rowType;
    this.rows = rows;
  }

  public static PgValues oneRow(RelOptCluster cluster) {
    return new PgValues(cluster, PgTypeFactory.INSTANCE.builder().build(), List.of(List.of()));
  }

  public List<List<RexNode>> rows() {
    return rows;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    List<List<RexNode>> visited = new ArrayList<>();
    boolean changed = false;
    for (List<RexNode> row : rows) {
      List<RexNode> cells = shuttle.apply(row);
      changed |= cells != row;
      visited.add(cells);
    }
    return changed ? new PgValues(getCluster(), rowType, visited) : this;
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer).item("rows", rows);
  }
}
