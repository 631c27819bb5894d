package io.gauss.compute.session.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;

/**
 * A {@link Signal} and its outcome as bytes. Integers are little-endian.
 *
 * <pre>
 * question                                    answer
 *  0  2  version, 1                            0  2  version, 1
 *  2  2  kind: 1 cancel by key, 2 cancel,      2  2  outcome, see {@link Outcome}
 *        3 terminate, 4 look, 5 cancel passed,
 *        6 end passed
 *  4  4  number of the session
 *  8  4  1: the key's secret; 2, 3: oid of
 *        the role that asks; 5: which of the
 *        transactions that were forwarded; 6: the
 *        ticket's lower half; else 0
 * </pre>
 */
public final class SignalLayout {
  public static final int VERSION = 1;
  public static final int QUESTION_BYTES = 12;
  public static final int ANSWER_BYTES = 4;

  private static final int CANCEL_BY_KEY = 1;
  private static final int CANCEL = 2;
  private static final int TERMINATE = 3;
  private static final int LOOK = 4;
  private static final int CANCEL_FORWARDED = 5;
  private static final int END_FORWARDED = 6;

  private SignalLayout() {}

  /** The outcome of a signal. The numbers are part of the format. */
  public enum Outcome {
    /** Done, or the session exists. */
    DONE(1),
    /** There is no such session, or the secret is wrong. */
    NO_SESSION(2),
    /** The session is a superuser's, and the role is not a superuser. */
    IS_SUPERUSERS(3),
    /** The role may not act for the session's role. */
    IS_ANOTHERS(4);

    private final int id;

    Outcome(int id) {
      this.id = id;
    }
  }

  public static ByteBuf writeQuestion(ByteBuf to, Signal signal) {
    return switch (signal) {
      case Signal.CancelByKey s -> write(to, CANCEL_BY_KEY, s, s.secret());
      case Signal.Cancel s -> write(to, CANCEL, s, s.role());
      case Signal.Terminate s -> write(to, TERMINATE, s, s.role());
      case Signal.Look s -> write(to, LOOK, s, 0);
      case Signal.CancelPassed s -> write(to, CANCEL_FORWARDED, s, s.forward());
      case Signal.EndPassed s -> write(to, END_FORWARDED, s, s.ticket());
    };
  }

  private static ByteBuf write(ByteBuf to, int kind, Signal signal, int value) {
    return to.writeShortLE(VERSION)
        .writeShortLE(kind)
        .writeIntLE(signal.session())
        .writeIntLE(value);
  }

  /**
   * Reads a question; the buffer's indices are left as they are.
   *
   * @throws GaussException 08P01 when it is malformed; 0A000 for a signal that is not known here
   */
  public static Signal readQuestion(ByteBuf question) {
    check(question, QUESTION_BYTES);
    ByteBuf from = question.duplicate().skipBytes(Short.BYTES);
    int kind = from.readUnsignedShortLE();
    int session = from.readIntLE();
    int value = from.readIntLE();
    return switch (kind) {
      case CANCEL_BY_KEY -> new Signal.CancelByKey(session, value);
      case CANCEL -> new Signal.Cancel(session, value);
      case TERMINATE -> new Signal.Terminate(session, value);
      case LOOK -> new Signal.Look(session);
      case CANCEL_FORWARDED -> new Signal.CancelPassed(session, value);
      case END_FORWARDED -> new Signal.EndPassed(session, value);
      default ->
          throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED, "signal " + kind + " to a session");
    };
  }

  public static ByteBuf writeAnswer(ByteBuf to, Outcome outcome) {
    return to.writeShortLE(VERSION).writeShortLE(outcome.id);
  }

  /**
   * Reads an answer; the buffer's indices are left as they are.
   *
   * @throws GaussException 08P01 when it is malformed
   */
  public static Outcome readAnswer(ByteBuf answer) {
    check(answer, ANSWER_BYTES);
    int id = answer.getUnsignedShortLE(answer.readerIndex() + Short.BYTES);
    for (Outcome outcome : Outcome.values()) {
      if (outcome.id == id) {
        return outcome;
      }
    }
    throw broken();
  }

  private static void check(ByteBuf message, int bytes) {
    if (message.readableBytes() != bytes
        || message.getUnsignedShortLE(message.readerIndex()) != VERSION) {
      throw broken();
    }
  }

  private static GaussException broken() {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION, "a message about a session that is none");
  }
}
