/**
 * Invariants that are checked in production: {@link io.gauss.common.invariant.Invariant} checks
 * them, and the process's handler decides how to react to a broken one. Begin with {@code
 * Invariant}.
 */
package io.gauss.common.invariant;
