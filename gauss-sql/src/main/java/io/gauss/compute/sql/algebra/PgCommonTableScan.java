package io.gauss.compute.sql.algebra;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/** A place where a common table expression is read. */
public final class PgCommonTableScan extends AbstractRelNode {
  private final CommonTable table;

  public PgCommonTableScan(RelOptCluster cluster, RelDataType rowType, CommonTable table) {
    super(cluster, cluster.traitSetOf(Convention.NONE));
    this.rowType = rowType;
    this.table = table;
  }

  public CommonTable table() {
    return table;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer)
        .item("name", table.name())
        .item("table", System.identityHashCode(table));
  }
}
