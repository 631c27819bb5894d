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

  /**
   * Had the objects whose loss {@link #nextFails} reports, and has not ended yet; null = it has.
   */
  private ForwardLink dying;

  private volatile boolean isCanceled;

  /**
   * Why the current transaction is lost, or begins again here, once the other session has ended;
   * null = that is not waited for.
   */
  private GaussException endsFor;

  /** The session that had the transaction has ended, with its locks, on a node that is alive. */
  private boolean isOtherGone;

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
      if (session.isIdleOutsideTransaction()) {
        choice.over();
      }
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
      if (dying != null) {
        return awaitDying();
      }
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
    isOtherGone = false;
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
    boolean isEnd = current != null && endsFor == null && forwarded.forward(current);
    pauseIfMuch();
    return isEnd ? ConnectionEvent.CLIENT_ENDS : null;
  }

  /** The other node takes more. */
  void mayForward() {
    if (current != null && endsFor == null) {
      resume();
      connection.forwardMore();
    }
  }

  private void pauseIfMuch() {
    if (in.available() > MOST_WAITING_BYTES) {
      isPaused = true;
      connection.reads(false);
    } else {
      resume();
    }
  }

  private void resume() {
    if (isPaused) {
      isPaused = false;
      connection.reads(true);
    }
  }

  // ---------------------------------------------------------------- from the other node

  /** Something has come into the link's input. */
  void answered(ForwardLink link) {
    if (link != current) {
      saidIdle(link);
      return;
    }
    if (first.isKept() && forwarded.isWhole() && !isToBeTold(link)) {
      return;
    }
    ByteBuf toClient = connection.context().alloc().buffer();
    try {
      takeAnswers(link, toClient);
    } finally {
      if (toClient.isReadable()) {
        connection.answer(toClient);
      } else {
        toClient.release();
      }
    }
    link.input().trim();
    if (ends != null) {
      end();
    } else if (link == current) {
      if (!connection.isWritable()) {
        link.reads(false);
      }
      if (in.available() > 0) {
        connection.forwardMore();
      }
    } else {
      saidIdle(link);
      connection.cameHome();
    }
  }

  /**
   * Looks at the first group's answer, of which the client has got nothing yet. Returns false when
   * more of it has to come, or it is not for the client.
   */
  private boolean isToBeTold(ForwardLink link) {
    switch (first.look(link.input(), forwarded.mayCommit(), forwarded.hasEffects())) {
      case INCOMPLETE -> {
        return false;
      }
      case ANSWER -> {
        return true;
      }
      case END -> {
        saidEnd(link, first.error());
        if (endsFor != null) {
          return false;
        }
      }
      case CANNOT -> {
        link.close();
        if (FirstGroup.isNodeUnwell(first.error())) {
          reroutes.failed(link.slot(), first.error().getMessage());
        }
        if (forwarded.mayLock()) {
          onceEnded(link, first.error(), true);
          return false;
        }
        links.remove(link);
        repeat(); // the time of both attempts is that of a forwarded transaction
      }
    }
    if (ends != null) {
      end();
    } else {
      connection.cameHome();
    }
    return false;
  }

  /**
   * Handles a message of a node that has no transaction of the client: that it leaves, or why it
   * ends.
   */
  private void saidIdle(ForwardLink link) {
    InputBuffer said = link.input();
    while (said.available() >= 1 + PgProtocol.LENGTH_BYTES
        && said.available() >= 1 + said.intAt(1)) {
      boolean leaves = said.byteAt(0) == PgProtocol.PASS_LEAVING;
      said.consume(1 + said.intAt(1));
      if (leaves) {
        link.close();
        lostIdle(link);
        return;
      }
    }
  }

  private void takeAnswers(ForwardLink link, ByteBuf toClient) {
    forwarded.isAnswered();
    switch (answers.take(link, toClient)) {
      case INCOMPLETE -> {
        // The rest follows.
      }
      case OVER -> over(link);
      case FATAL -> saidEnd(link, answers.error());
    }
  }

  private void over(ForwardLink link) {
    pinnedAt = link.transfer().isOtherPinned() ? link.slot() : 0;
    makesObjects |= pinnedAt != 0;
    waited.over(reroutes.gain());
    home(true);
    if (answers.isLeaving()) {
      link.close();
      lostIdle(link);
    }
  }

  /** The session here continues. */
  private void home(boolean startsGroup) {
    current = null;
    isElsewhere = false;
    answers.end();
    first.forget();
    atStart = startsGroup;
    resume();
  }

  /** The client takes answers again. */
  void clientReads() {
    if (current != null) {
      current.reads(true);
    }
  }

  // ---------------------------------------------------------------- losses

  /**
   * The connection to the other node is gone.
   *
   * @param isNodeLost whether its node is: otherwise the other session need not know yet
   */
  void lost(ForwardLink link, boolean isNodeLost) {
    if (link != current) {
      lostIdle(link);
      return;
    }
    GaussException why = LossErrors.ofNode(link.slot());
    if (!mayHaveLocks()) {
      if (!isNodeLost) {
        link.endOther(isGone -> {});
      }
      lose(link, why);
    } else if (isNodeLost && mayRepeat(why) && !forwarded.mayBeDenied()) {
      lose(link, why); // it waits for the locks of the dead as others do
    } else {
      onceEnded(link, why, false);
    }
  }

  /** The other session says why it ends. */
  private void saidEnd(ForwardLink link, GaussException why) {
    link.close();
    if (mayHaveLocks()) {
      onceEnded(link, why, false);
    } else {
      lost(link, why);
    }
  }

  /** Whether the other session may have locks for what was forwarded, or for what it keeps. */
  private boolean mayHaveLocks() {
    return pinnedAt != 0 || forwarded.mayHaveLocked();
  }

  /**
   * The transaction begins again here, or its client hears that it is lost, when the other session
   * has ended. Otherwise what begins again, or what the client sends when it repeats the
   * transaction, would wait for the locks of its own first attempt, or be denied what it only tries
   * to get. That the session says why it ends, or cannot run it, comes before its end.
   */
  private void onceEnded(ForwardLink link, GaussException why, boolean refused) {
    links.remove(link);
    endsFor = why;
    isRefused = refused;
    link.endOther(isGone -> otherEnded(link, isGone));
  }

  /** The other session has ended, with its locks, or its node is dead, or cannot be reached. */
  private void otherEnded(ForwardLink link, boolean isGone) {
    if (link != current || endsFor == null) {
      return; // the client has gone, or has canceled it
    }
    // A node that is back has the slot of its life before, and knows nothing of that one's
    // sessions.
    boolean isDead = !reroutes.forwarded().has(link.slot()) || reroutes.isUnrecovered(link.slot());
    isOtherGone = isGone && !isDead && !isCanceled;
    if (!isGone || isDead && forwarded.mayBeDenied()) {
      first.forget(); // it would wait for its own locks here, or be denied for those of the dead
    }
    boolean beginsAgain = first.isKept() && (isRefused || mayRepeat(endsFor));
    if (isDead && !beginsAgain && !isCanceled) {
      link.onceRecovered(() -> ended(link)); // the locks of the dead outlive it (rule 12)
    } else {
      ended(link);
    }
  }

  private void ended(ForwardLink link) {
    if (link != current || endsFor == null) {
      return; // as above
    }
    GaussException why = endsFor;
    endsFor = null;
    if (isRefused && first.isKept()) {
      repeat(); // the time of both attempts is that of a forwarded transaction
      connection.cameHome();
      return;
    }
    lose(link, why);
  }

  private void lose(ForwardLink link, GaussException why) {
    lost(link, why);
    if (ends != null) {
      end();
    } else {
      connection.cameHome();
    }
  }

  private void lostIdle(ForwardLink link) {
    links.remove(link);
    if (pinnedAt == link.slot()) {
      pinnedAt = 0;
      // Not reported to the session now, which may be on its thread.
      nextFails = LossErrors.ofObjects(link.slot());
      // Only the connection may be lost, and that side may not know it for long: the session's
      // locks would stay, as do those of a dead node until it is recovered (rule 12).
      dying = link;
      link.endOther(isGone -> link.onceRecovered(() -> diedIdle(link)));
    }
  }

  /**
   * The client does not hear of its loss before the other session has ended: it may try at once to
   * get the locks again that it had there.
   *
   * @return whether the next message is held
   */
  private boolean awaitDying() {
    if (in.available() == 0) {
      return false;
    }
    if (!out.isEmpty()) {
      messages.letAnswersLeave();
      return true;
    }
    current = dying;
    isElsewhere = true;
    endsFor = nextFails;
    return true;
  }

  /** The other session has ended, or was asked to for long enough, or the client does not wait. */
  private void diedIdle(ForwardLink link) {
    if (link != dying) {
      return;
    }
    dying = null;
    if (link == current) {
      endsFor = null;
      home(true);
      connection.cameHome();
    }
  }

  private void end() {
    GaussException why = ends;
    ends = null;
    connection.fail(ConnectionEvent.FAILED, why);
  }

  /** The transaction is lost with its node; the session continues here. */
  private void lost(ForwardLink link, GaussException why) {
    links.remove(link);
    if (mayRepeat(why)) {
      reroutes.failed(link.slot(), why.getMessage());
      waited.forget();
      repeat();
      return;
    }
    reroutes.counts().countLost(link.slot());
    waited.forget();
    session.moves().isHere();
    if (why.state() == SqlState.IDLE_IN_TRANSACTION_SESSION_TIMEOUT || isInAnswer()) {
      ends = why; // the session was to end anyway, or the client has got half of an answer
      return;
    }
    // What the transaction has set there, and the client was told, is undone.
    session.reportParameters();
    out.mark();
    if (forwarded.isKeptRollback() && pinnedAt == 0) {
      session.moves().loseBlock(null);
      forwarded.giveBackRollback(); // what it asks for has happened
      home(false);
      return;
    }
    boolean isOpen = forwarded.mayCommit() && !isRefused;
    GaussException error = isOpen || pinnedAt != 0 ? asFarAsKnown(why) : LossErrors.rolledBack(why);
    pinnedAt = 0;
    if (forwarded.isOpen()) {
      answer(error);
    } else {
      home(true);
      reportLater(error);
    }
  }

  /** Nothing has been asked for that could be answered now. */
  private void reportLater(GaussException error) {
    if (forwarded.isInBlock()) {
      session.moves().loseBlock(error);
    } else {
      session.failNext(error);
    }
  }

  /** Answers what was asked for last. */
  private void answer(GaussException error) {
    boolean needsReady = forwarded.needsReady();
    messages.skip(forwarded.left());
    home(needsReady);
    if (forwarded.leavesBlock()) {
      session.moves().loseBlock(null);
    }
    out.error("ERROR", error);
    if (needsReady) {
      out.readyForQuery(session.transactionStatus());
    } else {
      messages.skipUntilSync();
    }
    out.mark();
    messages.letAnswersLeave();
  }

  /**
   * Whether nobody need notice that the other node is lost: the client has got no answer, and
   * nothing can have been committed. What has ended the session for what it does would end it here.
   */
  private boolean mayRepeat(GaussException why) {
    return first.isKept()
        && !forwarded.mayCommit()
        && !forwarded.hasEffects()
        && !LossErrors.isForWhatItDoes(why);
  }

  /** The transaction begins again, on this node. */
  private void repeat() {
    reroutes.counts().countStayed(RerouteCounts.Reason.REPEATED);
    session.moves().returns(!isOtherGone);
    if (isCanceled) {
      session.failNext(
          new GaussException(SqlState.QUERY_CANCELED, "canceling statement due to user request"));
    }
    first.giveBack(in);
    home(false);
  }

  /**
   * The error that ends what was forwarded, or the whole session: unknown is the outcome as soon as
   * a commit may be on its way (rule 39, what 08006 promises).
   */
  GaussException asFarAsKnown(GaussException why) {
    boolean isOpen = isBusy() && dying == null && forwarded.mayCommit() && !isRefused;
    return isOpen ? LossErrors.unknown(why) : why;
  }

  // ---------------------------------------------------------------- from outside

  /** The client wants to cancel a statement that runs on another node. */
  void cancel() {
    isCanceled = true; // also if it begins again here, since nothing has come from there
    if (current == null) {
      return; // it has come home, which is not known to everybody yet
    }
    if (endsFor != null) {
      ForwardLink link = current;
      // It is canceled here, before it needs a lock. Not within the step of this event: others may
      // wait behind that one, and end the connection before it would hear that it has come home.
      connection.post(
          () -> {
            if (link == dying) {
              diedIdle(link);
            } else {
              otherEnded(link, true);
            }
          });
      return;
    }
    reroutes.forwarded().cancel(current.slot(), session, current.transfer().forwards());
  }

  /** The client is gone: so are the sessions that serve it. */
  void close() {
    if (current != null && endsFor == null) {
      // Its connection may be lost without anybody knowing it. Not before what may commit has run:
      // that way is shorter than the one that the commit takes.
      if (forwarded.mayCommit()) {
        current.endOtherLater();
      } else {
        current.endOther(isGone -> {});
      }
    } else if (current == null && pinnedAt != 0) {
      links.endOther(pinnedAt);
    }
    current = null;
    dying = null;
    endsFor = null;
    isElsewhere = false;
    links.close();
  }
}
