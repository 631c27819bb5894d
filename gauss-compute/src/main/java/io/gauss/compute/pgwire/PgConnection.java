package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.FatalSessionException;
import io.gauss.compute.session.MessageReader;
import io.gauss.compute.session.Session;
import io.gauss.compute.session.StateTransfer;
import io.gauss.compute.wait.WouldBlockException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: frames messages, hands them to the session, and decides on which thread
 * they run. This class is the one place of that decision.
 *
 * <p>Messages run to completion on the connection's event loop with waiting forbidden. When a
 * statement would wait, it throws {@link WouldBlockException}: its answer so far is dropped, and
 * the connection goes on with the same message on a virtual thread of its own, until all input is
 * used up; then it comes back to the event loop. While it is away, input queues up, and past a
 * bound the socket is not read any more. Answers leave once everything that they tell is durable;
 * waiting for that takes no thread.
 *
 * <p>Ownership: {@link #in}, {@link #out} and the session belong to the event loop while {@link
 * #away} is false, to the virtual thread while it is true. Everything else belongs to the event
 * loop, save what is volatile.
 */
final class PgConnection extends ChannelInboundHandlerAdapter implements Session.Connection {
  private static final Logger LOG = LoggerFactory.getLogger(PgConnection.class);

  /** For how long a client may take to read why its connection ends. */
  private static final int LAST_ANSWER_SECONDS = 5;

  private final PgServer server;
  private final InputBuffer in = new InputBuffer();
  private final BackendWriter out;
  private final MessageReader reader = new MessageReader();
  private final PendingInput pending = new PendingInput();
  private ChannelHandlerContext ctx;
  private Session session;
  private MessageDispatcher dispatcher;
  private int processId;
  private boolean away;

  /** The answer must not leave yet; nothing more is run before it has. */
  private boolean answerHeld;

  private long durableWaitStart;
  private final AnswerHold hold;

  /** The client does not read its answers: nothing more is run for it until it does. */
  private boolean stalled;

  /** Input was left over because the answers to what was before it have to leave first. */
  private boolean unfinished;

  /**
   * Sync has yet to come: a session that ended between a COMMIT and its ReadyForQuery would leave
   * the client in doubt.
   */
  private boolean inGroup;

  /** Bytes of the message that runs now; they leave the input when it is done. */
  private int currentBytes;

  /** Bytes still to come of a CopyData message that nobody wants. */
  private int skipBytes;

  private CopyMessages copyMessages;
  private boolean closing;
  private boolean retiring;
  private SessionStart start;

  /** Null when transactions of this session are not passed to other nodes. */
  private volatile Rerouting rerouting;

  private volatile boolean gone;

  PgConnection(PgServer server) {
    this.server = server;
    this.out = new BackendWriter(this);
    this.hold = new AnswerHold(server.gate());
  }

  /** From shutdown, or somebody who may; any thread. */
  @Override
  public void terminate() {
    ChannelHandlerContext context = ctx;
    if (context != null) {
      context.executor().execute(() -> shutDown());
    }
  }

  @Override
  public boolean cancelElsewhere() {
    Rerouting elsewhere = rerouting;
    return elsewhere != null && elsewhere.cancel();
  }

  /** Read without a lock, so it may be a moment old. */
  @Override
  public boolean isAnswerHeld() {
    return answerHeld;
  }

  /** From draining; any thread: the session ends once it is idle outside a transaction. */
  void retire() {
    ChannelHandlerContext context = ctx;
    if (context != null) {
      context
          .executor()
          .execute(
              () -> {
                retiring = true;
                endIfRetired();
              });
    }
  }

  private void endIfRetired() {
    if (retiring
        && !(away || answerHeld || stalled || unfinished || closing || gone)
        && !inGroup
        && !isPassing()
        && session != null
        && session.isIdleOutsideTransaction()) {
      if (session.moves().servesOther()) {
        retiring = false;
        out.passLeaving(); // a transaction may be on its way: whoever passes them ends it
        flush();
      } else {
        shutDown();
      }
    }
  }

  private void shutDown() {
    if (away) {
      interrupt(SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
      closing = true;
      return;
    }
    if (session != null) {
      out.error(
          "FATAL",
          new GaussException(
              SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command"));
    }
    closing = true;
    flush();
  }

  private void interrupt(SqlState state, String message) {
    Session running = session;
    if (running != null) {
      running.interrupt(state, message);
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    this.ctx = context;
    if (!server.connected()) {
      context.close();
      return;
    }
    context
        .executor()
        .schedule(
            () -> {
              if (session == null) {
                context.close();
              }
            },
            server.settings().authenticationTimeoutSeconds(),
            TimeUnit.SECONDS);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    gone = true;
    server.connectionClosed(this);
    server.disconnected();
    pending.release();
    if (away) {
      interrupt(SqlState.CONNECTION_FAILURE, "connection to client lost");
    } else {
      endSession();
    }
    pending.wakeReader();
    out.wakeForClose();
  }

  /**
   * Rolls back and frees; that may wait, so it has a virtual thread when there is something to undo
   * or to drop.
   */
  private void endSession() {
    Session ended = session;
    session = null;
    if (rerouting != null) {
      rerouting.close();
    }
    if (ended == null) {
      return;
    }
    if (ended.closesAtOnce()) {
      ended.close();
    } else {
      Thread.ofVirtual().name("session-end-", 0).start(ended::close);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf buffer = (ByteBuf) message;
    if (closing || gone) {
      buffer.release();
      return;
    }
    if (away || answerHeld || stalled) {
      queue(buffer);
      return;
    }
    in.append(buffer);
    buffer.release();
    run();
  }

  private void queue(ByteBuf buffer) {
    pending.add(buffer);
    if (pending.isWanted()) {
      handOver();
    } else if (pending.isTooMuch()) {
      ctx.channel().config().setAutoRead(false);
    }
  }

  /** Gives the virtual thread what has come in, or remembers that it waits for it. Event loop. */
  private void handOver() {
    if (away && pending.handOver()) {
      ctx.channel().config().setAutoRead(true);
    }
  }

  /**
   * Waits on the virtual thread for more input, in the middle of a message. What the client sends
   * while nobody waits is bounded: the socket is not read any more then.
   */
  void awaitInput() {
    if (pending.takeInto(in)) {
      return;
    }
    pending.awaitedBy(Thread.currentThread());
    ctx.executor().execute(this::handOver);
    session.parkUntil(() -> pending.isHandedOver() || gone);
    if (!pending.takeInto(in)) {
      throw new GaussException(
          SqlState.CONNECTION_FAILURE, "unexpected EOF on client connection with open COPY");
    }
  }

  InputBuffer input() {
    return in;
  }

  /** The message that runs has been read: what follows it is read while it goes on. */
  void consumeCurrent() {
    in.consume(currentBytes);
    currentBytes = 0;
  }

  /** The rest of a CopyData message is not wanted. */
  void skip(int bytes) {
    skipBytes = bytes;
  }

  CopyMessages copyMessages() {
    if (copyMessages == null) {
      copyMessages = new CopyMessages(this);
    }
    copyMessages.start();
    return copyMessages;
  }

  private boolean drainPending() {
    if (!pending.drainInto(in)) {
      return false;
    }
    ctx.channel().config().setAutoRead(true);
    return true;
  }

  /** Runs what is in the input, on the event loop. */
  private void run() {
    try {
      if (isPassing()) {
        rerouting.forward();
        if (!closing) {
          return;
        }
        flush();
        return;
      }
      if (session == null) {
        startUp();
        if (session == null || in.available() == 0) {
          flush();
          return;
        }
      }
      session.mayBlock(false);
      session.clearInterrupt();
      processMessages();
    } catch (WouldBlockException e) {
      goAway();
      return;
    } catch (FatalSessionException e) {
      fatal(e.error());
      return;
    } catch (GaussException e) {
      fatal(e);
      return;
    } catch (Throwable t) {
      failed(t);
      return;
    }
    flush();
  }

  private void goAway() {
    away = true;
    session.cancelIdleTimeout();
    Thread.ofVirtual().name("session-" + processId).start(this::runAway);
  }

  /** Runs what is in the input, on the connection's virtual thread. */
  private void runAway() {
    Runnable then = this::comeBack;
    try {
      session.mayBlock(true);
      session.undoForRetry();
      out.resetToMark();
      processMessages();
    } catch (FatalSessionException e) {
      then = () -> comeBackFailed(e.error());
    } catch (GaussException e) {
      then = () -> comeBackFailed(e);
    } catch (Throwable t) {
      LOG.error("session {} failed", processId, t);
      then = () -> comeBackFailed(internalError(t));
    }
    try {
      ctx.executor().execute(then);
    } catch (RejectedExecutionException e) {
      LOG.debug("session {} ends after its server", processId);
    }
  }

  /** The connection belongs to the event loop again. */
  private void takeBack() {
    away = false;
    pending.notWanted();
    pending.takeInto(in);
  }

  private void comeBack() {
    takeBack();
    if (gone) {
      endSession();
      return;
    }
    flush();
    if (!answerHeld) {
      runMore();
    }
  }

  private void comeBackFailed(GaussException error) {
    takeBack();
    if (gone) {
      endSession();
      return;
    }
    fatal(error);
  }

  /**
   * Handles every complete message in the input, unless that makes more answers than the client
   * should be sent at a time.
   */
  private void processMessages() {
    unfinished = false;
    while (!closing && !gone) {
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
        // What is left of a COPY that failed, or has never begun: PostgreSQL ignores it too.
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
        closing = true;
        in.consume(1 + length);
        break;
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
  }

  private void checkHeader(byte type, int length) {
    if (session.moves().servesOther()) {
      PgProtocol.checkPassedHeader(type, length);
    } else {
      PgProtocol.checkHeader(type, length);
    }
  }

  /** Sends what has been answered, once it may be told. Event loop only. */
  private void flush() {
    long gate = out.visibleGate();
    if (gate != 0 && server.log().visibleLsn() < gate) {
      hold();
      server.log().whenVisible(gate, error -> ctx.executor().execute(() -> mayTell(error)));
      return;
    }
    long localGate = out.durableGate();
    if (localGate != 0 && server.log().durableLsn() < localGate) {
      hold();
      server.log().whenDurable(localGate, error -> ctx.executor().execute(() -> mayTell(error)));
      return;
    }
    send();
  }

  private void hold() {
    answerHeld = true;
    if (session != null && session.logsSlowStatements()) {
      durableWaitStart = System.nanoTime();
    }
  }

  private void mayTell(GaussException error) {
    answerHeld = false;
    if (gone) {
      endSession();
      return;
    }
    if (error != null) {
      // Whether the commit is on disk cannot be told any more: the client must not hear that it is.
      out.discard();
      fatal(unanswered(error));
      return;
    }
    flush();
    if (!away) {
      runMore();
    }
  }

  private GaussException unanswered(GaussException why) {
    return session == null ? why : session.unanswered(why);
  }

  /** Runs what came in while nothing could be run. */
  private void runMore() {
    if (away || answerHeld || stalled || closing || gone) {
      return;
    }
    boolean held = in.available() > 0;
    if (drainPending() || held) {
      run();
    }
  }

  private void send() {
    // The last thing before the answer: what was read may be out of date without it (law 10).
    if (!out.isEmpty() && !hold.mayTell()) {
      if (!closing && hold.isWorthIt()) {
        answerHeld = true;
        ctx.executor().schedule(this::sendHeld, AnswerHold.LOOK_MILLIS, TimeUnit.MILLISECONDS);
        return;
      }
      out.discard();
      out.error("FATAL", unanswered(hold.why()));
      closing = true;
    }
    if (session != null && session.logsSlowStatements()) {
      session.answered(durableWaitStart == 0 ? 0 : System.nanoTime() - durableWaitStart);
      durableWaitStart = 0;
    }
    if (!out.isEmpty()) {
      ByteBuf buffer = out.drain(ctx.alloc());
      ctx.writeAndFlush(buffer, ctx.voidPromise());
    }
    if (closing) {
      // What the session holds does not wait for a client that does not read its last answer.
      endSession();
      ChannelFuture last = ctx.writeAndFlush(ctx.alloc().buffer(0));
      last.addListener(f -> ctx.close());
      if (!last.isDone()) {
        ctx.executor().schedule(() -> ctx.close(), LAST_ANSWER_SECONDS, TimeUnit.SECONDS);
      }
      return;
    }
    if (session != null && !isPassing()) {
      session.scheduleIdleTimeout(ctx.executor(), this::terminateForIdleTimeout);
      if (!ctx.channel().isWritable()) {
        stalled = true;
        ctx.channel().config().setAutoRead(false);
      } else if (unfinished) {
        // Not at once: the other connections of the event loop have their turn.
        ctx.executor().execute(this::runMore);
      }
      endIfRetired();
    }
  }

  private void sendHeld() {
    if (!answerHeld) {
      return;
    }
    answerHeld = false;
    if (gone) {
      endSession();
      return;
    }
    send();
    runMore();
  }

  private void terminateForIdleTimeout() {
    if (!away && !closing && !gone) {
      fatal(
          new GaussException(
              SqlState.IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
              "terminating connection due to idle-in-transaction timeout"));
    }
  }

  private void fatal(GaussException error) {
    out.error("FATAL", error);
    closing = true;
    flush();
  }

  private void failed(Throwable t) {
    LOG.error("connection of session {} failed", processId, t);
    fatal(internalError(t));
  }

  private static GaussException internalError(Throwable t) {
    return new GaussException(SqlState.INTERNAL_ERROR, "internal error: " + t, t);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    boolean writable = context.channel().isWritable();
    out.writabilityChanged(writable);
    if (writable && stalled) {
      stalled = false;
      context.channel().config().setAutoRead(true);
      runMore();
    }
    if (writable && rerouting != null) {
      rerouting.clientReads();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException || cause instanceof DecoderException) {
      LOG.debug("connection of session {} lost: {}", processId, cause.toString());
    } else {
      LOG.error("connection of session {} failed", processId, cause);
    }
    context.close();
  }

  /** Sends a part of a large answer from the virtual thread and waits while the client is slow. */
  void sendPart(ByteBuf part) {
    try {
      hold.await(session);
    } catch (FatalSessionException e) {
      part.release();
      throw new FatalSessionException(unanswered(e.error()));
    } catch (GaussException e) {
      part.release();
      throw e;
    }
    ctx.writeAndFlush(part, ctx.voidPromise());
  }

  boolean isAway() {
    return away;
  }

  boolean isGone() {
    return gone;
  }

  boolean isWritable() {
    return ctx.channel().isWritable();
  }

  ChannelHandlerContext context() {
    return ctx;
  }

  Session session() {
    return session;
  }

  // ---------------------------------------------------------------- transactions elsewhere

  private boolean isPassing() {
    return rerouting != null && rerouting.isBusy();
  }

  /** What comes next is not run before everything that is answered has left. */
  void letAnswersLeave() {
    unfinished = true;
  }

  /** Another node answers the client. */
  void answer(ByteBuf answer) {
    ctx.writeAndFlush(answer, ctx.voidPromise());
  }

  void reads(boolean more) {
    ctx.channel().config().setAutoRead(more);
  }

  /** A transaction elsewhere is over, or may go on: so does what has come in. */
  void goOn() {
    if (gone) {
      endSession();
      return;
    }
    flush();
    runMore();
  }

  /** The client is done, in the middle of a transaction elsewhere. */
  void terminated() {
    closing = true;
  }

  void end(GaussException error) {
    fatal(error);
  }

  void skipUntilSync() {
    dispatcher.skipUntilSync();
  }

  // ---------------------------------------------------------------- start-up

  private void startUp() {
    if (start == null) {
      start = new SessionStart(this, server, in, out);
    }
    Session started = start.read();
    closing |= start.isEnded();
    if (started == null) {
      return;
    }
    start = null;
    StateTransfer transfer = null;
    if (started.moves().servesOther()) {
      transfer = new StateTransfer(started);
      processId = started.processId();
    } else {
      started.identify(this);
      processId = started.processId();
      started.reportParameters();
      out.backendKeyData(processId, started.secret());
      if (server.reroutes() != null) {
        rerouting = new Rerouting(this, server.reroutes(), started, in, out);
      }
    }
    out.readyForQuery(started.transactionStatus());
    // A message behind the start-up packet may have to run again: this answer stays.
    out.mark();
    session = started;
    dispatcher = new MessageDispatcher(started, out, transfer);
  }
}
