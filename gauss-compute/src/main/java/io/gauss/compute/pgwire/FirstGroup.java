package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.message.MessageReader;
import java.util.Set;

/**
 * The first group of messages of a forwarded transaction, which is kept as long as nothing of its
 * answer has gone to the client. If the other node is lost meanwhile, or cannot run the group for a
 * reason of its own, the client's node runs it: the client does not notice that it was forwarded.
 *
 * <p>So the answer is looked at before any of it is passed on. That delays nothing: the other node
 * sends it when it is complete, or large. Belongs to the connection's event loop.
 */
final class FirstGroup {
  /** A group that is longer is not kept. */
  static final int MOST_BYTES = 64 * 1024;

  /** So much of an answer goes to the client even if it is not complete. */
  static final int MOST_ANSWER_BYTES = 16 * 1024;

  /** Errors that say something about their node, and nothing about the statement. */
  private static final Set<SqlState> OF_THE_NODE =
      Set.of(
          SqlState.INSUFFICIENT_RESOURCES,
          SqlState.DISK_FULL,
          SqlState.OUT_OF_MEMORY,
          SqlState.ADMIN_SHUTDOWN,
          SqlState.CRASH_SHUTDOWN,
          SqlState.CANNOT_CONNECT_NOW,
          SqlState.IO_ERROR);

  /** Class of errors for want of resources, which a statement may just need too much of. */
  private static final String RESOURCES = "53";

  private static final Set<String> BEGINS = Set.of("BEGIN", "START TRANSACTION");

  /** What an answer says so far. */
  enum Verdict {
    /** More of it has to come. */
    INCOMPLETE,
    /** It goes to the client. */
    ANSWER,
    /** {@link #error} says why the other node ends the session. */
    END,
    /** {@link #error} says why the other node cannot run it. */
    CANNOT
  }

  private final KeptBytes sent = new KeptBytes(MOST_BYTES);
  private final MessageReader reader = new MessageReader();
  private GaussException error;

  /** A transaction is about to be forwarded that could run on the client's node as well. */
  void begin() {
    sent.begin();
  }

  /** Bytes were forwarded. */
  void sent(byte[] array, int from, int count) {
    sent.sent(array, from, count);
  }

  /** Whether the client's node could still run it. */
  boolean isKept() {
    return sent.isKept();
  }

  /** The client gets an answer to it, or the transaction is over. */
  void forget() {
    sent.forget();
  }

  /** Puts it before what has come from the client since, and forgets it. */
  void giveBack(InputBuffer in) {
    sent.giveBack(in);
  }

  /** The error after {@link Verdict#END} and {@link Verdict#CANNOT}. */
  GaussException error() {
    return error;
  }

  /**
   * Looks at its answer; nothing is consumed.
   *
   * @param mayCommit whether something is committed once all of the group has run
   * @param hasEffects whether any of it must not run twice, even if nothing is committed
   */
  Verdict look(InputBuffer answers, boolean mayCommit, boolean hasEffects) {
    boolean isAnyComplete = false;
    int at = 0;
    while (true) {
      if (at > MOST_ANSWER_BYTES || answers.available() - at > MOST_ANSWER_BYTES) {
        return Verdict.ANSWER;
      }
      if (answers.available() < at + 1 + PgProtocol.LENGTH_BYTES) {
        return Verdict.INCOMPLETE;
      }
      byte type = (byte) answers.byteAt(at);
      int bytes = 1 + answers.intAt(at + 1);
      if (type == PgProtocol.READY_FOR_QUERY || type == PgProtocol.COPY_IN_RESPONSE) {
        return Verdict.ANSWER;
      }
      if (bytes > MOST_ANSWER_BYTES) {
        return Verdict.ANSWER;
      }
      if (answers.available() < at + bytes) {
        return Verdict.INCOMPLETE;
      }
      isAnyComplete |=
          type == PgProtocol.COMMAND_COMPLETE
              && !BEGINS.contains(message(answers, at, bytes).readCString());
      if (type == PgProtocol.ERROR_RESPONSE) {
        Verdict verdict = judge(answers, at, bytes, mayCommit && isAnyComplete || hasEffects);
        if (verdict != Verdict.INCOMPLETE) {
          return verdict;
        }
      }
      at += bytes;
    }
  }

  /**
   * @param isInDoubt whether a statement before it may have been committed
   * @return INCOMPLETE when the error belongs to the answer
   */
  private Verdict judge(InputBuffer answers, int at, int bytes, boolean isInDoubt) {
    ErrorFields fields = new ErrorFields(message(answers, at, bytes));
    error = fields.error();
    if (fields.isFatal()) {
      return Verdict.END;
    }
    return OF_THE_NODE.contains(error.state()) && !isInDoubt ? Verdict.CANNOT : Verdict.INCOMPLETE;
  }

  private MessageReader message(InputBuffer answers, int at, int bytes) {
    int start = answers.start() + at;
    reader.wrap(answers.array(), start + 1 + PgProtocol.LENGTH_BYTES, start + bytes);
    return reader;
  }

  /**
   * Whether an error says that the node is not well. One statement that needs too much memory or
   * disk says nothing of others.
   */
  static boolean isNodeUnwell(GaussException error) {
    return !error.state().code().startsWith(RESOURCES);
  }
}
