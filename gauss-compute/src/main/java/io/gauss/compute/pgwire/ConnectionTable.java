package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.ConnectionAction.ANSWER;
import static io.gauss.compute.pgwire.ConnectionAction.ANSWER_LAST;
import static io.gauss.compute.pgwire.ConnectionAction.AWAIT_LOG;
import static io.gauss.compute.pgwire.ConnectionAction.CANCEL_FORWARDED;
import static io.gauss.compute.pgwire.ConnectionAction.CLOSE_CHANNEL;
import static io.gauss.compute.pgwire.ConnectionAction.CLOSE_LATER;
import static io.gauss.compute.pgwire.ConnectionAction.END_FORWARD;
import static io.gauss.compute.pgwire.ConnectionAction.END_SESSION;
import static io.gauss.compute.pgwire.ConnectionAction.FORWARD;
import static io.gauss.compute.pgwire.ConnectionAction.FORWARD_ANSWERS;
import static io.gauss.compute.pgwire.ConnectionAction.HAND_OVER;
import static io.gauss.compute.pgwire.ConnectionAction.IDLE_TIMER_OFF;
import static io.gauss.compute.pgwire.ConnectionAction.IDLE_TIMER_ON;
import static io.gauss.compute.pgwire.ConnectionAction.INTERRUPT_CANCELED;
import static io.gauss.compute.pgwire.ConnectionAction.INTERRUPT_GONE;
import static io.gauss.compute.pgwire.ConnectionAction.INTERRUPT_TERMINATED;
import static io.gauss.compute.pgwire.ConnectionAction.LOOK_LATER;
import static io.gauss.compute.pgwire.ConnectionAction.NOTE_DRAIN;
import static io.gauss.compute.pgwire.ConnectionAction.QUEUE_INPUT;
import static io.gauss.compute.pgwire.ConnectionAction.READ_ON;
import static io.gauss.compute.pgwire.ConnectionAction.READ_START;
import static io.gauss.compute.pgwire.ConnectionAction.RELEASE;
import static io.gauss.compute.pgwire.ConnectionAction.REST;
import static io.gauss.compute.pgwire.ConnectionAction.RUN;
import static io.gauss.compute.pgwire.ConnectionAction.SAY_FATAL;
import static io.gauss.compute.pgwire.ConnectionAction.SAY_IDLE_TIMEOUT;
import static io.gauss.compute.pgwire.ConnectionAction.SAY_LEAVING;
import static io.gauss.compute.pgwire.ConnectionAction.SAY_NOTIFICATIONS;
import static io.gauss.compute.pgwire.ConnectionAction.SAY_REFUSED;
import static io.gauss.compute.pgwire.ConnectionAction.SAY_TERMINATED;
import static io.gauss.compute.pgwire.ConnectionAction.SAY_UNKNOWN;
import static io.gauss.compute.pgwire.ConnectionAction.START_THREAD;
import static io.gauss.compute.pgwire.ConnectionAction.START_TIMER_OFF;
import static io.gauss.compute.pgwire.ConnectionAction.START_TIMER_ON;
import static io.gauss.compute.pgwire.ConnectionAction.STOP_READING;
import static io.gauss.compute.pgwire.ConnectionAction.TAKE_BACK;
import static io.gauss.compute.pgwire.ConnectionAction.TAKE_INPUT;
import static io.gauss.compute.pgwire.ConnectionAction.TAKE_QUEUED;
import static io.gauss.compute.pgwire.ConnectionAction.TURN_LATER;
import static io.gauss.compute.pgwire.ConnectionAction.WAKE_THREAD;
import static io.gauss.compute.pgwire.ConnectionEvent.BROKEN;
import static io.gauss.compute.pgwire.ConnectionEvent.CANCEL;
import static io.gauss.compute.pgwire.ConnectionEvent.CHANNEL_CLOSED;
import static io.gauss.compute.pgwire.ConnectionEvent.CLIENT_ENDS;
import static io.gauss.compute.pgwire.ConnectionEvent.CLIENT_READS;
import static io.gauss.compute.pgwire.ConnectionEvent.CLIENT_SLOW;
import static io.gauss.compute.pgwire.ConnectionEvent.DRAIN;
import static io.gauss.compute.pgwire.ConnectionEvent.DRAINED;
import static io.gauss.compute.pgwire.ConnectionEvent.FAILED;
import static io.gauss.compute.pgwire.ConnectionEvent.FORWARD_BEGINS;
import static io.gauss.compute.pgwire.ConnectionEvent.FORWARD_MORE;
import static io.gauss.compute.pgwire.ConnectionEvent.FORWARD_OVER;
import static io.gauss.compute.pgwire.ConnectionEvent.GATE_REFUSES;
import static io.gauss.compute.pgwire.ConnectionEvent.GATE_SHUT;
import static io.gauss.compute.pgwire.ConnectionEvent.IDLE_TIMEOUT;
import static io.gauss.compute.pgwire.ConnectionEvent.INPUT;
import static io.gauss.compute.pgwire.ConnectionEvent.INPUT_LEFT;
import static io.gauss.compute.pgwire.ConnectionEvent.LAST_SENT;
import static io.gauss.compute.pgwire.ConnectionEvent.LAST_TAKEN;
import static io.gauss.compute.pgwire.ConnectionEvent.LAST_TIMEOUT;
import static io.gauss.compute.pgwire.ConnectionEvent.LEAVES;
import static io.gauss.compute.pgwire.ConnectionEvent.LOG_FAILED;
import static io.gauss.compute.pgwire.ConnectionEvent.LOG_READY;
import static io.gauss.compute.pgwire.ConnectionEvent.LOOK;
import static io.gauss.compute.pgwire.ConnectionEvent.NEEDS_LOG;
import static io.gauss.compute.pgwire.ConnectionEvent.NOTHING_LEFT;
import static io.gauss.compute.pgwire.ConnectionEvent.NOTIFIED;
import static io.gauss.compute.pgwire.ConnectionEvent.NO_THREAD;
import static io.gauss.compute.pgwire.ConnectionEvent.OPENED;
import static io.gauss.compute.pgwire.ConnectionEvent.RAN;
import static io.gauss.compute.pgwire.ConnectionEvent.SENT;
import static io.gauss.compute.pgwire.ConnectionEvent.STARTED;
import static io.gauss.compute.pgwire.ConnectionEvent.START_OVER;
import static io.gauss.compute.pgwire.ConnectionEvent.START_TIMEOUT;
import static io.gauss.compute.pgwire.ConnectionEvent.START_UNFINISHED;
import static io.gauss.compute.pgwire.ConnectionEvent.TERMINATE;
import static io.gauss.compute.pgwire.ConnectionEvent.TOO_MANY;
import static io.gauss.compute.pgwire.ConnectionEvent.TURN;
import static io.gauss.compute.pgwire.ConnectionEvent.UNFINISHED;
import static io.gauss.compute.pgwire.ConnectionEvent.WANTS_INPUT;
import static io.gauss.compute.pgwire.ConnectionEvent.WOULD_BLOCK;
import static io.gauss.compute.pgwire.ConnectionState.ACCEPTED;
import static io.gauss.compute.pgwire.ConnectionState.ANSWERING;
import static io.gauss.compute.pgwire.ConnectionState.CLOSED;
import static io.gauss.compute.pgwire.ConnectionState.CLOSING;
import static io.gauss.compute.pgwire.ConnectionState.ENDING;
import static io.gauss.compute.pgwire.ConnectionState.ENDING_LOG_WAIT;
import static io.gauss.compute.pgwire.ConnectionState.FORWARDED;
import static io.gauss.compute.pgwire.ConnectionState.GATE_WAIT;
import static io.gauss.compute.pgwire.ConnectionState.IDLE;
import static io.gauss.compute.pgwire.ConnectionState.LOG_WAIT;
import static io.gauss.compute.pgwire.ConnectionState.ON_THREAD;
import static io.gauss.compute.pgwire.ConnectionState.QUEUED;
import static io.gauss.compute.pgwire.ConnectionState.RUNNING;
import static io.gauss.compute.pgwire.ConnectionState.SLOW;
import static io.gauss.compute.pgwire.ConnectionState.STARTING;
import static io.gauss.compute.pgwire.ConnectionState.STARTING_HELD;
import static io.gauss.compute.pgwire.ConnectionState.THREAD_ENDS;
import static io.gauss.compute.pgwire.ConnectionState.THREAD_ORPHANED;

