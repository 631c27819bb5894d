package io.gauss.jdbc;

import io.gauss.jdbc.text.StatementText;

/**
 * What a connection that breaks under a call means for the application (rule 39 of the protocols).
 * In doubt the outcome is open.
 */
enum Loss {
  /** 08006: nothing that was under way has been committed, nor will be. */
  NOTHING_HAPPENED,
  /** 08007: it may have been committed. */
  OUTCOME_OPEN,
  /** The server has given a reason, which tells as well that nothing has been committed. */
  AS_THE_SERVER_SAYS;

  /**
   * @param inTransaction a transaction was open, or pgjdbc begins one before what is sent
   * @param text what was sent, of which the server may have executed any part
   * @param isSilent the server has given no reason
   * @param isSaidToBeOpen it has, and does not know the outcome itself
   */
  static Loss of(
      boolean inTransaction, StatementText text, boolean isSilent, boolean isSaidToBeOpen) {
    boolean mayCommit = inTransaction ? text.mayCommitInside() : text.mayCommitOutside();
    // A reason to end a connection shows the outcome only of a single statement that was under way:
    // not of a commit that the server has received, nor of what was before it in the same text.
    boolean isTold = !inTransaction && text.isSingle() && text.isAtomic() && !isSaidToBeOpen;
    if (mayCommit && (isSilent || !isTold)) {
      return OUTCOME_OPEN;
    }
    return isSilent ? NOTHING_HAPPENED : AS_THE_SERVER_SAYS;
  }
}
