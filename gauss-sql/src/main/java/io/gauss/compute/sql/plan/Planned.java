package io.gauss.compute.sql.plan;

import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.sql.plan.cost.Ordering;

/**
 * A finished part of a plan.
 *
 * @param columns positions of the relational node's fields in the plan node's rows
 * @param ordering order of the rows, in fields of the relational node
 */
record Planned(PlanNode node, ColumnMap columns, Estimate estimate, Ordering ordering) {
  Planned with(PlanNode newNode, Estimate newEstimate) {
    return new Planned(newNode, columns, newEstimate, ordering);
  }
}
