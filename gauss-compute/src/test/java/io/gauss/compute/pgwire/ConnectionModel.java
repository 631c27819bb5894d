package io.gauss.compute.pgwire;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A connection and everything around it that can bring about an event, as far as that has to be
 * known to say which events are possible: what {@link PgConnection} has begun and what has not come
 * back yet.
 *
 * <p>Between two states of the model there is one event of {@link ConnectionTable} with all its
 * actions. When the last action has an outcome, nothing but that outcome (or a defect of the
 * program) can come next.
 *
 * @param outcomeOf the action whose outcome comes next; null = the event loop is free
 * @param things what is under way or has been
 */
record ConnectionModel(ConnectionState state, ConnectionAction outcomeOf, Set<Thing> things) {
  /** What is under way, or has been. */
  enum Thing {
    /** The channel is open, as far as the event loop has heard. */
    CHANNEL_OPEN,

    /** This side has asked for the channel to be closed. */
    CLOSE_ASKED,
    SESSION_STARTED,
    THREAD_RUNS,
    LOG_CALLBACK_TO_COME,

    /** The log has one of the two things that an answer may need: that it is visible. */
    LOG_HAS_FIRST,

    /** The log has all that the answer needs; or the answer tells nothing of it any more. */
    LOG_HAS_ALL,
    LOOK_TO_COME,
    TURN_TO_COME,
    LAST_TAKEN_TO_COME,
    START_TIMER,
    IDLE_TIMER,
    LAST_TIMER,

    /** Another node has the transaction. */
    LINK_HAS_TRANSACTION,
    DRAIN_ASKED,
    TERMINATE_ASKED,

    /** The last step may have failed half-way. */
    MAY_BREAK,
    SESSION_ENDED,
    RELEASED
  }

  /** A promise of the table that is broken. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String message) {
      super(message);
    }
  }

  static ConnectionModel start() {
    return new ConnectionModel(ConnectionState.ACCEPTED, null, Set.of());
  }

  boolean has(Thing thing) {
    return things.contains(thing);
  }

  private boolean hasSession() {
    return has(Thing.SESSION_STARTED) && !has(Thing.SESSION_ENDED);
  }

  // ---------------------------------------------------------------- which events can come

  /** Events that come without anybody's doing, sooner or later. */
  Set<ConnectionEvent> due() {
    Set<ConnectionEvent> due = EnumSet.noneOf(ConnectionEvent.class);
    if (outcomeOf != null) {
      due.addAll(outcomes());
      return due;
    }
    when(due, Thing.LOG_CALLBACK_TO_COME, ConnectionEvent.LOG_READY, ConnectionEvent.LOG_FAILED);
    when(due, Thing.LOOK_TO_COME, ConnectionEvent.LOOK);
    when(due, Thing.TURN_TO_COME, ConnectionEvent.TURN);
    when(due, Thing.LAST_TAKEN_TO_COME, ConnectionEvent.LAST_TAKEN);
    when(due, Thing.START_TIMER, ConnectionEvent.START_TIMEOUT);
    when(due, Thing.LAST_TIMER, ConnectionEvent.LAST_TIMEOUT);
    when(
        due,
        Thing.THREAD_RUNS,
        ConnectionEvent.RAN,
        ConnectionEvent.CLIENT_ENDS,
        ConnectionEvent.FAILED);
    if (has(Thing.CHANNEL_OPEN)) {
      when(due, Thing.CLOSE_ASKED, ConnectionEvent.CHANNEL_CLOSED);
    }
    return due;
  }

  /** All that can come next. */
  Set<ConnectionEvent> possible() {
    Set<ConnectionEvent> possible = due();
    if (has(Thing.MAY_BREAK)) {
      possible.add(ConnectionEvent.BROKEN);
    }
    if (outcomeOf != null) {
      return possible;
    }
    if (state == ConnectionState.ACCEPTED) {
      possible.add(ConnectionEvent.OPENED);
      possible.add(ConnectionEvent.TOO_MANY);
      return possible;
    }
    when(possible, Thing.CHANNEL_OPEN, ConnectionEvent.INPUT, ConnectionEvent.CHANNEL_CLOSED);
    when(possible, Thing.THREAD_RUNS, ConnectionEvent.WANTS_INPUT);
    when(possible, Thing.IDLE_TIMER, ConnectionEvent.IDLE_TIMEOUT);
    when(
        possible,
        Thing.LINK_HAS_TRANSACTION,
        ConnectionEvent.FORWARD_MORE,
        ConnectionEvent.FORWARD_OVER,
        ConnectionEvent.FAILED);
    // Of others, who may not have heard yet that the connection has ended.
    possible.add(ConnectionEvent.TERMINATE);
    possible.add(ConnectionEvent.DRAIN);
    possible.add(ConnectionEvent.CLIENT_READS);
    when(possible, Thing.SESSION_STARTED, ConnectionEvent.CANCEL, ConnectionEvent.NOTIFIED);
    return possible;
  }

