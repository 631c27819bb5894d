/**
 * All built-in functions together, and those that belong to no one type. Begin with {@link
 * io.gauss.compute.expr.library.BuiltinLibraries}.
 */
package io.gauss.compute.expr.library;
