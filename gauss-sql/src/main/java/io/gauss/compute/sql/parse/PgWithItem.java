package io.gauss.compute.sql.parse;

import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.parser.SqlParserPos;

/** A common table expression: a query, or INSERT, UPDATE or DELETE. */
public final class PgWithItem extends SqlWithItem {
  /** MATERIALIZED, NOT MATERIALIZED, or null for neither. */
  public final Boolean materialized;

  public PgWithItem(
      SqlParserPos pos,
      SqlIdentifier name,
      SqlNodeList columns,
      SqlNode query,
      boolean recursive,
      Boolean materialized) {
    super(pos, name, columns, query, SqlLiteral.createBoolean(recursive, pos));
    this.materialized = materialized;
  }
}
