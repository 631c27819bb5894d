/**
 * Tables as operators see them: definition, trees, and compiled expressions. Begin with {@link
 * io.gauss.compute.sql.exec.table.TableHandle} and {@link
 * io.gauss.compute.sql.exec.table.TableAccess}.
 */
package io.gauss.compute.sql.exec.table;
