package io.gauss.compute.session.prepared;

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
