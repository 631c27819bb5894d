package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.session.FatalSessionException;
import io.gauss.compute.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends the answers of one connection, once they may be sent: the log has reached everything that
 * they confirm, and this node may answer (law 10, no lease, no answer).
 *
 * <p>Belongs to whoever runs the connection, save {@link #wakeThread}, which is the event loop's,
 * and {@link #isHeld}.
 */
final class Answers {
  private final PgConnection connection;
  private final BackendWriter out;
  private final LogBuffer log;
  private final AnswerHold hold;

  /** Since when the answer waits for the log; 0 = it does not, or nothing measures it. */
  private long logWaitStart;

  /** The session's thread, which waits until the client reads; null when it does not. */
  private volatile Thread waiting;

  Answers(PgConnection connection, BackendWriter out, LogBuffer log, AnswerGate gate) {
    this.connection = connection;
    this.out = out;
    this.log = log;
    this.hold = new AnswerHold(gate);
  }

  /** Whether the answer waits for the right to tell it. By any thread. */
  boolean isHeld() {
    return hold.isHolding();
  }

  // ---------------------------------------------------------------- on the event loop

  /** Sends the collected answers if they may be sent now. */
  ConnectionEvent send() {
    if (needsLog()) {
      return ConnectionEvent.NEEDS_LOG;
    }
    // The last check before the answer: without it the rows read may be out of date (law 10, no
    // lease, no answer).
    if (!out.isEmpty() && !hold.mayTell()) {
      return hold.isWorthIt(out.hasGivenUp())
          ? ConnectionEvent.GATE_SHUT
          : ConnectionEvent.GATE_REFUSES;
    }
    write();
    return ConnectionEvent.SENT;
  }

  /** As {@link #send}, when only the log could be waited for. */
  ConnectionEvent sendLast() {
    if (needsLog()) {
      return ConnectionEvent.NEEDS_LOG;
    }
    if (!out.isEmpty() && !hold.mayTell()) {
      refuse();
    }
    write();
    return ConnectionEvent.LAST_SENT;
  }

  /** Reports why this node may not answer, in place of the answers. */
  void refuse() {
    GaussException why = connection.unanswered(hold.why());
    out.discard();
    out.error("FATAL", why);
    out.mark();
  }

  private boolean needsLog() {
    long visible = out.visibleGate();
    if (visible != 0 && log.visibleLsn() < visible) {
      return true;
    }
    long durable = out.durableGate();
    return durable != 0 && log.durableLsn() < durable;
  }

  /**
   * After {@link ConnectionEvent#NEEDS_LOG}: the connection is notified when a retry may succeed.
   */
  void awaitLog() {
    Session session = connection.session();
    if (session != null && session.logsSlowStatements()) {
      logWaitStart = Environment.nanoTime();
    }
    long visible = out.visibleGate();
    if (visible != 0 && log.visibleLsn() < visible) {
      log.whenVisible(visible, connection::logged);
    } else {
      log.whenDurable(out.durableGate(), connection::logged);
    }
  }

  private void write() {
    Session session = connection.session();
    if (session != null && session.logsSlowStatements()) {
      session.answered(logWaitStart == 0 ? 0 : Environment.nanoTime() - logWaitStart);
      logWaitStart = 0;
    }
    if (session != null && session.listens()) {
      tellFirst(session);
    }
    if (!out.isEmpty()) {
      ChannelHandlerContext ctx = connection.context();
      ctx.writeAndFlush(out.drain(ctx.alloc()), ctx.voidPromise());
    }
  }

  /**
   * Notifications come before the client hears that the session waits for it, as in PostgreSQL:
   * those of the transaction that has just ended, too, which is visible only by now.
   */
  private void tellFirst(Session session) {
    if (session.isIdleOutsideTransaction() && out.takeReady()) {
      session.writeNotifications();
      out.readyForQuery('I');
    }
  }

  /** Completes when everything that was sent has left. */
  ChannelFuture whenTaken() {
    ChannelHandlerContext ctx = connection.context();
    return ctx.writeAndFlush(ctx.alloc().buffer(0));
  }

  /** The client reads, or has gone: makes the thread check. */
  void wakeThread() {
    LockSupport.unpark(waiting);
  }

  // ---------------------------------------------------------------- on the session's thread

  /**
   * Waits until the collected answers may be sent, sends them, and then waits while the client is
   * slow.
   */
  void sendNow() {
    Session session = connection.session();
    out.requireVisible(session.dependency());
    if (out.visibleGate() != 0) {
      session.awaitVisible(out.visibleGate());
    }
    if (out.durableGate() != 0) {
      session.awaitDurable(out.durableGate());
    }
    awaitGate(session);
    ChannelHandlerContext ctx = connection.context();
    ByteBuf part = out.drain(ctx.alloc());
    ctx.writeAndFlush(part, ctx.voidPromise());
    awaitClient(session);
  }

  private void awaitGate(Session session) {
    try {
      hold.await(session, out.hasGivenUp());
    } catch (FatalSessionException e) {
      throw new FatalSessionException(connection.unanswered(e.error()));
    }
  }

  private void awaitClient(Session session) {
    if (!connection.isWritable()) {
      waiting = Thread.currentThread();
      try {
        session.parkUntil(() -> connection.isWritable() || connection.isGone());
      } finally {
        waiting = null;
      }
    }
    session.checkInterrupt();
    if (connection.isGone()) {
      throw new GaussException(SqlState.CONNECTION_FAILURE, "connection to client lost");
    }
  }
}
