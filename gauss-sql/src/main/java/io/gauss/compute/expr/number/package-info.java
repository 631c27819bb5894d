/**
 * Functions and operators on numbers. Begin with {@link
 * io.gauss.compute.expr.number.ArithmeticLibrary} and {@link
 * io.gauss.compute.expr.number.FloatLibrary}.
 */
package io.gauss.compute.expr.number;
