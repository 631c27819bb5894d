package io.gauss.compute.sql.plan;

import io.gauss.compute.type.PgType;

/**
 * A column of a result as in RowDescription.
 *
 * @param tableOid the column's table, 0 when it is an expression
 * @param columnNumber attnum in that table, 0 when it is an expression
 */
public record ResultColumn(String name, PgType type, int tableOid, int columnNumber) {}
