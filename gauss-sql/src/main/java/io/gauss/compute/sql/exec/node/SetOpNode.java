package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;
import java.util.List;

/** INTERSECT and EXCEPT, with or without ALL. Both inputs have the same types. */
public record SetOpNode(Kind kind, boolean all, PlanNode left, PlanNode right) implements PlanNode {
  /** The operation. */
  public enum Kind {
    INTERSECT,
    EXCEPT
  }

  @Override
  public PgType[] types() {
    return left.types();
  }

  @Override
  public List<PlanNode> children() {
    return List.of(left, right);
  }
}
