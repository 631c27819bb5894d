/**
 * Calls of functions, operators and conversions: definitions, resolution of overloads as PostgreSQL
 * does it, and the registries that the libraries fill. Begin with {@link
 * io.gauss.compute.expr.call.FunctionRegistry} and {@link
 * io.gauss.compute.expr.call.OverloadResolution}.
 */
package io.gauss.compute.expr.call;
