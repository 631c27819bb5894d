package io.gauss.compute.type;

/** How values of a type are held in {@link Value}s and {@link ColumnVector}s. */
public enum ValueKind {
  /**
   * boolean (0/1), smallint, int, bigint, oid, date (days since 2000-01-01), time, timestamp,
   * timestamptz (µs), enums (the label's code).
   */
  LONG,
  /** real and double precision. */
  DOUBLE,
  /** numeric: unscaled long with scale, or a BigDecimal, or NaN/infinity markers. */
  NUMERIC,
  /**
   * text, varchar, char(n), name, bytea, uuid (16 bytes), json, jsonb, unknown: a byte range, text
   * in UTF-8.
   */
  BYTES
}
