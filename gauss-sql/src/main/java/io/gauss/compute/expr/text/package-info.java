/**
 * Functions and operators of text and bytea: patterns, regular expressions, quoting. Begin with
 * {@link io.gauss.compute.expr.text.TextLibrary} and {@link
 * io.gauss.compute.expr.text.PatternLibrary}.
 */
package io.gauss.compute.expr.text;
