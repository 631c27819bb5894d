package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * The first row of each group of rows that are equal (NULLs are equal here) in some columns.
 *
 * @param columns columns to compare, null = all
 * @param sorted whether equal rows are adjacent (DISTINCT ON above a sort); else a hash table that
 *     spills
 */
public record DistinctNode(PlanNode input, int[] columns, boolean sorted) implements PlanNode {
  @Override
  public PgType[] types() {
    return input.types();
  }

  @Override
  public List<PlanNode> children() {
    return List.of(input);
  }
}
