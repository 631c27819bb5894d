/**
 * Statements that change the catalog, a class for each kind of change. Begin with {@link
 * io.gauss.compute.ddl.DdlExecutor}.
 */
package io.gauss.compute.ddl;
