/**
 * Creates operators from a plan and runs them. Begin with {@link
 * io.gauss.compute.sql.exec.run.Execution} and {@link
 * io.gauss.compute.sql.exec.run.OperatorFactory}.
 */
package io.gauss.compute.sql.exec.run;
