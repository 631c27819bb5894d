package io.gauss.compute.mtr;

import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageView;
import io.gauss.common.redo.RedoType;

/**
 * Adds redo records of the general types to an MTR, so that callers need not encode payloads. Each
 * method returns the record's index in the MTR; those named start... leave the record open for its
 * bytes, which {@link Mtr#endRecord} ends.
 */
public final class PageRecords {
  private PageRecords() {}

  /** Builds a page of a type from nothing, zero behind its header. */
  public static int format(Mtr mtr, LoggedPage page, int type) {
    return format(mtr, page, type, 0, 0, 0);
  }

  /** The same with a generation that the caller counts. */
  public static int format(Mtr mtr, LoggedPage page, int type, int generation) {
    startFormat(mtr, page, type, 0, 0, generation);
    return endFormat(mtr, 0);
  }

  /**
   * Builds a page from nothing; it has no fences. The generation continues from the one in the
   * frame.
   */
  public static int format(
      Mtr mtr, LoggedPage page, int type, int level, int flags, int rightSibling) {
    startFormat(mtr, page, type, level, flags, PageView.generation(page.address()) + 1);
    return endFormat(mtr, rightSibling);
  }

  private static void startFormat(
      Mtr mtr, LoggedPage page, int type, int level, int flags, int generation) {
    mtr.startRecord(page, RedoType.FORMAT);
    mtr.putByte(type);
    mtr.putByte(level);
    mtr.putByte(flags);
    mtr.putByte(0);
    mtr.putInt(generation);
  }

  private static int endFormat(Mtr mtr, int rightSibling) {
    mtr.putInt(rightSibling);
    mtr.putShort(0); // prefix length
    mtr.putShort(0); // low fence length
    mtr.putShort(PageLayout.NO_HIGH_KEY);
    return mtr.endRecord();
  }

  /** Makes the page equal to a private image of it; the hole between slots and heap is left out. */
  public static int image(Mtr mtr, LoggedPage page, long image) {
    int holeStart = PageView.freeStart(image);
    int holeEnd = PageView.freeEnd(image);
    mtr.startRecord(page, RedoType.IMAGE);
    mtr.putShort(holeStart);
    mtr.putShort(holeEnd);
    mtr.putMemory(image + PageLayout.VERSION, holeStart - PageLayout.VERSION);
    mtr.putMemory(image + holeEnd, PageLayout.PAGE_BYTES - holeEnd);
    return mtr.endRecord();
  }

  /** Starts the insert of a record at a slot of a slotted page. */
  public static void startInsert(Mtr mtr, LoggedPage page, int slot) {
    mtr.startRecord(page, RedoType.INSERT);
    mtr.putShort(slot);
  }

  /**
   * Starts a splice: {@code remove} bytes of the record from {@code at} on are replaced by the
   * bytes that are put.
   */
  public static void startSplice(Mtr mtr, LoggedPage page, int slot, int at, int remove) {
    mtr.startRecord(page, RedoType.SPLICE);
    mtr.putShort(slot);
    mtr.putShort(at);
    mtr.putShort(remove);
  }

  public static int remove(Mtr mtr, LoggedPage page, int slot, int count) {
    mtr.startRecord(page, RedoType.REMOVE);
    mtr.putShort(slot);
    mtr.putShort(count);
    return mtr.endRecord();
  }

  /**
   * Starts a write of the bytes that are put, at an offset of the page (header fields, byte pages).
   */
  public static void startWrite(Mtr mtr, LoggedPage page, int offset) {
    mtr.startRecord(page, RedoType.WRITE);
    mtr.putShort(offset);
  }

  public static int writeByte(Mtr mtr, LoggedPage page, int offset, int value) {
    startWrite(mtr, page, offset);
    mtr.putByte(value);
    return mtr.endRecord();
  }

  public static int writeShort(Mtr mtr, LoggedPage page, int offset, int value) {
    startWrite(mtr, page, offset);
    mtr.putShort(value);
    return mtr.endRecord();
  }

  public static int writeInt(Mtr mtr, LoggedPage page, int offset, int value) {
    startWrite(mtr, page, offset);
    mtr.putInt(value);
    return mtr.endRecord();
  }

  public static int writeLong(Mtr mtr, LoggedPage page, int offset, long value) {
    startWrite(mtr, page, offset);
    mtr.putLong(value);
    return mtr.endRecord();
  }
}
