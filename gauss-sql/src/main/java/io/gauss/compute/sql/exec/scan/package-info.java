/**
 * Operators that read tables, and those that lock rows as they pass. Begin with {@link
 * io.gauss.compute.sql.exec.scan.RangeScanOperator} and {@link
 * io.gauss.compute.sql.exec.scan.PointReadOperator}.
 */
package io.gauss.compute.sql.exec.scan;
