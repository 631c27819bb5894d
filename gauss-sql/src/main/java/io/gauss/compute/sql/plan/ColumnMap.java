package io.gauss.compute.sql.plan;

import java.util.Arrays;

/**
 * Positions of a relational node's fields in the rows of its plan node: operators emit only the
 * fields that are needed above them. Immutable.
 */
final class ColumnMap {
  private final int[] positions;

  private ColumnMap(int[] positions) {
    this.positions = positions;
  }

  /**
   * @param positions by field: position in the batch, -1 = not emitted
   */
  static ColumnMap of(int[] positions) {
    return new ColumnMap(positions);
  }

  static ColumnMap identity(int count) {
    int[] positions = new int[count];
    Arrays.setAll(positions, i -> i);
    return new ColumnMap(positions);
  }

  int position(int field) {
    int position = positions[field];
    if (position < 0) {
      throw new IllegalStateException("field " + field + " is not emitted: " + this);
    }
    return position;
  }

  /** The position, or -1. */
  int positionOrNone(int field) {
    return positions[field];
  }

  int fields() {
    return positions.length;
  }

  /**
   * Fields of this followed by fields of another, whose batch columns follow {@code width} columns.
   */
  ColumnMap join(ColumnMap right, int width) {
    int[] both = Arrays.copyOf(positions, positions.length + right.positions.length);
    for (int i = 0; i < right.positions.length; i++) {
      int position = right.positions[i];
      both[positions.length + i] = position < 0 ? -1 : position + width;
    }
    return new ColumnMap(both);
  }

  boolean isIdentity(int width) {
    if (positions.length != width) {
      return false;
    }
    for (int i = 0; i < positions.length; i++) {
      if (positions[i] != i) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return Arrays.toString(positions);
  }
}
