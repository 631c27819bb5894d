package io.gauss.compute.sql.exec.node;

import io.gauss.compute.sql.exec.WorkTable;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * WITH RECURSIVE: the rows of {@code seed}, and then those of {@code step} again and again until it
 * gives none; each time it reads the rows of the time before from the work table. Both inputs have
 * the same types.
 *
 * @param all UNION ALL: without it a row that has come before is dropped
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
