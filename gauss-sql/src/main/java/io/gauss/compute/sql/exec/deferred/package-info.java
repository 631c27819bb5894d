/**
 * Checks of constraints that wait for the end of the transaction. What is to be checked is
 * remembered here; the operators that write know how.
 */
package io.gauss.compute.sql.exec.deferred;
