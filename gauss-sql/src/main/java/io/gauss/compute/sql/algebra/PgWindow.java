package io.gauss.compute.sql.algebra;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * Window functions over one partitioning and order; their results are appended to the input's row.
 */
public final class PgWindow extends SingleRel {
  private final List<Integer> partition;
  private final List<RelFieldCollation> order;
  private final List<Call> calls;

  /**
   * @param arguments fields of the input
   * @param filter field of the input, -1 = none
   * @param offsets of the frame's start and end, as far as it has them
   */
  public record Call(
      WindowReference.Spec spec,
      RelDataType type,
      List<Integer> arguments,
      int filter,
      List<RexNode> offsets) {

    public io.gauss.compute.sql.exec.node.WindowFunction function() {
      return spec.function();
    }

    /** Null unless the function is an aggregate. */
    public PgAggregate aggregate() {
      return spec.aggregate();
    }

    public io.gauss.compute.sql.exec.node.WindowFrame.Mode mode() {
      return spec.mode();
    }

    public io.gauss.compute.sql.exec.node.WindowFrame.Bound start() {
      return spec.start();
    }

    public io.gauss.compute.sql.exec.node.WindowFrame.Bound end() {
      return spec.end();
    }

    /** Subtracts an offset from a value; null without RANGE offsets. */
    public PgFunction minus() {
      return spec.steps() == null ? null : spec.steps().minus();
    }

    public PgFunction plus() {
      return spec.steps() == null ? null : spec.steps().plus();
    }
  }

  public PgWindow(
      RelNode input, List<Integer> partition, List<RelFieldCollation> order, List<Call> calls) {
    super(input.getCluster(), input.getCluster().traitSetOf(Convention.NONE), input);
    this.partition = partition;
    this.order = order;
    this.calls = calls;
  }

  public List<Integer> partition() {
    return partition;
  }

  public List<RelFieldCollation> order() {
    return order;
  }

  public List<Call> calls() {
    return calls;
  }

  @Override
  protected RelDataType deriveRowType() {
    var builder = PgTypeFactory.INSTANCE.builder();
    builder.addAll(getInput().getRowType().getFieldList());
    for (int i = 0; i < calls.size(); i++) {
      builder.add("w" + i, calls.get(i).type());
    }
    return builder.uniquify().build();
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new PgWindow(inputs.getFirst(), partition, order, calls);
  }

  @Override
  public RelNode accept(RexShuttle shuttle) {
    List<Call> visited = new ArrayList<>();
    boolean changed = false;
    for (Call call : calls) {
      List<RexNode> offsets = shuttle.apply(call.offsets());
      changed |= offsets != call.offsets();
      visited.add(new Call(call.spec(), call.type(), call.arguments(), call.filter(), offsets));
    }
    return changed ? new PgWindow(getInput(), partition, order, visited) : this;
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer)
        .item("partition", partition)
        .item("order", order)
        .item("calls", calls);
  }
}
