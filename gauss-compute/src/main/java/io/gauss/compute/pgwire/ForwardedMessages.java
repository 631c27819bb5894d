package io.gauss.compute.pgwire;

import io.gauss.compute.session.SessionMoves;

/**
 * A client's messages on their way to the node that has its transaction. A group of messages (a
 * simple query, or everything up to Sync) is forwarded when the answer to the previous group has
 * come, so messages of the next transaction are never forwarded with this one. Belongs to the
 * connection's event loop.
 */
final class ForwardedMessages {
  /** Up to this size a message is forwarded as a whole, so that what it runs is known here. */
  private static final int WHOLE_BYTES = 64 * 1024;

  /** Groups behind the first one are kept only to find a ROLLBACK in them. */
  private static final int MOST_KEPT_BYTES = 1024;

  private final InputBuffer in;
  private final GroupOutcome group;
  private final FirstGroup first;
  private final KeptBytes later = new KeptBytes(MOST_KEPT_BYTES);

  /** Bytes still to come of the message that is being forwarded. */
  private int left;

  private byte type;

  /** The group has been forwarded as a whole, and its ReadyForQuery has not come. */
  private boolean awaitsReady;

  private boolean isSimple;
  private boolean isCopyingIn;

  /**
   * @param first keeps what is forwarded
   */
  ForwardedMessages(InputBuffer in, SessionMoves session, FirstGroup first) {
    this.in = in;
    this.first = first;
    this.group = new GroupOutcome(session::textOf);
  }

  /**
   * A transaction goes to another node.
   *
   * @param inBlock its BEGIN has been run already
   */
  void begin(boolean inBlock) {
    group.forwarded(inBlock);
    left = 0;
    awaitsReady = false;
    isCopyingIn = false;
    later.forget();
  }

  /**
   * Forwards the messages that have come from the client and may be forwarded now.
   *
   * @return whether the client ends the session
   * @throws io.gauss.common.error.GaussException 08P01 when it sends an invalid message
   */
  boolean forward(ForwardLink to) {
    boolean isEnd = false;
    while (to.isWritable() && (left > 0 ? in.available() > 0 : isNext())) {
      if (left == 0 && !start()) {
        isEnd = true;
        break;
      }
      int count = Math.min(left, in.available());
      to.write(in.array(), in.start(), count);
      first.sent(in.array(), in.start(), count);
      later.sent(in.array(), in.start(), count);
      in.consume(count);
      left -= count;
      if (left == 0) {
        forwarded();
      }
    }
    to.flush();
    in.trim();
    return isEnd;
  }

  /**
   * Whether the next message may be forwarded now, or is the client's last. That one waits for its
   * turn as well: what was sent before it runs to its end, as it does on the client's node.
   */
  private boolean isNext() {
    if (in.available() < 1 + PgProtocol.LENGTH_BYTES) {
      return false;
    }
    byte next = (byte) in.byteAt(0);
    boolean isTurn = !awaitsReady || isCopyingIn;
    long bytes = 1L + in.intAt(1);
    return isTurn
        && (in.available() >= bytes || bytes > WHOLE_BYTES || next == PgProtocol.COPY_DATA);
  }

  /** Returns false when the client ends. */
  private boolean start() {
    byte next = (byte) in.byteAt(0);
    int length = in.intAt(1);
    PgProtocol.checkHeader(next, length);
    if (next == PgProtocol.TERMINATE) {
      return false;
    }
    group.note(next, in, length);
    type = next;
    left = 1 + length;
    return true;
  }

  private void forwarded() {
    switch (type) {
      case PgProtocol.QUERY, PgProtocol.FUNCTION_CALL -> {
        awaitsReady = true;
        isSimple = true;
      }
      case PgProtocol.SYNC -> {
        if (!isCopyingIn) {
          awaitsReady = true;
          isSimple = false;
        }
      }
      case PgProtocol.COPY_DONE, PgProtocol.COPY_FAIL -> isCopyingIn = false;
      default -> {
        // Belongs to the group.
      }
    }
  }

  // ---------------------------------------------------------------- answers of the other node

  /** Whether the client has sent all of a group and waits for its answer. */
  boolean isWhole() {
    return awaitsReady;
  }

  /** The client gets something of the answer to the group. */
  void isAnswered() {
    first.forget();
    later.forget();
  }

  /** ReadyForQuery, in the transaction. */
  void answeredReady() {
    later.begin();
    awaitsReady = false;
    isCopyingIn = false;
    group.next(true);
  }

  void answeredError() {
    isCopyingIn = false;
    group.failed();
  }

  void answeredCopyIn() {
    isCopyingIn = true;
    // Sync is ignored in a COPY: one that was sent with the statement does not end the group.
    awaitsReady &= isSimple;
  }

  // ---------------------------------------------------------------- when the other node is lost

  /** Whether anything was forwarded that has not been answered by ReadyForQuery. */
  boolean isOpen() {
    return group.isOpen();
  }

  /**
   * Whether ReadyForQuery is the next message for which the client waits; otherwise its Sync is
   * still to come.
   */
  boolean needsReady() {
    return awaitsReady
        || left > 0 && (type == PgProtocol.QUERY || type == PgProtocol.FUNCTION_CALL);
  }

  /** Whether a block was open before what was forwarded last. */
  boolean isInBlock() {
    return group.isInBlock();
  }

  /** Whether the client may take it that a block is open behind what was forwarded last. */
  boolean leavesBlock() {
    return group.leavesBlock();
  }

  /** Whether what was forwarded last only rolls its block back, and can be run here as well. */
  boolean isKeptRollback() {
    return later.isKept() && group.onlyRollsBack();
  }

  /** Puts that before what has come from the client since. */
  void giveBackRollback() {
    later.giveBack(in);
  }

  boolean mayLock() {
    return group.mayLock();
  }

  boolean mayHaveLocked() {
    return group.mayHaveLocked();
  }

  boolean mayBeDenied() {
    return group.mayBeDenied();
  }

  boolean mayCommit() {
    return group.mayCommit();
  }

  boolean hasEffects() {
    return group.hasEffects();
  }

  /** Bytes still to come of a message of which the first ones have been forwarded. */
  int left() {
    return left;
  }
}
