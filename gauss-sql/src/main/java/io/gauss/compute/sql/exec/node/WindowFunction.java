package io.gauss.compute.sql.exec.node;

/** The functions that need a window; aggregates may have one. */
public enum WindowFunction {
  ROW_NUMBER,
  RANK,
  DENSE_RANK,
  PERCENT_RANK,
  CUME_DIST,
  NTILE,
  LAG,
  LEAD,
  FIRST_VALUE,
  LAST_VALUE,
  NTH_VALUE,
  AGGREGATE;

  /** Null when there is none of this name; does not find aggregates. */
  public static WindowFunction named(String name) {
    return switch (name) {
      case "row_number" -> ROW_NUMBER;
      case "rank" -> RANK;
      case "dense_rank" -> DENSE_RANK;
      case "percent_rank" -> PERCENT_RANK;
      case "cume_dist" -> CUME_DIST;
      case "ntile" -> NTILE;
      case "lag" -> LAG;
      case "lead" -> LEAD;
      case "first_value" -> FIRST_VALUE;
      case "last_value" -> LAST_VALUE;
      case "nth_value" -> NTH_VALUE;
      default -> null;
    };
  }
}
