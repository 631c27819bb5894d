package io.gauss.compute.sql.parse;

import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.parser.SqlParserPos;

/** {@code SELECT DISTINCT ON (...)}; every other SELECT is a plain {@link SqlSelect}. */
public final class PgSelect extends SqlSelect {
  private final SqlNodeList distinctOn;

  PgSelect(
      SqlParserPos pos,
      SqlNodeList keywords,
      SqlNodeList distinctOn,
      SqlNodeList selectList,
      SqlNode from,
      SqlNode where,
      SqlNodeList groupBy,
      SqlNode having,
      SqlNodeList windows) {
    super(
        pos,
        keywords,
        selectList,
        from,
        where,
        groupBy,
        having,
        windows,
        null,
        null,
        null,
        null,
        null);
    this.distinctOn = distinctOn;
  }

  public SqlNodeList distinctOn() {
    return distinctOn;
  }
}
