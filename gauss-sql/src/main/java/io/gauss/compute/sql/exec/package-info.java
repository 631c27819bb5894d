/**
 * Classes that all operators of the executor share. An operator runs one plan node and is reused by
 * the next execution; the operators are in the packages below. Begin with {@link
 * io.gauss.compute.sql.exec.Operator} and {@link io.gauss.compute.sql.exec.ExecContext}.
 */
package io.gauss.compute.sql.exec;
