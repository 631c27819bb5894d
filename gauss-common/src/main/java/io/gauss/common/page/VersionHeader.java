package io.gauss.common.page;

import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import java.nio.ByteBuffer;

/**
 * The version header that every leaf record of every tree carries: the writer of the version and
 * the location of the previous one.
 *
 * <pre>
 *  0  1  flags
 *  1  1  zero
 *  2  8  xid of the writer; 0 = visible to everybody
 * 10  4  undo page number (in the undo space of the writer's slot)
 * 14  2  undo slot
 * 16  8  LSN of the undo record, which must carry exactly this LSN (rule 23)
 * </pre>
 */
public final class VersionHeader {
  private static final int FLAGS = 0;
  private static final int XID = FLAGS + 2;
  private static final int UNDO_PAGE = XID + 8;
  private static final int UNDO_SLOT = UNDO_PAGE + 4;
  private static final int UNDO_LSN = UNDO_SLOT + 2;
  public static final int BYTES = UNDO_LSN + 8;

  /** The row is deleted as of this version; its bytes are the last row's. */
  public static final int DELETED = 1;

  /** The version changed nothing but this header: a row lock. */
  public static final int LOCKED_ONLY = 2;

  /** The row bytes are an overflow reference ({@link OverflowPage}). */
  public static final int OVERFLOW = 4;

  /**
   * The key was free and has been taken again, by this version or one below it, so that an old
   * snapshot may know another row under it. Kept until no snapshot is that old.
   */
  public static final int REUSED = 8;

  private VersionHeader() {}

  public static int flags(long header) {
    return Memory.getUnsignedByte(header + FLAGS);
  }

  public static long xid(long header) {
    return Memory.getLong(header + XID);
  }

  public static int undoPage(long header) {
    return Memory.getInt(header + UNDO_PAGE);
  }

  public static int undoSlot(long header) {
    return Memory.getUnsignedShort(header + UNDO_SLOT);
  }

  public static long undoLsn(long header) {
    return Memory.getLong(header + UNDO_LSN);
  }

  public static boolean isDeleted(long header) {
    return (flags(header) & DELETED) != 0;
  }

  public static boolean isLockedOnly(long header) {
    return (flags(header) & LOCKED_ONLY) != 0;
  }

  public static boolean isOverflow(long header) {
    return (flags(header) & OVERFLOW) != 0;
  }

  public static boolean isReused(long header) {
    return (flags(header) & REUSED) != 0;
  }

  /** Flags of a header in an array. */
  public static int flags(byte[] bytes, int header) {
    return bytes[header + FLAGS] & 0xFF;
  }

  /** Display text of the header in a buffer. */
  public static String text(ByteBuffer from, int header) {
    int flags = from.get(header + FLAGS);
    return "xid "
        + Xid.toString(from.getLong(header + XID))
        + ((flags & DELETED) != 0 ? ", deleted" : "")
        + ((flags & LOCKED_ONLY) != 0 ? ", locked" : "")
        + ((flags & OVERFLOW) != 0 ? ", overflow" : "")
        + ((flags & REUSED) != 0 ? ", reused" : "")
        + ", undo page "
        + Integer.toUnsignedString(from.getInt(header + UNDO_PAGE))
        + " slot "
        + Short.toUnsignedInt(from.getShort(header + UNDO_SLOT));
  }

  /** Writes a header without the LSN of the undo record, a long that must follow. */
  public static void start(RecordSink to, int flags, long xid, int undoPage, int undoSlot) {
    to.putByte(flags);
    to.putByte(0);
    to.putLong(xid);
    to.putInt(undoPage);
    to.putShort(undoSlot);
  }

  /** Writes the header of no version: zeroes. */
  public static void putNone(RecordSink to) {
    start(to, 0, 0, 0, 0);
    to.putLong(0);
  }

  /** Writes a header; for private buffers and records under construction. */
  public static void write(
      long header, int flags, long xid, int undoPage, int undoSlot, long undoLsn) {
    Memory.putByte(header + FLAGS, flags);
    Memory.putByte(header + FLAGS + 1, 0);
    Memory.putLong(header + XID, xid);
    Memory.putInt(header + UNDO_PAGE, undoPage);
    Memory.putShort(header + UNDO_SLOT, undoSlot);
    Memory.putLong(header + UNDO_LSN, undoLsn);
  }

  /** Writes a header into an array. */
  public static void write(
      byte[] header, int flags, long xid, int undoPage, int undoSlot, long undoLsn) {
    header[FLAGS] = (byte) flags;
    header[FLAGS + 1] = 0;
    put(header, XID, xid, 8);
    put(header, UNDO_PAGE, undoPage, 4);
    put(header, UNDO_SLOT, undoSlot, 2);
    put(header, UNDO_LSN, undoLsn, 8);
  }

  private static void put(byte[] to, int offset, long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      to[offset + i] = (byte) (value >>> 8 * i);
    }
  }
}
