package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;

/**
 * A statement with others in its WITH clause that change tables. These are executed once and
 * completely, whether or not {@code input} reads their rows, all with the same snapshot.
 *
 * @param writes in the order written; each also occurs in {@code input} where it is read
 */
public record WritesInWithNode(PlanNode input, List<SpoolNode> writes) implements PlanNode {
  @Override
  public PgType[] types() {
    return input.types();
  }

  @Override
  public List<PlanNode> children() {
    List<PlanNode> children = new ArrayList<>(writes);
    children.add(input);
    return children;
  }
}
