package io.gauss.compute.sql.algebra;

import io.gauss.compute.sql.exec.WorkTable;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/**
 * WITH RECURSIVE: the left input is the non-recursive term; the right one is the recursive term,
 * which reads the rows of the previous iteration from a work table.
 */
public final class PgRecursion extends BiRel {
  private final boolean all;
  private final WorkTable workTable;

  public PgRecursion(
      RelOptCluster cluster,
      RelDataType rowType,
      RelNode seed,
      RelNode step,
      boolean all,
      WorkTable workTable) {
    super(cluster, cluster.traitSetOf(Convention.NONE), seed, step);
    this.rowType = rowType;
    this.all = all;
    this.workTable = workTable;
  }

  /** UNION ALL rather than UNION. */
  public boolean isAll() {
    return all;
  }

  public WorkTable workTable() {
    return workTable;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new PgRecursion(getCluster(), rowType, inputs.get(0), inputs.get(1), all, workTable);
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer)
        .item("all", all)
        .item("workTable", System.identityHashCode(workTable));
  }
}
