/**
 * Functions and operators of dates, times and intervals. Begin with {@link
 * io.gauss.compute.expr.time.DateTimeLibrary}.
 */
package io.gauss.compute.expr.time;
