package io.gauss.compute.session.prepared;

import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.Arrays;

/**
 * Everything that another node has to know about a prepared statement.
 *
 * @param text of the Parse message, or of the whole PREPARE
 * @param oids types of the parameters, as they were found when it was prepared. Not to be changed
 * @param bySql whether it was made by PREPARE
 * @param columns hash of names and types of its result's columns, 0 for a utility statement:
 *     clients have been told them, and read its rows by them
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content
public record StatementDefinition(String text, int[] oids, boolean bySql, long columns) {
  /**
   * Whether it may return rows, as far as that can be told without preparing it. Not for utility
   * statements with columns of their own.
   *
   * @param tree of the text
   */
  public boolean mayReturnRows(PgStatement tree) {
    return columns != 0
        || switch (tree) {
          case PgStatement.Prepare prepare -> bySql && mayReturnRows(prepare.statement());
          case PgStatement.Query query -> true; // without columns
          default -> false;
        };
  }

  /**
   * The types of its parameters, of which utility statements but DECLARE have none.
   *
   * @param tree of the text
   */
  public PgType[] parameterTypes(PgStatement tree) {
    return switch (tree) {
      case PgStatement.Prepare prepare when bySql -> parameterTypes(prepare.statement());
      case PgStatement.Insert insert -> types();
      case PgStatement.Update update -> types();
      case PgStatement.Delete delete -> types();
      case PgStatement.DeclareCursor declare -> types();
      default -> new PgType[0];
    };
  }

  private PgType[] types() {
    return Arrays.stream(oids).mapToObj(PgTypes::byOid).toArray(PgType[]::new);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StatementDefinition that
        && bySql == that.bySql
        && columns == that.columns
        && text.equals(that.text)
        && Arrays.equals(oids, that.oids);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
