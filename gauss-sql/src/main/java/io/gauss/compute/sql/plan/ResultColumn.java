package io.gauss.compute.sql.plan;

import io.gauss.compute.type.PgType;

/**
 * A column of a result as RowDescription tells it.
 *
 * @param tableOid table that the column is of, 0 when it is an expression
 * @param columnNumber attnum in that table, 0 when it is an expression
 */
public record ResultColumn(String name, PgType type, int tableOid, int columnNumber) {}
