package io.gauss.compute.sql.exec.row;

import io.gauss.compute.type.PgType;
import java.util.Arrays;

/** Column types of joined rows. */
public final class JoinTypes {
  private JoinTypes() {}

  public static PgType[] concat(PgType[] left, PgType[] right) {
    PgType[] both = Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, both, left.length, right.length);
    return both;
  }
}
