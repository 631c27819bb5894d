package io.gauss.compute.session.prepared;

import java.util.Arrays;

/**
 * All that another node has to know of a prepared statement.
 *
 * @param text of the Parse message, or of the whole PREPARE
 * @param oids types of parameters as the client gave them, 0 = it left that open. Not to be changed
 * @param bySql whether it was made by PREPARE
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content
public record StatementDefinition(String text, int[] oids, boolean bySql) {
  @Override
  public boolean equals(Object other) {
    return other instanceof StatementDefinition that
        && bySql == that.bySql
        && text.equals(that.text)
        && Arrays.equals(oids, that.oids);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
