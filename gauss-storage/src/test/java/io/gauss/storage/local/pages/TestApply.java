package io.gauss.storage.local.pages;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.common.redo.MtrLayout;

/**
 * Two kinds of records, enough to test the store: FORMAT zeroes the page and puts the payload after
 * the header; WRITE adds each payload byte to a byte of the page, so that an omitted or repeated
 * record is visible. Pages of the space directory get their type, and the bytes of the payload that
 * are not zero as they are.
 */
public final class TestApply implements PageApply {
  public static final int FORMAT = 1;
  public static final int WRITE = 2;

  @Override
  public void apply(long page, long record, long lsn, int stream) {
    int type = MtrLayout.recordType(record);
    int length = MtrLayout.recordLength(record) - MtrLayout.RECORD_HEADER_BYTES;
    long payload = record + MtrLayout.RECORD_HEADER_BYTES;
    if (type == FORMAT) {
      Memory.zero(page, PageLayout.PAGE_BYTES);
      Memory.putByte(page + PageLayout.VERSION, PageLayout.CURRENT_VERSION);
      Memory.putLong(page + PageLayout.PAGE_ID, MtrLayout.recordPageId(record));
    }
    boolean isDirectory = MtrLayout.recordPageId(record) == SpaceDirectoryLayout.pageId(0);
    if (isDirectory) {
      Memory.putByte(page + PageLayout.TYPE, PageType.SPACE_DIRECTORY);
    }
    for (int i = 0; i < length; i++) {
      long at = page + PageLayout.HEADER_BYTES + i;
      int added = Memory.getByte(payload + i);
      if (!isDirectory) {
        Memory.putByte(at, 31 * Memory.getByte(at) + added);
      } else if (added != 0) {
        Memory.putByte(at, added);
      }
    }
    Memory.putLong(page + PageLayout.LSN, lsn);
    Memory.putInt(page + PageLayout.STREAM, stream);
  }

  /** The payload that says of a space that nothing uses it any more. */
  static byte[] unneeded(int space) {
    byte[] payload = new byte[space + 1];
    payload[space] = SpaceDirectoryLayout.UNNEEDED;
    return payload;
  }

  @Override
  public boolean startsPage(int type) {
    return type == FORMAT;
  }
}
