package io.gauss.compute.txn.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * Waits for a row that a transaction of another node wrote: the waiter queues where that
 * transaction's segment is held. All three messages travel in sessions, so they arrive once and in
 * order. Integers are little-endian.
 *
 * <pre>
 * ROW_WAIT, waiter to holder       ROW_LEAVE, waiter to holder     ROW_STATE, holder to waiter
 *  0  2  version, 2                 0  2  version, 2                0  2  version, 2
 *  2  2  passed by                  2  6  zero                      2  2  what
 *  4  4  zero                       8  8  number of the wait        4  2  kind, as in XidQuestionLayout
 *  8  8  number of the wait                                         6  2  passed by
 * 16  8  xid                                                        8  8  number of the wait
 * 24  8  row, a hash                                               16  8  value
 * </pre>
 *
 * The number of a wait is unique at the node that waits. ROW_STATE says, whenever that changes: who
 * has to end (WAITING; the value is its wait number for deadlock detection, 0 = nobody knows); it
 * has ended and others come first (ENDED), or with it or later: it is this one's turn (TURN), both
 * with the outcome as kind and value; or that this node does not hold the segment (AGAIN: ask who
 * does). ROW_LEAVE ends a wait that has its turn as well as one that is given up.
 */
public final class RowWaitLayout {
  public static final int VERSION = 2;

  public static final int WAITING = 1;
  public static final int ENDED = 2;
  public static final int TURN = 3;
  public static final int AGAIN = 4;

  private static final int WAIT_PASSED_BY = 2;
  private static final int WHAT = 2;
  private static final int KIND = 4;
  private static final int STATE_PASSED_BY = 6;
  private static final int WAIT = 8;
  private static final int XID = 16;
  private static final int ROW = 24;
  private static final int VALUE = 16;

  public static final int WAIT_BYTES = 32;
  public static final int LEAVE_BYTES = 16;
  public static final int STATE_BYTES = 24;

  private RowWaitLayout() {}

  /**
   * @param passedBy -1 for who has no turn yet
   */
  public static ByteBuf wait(ByteBuf to, int passedBy, long wait, long xid, long row) {
    return header(to, passedBy + 1, wait).writeLongLE(xid).writeLongLE(row);
  }

  public static ByteBuf leave(ByteBuf to, long wait) {
    return header(to, 0, wait);
  }

  private static ByteBuf header(ByteBuf to, int passedBy, long wait) {
    return to.writeShortLE(VERSION).writeShortLE(passedBy).writeIntLE(0).writeLongLE(wait);
  }

  public static ByteBuf state(ByteBuf to, int what, int kind, int passedBy, long wait, long value) {
    return to.writeShortLE(VERSION)
        .writeShortLE(what)
        .writeShortLE(kind)
        .writeShortLE(passedBy)
        .writeLongLE(wait)
        .writeLongLE(value);
  }

  /**
   * Checks version and length.
   *
   * @throws GaussException 08P01
   */
  public static void check(ByteBuf message, int bytes) {
    if (message.readableBytes() != bytes
        || message.getUnsignedShortLE(message.readerIndex()) != VERSION) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "a message about a row wait has another version or length: "
              + message.readableBytes()
              + " bytes");
    }
  }

  public static long wait(ByteBuf message) {
    return message.getLongLE(message.readerIndex() + WAIT);
  }

  public static long xid(ByteBuf message) {
    return message.getLongLE(message.readerIndex() + XID);
  }

  public static long row(ByteBuf message) {
    return message.getLongLE(message.readerIndex() + ROW);
  }

  public static int what(ByteBuf message) {
    return message.getUnsignedShortLE(message.readerIndex() + WHAT);
  }

  public static int kind(ByteBuf message) {
    return message.getShortLE(message.readerIndex() + KIND);
  }

  /** Of ROW_WAIT: -1 for who has no turn yet. */
  public static int passedBy(ByteBuf message) {
    return message.getUnsignedShortLE(message.readerIndex() + WAIT_PASSED_BY) - 1;
  }

  /** Of ROW_STATE. */
  public static int statePassedBy(ByteBuf message) {
    return message.getUnsignedShortLE(message.readerIndex() + STATE_PASSED_BY);
  }

  public static long value(ByteBuf message) {
    return message.getLongLE(message.readerIndex() + VALUE);
  }
}
