package io.gauss.compute.expr;

/** As in pg_proc.provolatile; ordered from tame to wild. */
public enum Volatility {
  /** Same arguments, same result, for ever. */
  IMMUTABLE,
  /** Same within one statement. */
  STABLE,
  VOLATILE
}
