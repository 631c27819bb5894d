package io.gauss.compute.session.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * "Do this to that session of yours." Integers are little-endian.
 *
 * <pre>
 * question                                    answer
 *  0  2  version, 1                            0  2  version, 1
 *  2  2  kind: one of the constants            2  2  outcome: one of the constants
 *  4  4  number of the session
 *  8  4  the key's secret; which of the
 *        transactions that were passed;
 *        otherwise the oid of the role
 *        that asks
 * </pre>
 */
public final class SignalLayout {
  public static final int VERSION = 1;
  public static final int QUESTION_BYTES = 12;
  public static final int ANSWER_BYTES = 4;

  // ---- kinds

  /** Cancel what it runs, for who knows the session's secret. */
  public static final int CANCEL_BY_KEY = 1;

  /** Cancel what it runs, for a role. */
  public static final int CANCEL = 2;

  /** End it, for a role. */
  public static final int TERMINATE = 3;

  /** Is it there? */
  public static final int LOOK = 4;

  /** Cancel what a session runs that serves this client of the sender. */
  public static final int CANCEL_PASSED = 5;

  // ---- outcomes

  /** Done, or it is there. */
  public static final int DONE = 1;

  /** There is no such session, or the secret is wrong. */
  public static final int NO_SESSION = 2;

  /** The session is a superuser's, and the role is none. */
  public static final int IS_SUPERUSERS = 3;

  /** The role does not act for that of the session. */
  public static final int IS_ANOTHERS = 4;

  private static final int KIND = 2;
  private static final int SESSION = 4;
  private static final int VALUE = 8;

  private SignalLayout() {}

  public static ByteBuf writeQuestion(ByteBuf to, int kind, int session, int value) {
    return to.writeShortLE(VERSION).writeShortLE(kind).writeIntLE(session).writeIntLE(value);
  }

  public static ByteBuf writeAnswer(ByteBuf to, int outcome) {
    return to.writeShortLE(VERSION).writeShortLE(outcome);
  }

  /**
   * @throws GaussException 08P01
   */
  public static void checkQuestion(ByteBuf question) {
    check(question, QUESTION_BYTES);
  }

  /**
   * The outcome.
   *
   * @throws GaussException 08P01
   */
  public static int outcome(ByteBuf answer) {
    check(answer, ANSWER_BYTES);
    return answer.getUnsignedShortLE(answer.readerIndex() + KIND);
  }

  private static void check(ByteBuf message, int bytes) {
    if (message.readableBytes() != bytes
        || message.getUnsignedShortLE(message.readerIndex()) != VERSION) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "a message about a session that is none");
    }
  }

  public static int kind(ByteBuf question) {
    return question.getUnsignedShortLE(question.readerIndex() + KIND);
  }

  public static int session(ByteBuf question) {
    return question.getIntLE(question.readerIndex() + SESSION);
  }

  public static int value(ByteBuf question) {
    return question.getIntLE(question.readerIndex() + VALUE);
  }
}
