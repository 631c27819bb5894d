package io.gauss.compute.txn.undo;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A row refers to an undo record of another node that its undo page does not have: the page is
 * older, or has another record in its place, which the node may have written in its next life. The
 * row was read from a copy that left before its log was durable, and the node has died since: the
 * change is lost with its undo, and so is the copy (rule 10), so that reading the row again finds
 * the surviving version (rule 23). The row is read again once for each record. If it still refers
 * to the same record and the page is older, it is damaged; a record that was really overwritten
 * means that the snapshot is too old. A reader that cannot read again fails with 40001, or 72000.
 */
public final class LostChangeException extends GaussException {
  static final String TOO_OLD = "snapshot too old";

  private static final Logger LOG = LoggerFactory.getLogger(LostChangeException.class);
  private static final long serialVersionUID = 2;

  private final long pageId;
  private final long lsn;

  private LostChangeException(SqlState state, String message, long pageId, long lsn) {
    super(state, message);
    this.pageId = pageId;
    this.lsn = lsn;
  }

  /** The undo page is older than the record. */
  static LostChangeException notThere(long pageId, long lsn) {
    LostChangeException lost =
        new LostChangeException(
            SqlState.SERIALIZATION_FAILURE,
            "could not serialize access due to the end of compute node " + Lsn.node(lsn),
            pageId,
            lsn);
    lost.detail("A change that it had not made durable was read, and is gone.");
    lost.hint("Repeat the transaction.");
    return lost;
  }

  /** The undo page has another record, or none, in its place. */
  static LostChangeException overwritten(long pageId, int slot, long lsn) {
    LostChangeException lost =
        new LostChangeException(SqlState.SNAPSHOT_TOO_OLD, TOO_OLD, pageId, lsn);
    lost.detail(wasOverwritten(pageId, slot, lsn));
    return lost;
  }

  static String wasOverwritten(long pageId, int slot, long lsn) {
    return "Undo record %s/%d of %s was overwritten."
        .formatted(Integer.toUnsignedString(PageId.number(pageId)), slot, Lsn.toString(lsn));
  }

  /**
   * Returns when the row may be read again.
   *
   * @param before the exception of the last reading of the row; null = none
   * @return this, to be passed the next time
   * @throws LostChangeException this, when that was the same record
   */
  public LostChangeException again(LostChangeException before) {
    boolean mayBeDamage = state() != SqlState.SNAPSHOT_TOO_OLD;
    if (before != null && before.pageId == pageId && before.lsn == lsn) {
      if (mayBeDamage) {
        LOG.warn(
            "undo page {} is older than record {}, which a row of node {} still names: this is"
                + " damage, unless the node is dead and the row is read while it is recovered",
            PageId.toString(pageId),
            Lsn.toString(lsn),
            Lsn.node(lsn));
      }
      throw this;
    }
    if (mayBeDamage) {
      LOG.info("a row is read again: a change of node {}, which has ended, is gone", Lsn.node(lsn));
    }
    return this;
  }
}
