/**
 * The set of all built-in functions, and those functions that belong to no single type. Begin with
 * {@link io.gauss.compute.expr.library.BuiltinLibraries}.
 */
package io.gauss.compute.expr.library;