import java.util.List;

/**
 * The reaction of a client's connection to each event in each state.
 *
 * <pre>
 *   ACCEPTED --> STARTING &lt;--> STARTING_HELD
 *                   |
 *                   v       would block
 *   +----------> RUNNING ---------------> ON_THREAD --+----> THREAD_ENDS
 *   |            |     |                      |       |           |
 *   |            |     v                      |       +-----------+--> THREAD_ORPHANED
 *   |            |  FORWARDED                 |                   |          |
 *   |            v     v                      |                   |          |
 *   |        ANSWERING &lt;--------------------- +                   |          |
 *   |            |    ^                                           |          |
 *   |            |    +--> LOG_WAIT, GATE_WAIT                    |          |
 *   |            v                                                v          |
 *   +--- IDLE, SLOW, QUEUED -----> ENDING &lt;--> ENDING_LOG_WAIT    |          |
 *                                    ^  |                         |          |
 *                                    |  +------> CLOSING ------> CLOSED &lt;----+
 *                                    +----------------------------+
 * </pre>
 *
 * <p>Invariants, all of which are checked by exploring the table:
 *
 * <ul>
 *   <li>a cell without a step cannot be reached, and every other cell can;
 *   <li>the session ends once and the server forgets the connection once, whatever happens;
 *   <li>no thread is started for a session that has one, and the event loop does not touch session,
 *       input and output while it does;
 *   <li>after {@link ConnectionEvent#TERMINATE} no message is run any more, and the connection
 *       closes even if the client does nothing;
 *   <li>a session that is to be drained ends as soon as it may, instead of becoming idle.
 * </ul>
 *
 * <p>A cell without a step that is reached all the same is a defect, but no broken {@link
 * io.gauss.common.invariant.Invariant}: events come from a client's bytes in an order that the
 * client chooses, and a client must never be able to end the node. The table is about no page, so
 * that closing this one connection is enough ({@link PgConnection}; the decision on invariants has
 * the reasons).
 *
 * <p>Pure and without state.
 */
