/**
 * Set-returning functions: from a call to the rows that it makes, and all those of a select list
 * side by side. Begin with {@link io.gauss.compute.sql.bind.set.SetFunctions}.
 */
package io.gauss.compute.sql.bind.set;
