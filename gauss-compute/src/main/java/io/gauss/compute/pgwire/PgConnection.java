package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.Session;
import io.gauss.compute.wait.WouldBlockException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection, and the only place that decides on which thread its messages run: turns
 * whatever happens to it into events of {@link ConnectionTable}, and performs the table's actions.
 *
 * <p>Messages run to completion on the connection's event loop with waiting forbidden. When one
 * would wait, it throws {@link WouldBlockException}: its answer so far is dropped, and the same
 * message is run again on the session's virtual thread, followed by later ones, until all input is
 * used up; then the event loop continues. Meanwhile input queues up, and past a bound the socket is
 * not read any more. Answers leave once everything that they confirm is durable; waiting for that
 * takes no thread.
 *
 * <p>Ownership: the event loop makes all changes of state and owns everything here, with these
 * exceptions. The session, {@link #in}, {@link #out}, {@link #answers} and the messages belong to
 * the session's thread in the states that are a thread's ({@link ConnectionState#isThreads}): they
 * pass to it by its start and back by the task with which it ends. The state may be read by any
 * thread.
 */
final class PgConnection extends ChannelInboundHandlerAdapter implements Session.Connection {
  private static final Logger LOG = LoggerFactory.getLogger(PgConnection.class);

  private static final String TERMINATED = "terminating connection due to administrator command";
  private static final String CANCELED = "canceling statement due to user request";
  private static final String GONE = "connection to client lost";
  private static final String IDLE_TOO_LONG =
      "terminating connection due to idle-in-transaction timeout";

  /** How long a client may take to read why its connection ends. */
  private static final int LAST_ANSWER_SECONDS = 5;

  private static final ConnectionState[] STATES = ConnectionState.values();
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(PgConnection.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final PgServer server;
  private final InputBuffer in = new InputBuffer();
  private final BackendWriter out = new BackendWriter(this);
  private final PendingInput pending = new PendingInput();
  private final Answers answers;
  private final SessionLife life;

  /** Number of the {@link ConnectionState}; written by the event loop, read by any thread. */
  @SuppressWarnings("unused") // by STATE
  private int state = ConnectionState.ACCEPTED.ordinal();

  private ChannelHandlerContext ctx;

  /** A step is being made; events that it causes are handled after it. */
  private boolean isStepping;

  /** The bytes that have just come from the client; null once they are taken. */
  private ByteBuf arrived;

  /** Why {@link ConnectionEvent#TERMINATE} was posted; null = by the administrator. */
  private volatile GaussException terminated;

  /** The error for {@link ConnectionAction#SAY_FATAL} and {@link ConnectionAction#SAY_UNKNOWN}. */
  private GaussException failure;

  private boolean isDraining;

  /** Complete messages may be in the input that came back from elsewhere. */
  private boolean mayHaveMore;

  private final Runnable idleTimeout = () -> fire(ConnectionEvent.IDLE_TIMEOUT);
  private Future<?> startTimer;
  private Future<?> lastTimer;

  PgConnection(PgServer server) {
    this.server = server;
    this.answers = new Answers(this, out, server.log(), server.gate());
    this.life = new SessionLife(this, server);
  }

  // ---------------------------------------------------------------- state, for any thread

  ConnectionState state() {
    return STATES[(int) STATE.getAcquire(this)];
  }

  /** Whether a further message may be run, on either thread. */
  boolean runsMessages() {
    return state().runsMessages();
  }

  /** Whether the session, its input and its output belong to the session's thread. */
  boolean isOnThread() {
    return state().isThreads();
  }

  boolean isGone() {
    return state().isGone();
  }

  boolean isWritable() {
    return ctx.channel().isWritable();
  }

  @Override
  public String address() {
    return ctx.channel().remoteAddress() instanceof InetSocketAddress client
        ? client.getAddress().getHostAddress() + ":" + client.getPort()
        : "";
  }

  @Override
  public boolean isAnswerHeld() {
    return state().holdsAnswer();
  }

  /** Called by shutdown. */
  void terminate() {
    post(ConnectionEvent.TERMINATE);
  }

  /**
   * Called by shutdown after {@link #terminate}: an answer that still waits for the log is not
   * waited for any longer.
   */
  void giveUpLog() {
    post(
        () -> {
          ConnectionState now = state();
          if (now == ConnectionState.LOG_WAIT || now == ConnectionState.ENDING_LOG_WAIT) {
            fail(
                ConnectionEvent.LOG_FAILED,
                new GaussException(SqlState.ADMIN_SHUTDOWN, TERMINATED));
          }
        });
  }

  /** Called on an authorized request, or because of what the session does to others. */
  @Override
  public void terminate(GaussException why) {
    terminated = why;
    post(ConnectionEvent.TERMINATE);
  }

  private GaussException terminated() {
    GaussException why = terminated;
    return why == null ? new GaussException(SqlState.ADMIN_SHUTDOWN, TERMINATED) : why;
  }

  @Override
  public void notified() {
    post(ConnectionEvent.NOTIFIED);
  }

  /** Called for draining: the session ends once it is idle outside a transaction. */
  void retire() {
    post(ConnectionEvent.DRAIN);
  }

  /** Closes the connection if it has no session yet: another takes its place. */
  void giveUpStart() {
    post(
        () -> {
          if (state() == ConnectionState.STARTING || state() == ConnectionState.STARTING_HELD) {
            fire(ConnectionEvent.START_TIMEOUT);
          }
        });
  }

  @Override
  public boolean cancelElsewhere() {
    Rerouting elsewhere = life.rerouting();
    if (elsewhere == null || !elsewhere.isElsewhere()) {
      return false;
    }
    post(ConnectionEvent.CANCEL);
    return true;
  }

  /** The log has reached what was waited for, or reports why not. */
  void logged(GaussException error) {
    if (error == null) {
      post(ConnectionEvent.LOG_READY);
    } else {
      postFailure(ConnectionEvent.LOG_FAILED, error);
    }
  }

  void postFailure(ConnectionEvent event, GaussException error) {
    post(() -> fail(event, error));
  }

  void post(ConnectionEvent event) {
    post(() -> fire(event));
  }

  void post(Runnable task) {
    try {
      ctx.executor().execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("connection of session {} outlives its server", life.processId());
    }
  }

  // ---------------------------------------------------------------- events, on the event loop

  @Override
  public void channelActive(ChannelHandlerContext context) {
    ctx = context;
    fire(server.connected(this) ? ConnectionEvent.OPENED : ConnectionEvent.TOO_MANY);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isStepping) {
      post(() -> channelRead(context, message));
      return;
    }
    arrived = (ByteBuf) message;
    try {
      fire(ConnectionEvent.INPUT);
    } finally {
      if (arrived != null) {
        arrived.release();
        arrived = null;
      }
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (isStepping) {
      post(() -> channelWritabilityChanged(context));
    } else if (context.channel().isWritable()) {
      fire(ConnectionEvent.CLIENT_READS);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    fire(ConnectionEvent.CHANNEL_CLOSED);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException || cause instanceof DecoderException) {
      LOG.debug("connection of session {} lost: {}", life.processId(), cause.toString());
    } else {
      LOG.error("connection of session {} failed", life.processId(), cause);
    }
    context.close();
  }

  /** An event with an error to report. */
  void fail(ConnectionEvent event, GaussException error) {
    if (isStepping) {
      post(() -> fail(event, error));
    } else {
      failure = error;
      fire(event);
    }
  }

  /** Makes the step from the table, and those that follow from it. */
  void fire(ConnectionEvent event) {
    if (isStepping) {
      post(event);
      return;
    }
    isStepping = true;
    try {
      for (ConnectionEvent next = event; next != null; ) {
        next = step(next);
      }
    } catch (Throwable t) {
      broken(t);
    } finally {
      isStepping = false;
    }
  }

  private ConnectionEvent step(ConnectionEvent event) {
    ConnectionTable.Step step = ConnectionTable.step(state(), event);
    if (step == null) {
      throw new IllegalStateException(event + " in state " + state());
    }
    STATE.setRelease(this, step.next().ordinal());
    ConnectionEvent outcome = null;
    for (int i = 0; i < step.count(); i++) {
      outcome = perform(step.action(i));
    }
    return outcome;
  }

  /**
   * A defect, be it an event that the table has no step for: closes this connection, whose session
   * is rolled back, and no other. The process continues, since a client may have brought it about.
   */
  private void broken(Throwable cause) {
    LOG.error("connection of session {} failed", life.processId(), cause);
    try {
      step(ConnectionEvent.BROKEN);
    } catch (Throwable t) {
      LOG.error("connection of session {} failed again", life.processId(), t);
      ctx.close();
    }
  }

  /** Returns the outcome of an action that has one. */
  private ConnectionEvent perform(ConnectionAction action) {
    switch (action) {
      case TAKE_INPUT -> in.append(arrived);
      case QUEUE_INPUT -> queueInput();
      case TAKE_QUEUED -> {
        if (pending.drainInto(in)) {
          reads(true);
        }
      }
      case HAND_OVER -> handOver();
      case STOP_READING -> reads(false);
      case READ_ON -> reads(true);

      case READ_START -> {
        return life.start();
      }
      case RUN -> {
        mayHaveMore = false;
        if (life.rerouting() != null) {
          life.rerouting().runsHere();
        }
        return life.run();
      }
      case START_THREAD -> {
        return life.startThread();
      }
      case TAKE_BACK -> takeBack();
      case WAKE_THREAD -> {
        VarHandle.fullFence(); // the state is written before the check for waiting threads
        answers.wakeThread();
        pending.wakeReader();
      }
      case INTERRUPT_TERMINATED ->
          session().interrupt(terminated().state(), terminated().getMessage());
      case INTERRUPT_CANCELED -> session().interrupt(SqlState.QUERY_CANCELED, CANCELED);
      case INTERRUPT_GONE -> session().interrupt(SqlState.CONNECTION_FAILURE, GONE);
      case NOTE_DRAIN -> isDraining = true;

      case SAY_FATAL -> say(failure);
      case SAY_TERMINATED -> {
        if (session() != null || life.isLoggingIn()) {
          Rerouting rerouting = life.rerouting();
          say(rerouting == null ? terminated() : rerouting.asFarAsKnown(terminated()));
        }
      }
      case SAY_IDLE_TIMEOUT ->
          say(new GaussException(SqlState.IDLE_IN_TRANSACTION_SESSION_TIMEOUT, IDLE_TOO_LONG));
      case SAY_REFUSED -> answers.refuse();
      case SAY_UNKNOWN -> {
        // Whether the commit is on disk is not known: it must not be confirmed to the client.
        out.discard();
        say(unanswered(failure));
      }
      case SAY_LEAVING -> {
        isDraining = false;
        out.refuseForwarding(); // a transaction may be on its way: its sender ends this
      }
      case SAY_NOTIFICATIONS -> {
        if (!life.messages().isInGroup() && session().hasNotifications()) {
          session().writeNotifications();
          out.mark();
        }
      }
      case ANSWER -> {
        return answers.send();
      }
      case ANSWER_LAST -> {
        return answers.sendLast();
      }
      case AWAIT_LOG -> answers.awaitLog();
      case LOOK_LATER -> later(ConnectionEvent.LOOK, AnswerHold.LOOK_MILLIS, TimeUnit.MILLISECONDS);
      case REST -> {
        return rest();
      }
      case TURN_LATER -> post(ConnectionEvent.TURN);

      case FORWARD -> {
        return life.forward();
      }
      case FORWARD_ANSWERS -> life.rerouting().clientReads();
      case CANCEL_FORWARDED -> life.rerouting().cancel();
      case END_FORWARD -> life.rerouting().close();

      case START_TIMER_ON ->
          startTimer =
              later(
                  ConnectionEvent.START_TIMEOUT,
                  server.settings().authenticationTimeoutSeconds(),
                  TimeUnit.SECONDS);
      case START_TIMER_OFF -> startTimer = stop(startTimer);
      case IDLE_TIMER_ON -> session().scheduleIdleTimeout(ctx.executor(), idleTimeout);
      case IDLE_TIMER_OFF -> {
        if (session() != null) { // a client that is refused has none, and may wait for the log
          session().cancelIdleTimeout();
        }
      }
      case END_SESSION -> {
        pending.releaseHandedOver();
        life.end();
      }
      case CLOSE_LATER -> closeLater();
      case CLOSE_CHANNEL -> ctx.close();
      case RELEASE -> release();
    }
    return null;
  }

  private Future<?> later(ConnectionEvent event, long delay, TimeUnit unit) {
    return ctx.executor().schedule(() -> fire(event), delay, unit);
  }

  private static Future<?> stop(Future<?> timer) {
    if (timer != null) {
      timer.cancel(false);
    }
    return null;
  }

  // ---------------------------------------------------------------- input

  private void queueInput() {
    ByteBuf buffer = arrived;
    arrived = null;
    pending.add(buffer);
    if (pending.isWanted()) {
      handOver();
    } else if (pending.isTooMuch()) {
      reads(false);
    }
  }

  private void handOver() {
    if (pending.handOver()) {
      reads(true);
    }
  }

  /** Whether the socket is read. */
  void reads(boolean more) {
    ctx.channel().config().setAutoRead(more);
  }

  // ---------------------------------------------------------------- running

  /** The connection cannot continue: sets the error for {@link ConnectionAction#SAY_FATAL}. */
  ConnectionEvent failed(GaussException error) {
    failure = error;
    return ConnectionEvent.FAILED;
  }

  private void takeBack() {
    pending.notWanted();
    pending.takeInto(in);
    mayHaveMore = in.available() > 0;
  }

  // ---------------------------------------------------------------- answers

  /** Ends the answers with the reason for which the connection ends. */
  private void say(GaussException why) {
    out.resetToMark();
    // A client that has half of another node's answer would read this as the rest of it.
    Rerouting rerouting = life.rerouting();
    if (rerouting == null || !rerouting.isInAnswer()) {
      out.error("FATAL", why);
      out.mark();
    }
  }

  GaussException unanswered(GaussException why) {
    return session() == null ? why : session().unanswered(why);
  }

  private ConnectionEvent rest() {
    Session session = session();
    if (session == null) {
      return pending.isEmpty() ? ConnectionEvent.NOTHING_LEFT : ConnectionEvent.INPUT_LEFT;
    }
    if (!isWritable()) {
      return ConnectionEvent.CLIENT_SLOW;
    }
    if (life.messages().isUnfinished()) {
      return ConnectionEvent.UNFINISHED;
    }
    if (mayHaveMore || !pending.isEmpty()) {
      return ConnectionEvent.INPUT_LEFT;
    }
    boolean isPinned = life.rerouting() != null && life.rerouting().isPinned();
    if (isDraining && !life.messages().isInGroup() && session.isAtRest() && !isPinned) {
      return session.moves().servesOther() ? ConnectionEvent.LEAVES : ConnectionEvent.DRAINED;
    }
    if (life.rerouting() != null) {
      life.rerouting().restsHere();
    }
    if (!life.messages().isInGroup() && session.hasNotifications()) {
      post(ConnectionEvent.NOTIFIED); // what came while something else was being done
    }
    return ConnectionEvent.NOTHING_LEFT;
  }

  // ---------------------------------------------------------------- the end

  private void closeLater() {
    ChannelFuture last = answers.whenTaken();
    last.addListener(taken -> fire(ConnectionEvent.LAST_TAKEN));
    if (!last.isDone()) {
      lastTimer = later(ConnectionEvent.LAST_TIMEOUT, LAST_ANSWER_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void release() {
    startTimer = stop(startTimer);
    lastTimer = stop(lastTimer);
    server.connectionClosed(this);
    server.disconnected(this);
    pending.release();
  }

  // ---------------------------------------------------------------- for its parts

  ChannelHandlerContext context() {
    return ctx;
  }

  InputBuffer input() {
    return in;
  }

  BackendWriter output() {
    return out;
  }

  PendingInput pending() {
    return pending;
  }

  Answers answers() {
    return answers;
  }

  /** Null before the session has started. */
  MessageRunner messages() {
    return life.messages();
  }

  /** Null before it has started and after it has ended. */
  Session session() {
    return life.session();
  }

  /** Another node answers the client. */
  void answer(ByteBuf answer) {
    ctx.writeAndFlush(answer, ctx.voidPromise());
  }

  /** More messages can be forwarded to the other node. */
  void forwardMore() {
    if (isStepping) {
      post(life.rerouting()::mayForward); // it may be over by then
    } else {
      fire(ConnectionEvent.FORWARD_MORE);
    }
  }

  /** The transaction that was forwarded is over: handles the input that has arrived. */
  void cameHome() {
    mayHaveMore = in.available() > 0;
    fire(ConnectionEvent.FORWARD_OVER);
  }
}
