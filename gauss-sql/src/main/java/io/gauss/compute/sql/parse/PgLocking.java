package io.gauss.compute.sql.parse;

import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlInternalOperator;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * A query with {@code FOR UPDATE} and the like: wraps the whole query, its ORDER BY and LIMIT
 * included.
 */
public final class PgLocking extends SqlCall {
  private static final SqlOperator OPERATOR =
      new SqlInternalOperator("FOR UPDATE", SqlKind.OTHER, 0);

  private final SqlNode query;
  private final List<Clause> clauses;

  PgLocking(SqlParserPos pos, SqlNode query, List<Clause> clauses) {
    super(pos);
    this.query = query;
    this.clauses = List.copyOf(clauses);
  }

  /** Whether a whole query locks rows; sub-queries of it may in any case. */
  public static boolean isOf(SqlNode query) {
    return (query instanceof SqlWith with ? with.body : query) instanceof PgLocking;
  }

  public SqlNode query() {
    return query;
  }

  public List<Clause> clauses() {
    return clauses;
  }

  @Override
  public SqlOperator getOperator() {
    return OPERATOR;
  }

  @Override
  public List<SqlNode> getOperandList() {
    return List.of(query);
  }

  @Override
  public SqlNode clone(SqlParserPos pos) {
    return new PgLocking(pos, query, clauses);
  }

  /** Strengths, weakest first. */
  public enum Strength {
    KEY_SHARE,
    SHARE,
    NO_KEY_UPDATE,
    UPDATE
  }

  /** What to do about a row that another transaction has locked. */
  public enum Wait {
    BLOCK,
    NOWAIT,
    SKIP_LOCKED
  }

  /**
   * @param of table names or aliases to which it applies; empty = all
   * @param position of the clause in the text, from 1
   */
  public record Clause(Strength strength, List<String> of, Wait onLocked, int position) {
    public Clause {
      of = List.copyOf(of);
    }
  }
}