  private void when(Set<ConnectionEvent> events, Thing thing, ConnectionEvent... come) {
    if (has(thing)) {
      events.addAll(List.of(come));
    }
  }

  private Set<ConnectionEvent> outcomes() {
    return switch (outcomeOf) {
      case READ_START ->
          EnumSet.of(
              ConnectionEvent.START_UNFINISHED,
              ConnectionEvent.STARTED,
              ConnectionEvent.START_OVER,
              ConnectionEvent.FAILED);
      case RUN ->
          EnumSet.of(
              ConnectionEvent.RAN,
              ConnectionEvent.WOULD_BLOCK,
              ConnectionEvent.CLIENT_ENDS,
              ConnectionEvent.FAILED,
              ConnectionEvent.FORWARD_BEGINS);
      case START_THREAD -> EnumSet.of(ConnectionEvent.NO_THREAD);
      case ANSWER -> {
        Set<ConnectionEvent> outcomes =
            EnumSet.of(
                ConnectionEvent.SENT, ConnectionEvent.GATE_SHUT, ConnectionEvent.GATE_REFUSES);
        if (mayNeedLog()) {
          outcomes.add(ConnectionEvent.NEEDS_LOG);
        }
        yield outcomes;
      }
      case ANSWER_LAST ->
          mayNeedLog()
              ? EnumSet.of(ConnectionEvent.LAST_SENT, ConnectionEvent.NEEDS_LOG)
              : EnumSet.of(ConnectionEvent.LAST_SENT);
      case REST -> {
        Set<ConnectionEvent> outcomes =
            EnumSet.of(ConnectionEvent.NOTHING_LEFT, ConnectionEvent.INPUT_LEFT);
        if (hasSession()) {
          outcomes.add(ConnectionEvent.UNFINISHED);
          outcomes.add(ConnectionEvent.CLIENT_SLOW);
          if (has(Thing.DRAIN_ASKED)) {
            outcomes.add(ConnectionEvent.DRAINED);
            outcomes.add(ConnectionEvent.LEAVES);
          }
        }
        yield outcomes;
      }
      case FORWARD -> EnumSet.of(ConnectionEvent.CLIENT_ENDS, ConnectionEvent.FAILED);
      default -> throw new Broken(outcomeOf + " has no outcome");
    };
  }

  /** For a session's commits and what it has read, and for why a client is refused. */
  private boolean mayNeedLog() {
    boolean isRefused = outcomeOf == ConnectionAction.ANSWER_LAST && !has(Thing.SESSION_STARTED);
    return (hasSession() || isRefused) && !has(Thing.LOG_HAS_ALL);
  }

  /** Whether the action whose outcome would come next may have none. */
  private static boolean mayHaveNone(ConnectionAction action) {
    return action == ConnectionAction.START_THREAD || action == ConnectionAction.FORWARD;
  }

  // ---------------------------------------------------------------- what an event does

  /** Where an event leads: several, where it is open whether an action has an outcome. */
  List<ConnectionModel> after(ConnectionEvent event) {
    ConnectionTable.Step step = ConnectionTable.step(state, event);
    if (step == null) {
      throw new Broken(event + " can come in " + this);
    }
    Set<Thing> next = EnumSet.noneOf(Thing.class);
    next.addAll(things);
    next.remove(Thing.MAY_BREAK);
    happened(event, next);
    for (ConnectionAction action : step.actions()) {
      perform(action, event, next);
    }
    if (!step.actions().isEmpty()
        && !step.actions().equals(List.of(ConnectionAction.START_THREAD))
        && event != ConnectionEvent.BROKEN) {
      next.add(Thing.MAY_BREAK);
    }
    ConnectionAction last = step.actions().isEmpty() ? null : step.actions().getLast();
    boolean isAsked = last != null && last.hasOutcome();
    List<ConnectionModel> after = new ArrayList<>();
    if (!isAsked || mayHaveNone(last)) {
      Set<Thing> quiet = EnumSet.noneOf(Thing.class);
      quiet.addAll(next);
      if (last == ConnectionAction.START_THREAD) {
        quiet.add(Thing.THREAD_RUNS);
      }
      after.add(new ConnectionModel(step.next(), null, quiet));
    }
    if (isAsked) {
      after.add(new ConnectionModel(step.next(), last, next));
    }
    return after;
  }

