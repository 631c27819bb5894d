/**
 * Properties of a statement's tree that are known before its names are resolved: names of result
 * columns, recursive references, views that can be written to. Begin with {@link
 * io.gauss.compute.sql.bind.syntax.ColumnNames}.
 */
package io.gauss.compute.sql.bind.syntax;
