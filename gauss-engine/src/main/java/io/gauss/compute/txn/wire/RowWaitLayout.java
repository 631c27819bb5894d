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
 * The number of a wait is unique at the node that waits. ROW_STATE is a {@link RowState}, sent
 * whenever that changes: what is 1 WAITING (value: the owner's wait number), 2 ENDED or 3 TURN
 * (kind and value: the outcome), or 4 AGAIN. ROW_LEAVE ends both a wait that has its turn and one
 * that is given up.
 */
public final class RowWaitLayout {
  public static final int VERSION = 2;

  private static final int WAITING = 1;
  private static final int ENDED = 2;
  private static final int TURN = 3;
  private static final int AGAIN = 4;

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
   * @param passedBy -1 for a waiter that has no turn yet
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

  public static ByteBuf state(ByteBuf to, long wait, RowState state) {
    return switch (state) {
      case RowState.Waiting waiting -> state(to, WAITING, 0, 0, wait, waiting.owner());
      case RowState.Ended ended -> state(to, ENDED, ended.kind(), 0, wait, ended.value());
      case RowState.Turn turn -> state(to, TURN, turn.kind(), turn.passedBy(), wait, turn.value());
      case RowState.Again again -> state(to, AGAIN, 0, 0, wait, 0);
    };
  }

  private static ByteBuf state(
      ByteBuf to, int what, int kind, int passedBy, long wait, long value) {
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

  /** Of ROW_WAIT: -1 for a waiter that has no turn yet. */
  public static int passedBy(ByteBuf message) {
    return message.getUnsignedShortLE(message.readerIndex() + WAIT_PASSED_BY) - 1;
  }

  /**
   * The state in a ROW_STATE, whose shape has been checked.
   *
   * @throws GaussException 08P01 when the state is not known
   */
  public static RowState state(ByteBuf message) {
    int start = message.readerIndex();
    int what = message.getUnsignedShortLE(start + WHAT);
    int kind = message.getShortLE(start + KIND);
    long value = message.getLongLE(start + VALUE);
    return switch (what) {
      case WAITING -> new RowState.Waiting(value);
      case ENDED -> new RowState.Ended(kind, value);
      case TURN ->
          new RowState.Turn(kind, message.getUnsignedShortLE(start + STATE_PASSED_BY), value);
      case AGAIN -> new RowState.Again();
      default ->
          throw new GaussException(SqlState.PROTOCOL_VIOLATION, "state " + what + " of a row wait");
    };
  }
}
