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

/** INSERT with all that PostgreSQL allows. Null fields are clauses that were not written. */
public final class PgInsert extends SqlCall {
  private static final SqlOperator OPERATOR = new SqlInternalOperator("INSERT", SqlKind.INSERT, 0);

  /** Common table expressions ({@code SqlWithItem}s), null without WITH. */
  public final SqlNodeList with;

  public final SqlIdentifier table;
  public final SqlIdentifier alias;

  /** Target columns; null = all in order. */
  public final SqlNodeList columns;

  /**
   * A query or {@code VALUES} (rows are ROW calls, DEFAULT may be an element); null = {@code
   * DEFAULT VALUES}.
   */
  public final SqlNode source;

  public final Overriding overriding;
  public final OnConflict onConflict;

  /** Select items, null without RETURNING. */
  public final SqlNodeList returning;

  public PgInsert(
      SqlParserPos pos,
      SqlNodeList with,
      SqlIdentifier table,
      SqlIdentifier alias,
      SqlNodeList columns,
      Overriding overriding,
      SqlNode source,
      OnConflict onConflict,
      SqlNodeList returning) {
    super(pos);
    this.with = with;
    this.table = table;
    this.alias = alias;
    this.columns = columns;
    this.overriding = overriding;
    this.source = source;
    this.onConflict = onConflict;
    this.returning = returning;
  }

  @Override
  public SqlOperator getOperator() {
    return OPERATOR;
  }

  @Override
  public List<SqlNode> getOperandList() {
    return Arrays.asList(table, alias, columns, source, returning);
  }

  @Override
  public SqlNode clone(SqlParserPos pos) {
    return new PgInsert(
        pos, with, table, alias, columns, overriding, source, onConflict, returning);
  }

  /** {@code OVERRIDING SYSTEM VALUE} and {@code OVERRIDING USER VALUE}. */
  public enum Overriding {
    NONE,
    SYSTEM,
    USER
  }

  /**
   * {@code ON CONFLICT}.
   *
   * @param columns target columns, null when there is a constraint or no target; elements are
   *     identifiers (expressions for expression indexes)
   * @param targetWhere predicate of a partial index, null for none
   * @param constraint name of {@code ON CONSTRAINT}, null for none
   * @param set assignments of DO UPDATE; null = DO NOTHING
   * @param where condition of DO UPDATE, null for none
   * @param position of the clause in the text, from 1
   */
  public record OnConflict(
      SqlNodeList columns,
      SqlNode targetWhere,
      SqlIdentifier constraint,
      List<Assignment> set,
      SqlNode where,
      int position) {
    public boolean doNothing() {
      return set == null;
    }
  }
}