final class ConnectionTable {
  private static final int EVENTS = ConnectionEvent.values().length;
  private static final Step[] STEPS = new Step[ConnectionState.values().length * EVENTS];

  private ConnectionTable() {}

  /** The next state, and the actions to perform, in order. */
  static final class Step {
    private final ConnectionState next;
    private final ConnectionAction[] actions;

    private Step(ConnectionState next, ConnectionAction[] actions) {
      this.next = next;
      this.actions = actions;
    }

    ConnectionState next() {
      return next;
    }

    int count() {
      return actions.length;
    }

    ConnectionAction action(int index) {
      return actions[index];
    }

    List<ConnectionAction> actions() {
      return List.of(actions);
    }
  }

  /** Null when the event cannot happen in that state. */
  static Step step(ConnectionState state, ConnectionEvent event) {
    return STEPS[state.ordinal() * EVENTS + event.ordinal()];
  }

  /** Fills the rows of one state. */
  private record Row(ConnectionState state) {
    Row on(ConnectionEvent event, ConnectionState next, ConnectionAction... actions) {
      int cell = state.ordinal() * EVENTS + event.ordinal();
      if (STEPS[cell] != null) {
        throw new IllegalStateException("two steps for " + event + " in " + state);
      }
      STEPS[cell] = new Step(next, actions);
      return this;
    }

