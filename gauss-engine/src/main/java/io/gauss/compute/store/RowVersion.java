package io.gauss.compute.store;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.VersionHeader;

/**
 * A copy of one version of a row, with the stamp (xid, undo pointer) that shows whether it is still
 * the newest. Reused by its owner; buffers grow. Filled by {@link VersionedTree}.
 */
public final class RowVersion {
  public byte[] key = new byte[64];
  public int keyLength;
  public byte[] row = new byte[512];
  public int rowLength;

  /** Stamp of the version: xid of its writer and its undo pointer. */
  long xid;

  int undoPage;
  int undoSlot;
  long undoLsn;
  boolean deleted;
  boolean lockedOnly;

  /**
   * When the header only locks and its transaction has ended: the header below, which wrote the
   * row. The next version refers to that one, so that repeated locks make no long chains.
   */
  private byte[] contentHeader;

  private boolean contentKnown;

  /** Where the row was: a hint for the next access, checked there. */
  long pageId;

  int slot;

  /** Copies a leaf record; for an overflow row it copies the reference. */
  void copyRecord(long page, long id, int at) {
    copyPlace(page, id, at);
    long header = TreePage.version(page, at);
    stamp(
        VersionHeader.flags(header),
        VersionHeader.xid(header),
        VersionHeader.undoPage(header),
        VersionHeader.undoSlot(header),
        VersionHeader.undoLsn(header));
    copyRow(TreePage.rowAddress(page, at), TreePage.rowLength(page, at));
  }

  /** Copies the key and notes the place. */
  void copyPlace(long page, long id, int at) {
    int length = TreePage.keyLength(page, at);
    if (key.length < length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
    keyLength = TreePage.copyKey(page, at, key, 0);
    pageId = id;
    slot = at;
  }

  void stamp(int flags, long writer, int page, int undoSlotNumber, long lsn) {
    contentKnown = false;
    xid = writer;
    undoPage = page;
    undoSlot = undoSlotNumber;
    undoLsn = lsn;
    deleted = (flags & VersionHeader.DELETED) != 0;
    lockedOnly = (flags & VersionHeader.LOCKED_ONLY) != 0;
  }

  /** Notes the header that wrote the row, below headers that only lock. */
  void contentHeader(int flags, long writer, int page, int undoSlotNumber, long lsn) {
    if (contentHeader == null) {
      contentHeader = new byte[VersionHeader.BYTES];
    }
    VersionHeader.write(contentHeader, flags, writer, page, undoSlotNumber, lsn);
    contentKnown = true;
  }

  /**
   * The header that a new version has to refer to instead of the one in the leaf; null = that one.
   */
  byte[] contentHeader() {
    return contentKnown ? contentHeader : null;
  }

  void copyRow(long address, int length) {
    ensureRow(length);
    Memory.copyOut(address, row, 0, length);
    rowLength = length;
  }

  /** Makes the row buffer large enough; its content is lost. */
  void ensureRow(int length) {
    if (row.length < length) {
      row = new byte[Math.max(length, 2 * row.length)];
    }
  }

  /** Whether a leaf record still carries this version's stamp. */
  boolean isStampOf(long header) {
    return VersionHeader.xid(header) == xid
        && VersionHeader.undoLsn(header) == undoLsn
        && VersionHeader.undoPage(header) == undoPage
        && VersionHeader.undoSlot(header) == undoSlot;
  }
}
