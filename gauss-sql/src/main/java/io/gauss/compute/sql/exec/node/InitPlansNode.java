package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;

/**
 * Uncorrelated subqueries: their values are put into parameter slots, in order, when the node is
 * opened; later ones may use earlier ones. Stands at the root, or at the top of a part that is
 * opened once.
 */
public record InitPlansNode(PlanNode input, InitPlan[] plans) implements PlanNode {
  /** One value. */
  public record InitPlan(ApplyNode.Kind kind, PlanNode plan, int slot) {}

  @Override
  public PgType[] types() {
    return input.types();
  }

  @Override
  public List<PlanNode> children() {
    List<PlanNode> children = new ArrayList<>();
    for (InitPlan plan : plans) {
      children.add(plan.plan());
    }
    children.add(input);
    return children;
  }
}
