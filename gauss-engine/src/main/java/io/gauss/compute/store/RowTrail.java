package io.gauss.compute.store;

import io.gauss.common.id.Xid;
import io.gauss.common.page.VersionHeader;

/**
 * The way of one row from the key under which a snapshot sees it to where it is now. A row whose
 * key changes is deleted under the old key, by a {@code MOVE} whose undo record names the new one,
 * and inserted under the new key by the same transaction.
 *
 * <p>The record under a key tells the stories of several rows, one after the other: a row leaves,
 * and another one takes the key, or the same one comes back. So the trail is followed from the old
 * end: from the version that the snapshot sees, or that the move inserted, up to the first change
 * that ended the row there ({@link VersionReader#trace}). The version that a move inserted is the
 * first that its transaction wrote under the new key after the move's undo record, since nothing
 * comes in between.
 *
 * <p>A session's working state: one row at a time, one thread at a time.
 */
final class RowTrail {
  byte[] key;
  int offset;
  int length;

  /** There is nothing to follow: the key's newest version is wanted. */
  private boolean isAny;

  /** The transaction that moved the row to {@link #key}; none for the key that was asked for. */
  private long movedBy;

  /** LSN of the undo record of that move. */
  private long movedAt;

  // The newest version that was traced.
  private long tracedXid;
  private long tracedLsn;

  // The first change that ended the row under this key.
  private long endXid;
  private long endLsn;
  private byte[] newKey;
  private boolean noRow;

  /** Whichever row has this key. */
  void beginAny(byte[] from, int at, int bytes) {
    begin(from, at, bytes);
    isAny = true;
  }

  /** The row that the snapshot sees under this key. */
  void begin(byte[] from, int at, int bytes) {
    isAny = false;
    key = from;
    offset = at;
    length = bytes;
    movedBy = Xid.NONE;
    movedAt = 0;
    forget();
  }

  private void forget() {
    tracedXid = Xid.NONE;
    tracedLsn = 0;
    endXid = Xid.NONE;
    endLsn = 0;
    newKey = null;
    noRow = false;
  }

  /** Goes on to the key to which the row was moved. */
  void step() {
    movedBy = endXid;
    movedAt = endLsn;
    key = newKey;
    offset = 0;
    length = newKey.length;
    forget();
  }

  /**
   * Whether the newest version under the key is one of the row. It is when the key was never free
   * since any snapshot's time, or when the trail has been followed up to it.
   */
  boolean isOfRow(long header) {
    if (tracedLsn != 0
        && tracedXid == VersionHeader.xid(header)
        && tracedLsn == VersionHeader.undoLsn(header)) {
      return !isEnded();
    }
    return isAny
        || (!VersionHeader.isDeleted(header) && !VersionHeader.isReused(header) && !hasMoved());
  }

  /** Whether this is not the key that was asked for. */
  boolean hasMoved() {
    return movedBy != Xid.NONE;
  }

  // ---- while the versions under the key are walked, the newest first

  void traceFrom(long xid, long undoLsn) {
    forget();
    tracedXid = xid;
    tracedLsn = undoLsn;
  }

  /** Whether a version was written by the transaction that moved the row here, after it did. */
  boolean isWhereItArrived(long xid, long undoLsn) {
    return hasMoved() && xid == movedBy && undoLsn > movedAt;
  }

  /**
   * A change that ended a row under the key.
   *
   * @param to the row's new key, null when it was deleted
   */
  void ends(long xid, long undoLsn, byte[] to) {
    endXid = xid;
    endLsn = undoLsn;
    newKey = to;
  }

  /** The version that the snapshot sees has been reached. */
  void start(boolean isDeleted) {
    noRow = isDeleted;
  }

  // ---- what was found

  /** Whether the snapshot sees no row under the key. */
  boolean isNowhere() {
    return noRow;
  }

  boolean isEnded() {
    return endXid != Xid.NONE;
  }

  /** The transaction that ended the row under the key. */
  long endedBy() {
    return endXid;
  }

  /** Whether it did so by changing the row's key. */
  boolean goesOn() {
    return newKey != null;
  }
}
