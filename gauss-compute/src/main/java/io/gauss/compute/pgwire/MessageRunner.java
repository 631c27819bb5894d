package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.FatalSessionException;
import io.gauss.compute.session.Session;
import io.gauss.compute.session.StateTransfer;
import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.wait.WouldBlockException;

/**
 * Frames the bytes that a client has sent and has its messages handled, one after the other.
 *
 * <p>Belongs, like the session, to the thread that runs the connection: the session's thread in the
 * states that are its own ({@link ConnectionState#isThreads}), the event loop in all others.
 */
final class MessageRunner {
  private final PgConnection connection;
  private final Session session;
  private final InputBuffer in;
  private final BackendWriter out;
  private final PendingInput pending;
  private final MessageReader reader = new MessageReader();
  private final MessageDispatcher dispatcher;

  /** Null when transactions of this session are not forwarded to other nodes. */
  private final Rerouting rerouting;

  private CopyMessages copyMessages;

  /** Bytes of the message that runs now; they leave the input when it is done. */
  private int currentBytes;

  /** Bytes still to come of a CopyData message that is discarded. */
  private int skipBytes;

  /** Input was left over because the answers to earlier messages have to leave first. */
  private boolean unfinished;

  /**
   * Sync has yet to come: a session that ended between a COMMIT and its ReadyForQuery would leave
   * the client in doubt.
   */
  private boolean inGroup;

  /**
   * @param transfer null = this is the client's own session, not one that serves it elsewhere
   * @param reroutes null = its transactions are not forwarded to other nodes
   */
  MessageRunner(
      PgConnection connection, Session session, StateTransfer transfer, Reroutes reroutes) {
    this.connection = connection;
    this.session = session;
    this.in = connection.input();
    this.out = connection.output();
    this.pending = connection.pending();
    this.dispatcher = new MessageDispatcher(session, out, transfer);
    this.rerouting = reroutes == null ? null : new Rerouting(connection, this, reroutes, session);
  }

  Rerouting rerouting() {
    return rerouting;
  }

  boolean isUnfinished() {
    return unfinished;
  }

  boolean isInGroup() {
    return inGroup;
  }

  /**
   * Handles the messages in the input, on the event loop.
   *
   * @throws WouldBlockException when a message has to wait
   * @throws FatalSessionException and {@link GaussException} when the connection cannot continue
   */
  ConnectionEvent runOnLoop() {
    session.mayBlock(false);
    session.clearInterrupt();
    ConnectionEvent end = run();
    if (end == ConnectionEvent.RAN && rerouting != null && rerouting.isBusy()) {
      return ConnectionEvent.FORWARD_BEGINS;
    }
    return end;
  }

  /** The same on the session's thread, after the message that has to wait was undone. */
  ConnectionEvent runOnThread() {
    session.mayBlock(true);
    session.undoForRetry();
    out.resetToMark();
    return run();
  }

  /**
   * Handles every complete message in the input, unless that produces more answers than should be
   * sent to the client at a time.
   */
  private ConnectionEvent run() {
    unfinished = false;
    while (connection.runsMessages()) {
      if (out.isLarge()) {
        unfinished = true;
        break;
      }
      if (skipBytes > 0) {
        int skipped = Math.min(skipBytes, in.available());
        in.consume(skipped);
        skipBytes -= skipped;
      }
      if (rerouting != null && rerouting.holds()) {
        break;
      }
      if (in.available() < 1 + PgProtocol.LENGTH_BYTES) {
        break;
      }
      byte type = (byte) in.byteAt(0);
      int length = in.intAt(1);
      checkHeader(type, length);
      if (type == PgProtocol.COPY_DATA) {
        // The rest of a COPY that failed, or has never begun: PostgreSQL also ignores it.
        in.consume(1 + PgProtocol.LENGTH_BYTES);
        skipBytes = length - PgProtocol.LENGTH_BYTES;
        continue;
      }
      if (in.available() < 1 + length) {
        break;
      }
      int body = in.start() + 1 + PgProtocol.LENGTH_BYTES;
      reader.wrap(in.array(), body, in.start() + 1 + length);
      if (type == PgProtocol.TERMINATE) {
        in.consume(1 + length);
        return ConnectionEvent.CLIENT_ENDS;
      }
      currentBytes = 1 + length;
      inGroup = PgProtocol.isInGroup(type, inGroup);
      dispatcher.dispatch(type, reader);
      in.consume(currentBytes);
      out.mark();
      if (rerouting != null) {
        rerouting.ran(type);
      }
    }
    in.trim();
    session.inputTakes(in.capacity());
    return ConnectionEvent.RAN;
  }

  private void checkHeader(byte type, int length) {
    if (session.moves().servesOther()) {
      PgProtocol.checkForwardedHeader(type, length);
    } else {
      PgProtocol.checkHeader(type, length);
    }
  }

  // ---------------------------------------------------------------- transactions elsewhere

  /** The next message is not run before all collected answers have left. */
  void letAnswersLeave() {
    unfinished = true;
  }

  void skipUntilSync() {
    dispatcher.skipUntilSync();
  }

  // ---------------------------------------------------------------- COPY

  /** Discards the rest of a CopyData message. */
  void skip(int bytes) {
    skipBytes = bytes;
  }

  CopyMessages copyMessages() {
    if (copyMessages == null) {
      copyMessages = new CopyMessages(this, in);
    }
    copyMessages.start();
    return copyMessages;
  }

  /**
   * The message that runs has been read completely: the bytes after it are read while it continues.
   */
  void consumeCurrent() {
    in.consume(currentBytes);
    currentBytes = 0;
  }

  /**
   * Waits on the session's thread for more input, in the middle of a message. Input that the client
   * sends while no thread waits for it is bounded: beyond the bound the socket is not read.
   */
  void awaitInput() {
    if (pending.takeInto(in)) {
      return;
    }
    pending.awaitedBy(Thread.currentThread());
    connection.post(ConnectionEvent.WANTS_INPUT);
    session.parkUntil(() -> pending.isHandedOver() || connection.isGone());
    if (!pending.takeInto(in)) {
      throw new GaussException(
          SqlState.CONNECTION_FAILURE, "unexpected EOF on client connection with open COPY");
    }
  }
}