    /** Events that need no action. */
    Row ignores(ConnectionEvent... events) {
      for (ConnectionEvent event : events) {
        on(event, state);
      }
      return this;
    }

    /** A session without a thread ends by its client, or by a defect of this program. */
    Row endsAtOnce() {
      return on(CHANNEL_CLOSED, CLOSED, END_SESSION, RELEASE)
          .on(BROKEN, CLOSING, END_SESSION, CLOSE_CHANNEL);
    }

    /** A request to end a session that has nothing to answer now. */
    Row isEnded(ConnectionEvent event, ConnectionAction say) {
      return on(event, ENDING, say, ANSWER_LAST);
    }
  }

  private static Row in(ConnectionState state) {
    return new Row(state);
  }

  static {
    in(ACCEPTED)
        .on(OPENED, STARTING, START_TIMER_ON)
        .on(TOO_MANY, CLOSING, END_SESSION, CLOSE_CHANNEL);
    startUp();
    running();
    waiting();
    onThread();
    forwarding();
    end();
  }

  private static void startUp() {
    in(STARTING)
        .on(INPUT, STARTING, TAKE_INPUT, READ_START)
        .on(START_UNFINISHED, STARTING, ANSWER)
        .on(STARTED, RUNNING, START_TIMER_OFF, RUN)
        .on(START_OVER, ENDING, ANSWER_LAST)
        .isEnded(FAILED, SAY_FATAL)
        .on(SENT, STARTING, REST)
        .on(NOTHING_LEFT, STARTING)
        .on(INPUT_LEFT, STARTING, TAKE_QUEUED, READ_START)
        .on(GATE_SHUT, STARTING_HELD, LOOK_LATER)
        .isEnded(GATE_REFUSES, SAY_REFUSED)
        .on(START_TIMEOUT, CLOSING, END_SESSION, CLOSE_CHANNEL)
        .isEnded(TERMINATE, SAY_TERMINATED)
        .on(DRAIN, STARTING, NOTE_DRAIN)
        .ignores(CLIENT_READS)
        .endsAtOnce();
    in(STARTING_HELD)
        .on(LOOK, STARTING, ANSWER)
        .on(INPUT, STARTING_HELD, QUEUE_INPUT)
        .on(START_TIMEOUT, CLOSING, END_SESSION, CLOSE_CHANNEL)
        .isEnded(TERMINATE, SAY_TERMINATED)
        .on(DRAIN, STARTING_HELD, NOTE_DRAIN)
        .ignores(CLIENT_READS)
        .endsAtOnce();
  }

  private static void running() {
    in(RUNNING)
        .on(RAN, ANSWERING, ANSWER)
        .on(WOULD_BLOCK, ON_THREAD, START_THREAD)
        .on(CLIENT_ENDS, ENDING, ANSWER_LAST)
        .isEnded(FAILED, SAY_FATAL)
        .on(FORWARD_BEGINS, FORWARDED, IDLE_TIMER_OFF, FORWARD)
        .on(BROKEN, CLOSING, END_SESSION, CLOSE_CHANNEL);
    in(ANSWERING)
        .on(SENT, ANSWERING, REST)
        .on(NEEDS_LOG, LOG_WAIT, IDLE_TIMER_OFF, AWAIT_LOG)
        .on(GATE_SHUT, GATE_WAIT, IDLE_TIMER_OFF, LOOK_LATER)
        .isEnded(GATE_REFUSES, SAY_REFUSED)
        .on(NOTHING_LEFT, IDLE, IDLE_TIMER_ON)
        .on(INPUT_LEFT, RUNNING, TAKE_QUEUED, RUN)
        .on(UNFINISHED, QUEUED, IDLE_TIMER_OFF, TURN_LATER)
        .on(CLIENT_SLOW, SLOW, STOP_READING, IDLE_TIMER_ON)
        .isEnded(DRAINED, SAY_TERMINATED)
        .on(LEAVES, ANSWERING, SAY_LEAVING, ANSWER)
        .on(BROKEN, CLOSING, END_SESSION, CLOSE_CHANNEL);
  }

