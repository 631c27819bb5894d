/**
 * Invariants that are checked in production: {@link io.gauss.common.invariant.Invariant} states
 * them, and whoever runs the process decides what a broken one means. Begin with {@code Invariant}.
 */
package io.gauss.common.invariant;
