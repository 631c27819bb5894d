package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.invariant.Invariant;
import io.gauss.compute.session.FatalSessionException;
import io.gauss.compute.session.Session;
import io.gauss.compute.session.StateTransfer;
import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.wait.WouldBlockException;
import io.netty.util.internal.OutOfDirectMemoryError;

/**
 * Turns frontend messages into calls of the session, and errors into ErrorResponses: after one in
 * the extended protocol everything up to Sync is skipped. Runs on the thread that runs the
 * connection.
 */
final class MessageDispatcher {
  private static final int[] NO_OIDS = new int[0];

  private final Session session;
  private final BackendWriter out;
  private final StateTransfer transfer;
  private boolean skipUntilSync;

  /**
   * @param transfer null = this is the client's own session, not one that serves it elsewhere
   */
  MessageDispatcher(Session session, BackendWriter out, StateTransfer transfer) {
    this.session = session;
    this.out = out;
    this.transfer = transfer;
  }

  /** As after an error in the extended protocol. */
  void skipUntilSync() {
    skipUntilSync = true;
  }

  private void ready() {
    char status = session.transactionStatus();
    if (transfer != null && status == 'I') {
      out.forwardState(transfer);
    }
    out.readyForQuery(status);
  }

  void dispatch(byte type, MessageReader message) {
    if (skipUntilSync && type != PgProtocol.SYNC) {
      return;
    }
    if (!session.isResuming()) {
      session.beginMessage();
    }
    try {
      handle(type, message);
      out.requireVisible(session.dependency());
    } catch (WouldBlockException | FatalSessionException e) {
      throw e;
    } catch (GaussException e) {
      fail(type, e);
    } catch (StackOverflowError e) {
      fail(
          type,
          new GaussException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded", e));
    } catch (OutOfDirectMemoryError e) {
      // Netty's bound of the clients' buffers, at which nothing but this message has failed.
      fail(type, new GaussException(SqlState.OUT_OF_MEMORY, "out of memory", e));
    } catch (OutOfMemoryError e) {
      // Any other thread may have met it, too, in the middle of a change.
      throw Invariant.broken("out of memory", e);
    } catch (RuntimeException | AssertionError e) {
      session.logInternalError(e);
      fail(type, new GaussException(SqlState.INTERNAL_ERROR, "internal error: " + e, e));
    }
  }

  private void fail(byte type, GaussException error) {
    out.resetToMark();
    session.statementFailed(error);
    out.requireVisible(session.dependency());
    out.error("ERROR", error);
    out.mark();
    if (type == PgProtocol.QUERY || type == PgProtocol.SYNC || type == PgProtocol.FUNCTION_CALL) {
      ready();
    } else {
      skipUntilSync = true;
    }
  }

  private void handle(byte type, MessageReader message) {
    switch (type) {
      case PgProtocol.QUERY -> {
        if (!session.isResuming()) {
          session.startQuery(lastString(message));
        }
        session.runQuery();
        ready();
      }
      case PgProtocol.PARSE -> parse(message);
      case PgProtocol.BIND -> session.bind(message.readCString(), message.readCString(), message);
      case PgProtocol.DESCRIBE -> {
        int kind = message.readByte();
        String name = lastString(message);
        if (kind == 'S') {
          session.describeStatement(name);
        } else if (kind == 'P') {
          session.describePortal(name);
        } else {
          throw new GaussException(
              SqlState.PROTOCOL_VIOLATION, "invalid DESCRIBE message subtype " + kind);
        }
      }
      case PgProtocol.EXECUTE -> {
        String portal = message.readCString();
        int maxRows = message.readInt();
        message.finish();
        session.execute(portal, maxRows);
      }
      case PgProtocol.CLOSE -> {
        int kind = message.readByte();
        String name = lastString(message);
        if (kind == 'S') {
          session.closeStatement(name);
        } else if (kind == 'P') {
          session.closePortal(name);
        } else {
          throw new GaussException(
              SqlState.PROTOCOL_VIOLATION, "invalid CLOSE message subtype " + kind);
        }
        out.closeComplete();
      }
      case PgProtocol.FLUSH -> message.finish(); // answers are sent when the input is used up
      case PgProtocol.SYNC -> {
        skipUntilSync = false;
        message.finish();
        session.sync();
        ready();
      }
      case PgProtocol.COPY_DONE, PgProtocol.COPY_FAIL -> {
        // Outside COPY these are the rest of one that failed: PostgreSQL also ignores them.
      }
      case PgProtocol.FUNCTION_CALL ->
          throw GaussException.notSupported("the function call message");
      case PgProtocol.PASS_STATE -> takeState(message);
      default -> throw new IllegalStateException("message " + type + " has passed the framing");
    }
  }

  /** Another node that sends an unreadable state gets no session. */
  private void takeState(MessageReader message) {
    try {
      transfer.read(message);
    } catch (GaussException e) {
      throw new FatalSessionException(e);
    }
  }

  /** A string that ends the message: a query or the name of the message's object. */
  private static String lastString(MessageReader message) {
    String text = message.readCString();
    message.finish();
    return text;
  }

  private void parse(MessageReader message) {
    String name = message.readCString();
    String text = message.readCString();
    int count = message.readUnsignedShort();
    int[] oids = count == 0 ? NO_OIDS : new int[count];
    for (int i = 0; i < count; i++) {
      oids[i] = message.readInt();
    }
    message.finish();
    session.parse(name, text, oids);
  }
}
