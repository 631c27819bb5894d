/**
 * Functions and operators of arrays. Begin with {@link io.gauss.compute.expr.array.ArrayLibrary}.
 */
package io.gauss.compute.expr.array;
