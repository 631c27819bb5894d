package io.gauss.compute.sql.parse;

import java.util.Arrays;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlInternalOperator;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * {@code DELETE FROM t AS a USING ... WHERE ... RETURNING ...}. Null fields are clauses that were
 * not written.
 */
public final class PgDelete extends SqlCall {
  private static final SqlOperator OPERATOR = new SqlInternalOperator("DELETE", SqlKind.DELETE, 0);

  public final SqlNodeList with;
  public final SqlIdentifier table;
  public final SqlIdentifier alias;
  public final SqlNode using;
  public final SqlNode where;
  public final SqlNodeList returning;

  public PgDelete(
      SqlParserPos pos,
      SqlNodeList with,
      SqlIdentifier table,
      SqlIdentifier alias,
      SqlNode using,
      SqlNode where,
      SqlNodeList returning) {
    super(pos);
    this.with = with;
    this.table = table;
    this.alias = alias;
    this.using = using;
    this.where = where;
    this.returning = returning;
  }

  @Override
  public SqlOperator getOperator() {
    return OPERATOR;
  }

  @Override
  public List<SqlNode> getOperandList() {
    return Arrays.asList(table, alias, using, where, returning);
  }

  @Override
  public SqlNode clone(SqlParserPos pos) {
    return new PgDelete(pos, with, table, alias, using, where, returning);
  }
}
