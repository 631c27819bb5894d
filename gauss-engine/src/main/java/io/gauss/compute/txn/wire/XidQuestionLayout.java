package io.gauss.compute.txn.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * "What are the outcomes of these transactions, as far as snapshot S has to know?" All of them are
 * of slots for which the asked node answers. Integers are little-endian.
 *
 * <pre>
 * question                         answer
 *  0  2  version, 1                 0  2  version, 1
 *  2  2  zero                       2  2  zero
 *  4  4  number of xids             4  4  number of xids, as asked
 *  8  8  snapshot S                 8     for each xid, in the order asked:
 * 16     xids, 8 bytes each               0  8  kind: one of the constants
 *                                         8  8  value
 * </pre>
 */
public final class XidQuestionLayout {
  public static final int VERSION = 1;
  public static final int MAX_XIDS = 4096;

  /**
   * Not visible to S, now or later: still active, or committed above S; the asker may not know
   * which. Value: zero.
   */
  public static final int NOT_YET = 1;

  /** Rolled back, and over. Value: zero. */
  public static final int ABORTED = 2;

  /** Committed, and may be confirmed to clients. Value: the CSN. */
  public static final int COMMITTED = 3;

  /**
   * Every snapshot anywhere sees the outcome. Value: the sequence below which that holds in the
   * whole segment.
   */
  public static final int PASSED = 4;

  /**
   * Committed at or below the value, by which rule 24 decides: the entry itself was overwritten.
   */
  public static final int OVERWRITTEN = 5;

  /** The segment does not exist. Value: zero. */
  public static final int NONE = 6;

  public static final int SNAPSHOT = 8;
  private static final int COUNT = 4;
  private static final int QUESTION_HEADER_BYTES = 16;
  private static final int ANSWER_HEADER_BYTES = 8;
  private static final int ANSWER_BYTES = 16;

  private XidQuestionLayout() {}

  public static int questionBytes(int count) {
    return QUESTION_HEADER_BYTES + 8 * count;
  }

  public static int answerBytes(int count) {
    return ANSWER_HEADER_BYTES + ANSWER_BYTES * count;
  }

  /** Writes a question's header; the xids follow as longs. */
  public static void writeQuestion(ByteBuf to, int count, long snapshot) {
    to.writeShortLE(VERSION).writeShortLE(0).writeIntLE(count).writeLongLE(snapshot);
  }

  /** Writes an answer's header; for each xid, in order, {@link #writeAnswer} follows. */
  public static void writeAnswers(ByteBuf to, int count) {
    to.writeShortLE(VERSION).writeShortLE(0).writeIntLE(count);
  }

  public static void writeAnswer(ByteBuf to, int kind, long value) {
    to.writeLongLE(kind).writeLongLE(value);
  }

  /**
   * Checks a question and returns how many xids it has.
   *
   * @throws GaussException 08P01
   */
  public static int checkQuestion(ByteBuf question) {
    int at = question.readerIndex();
    require(question.readableBytes() >= QUESTION_HEADER_BYTES, "is too short");
    require(question.getUnsignedShortLE(at) == VERSION, "has another version");
    int count = question.getIntLE(at + COUNT);
    require(count >= 1 && count <= MAX_XIDS, "has " + count + " xids");
    require(question.readableBytes() == questionBytes(count), "has another length");
    return count;
  }

  /**
   * @throws GaussException 08P01
   */
  public static void checkAnswers(ByteBuf answers, int count) {
    int at = answers.readerIndex();
    require(answers.readableBytes() == answerBytes(count), "has another length");
    require(answers.getUnsignedShortLE(at) == VERSION, "has another version");
    require(answers.getIntLE(at + COUNT) == count, "has another number of answers");
  }

  public static long snapshot(ByteBuf question) {
    return question.getLongLE(question.readerIndex() + SNAPSHOT);
  }

  public static long xid(ByteBuf question, int index) {
    return question.getLongLE(question.readerIndex() + questionBytes(index));
  }

  public static int kind(ByteBuf answers, int index) {
    return (int) answers.getLongLE(answers.readerIndex() + answerBytes(index));
  }

  public static long value(ByteBuf answers, int index) {
    return answers.getLongLE(answers.readerIndex() + answerBytes(index) + 8);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, "a message about transactions " + what);
    }
  }
}
