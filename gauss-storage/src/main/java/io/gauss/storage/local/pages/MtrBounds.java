package io.gauss.storage.local.pages;

import io.gauss.common.redo.MtrLayout;

/**
 * Checks that bytes are a mini-transaction: its lengths are consistent and stay within the buffer.
 */
final class MtrBounds {
  private MtrBounds() {}

  static boolean hold(long mtr, int available) {
    if (available < MtrLayout.HEADER_BYTES
        || MtrLayout.formatVersion(mtr) != MtrLayout.VERSION
        || MtrLayout.length(mtr) < MtrLayout.HEADER_BYTES
        || MtrLayout.length(mtr) > available) {
      return false;
    }
    long end = mtr + MtrLayout.length(mtr);
    long record = mtr + MtrLayout.HEADER_BYTES;
    for (int i = MtrLayout.count(mtr); i > 0; i--) {
      if (end - record < MtrLayout.RECORD_HEADER_BYTES
          || MtrLayout.recordLength(record) < MtrLayout.RECORD_HEADER_BYTES
          || MtrLayout.recordLength(record) > end - record) {
        return false;
      }
      record += MtrLayout.recordLength(record);
    }
    return record == end;
  }
}
