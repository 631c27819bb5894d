/**
 * Set-returning functions: from a call to its rows, and all functions of a select list side by
 * side. Begin with {@link io.gauss.compute.sql.bind.set.SetFunctions}.
 */
package io.gauss.compute.sql.bind.set;
