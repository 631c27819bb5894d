package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;

/** One row without columns: the input of SELECT without FROM. */
public record OneRowNode() implements PlanNode {
  private static final PgType[] NONE = new PgType[0];

  @Override
  public PgType[] types() {
    return NONE;
  }
}