  private void happened(ConnectionEvent event, Set<Thing> next) {
    switch (event) {
      case OPENED, TOO_MANY -> next.add(Thing.CHANNEL_OPEN);
      case CHANNEL_CLOSED -> next.remove(Thing.CHANNEL_OPEN);
      case STARTED -> next.add(Thing.SESSION_STARTED);
      case LOG_READY -> {
        next.remove(Thing.LOG_CALLBACK_TO_COME);
        next.add(next.add(Thing.LOG_HAS_FIRST) ? Thing.LOG_HAS_FIRST : Thing.LOG_HAS_ALL);
      }
      case LOG_FAILED -> {
        next.remove(Thing.LOG_CALLBACK_TO_COME);
        next.add(Thing.LOG_HAS_ALL);
      }
      case LOOK -> next.remove(Thing.LOOK_TO_COME);
      case TURN -> next.remove(Thing.TURN_TO_COME);
      case LAST_TAKEN -> next.remove(Thing.LAST_TAKEN_TO_COME);
      case START_TIMEOUT -> next.remove(Thing.START_TIMER);
      case LAST_TIMEOUT -> next.remove(Thing.LAST_TIMER);
      case IDLE_TIMEOUT -> next.remove(Thing.IDLE_TIMER);
      case RAN, CLIENT_ENDS, FAILED -> {
        if (outcomeOf == null) {
          next.remove(Thing.THREAD_RUNS);
        }
      }
      case TERMINATE -> next.add(Thing.TERMINATE_ASKED);
      case FORWARD_BEGINS -> next.add(Thing.LINK_HAS_TRANSACTION);
      case FORWARD_OVER -> next.remove(Thing.LINK_HAS_TRANSACTION);
      default -> {
        // Changes nothing around the connection.
      }
    }
  }

  private void perform(ConnectionAction action, ConnectionEvent event, Set<Thing> next) {
    switch (action) {
      case RUN, FORWARD, START_THREAD -> {
        check(!next.contains(Thing.TERMINATE_ASKED), action + " after TERMINATE", event);
        ownsSession(action, event, next);
        next.remove(Thing.LOG_HAS_FIRST);
        next.remove(Thing.LOG_HAS_ALL);
        if (action == ConnectionAction.START_THREAD) {
          next.remove(Thing.IDLE_TIMER);
        }
      }
      case ANSWER, REST, TAKE_BACK, SAY_TERMINATED, SAY_FATAL, ANSWER_LAST, TAKE_QUEUED ->
          check(!next.contains(Thing.THREAD_RUNS), action + " while a thread runs", event);
      case TAKE_INPUT, QUEUE_INPUT ->
          check(event == ConnectionEvent.INPUT, action + " without input", event);
      case NOTE_DRAIN -> next.add(Thing.DRAIN_ASKED);
      case SAY_LEAVING -> next.remove(Thing.DRAIN_ASKED);
      case AWAIT_LOG -> {
        check(!next.contains(Thing.LOG_CALLBACK_TO_COME), "the log is asked twice", event);
        next.add(Thing.LOG_CALLBACK_TO_COME);
      }
      case LOOK_LATER -> next.add(Thing.LOOK_TO_COME);
      case TURN_LATER -> next.add(Thing.TURN_TO_COME);
      case START_TIMER_ON -> next.add(Thing.START_TIMER);
      case START_TIMER_OFF -> next.remove(Thing.START_TIMER);
      case IDLE_TIMER_ON -> {
        ownsSession(action, event, next);
        next.add(Thing.IDLE_TIMER);
      }
      case IDLE_TIMER_OFF -> {
        if (next.contains(Thing.SESSION_STARTED)) {
          ownsSession(action, event, next);
        }
        next.remove(Thing.IDLE_TIMER);
      }
      case INTERRUPT_TERMINATED, INTERRUPT_CANCELED, INTERRUPT_GONE ->
          check(
              next.contains(Thing.THREAD_RUNS) && !next.contains(Thing.SESSION_ENDED),
              action + " of nothing that runs",
              event);
      case END_FORWARD -> next.remove(Thing.LINK_HAS_TRANSACTION);
      case END_SESSION -> {
        check(next.add(Thing.SESSION_ENDED), "the session ends twice", event);
        check(!next.contains(Thing.THREAD_RUNS), "the session ends under its thread", event);
        next.remove(Thing.IDLE_TIMER);
        next.remove(Thing.LINK_HAS_TRANSACTION);
      }
      case CLOSE_CHANNEL -> next.add(Thing.CLOSE_ASKED);
      case CLOSE_LATER -> {
        next.add(Thing.LAST_TAKEN_TO_COME);
        next.add(Thing.LAST_TIMER);
      }
      case RELEASE -> {
        check(next.add(Thing.RELEASED), "the server forgets it twice", event);
        next.remove(Thing.START_TIMER);
        next.remove(Thing.LAST_TIMER);
      }
      default -> {
        // Changes nothing around the connection.
      }
    }
  }

  private void ownsSession(ConnectionAction action, ConnectionEvent event, Set<Thing> things) {
    check(
        things.contains(Thing.SESSION_STARTED) && !things.contains(Thing.SESSION_ENDED),
        action + " without a session",
        event);
    check(!things.contains(Thing.THREAD_RUNS), action + " while a thread runs", event);
  }

  private void check(boolean holds, String what, ConnectionEvent event) {
    if (!holds) {
      throw new Broken(what + ": " + event + " in " + this);
    }
  }
}
