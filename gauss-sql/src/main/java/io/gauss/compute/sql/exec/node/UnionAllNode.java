package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * All rows of all inputs, one input after the other; UNION is a distinct node above. All inputs
 * have the same types.
 */
public record UnionAllNode(List<PlanNode> inputs) implements PlanNode {
  @Override
  public PgType[] types() {
    return inputs.getFirst().types();
  }

  @Override
  public List<PlanNode> children() {
    return inputs;
  }
}