  private static void waiting() {
    in(LOG_WAIT)
        .on(LOG_READY, ANSWERING, ANSWER)
        .isEnded(LOG_FAILED, SAY_UNKNOWN)
        .on(INPUT, LOG_WAIT, QUEUE_INPUT)
        .on(TERMINATE, ENDING_LOG_WAIT, SAY_TERMINATED)
        .on(DRAIN, LOG_WAIT, NOTE_DRAIN)
        .ignores(CANCEL, CLIENT_READS, NOTIFIED)
        .endsAtOnce();
    in(GATE_WAIT)
        .on(LOOK, ANSWERING, ANSWER)
        .on(INPUT, GATE_WAIT, QUEUE_INPUT)
        .isEnded(TERMINATE, SAY_TERMINATED)
        .on(DRAIN, GATE_WAIT, NOTE_DRAIN)
        .ignores(CANCEL, CLIENT_READS, NOTIFIED)
        .endsAtOnce();
    in(IDLE)
        .on(INPUT, RUNNING, TAKE_INPUT, RUN)
        .isEnded(IDLE_TIMEOUT, SAY_IDLE_TIMEOUT)
        .isEnded(TERMINATE, SAY_TERMINATED)
        .on(DRAIN, ANSWERING, NOTE_DRAIN, REST)
        .on(NOTIFIED, ANSWERING, SAY_NOTIFICATIONS, ANSWER)
        .ignores(CANCEL, CLIENT_READS)
        .endsAtOnce();
    in(SLOW)
        .on(CLIENT_READS, ANSWERING, READ_ON, REST)
        .on(INPUT, SLOW, QUEUE_INPUT)
        .isEnded(IDLE_TIMEOUT, SAY_IDLE_TIMEOUT)
        .isEnded(TERMINATE, SAY_TERMINATED)
        .on(DRAIN, SLOW, NOTE_DRAIN)
        .ignores(CANCEL, NOTIFIED)
        .endsAtOnce();
    in(QUEUED)
        .on(TURN, RUNNING, TAKE_QUEUED, RUN)
        .on(INPUT, QUEUED, QUEUE_INPUT)
        .isEnded(TERMINATE, SAY_TERMINATED)
        .on(DRAIN, QUEUED, NOTE_DRAIN)
        .ignores(CANCEL, CLIENT_READS, NOTIFIED)
        .endsAtOnce();
  }

  private static void onThread() {
    in(ON_THREAD)
        .on(RAN, ANSWERING, TAKE_BACK, ANSWER)
        .on(CLIENT_ENDS, ENDING, TAKE_BACK, ANSWER_LAST)
        .on(FAILED, ENDING, TAKE_BACK, SAY_FATAL, ANSWER_LAST)
        .isEnded(NO_THREAD, SAY_FATAL)
        .on(WANTS_INPUT, ON_THREAD, HAND_OVER)
        .on(INPUT, ON_THREAD, QUEUE_INPUT)
        .on(CLIENT_READS, ON_THREAD, WAKE_THREAD)
        .on(CANCEL, ON_THREAD, INTERRUPT_CANCELED)
        .on(TERMINATE, THREAD_ENDS, INTERRUPT_TERMINATED)
        .on(DRAIN, ON_THREAD, NOTE_DRAIN)
        .ignores(NOTIFIED)
        .on(CHANNEL_CLOSED, THREAD_ORPHANED, RELEASE, INTERRUPT_GONE, WAKE_THREAD)
        .on(BROKEN, THREAD_ENDS, INTERRUPT_TERMINATED, CLOSE_CHANNEL);
    in(THREAD_ENDS)
        .on(RAN, ENDING, TAKE_BACK, SAY_TERMINATED, ANSWER_LAST)
        .on(CLIENT_ENDS, ENDING, TAKE_BACK, ANSWER_LAST)
        .on(FAILED, ENDING, TAKE_BACK, SAY_FATAL, ANSWER_LAST)
        // Interrupted again, since the first interrupt may have been lost in an error that was
        // already under way.
        .on(WANTS_INPUT, THREAD_ENDS, INTERRUPT_TERMINATED)
        .on(TERMINATE, THREAD_ENDS, INTERRUPT_TERMINATED)
        .on(CLIENT_READS, THREAD_ENDS, WAKE_THREAD)
        .ignores(INPUT, CANCEL, DRAIN, NOTIFIED)
        .on(CHANNEL_CLOSED, THREAD_ORPHANED, RELEASE, INTERRUPT_GONE, WAKE_THREAD)
        .on(BROKEN, THREAD_ENDS, CLOSE_CHANNEL);
    in(THREAD_ORPHANED)
        .on(RAN, CLOSED, END_SESSION)
        .on(CLIENT_ENDS, CLOSED, END_SESSION)
        .on(FAILED, CLOSED, END_SESSION)
        .on(WANTS_INPUT, THREAD_ORPHANED, INTERRUPT_GONE)
        .on(TERMINATE, THREAD_ORPHANED, INTERRUPT_GONE)
        .ignores(CANCEL, DRAIN, CLIENT_READS, NOTIFIED, BROKEN);
  }

