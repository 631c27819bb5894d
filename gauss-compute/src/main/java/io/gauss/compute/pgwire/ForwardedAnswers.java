package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.compute.session.message.MessageReader;
import io.netty.buffer.ByteBuf;

/**
 * The answers of the node that has a client's transaction, on their way to the client. They are
 * passed on unchanged; what is understood of them is where messages begin, the session's state, the
 * end of a group, errors and the start of a COPY. Belongs to the connection's event loop.
 */
final class ForwardedAnswers {
  /** Larger messages with rows are forwarded as their bytes come. */
  private static final int WHOLE_BYTES = 64 * 1024;

  /** Why no more is taken. */
  enum Stop {
    /** The next answer has not come as a whole. */
    INCOMPLETE,
    /** The transaction is over, and the session's state has come back. */
    OVER,
    /** {@link #error} has ended the other session. */
    FATAL
  }

  private final ForwardedMessages forwarded;
  private final WaitedTime waited;
  private final MessageReader reader = new MessageReader();

  /** Bytes still to come of the answer that is being forwarded. */
  private int left;

  private boolean stateCameBack;
  private boolean isLeaving;
  private GaussException error;

  ForwardedAnswers(ForwardedMessages forwarded, WaitedTime waited) {
    this.forwarded = forwarded;
    this.waited = waited;
  }

  /** A transaction goes to another node. */
  void begin() {
    left = 0;
    stateCameBack = false;
    isLeaving = false;
  }

  /** Whether the client has got the first part of an answer only. */
  boolean isInAnswer() {
    return left > 0;
  }

  /** Whether the node that has the transaction takes no further one. */
  boolean isLeaving() {
    return isLeaving;
  }

  /** The error after {@link Stop#FATAL}. */
  GaussException error() {
    return error;
  }

  /** The client gets nothing more from there. */
  void end() {
    left = 0;
  }

  /** Takes answers until one is incomplete, or the transaction is over. */
  Stop take(ForwardLink link, ByteBuf toClient) {
    InputBuffer answers = link.input();
    while (true) {
      if (left > 0) {
        int count = Math.min(left, answers.available());
        move(answers, count, toClient);
        left -= count;
        if (left > 0) {
          return Stop.INCOMPLETE;
        }
        continue;
      }
      if (answers.available() < 1 + PgProtocol.LENGTH_BYTES) {
        return Stop.INCOMPLETE;
      }
      byte type = (byte) answers.byteAt(0);
      int bytes = 1 + answers.intAt(1);
      boolean hasRows = type == PgProtocol.DATA_ROW || type == PgProtocol.COPY_DATA;
      if (hasRows && bytes > WHOLE_BYTES) {
        left = bytes;
        continue;
      }
      if (answers.available() < bytes) {
        return Stop.INCOMPLETE;
      }
      Stop stop = take(link, type, bytes, toClient);
      if (stop != null) {
        return stop;
      }
    }
  }

  /** Takes one; null = the next one may be taken. */
  private Stop take(ForwardLink link, byte type, int bytes, ByteBuf toClient) {
    InputBuffer answers = link.input();
    switch (type) {
      case PgProtocol.PASS_STATE -> {
        link.transfer().read(link.read(reader));
        stateCameBack = true;
        answers.consume(bytes);
      }
      case PgProtocol.PASS_LEAVING -> {
        isLeaving = true;
        answers.consume(bytes);
      }
      case PgProtocol.READY_FOR_QUERY -> {
        boolean isOver = answers.byteAt(bytes - 1) == 'I';
        move(answers, bytes, toClient);
        if (isOver) {
          return over();
        }
        forwarded.answeredReady();
        waited.answered();
      }
      case PgProtocol.ERROR_RESPONSE -> {
        GaussException fatal = new ErrorFields(link.read(reader)).fatal();
        if (fatal != null) {
          answers.consume(bytes);
          error = fatal;
          return Stop.FATAL;
        }
        forwarded.answeredError();
        move(answers, bytes, toClient);
      }
      case PgProtocol.COPY_IN_RESPONSE -> {
        forwarded.answeredCopyIn();
        move(answers, bytes, toClient);
      }
      default -> move(answers, bytes, toClient);
    }
    return null;
  }

  private Stop over() {
    if (!stateCameBack) {
      throw new IllegalStateException("a transaction ended without the session's state");
    }
    return Stop.OVER;
  }

  private static void move(InputBuffer from, int count, ByteBuf to) {
    to.writeBytes(from.array(), from.start(), count);
    from.consume(count);
  }
}
