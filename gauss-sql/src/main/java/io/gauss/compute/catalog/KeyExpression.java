package io.gauss.compute.catalog;

import io.gauss.compute.type.PgType;

/**
 * An expression over a table's columns that is a key of an index. Immutable.
 *
 * @param name that the catalogs show for it as the index's column
 * @param sql text, with types of CREATE TYPE as references
 * @param type of its values
 */
public record KeyExpression(String name, String sql, PgType type) {
  KeyExpression withSql(String newSql) {
    return new KeyExpression(name, newSql, type);
  }

  KeyExpression withType(PgType newType) {
    return new KeyExpression(name, sql, newType);
  }
}
