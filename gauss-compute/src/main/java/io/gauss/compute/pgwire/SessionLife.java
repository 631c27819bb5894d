package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.compute.session.FatalSessionException;
import io.gauss.compute.session.Session;
import io.gauss.compute.session.StateTransfer;
import io.gauss.compute.wait.WouldBlockException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of one connection: how it starts, on which thread its messages run, and how it ends.
 *
 * <p>Belongs to the connection's event loop, except {@link #rerouting}, which any thread may call.
 * The session and its messages belong to the session's thread while that runs.
 */
final class SessionLife {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLife.class);

  /** Pause before the next attempt when no thread is available to end a session. */
  private static final int NO_THREAD_SECONDS = 1;

  private final PgConnection connection;
  private final PgServer server;
  private SessionStart start;
  private Session session;
  private MessageRunner messages;
  private int processId;
  private volatile Rerouting rerouting;

  SessionLife(PgConnection connection, PgServer server) {
    this.connection = connection;
    this.server = server;
  }

  /** Null before it has started and after it has ended. */
  Session session() {
    return session;
  }

  /** Whether the client has said who it is, and waits to be let in. */
  boolean isLoggingIn() {
    return start != null && start.user() != null;
  }

  /** Null before the session has started. */
  MessageRunner messages() {
    return messages;
  }

  /** Null when transactions of this session are not forwarded to other nodes. Any thread. */
  Rerouting rerouting() {
    return rerouting;
  }

  /** 0 before the session has started. */
  int processId() {
    return processId;
  }

  // ---------------------------------------------------------------- start

  /** Handles the start-up messages received so far. */
  ConnectionEvent start() {
    try {
      return readStart();
    } catch (GaussException e) {
      if (e.state() == SqlState.INVALID_PASSWORD
          || e.state() == SqlState.INVALID_AUTHORIZATION_SPECIFICATION) {
        server.refusedLogins().add(connection.context().channel().remoteAddress(), start.user(), e);
      }
      return connection.failed(e);
    } catch (Throwable t) {
      return failed(t);
    }
  }

  private ConnectionEvent readStart() {
    if (start == null) {
      start = new SessionStart(connection, server);
    }
    session = start.read();
    if (start.isEnded()) {
      return ConnectionEvent.START_OVER;
    }
    if (session == null) {
      return ConnectionEvent.START_UNFINISHED;
    }
    start = null;
    server.started(connection);
    BackendWriter out = connection.output();
    StateTransfer transfer = null;
    if (session.moves().servesOther()) {
      transfer = new StateTransfer(session);
      processId = session.processId();
    } else {
      session.identify(connection);
      processId = session.processId();
      session.reportParameters();
      out.backendKeyData(processId, session.secret());
    }
    out.readyForQuery(session.transactionStatus());
    // A message after the start-up packet may have to run again: this answer stays.
    out.mark();
    Reroutes reroutes = transfer == null ? server.reroutes() : null;
    messages = new MessageRunner(connection, session, transfer, reroutes);
    rerouting = messages.rerouting();
    return ConnectionEvent.STARTED;
  }

  // ---------------------------------------------------------------- running

  /** Runs the messages in the input, on the event loop. */
  ConnectionEvent run() {
    try {
      return messages.runOnLoop();
    } catch (WouldBlockException e) {
      return ConnectionEvent.WOULD_BLOCK;
    } catch (FatalSessionException e) {
      return connection.failed(e.error());
    } catch (GaussException e) {
      return connection.failed(e);
    } catch (Throwable t) {
      return failed(t);
    }
  }

  /** Forwards the messages in the input. */
  ConnectionEvent forward() {
    try {
      return rerouting.forward();
    } catch (GaussException e) {
      return connection.failed(e);
    } catch (Throwable t) {
      return failed(t);
    }
  }

  /**
   * Has the messages in the input run on the session's thread.
   *
   * @return null, or {@link ConnectionEvent#NO_THREAD}
   */
  ConnectionEvent startThread() {
    try {
      session.cancelIdleTimeout();
      server.threads().start("session-" + processId, this::runOnThread);
      return null;
    } catch (Throwable t) {
      failed(t);
      return ConnectionEvent.NO_THREAD;
    }
  }

  private void runOnThread() {
    ConnectionEvent end;
    try {
      end = messages.runOnThread();
    } catch (FatalSessionException e) {
      connection.postFailure(ConnectionEvent.FAILED, e.error());
      return;
    } catch (GaussException e) {
      connection.postFailure(ConnectionEvent.FAILED, e);
      return;
    } catch (Throwable t) {
      LOG.error("session {} failed", processId, t);
      connection.postFailure(ConnectionEvent.FAILED, internalError(t));
      return;
    }
    connection.post(end);
  }

  private ConnectionEvent failed(Throwable t) {
    LOG.error("connection of session {} failed", processId, t);
    return connection.failed(internalError(t));
  }

  private static GaussException internalError(Throwable t) {
    return new GaussException(SqlState.INTERNAL_ERROR, "internal error: " + t, t);
  }

  // ---------------------------------------------------------------- end

  /**
   * Rolls back and frees the session's resources; that may wait, so it runs on a virtual thread
   * when there is something to undo or to drop.
   */
  void end() {
    Session ended = session;
    session = null;
    if (rerouting != null) {
      rerouting.close();
    }
    if (ended == null) {
      return;
    }
    ended.cancelIdleTimeout();
    if (ended.closesAtOnce()) {
      ended.close();
    } else {
      closeOnThread(ended);
    }
  }

  private void closeOnThread(Session ended) {
    try {
      server
          .threads()
          .start(
              "session-end-" + processId,
              () -> {
                FaultPoints.hit("session.end");
                ended.close();
              });
    } catch (Throwable t) {
      LOG.error("session {} cannot end yet, since there is no thread for it", processId, t);
      connection
          .context()
          .executor()
          .schedule(() -> closeOnThread(ended), NO_THREAD_SECONDS, TimeUnit.SECONDS);
    }
  }
}
