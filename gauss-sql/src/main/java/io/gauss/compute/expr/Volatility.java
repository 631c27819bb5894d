package io.gauss.compute.expr;

/** As in pg_proc.provolatile; ordered from least to most volatile. */
public enum Volatility {
  /** Same arguments, same result, for ever. */
  IMMUTABLE,
  /** Same within one statement. */
  STABLE,
  VOLATILE
}
