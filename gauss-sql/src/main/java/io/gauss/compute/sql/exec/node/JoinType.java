package io.gauss.compute.sql.exec.node;

/**
 * Kinds of join. SEMI and ANTI emit the left columns only; the others left columns followed by
 * right columns.
 */
public enum JoinType {
  INNER,
  LEFT,
  RIGHT,
  FULL,
  SEMI,
  ANTI;

  public boolean emitsRight() {
    return this != SEMI && this != ANTI;
  }
}
