package io.gauss.compute.txn.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * "What is the final outcome of this transaction?" Integers are little-endian.
 *
 * <pre>
 * question               answer
 *  0  2  version, 1       0  2  version, 1
 *  2  6  zero             2  2  outcome: one of the constants
 *  8  8  xid              4  4  zero
 * </pre>
 */
public final class XidOutcomeLayout {
  public static final int VERSION = 1;

  public static final int IN_PROGRESS = 1;
  public static final int COMMITTED = 2;
  public static final int ABORTED = 3;

  /** No such transaction, or it is no longer known. */
  public static final int UNKNOWN = 4;

  public static final int QUESTION_BYTES = 16;
  public static final int ANSWER_BYTES = 8;
  private static final int OUTCOME = 2;
  private static final int XID = 8;

  private XidOutcomeLayout() {}

  public static ByteBuf question(ByteBuf to, long xid) {
    return to.writeShortLE(VERSION).writeShortLE(0).writeIntLE(0).writeLongLE(xid);
  }

  public static ByteBuf answer(ByteBuf to, int outcome) {
    return to.writeShortLE(VERSION).writeShortLE(outcome).writeIntLE(0);
  }

  /**
   * @throws GaussException 08P01
   */
  public static long xid(ByteBuf question) {
    check(question, QUESTION_BYTES);
    return question.getLongLE(question.readerIndex() + XID);
  }

  /**
   * @throws GaussException 08P01
   */
  public static int outcome(ByteBuf answer) {
    check(answer, ANSWER_BYTES);
    return answer.getUnsignedShortLE(answer.readerIndex() + OUTCOME);
  }

  private static void check(ByteBuf message, int bytes) {
    if (message.readableBytes() != bytes
        || message.getUnsignedShortLE(message.readerIndex()) != VERSION) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "a message about a transaction's outcome has another version or length");
    }
  }
}
