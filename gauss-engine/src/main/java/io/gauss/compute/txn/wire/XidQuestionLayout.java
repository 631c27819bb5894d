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
 * 16     xids, 8 bytes each               0  8  kind: 1 not yet, 2 aborted, 3 committed,
 *                                               4 passed, 5 overwritten, 6 no segment
 *                                         8  8  3: CSN; 4: sequence; 5: CSN; else 0
 * </pre>
 *
 * What the kinds mean is said by {@link XidAnswer}.
 */
public final class XidQuestionLayout {
  public static final int VERSION = 1;
  public static final int MAX_XIDS = 4096;

  private static final int NOT_YET = 1;
  private static final int ABORTED = 2;
  private static final int COMMITTED = 3;
  private static final int PASSED = 4;
  private static final int OVERWRITTEN = 5;
  private static final int NO_SEGMENT = 6;

  private static final int SNAPSHOT = 8;
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

  public static void writeAnswer(ByteBuf to, XidAnswer answer) {
    to.writeLongLE(kind(answer)).writeLongLE(value(answer));
  }

  static int kind(XidAnswer answer) {
    return switch (answer) {
      case XidAnswer.NotYet a -> NOT_YET;
      case XidAnswer.Aborted a -> ABORTED;
      case XidAnswer.Committed a -> COMMITTED;
      case XidAnswer.Passed a -> PASSED;
      case XidAnswer.Overwritten a -> OVERWRITTEN;
      case XidAnswer.NoSegment a -> NO_SEGMENT;
    };
  }

  static long value(XidAnswer answer) {
    return switch (answer) {
      case XidAnswer.NotYet a -> 0;
      case XidAnswer.Aborted a -> 0;
      case XidAnswer.Committed a -> a.csn();
      case XidAnswer.Passed a -> a.below();
      case XidAnswer.Overwritten a -> a.upTo();
      case XidAnswer.NoSegment a -> 0;
    };
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

  /**
   * What is answered for the xid of this index in the question.
   *
   * @throws GaussException 08P01 when that is not known
   */
  public static XidAnswer answer(ByteBuf answers, int index) {
    int at = answers.readerIndex() + answerBytes(index);
    return answer(answers.getLongLE(at), answers.getLongLE(at + Long.BYTES));
  }

  static XidAnswer answer(long kind, long value) {
    require(kind == (int) kind, "has an answer of kind " + kind);
    return switch ((int) kind) {
      case NOT_YET -> new XidAnswer.NotYet();
      case ABORTED -> new XidAnswer.Aborted();
      case COMMITTED -> new XidAnswer.Committed(value);
      case PASSED -> new XidAnswer.Passed(value);
      case OVERWRITTEN -> new XidAnswer.Overwritten(value);
      case NO_SEGMENT -> new XidAnswer.NoSegment();
      default -> throw broken("has an answer of kind " + kind);
    };
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw broken(what);
    }
  }

  private static GaussException broken(String what) {
    return new GaussException(SqlState.PROTOCOL_VIOLATION, "a message about transactions " + what);
  }
}
