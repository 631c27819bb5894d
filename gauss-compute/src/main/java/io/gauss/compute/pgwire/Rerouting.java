package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.Session;
import io.gauss.compute.type.ByteSink;
import io.netty.buffer.ByteBuf;

/**
 * Forwards transactions of one client's session to better nodes. When a transaction begins it
 * determines where that belongs; if that is another node, it sends the session's state to the
 * session that serves the client there, and forwards the client's messages and the answers until
 * the transaction is over. By then the state has come back, and the session here continues.
 *
 * <p>Invariants. The session here is outside a transaction while one is forwarded. No client waits
 * for a connection to another node: the first transaction that should go there runs here while the
 * connection is made, and so do others until it is ready. Objects that exist on one node only
 * (temporary tables, held cursors) keep all transactions of the session on that node. A session
 * that serves another node's client forwards nothing.
 *
 * <p>As long as the client has got nothing of the first group's answer, the transaction can still
 * run here ({@link FirstGroup}). Later answers are not buffered: when the client does not take
 * them, none are read from the other node; likewise for messages in the other direction.
 *
 * <p>Belongs to the connection's event loop, except {@link #isElsewhere}, which any thread may
 * call, and {@link #holds} and {@link #ran}, which are for the thread that runs the client's
 * messages: the fields that they change belong to that thread, and the event loop changes these
 * only in states in which no thread runs messages.
 */
final class Rerouting {
  private static final int MOST_WAITING_BYTES = 256 * 1024;

  private final PgConnection connection;
  private final MessageRunner messages;
  private final Reroutes reroutes;
  private final Session session;
  private final InputBuffer in;
  private final BackendWriter out;
  private final WaitedTime waited = new WaitedTime();
  private final ForwardChoice choice;
  private final FirstGroup first = new FirstGroup();
  private final ForwardedMessages forwarded;
  private final ForwardedAnswers answers;
  private final ForwardLinks links;

  /** The next message begins a group. */
  private boolean atStart = true;

  /** It has the transaction. */
  private ForwardLink current;

  private long decidedNanos;

  /**
   * Slot of the node to which all transactions go, since it has objects that cannot move; 0 = none.
   */
  private int pinnedAt;

  /**
   * The session has made such objects elsewhere, and may do so again: they would be lost with a
   * node that the client knows nothing of.
   */
  private boolean makesObjects;

  /** As {@link #isBusy}, for other threads. */
  private volatile boolean isElsewhere;

  /** The client's socket is not read, since the other node does not take its messages. */
  private boolean isPaused;

  /** The error with which the next message that runs here fails; null = none. */
  private GaussException nextFails;

  private volatile boolean isCanceled;

  /**
   * Why the current transaction begins again here, once the other session has ended; null = it does
   * not.
   */
  private GaussException repeatsFor;

  /** The other node has said that it cannot run it, and is not lost. */
  private boolean isRefused;

  /** The error with which the client's connection ends once it has all answers; null = none. */
  private GaussException ends;

  Rerouting(PgConnection connection, MessageRunner messages, Reroutes reroutes, Session session) {
    this.connection = connection;
    this.messages = messages;
    this.reroutes = reroutes;
    this.session = session;
    this.in = connection.input();
    this.out = connection.output();
    this.choice = new ForwardChoice(reroutes, session, waited);
    this.forwarded = new ForwardedMessages(in, session.moves(), first);
    this.answers = new ForwardedAnswers(forwarded, waited);
    this.links = new ForwardLinks(this, reroutes, session);
  }

  /** Whether a transaction is forwarded. */
  boolean isBusy() {
    return current != null;
  }

  /** Whether the session has something on another node that its end takes away. */
  boolean isPinned() {
    return pinnedAt != 0;
  }

  /** As {@link #isBusy}, for any thread. */
  boolean isElsewhere() {
    return isElsewhere;
  }

  /** Whether the client has got the first part of an answer only. */
  boolean isInAnswer() {
    return answers.isInAnswer();
  }

  // ---------------------------------------------------------------- where transactions begin

