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
 * {@code UPDATE t AS a SET ... FROM ... WHERE ... RETURNING ...}. Null fields are clauses that were
 * not written.
 */
public final class PgUpdate extends SqlCall {
  private static final SqlOperator OPERATOR = new SqlInternalOperator("UPDATE", SqlKind.UPDATE, 0);

  public final SqlNodeList with;
  public final SqlIdentifier table;
  public final SqlIdentifier alias;
  public final List<Assignment> set;

  /** As in a SELECT: table references and joins. */
  public final SqlNode from;

  public final SqlNode where;
  public final SqlNodeList returning;

  public PgUpdate(
      SqlParserPos pos,
      SqlNodeList with,
      SqlIdentifier table,
      SqlIdentifier alias,
      List<Assignment> set,
      SqlNode from,
      SqlNode where,
      SqlNodeList returning) {
    super(pos);
    this.with = with;
    this.table = table;
    this.alias = alias;
    this.set = List.copyOf(set);
    this.from = from;
    this.where = where;
    this.returning = returning;
  }

  @Override
  public SqlOperator getOperator() {
    return OPERATOR;
  }

  @Override
  public List<SqlNode> getOperandList() {
    return Arrays.asList(table, alias, from, where, returning);
  }

  @Override
  public SqlNode clone(SqlParserPos pos) {
    return new PgUpdate(pos, with, table, alias, set, from, where, returning);
  }
}
