package io.gauss.compute.expr.call;

/** Where a conversion happens, which decides whether it is allowed and how lengths are enforced. */
public enum CastContext {
  /** Operands and arguments. */
  IMPLICIT,
  /** INSERT and UPDATE targets: too long is an error. */
  ASSIGNMENT,
  /** CAST and ::, which truncate values that are too long. */
  EXPLICIT
}
