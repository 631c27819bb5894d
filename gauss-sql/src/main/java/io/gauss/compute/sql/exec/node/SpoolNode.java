package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Reads its input once per execution and provides it to every place where this same node instance
 * occurs in the plan: a common table expression that is used several times.
 */
public record SpoolNode(String name, PlanNode input) implements PlanNode {
  @Override
  public PgType[] types() {
    return input.types();
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