  private static void forwarding() {
    in(FORWARDED)
        .on(INPUT, FORWARDED, TAKE_INPUT, FORWARD)
        .on(FORWARD_MORE, FORWARDED, FORWARD)
        .on(FORWARD_OVER, ANSWERING, ANSWER)
        .on(CLIENT_ENDS, ENDING, END_FORWARD, ANSWER_LAST)
        .on(FAILED, ENDING, SAY_FATAL, END_FORWARD, ANSWER_LAST)
        .on(TERMINATE, ENDING, SAY_TERMINATED, END_FORWARD, ANSWER_LAST)
        .on(CANCEL, FORWARDED, CANCEL_FORWARDED)
        .on(DRAIN, FORWARDED, NOTE_DRAIN)
        .on(CLIENT_READS, FORWARDED, FORWARD_ANSWERS)
        .ignores(NOTIFIED)
        .endsAtOnce();
  }

  private static void end() {
    in(ENDING)
        .on(NEEDS_LOG, ENDING_LOG_WAIT, IDLE_TIMER_OFF, AWAIT_LOG)
        .on(LAST_SENT, CLOSING, END_SESSION, CLOSE_LATER)
        .on(BROKEN, CLOSING, END_SESSION, CLOSE_CHANNEL);
    in(ENDING_LOG_WAIT)
        .on(LOG_READY, ENDING, ANSWER_LAST)
        .isEnded(LOG_FAILED, SAY_UNKNOWN)
        .on(START_TIMEOUT, CLOSING, END_SESSION, CLOSE_CHANNEL) // the client has been refused
        .ignores(INPUT, TERMINATE, DRAIN, CANCEL, CLIENT_READS, LOOK, TURN, NOTIFIED)
        .endsAtOnce();
    in(CLOSING)
        .on(LAST_TAKEN, CLOSING, CLOSE_CHANNEL)
        .on(LAST_TIMEOUT, CLOSING, CLOSE_CHANNEL)
        .on(START_TIMEOUT, CLOSING, CLOSE_CHANNEL)
        .on(BROKEN, CLOSING, CLOSE_CHANNEL)
        .on(CHANNEL_CLOSED, CLOSED, RELEASE)
        .ignores(INPUT, TERMINATE, DRAIN, CANCEL, CLIENT_READS, LOG_READY, LOG_FAILED, LOOK, TURN)
        .ignores(NOTIFIED);
    in(CLOSED)
        .ignores(TERMINATE, DRAIN, CANCEL, CLIENT_READS, NOTIFIED)
        .ignores(LOG_READY, LOG_FAILED, LOOK, TURN, LAST_TAKEN, BROKEN);
  }
}
