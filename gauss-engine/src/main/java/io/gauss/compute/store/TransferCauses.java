package io.gauss.compute.store;

import io.gauss.common.id.Xid;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.buffer.TransferCause;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.Transaction;

/**
 * Finds out why a leaf had to come from another compute node: whether the row to be written is the
 * one that was written there. Costs only a comparison when the leaf was here.
 */
final class TransferCauses {
  private TransferCauses() {}

  /**
   * To be called once the leaf is latched for a write.
   *
   * @param cursor at the row, or at the place of a new one
   * @return null when the leaf was here
   */
  static TransferCause note(Store store, Transaction txn, TreeCursor cursor) {
    if (!txn.context().pages().hasJustCome(cursor.guard.pageId())) {
      return null;
    }
    TransferCause cause = cause(txn, cursor);
    store.pool().transfers().cause(cursor.guard.pageId(), cause);
    return cause;
  }

  private static TransferCause cause(Transaction txn, TreeCursor cursor) {
    if (cursor.slot < 0) {
      return TransferCause.NEW_ROW;
    }
    long writer = VersionHeader.xid(TreePage.version(cursor.guard.address(), cursor.slot));
    boolean isOthers = writer != Xid.NONE && Xid.slot(writer) != Xid.slot(txn.xid());
    return isOthers ? TransferCause.SAME_ROW : TransferCause.OTHER_ROW;
  }
}
