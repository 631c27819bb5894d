package io.gauss.compute.sql.algebra;

import io.gauss.compute.sql.exec.RowProducer;
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

/** Rows made by code: set-returning functions and system tables. */
public final class PgProducer extends AbstractRelNode {
  private final String name;
  private final RowProducer producer;
  private final List<RexNode> arguments;

  public PgProducer(
      RelOptCluster cluster,
      String name,
      RelDataType rowType,
      RowProducer producer,
      List<RexNode> arguments) {
    super(cluster, cluster.traitSetOf(Convention.NONE));
    this.name = name;
    this.rowType = rowType;
    this.producer = producer;
    this.arguments = arguments;
  }

  public String name() {
    return name;
  }

  public RowProducer producer() {
    return producer;
  }

  /** Evaluated when the rows are requested; they refer to no columns. */
  public List<RexNode> arguments() {
    return arguments;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return this;
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    List<RexNode> visited = shuttle.apply(arguments);
    return visited == arguments
        ? this
        : new PgProducer(getCluster(), name, rowType, producer, visited);
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer)
        .item("name", name)
        .item("producer", System.identityHashCode(producer))
        .item("arguments", arguments);
  }
}
