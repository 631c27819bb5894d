package io.gauss.compute.txn.undo;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A row refers to an undo record of another node that its undo page does not have, since the page
 * is older. The row was read from a copy that left before its log was durable, and the node has
 * died since: the change is lost with its undo, and so is the copy (rule 10), so that reading the
 * row again finds the surviving version (rule 23). The row is read again once for each record: if
 * it still refers to the same record, it is damaged. A reader that cannot read again fails with
 * 40001.
 */
public final class LostChangeException extends GaussException {
  private static final Logger LOG = LoggerFactory.getLogger(LostChangeException.class);
  private static final long serialVersionUID = 1;

  private final long pageId;
  private final long lsn;

  /**
   * @param pageId of the undo page
   * @param lsn of the record
   */
  LostChangeException(long pageId, long lsn) {
    super(
        SqlState.SERIALIZATION_FAILURE,
        "could not serialize access due to the end of compute node " + Lsn.node(lsn));
    detail("A change that it had not made durable was read, and is gone.");
    hint("Repeat the transaction.");
    this.pageId = pageId;
    this.lsn = lsn;
  }

  /**
   * Returns when the row may be read again.
   *
   * @param before the exception of the last reading of the row; null = none
   * @return this, to be passed the next time
   * @throws LostChangeException this, when that was the same record
   */
  public LostChangeException again(LostChangeException before) {
    if (before != null && before.pageId == pageId && before.lsn == lsn) {
      LOG.warn(
          "undo page {} is older than record {}, which a row of node {} still names: this is"
              + " damage, unless the node is dead and the row is read while it is recovered",
          PageId.toString(pageId),
          Lsn.toString(lsn),
          Lsn.node(lsn));
      throw this;
    }
    LOG.info("a row is read again: a change of node {}, which has ended, is gone", Lsn.node(lsn));
    return this;
  }
}