  /** A message was handled here. */
  void ran(byte type) {
    if (type == PgProtocol.QUERY || type == PgProtocol.SYNC || type == PgProtocol.FUNCTION_CALL) {
      atStart = true;
      session.moves().repeated();
    }
  }

  /**
   * Whether the next message is not to be handled here, or not now. Called by the thread that runs
   * the connection; decisions are made on the event loop.
   */
  boolean holds() {
    if (isBusy()) {
      return true;
    }
    if (nextFails != null && !connection.isOnThread()) {
      session.failNext(nextFails);
      nextFails = null;
      atStart = false;
      return false;
    }
    if (!atStart || in.available() == 0) {
      return false;
    }
    BetterNode route = reroutes.route();
    if (pinnedAt == 0 && (route == null || !route.knowsAny())) {
      return false;
    }
    if (!session.moves().isAtStart()) {
      atStart = false;
      return false;
    }
    if (connection.isOnThread()) {
      return true;
    }
    return decide(route);
  }

  private boolean decide(BetterNode route) {
    long started = Environment.nanoTime();
    waited.forget(); // of the transaction before, when this one came with it
    int answer = pinnedAt == 0 ? choice.look(in, route, makesObjects, started) : pinnedAt;
    if (answer == BatchScan.MORE) {
      choice.again();
      return true;
    }
    if (answer <= 0) {
      atStart = false;
      return false;
    }
    int slot = BetterNode.slot(answer);
    ForwardLink link = links.ready(slot, pinnedAt == slot, started, connection.context().channel());
    if (link == null) {
      atStart = false;
      return false;
    }
    if (!out.isEmpty()) {
      choice.again();
      messages.letAnswersLeave();
      return true;
    }
    if (pinnedAt == 0 && choice.isBetterOffHere(route, answer, started)) {
      atStart = false;
      return false;
    }
    decidedNanos = started;
    startForwarding(link);
    return true;
  }

  /** Messages that have come are about to run here. */
  void runsHere() {
    waited.goesOn();
  }

  /** All that came has been run here and answered. */
  void restsHere() {
    if (session.isIdleOutsideTransaction()) {
      waited.over(reroutes.gain());
    } else {
      waited.answered();
    }
  }

  // ---------------------------------------------------------------- connections to other nodes

  /** The connection could not be made. */
  void notOpened(ForwardLink link) {
    links.remove(link);
  }

  private void startForwarding(ForwardLink link) {
    ByteSink message = new ByteSink();
    message.ensure(64);
    message.putByte(PgProtocol.PASS_STATE);
    message.putInt(0);
    boolean inBlock = session.transactionStatus() == 'T';
    link.transfer().countForward();
    link.transfer().writeLeaving(message);
    message.setInt(1, message.length - 1);
    current = link;
    isElsewhere = true;
    forwarded.begin(inBlock);
    if (pinnedAt == 0) {
      first.begin();
    }
    answers.begin();
    isCanceled = false;
    isRefused = false;
    link.reads(true);
    link.write(message.array, 0, message.length);
    reroutes.counts().countForwarded(link.slot(), Environment.nanoTime() - decidedNanos);
  }

  // ---------------------------------------------------------------- to the other node

  /**
   * Forwards the messages that have come from the client and may be forwarded now.
   *
   * @return {@link ConnectionEvent#CLIENT_ENDS}, or null
   */
  ConnectionEvent forward() {
    if (in.available() > 0) {
      waited.goesOn();
    }
    boolean isEnd = current != null && repeatsFor == null && forwarded.forward(current);
    pauseIfMuch();
    return isEnd ? ConnectionEvent.CLIENT_ENDS : null;
  }

  /** The other node takes more. */
  void mayForward() {
    if (current != null && repeatsFor == null && !forwarded.mayCommit()) {
      // Its connection may be lost without anybody knowing it. Not before what may commit has run:
      // that way is shorter than the one that the commit takes.
      current.endOther(isGone -> {});
    } else if (current == null && pinnedAt != 0) {
      links.endOther(pinnedAt);
    }
    current = null;
    repeatsFor = null;
    isElsewhere = false;
    links.close();
  }
}
