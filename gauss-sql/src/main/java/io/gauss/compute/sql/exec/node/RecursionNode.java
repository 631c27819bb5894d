package io.gauss.compute.sql.exec.node;

import io.gauss.compute.sql.exec.WorkTable;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * WITH RECURSIVE: emits the rows of {@code seed}, and then repeatedly those of {@code step} until
 * it returns none. Each iteration reads the rows of the previous one from the work table. Both
 * inputs have the same types.
 *
 * @param all UNION ALL: without it, a row that was emitted before is dropped
 */
public record RecursionNode(PlanNode seed, PlanNode step, boolean all, WorkTable workTable)
    implements PlanNode {
  @Override
  public PgType[] types() {
    return seed.types();
  }

  @Override
  public List<PlanNode> children() {
    return List.of(seed, step);
  }
}
