package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.prepared.PreparedStatement;
import io.gauss.compute.session.prepared.PreparedStatements;
import io.gauss.compute.session.prepared.StatementDefinition;
import io.gauss.compute.session.setting.TransactionMode;
import io.gauss.compute.type.PgType;
import java.util.Arrays;

/**
 * The part of a session for transactions on several nodes: whether the next one may run on another
 * node, and how it leaves here and arrives there. The client's session, on the node to which the
 * client is connected, and a session that serves it on another node are two {@link Session}s. A
 * {@link StateTransfer} keeps them identical, and only one of them has a transaction at a time.
 *
 * <p>Belongs to the session, except {@link #isShown}.
 */
public final class SessionMoves {
  private static final int[] NO_TYPES = new int[0];

  private final Session session;
  private final SessionState state;
  private final PreparedStatements statements;
  private final RerouteCounts counts;

  /**
   * For a session that serves another node's client: whether it currently has a transaction of that
   * client.
   */
  private volatile boolean isShown = true;

  private boolean servesOther;

  /** Its client has wanted something that only its own session can have. */
  private boolean isSentHome;

  /** A statement has left something that neither follows nor is found. */
  private boolean staysForGood;

  /** The block with which the last transaction has left; null = none had begun. */
  private BlockStart left;

  /** Transactions that have come from the client's node. */
  private volatile int forwards;

  /** Of these, one that is to be canceled and has not arrived yet; 0 = none. */
  private volatile int canceled;

  SessionMoves(
      Session session, SessionState state, PreparedStatements statements, RerouteCounts counts) {
    this.counts = counts;
    this.session = session;
    this.state = state;
    this.statements = statements;
  }

  /** This is not the client's session, but one that serves it on another node. */
  void serveOther() {
    servesOther = true;
    isShown = false;
    state.sampler().serveOther();
  }

  public boolean servesOther() {
    return servesOther;
  }

  /**
   * The next transaction belongs to another node and runs here only to be compared. Before it
   * begins.
   */
  public void compares() {
    state.sampler().compares();
  }

  /**
   * Whether views show it: of a client's sessions, the one that has the transaction. Any thread.
   */
  boolean isShown() {
    return isShown;
  }

  void show(boolean shown) {
    isShown = shown;
  }

  /** The transaction is here now, or the client's session continues here. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the session's thread alone writes passes
  void came() {
    isShown = true;
    if (servesOther) {
      counts.countServed();
      forwards++;
      if (canceled == forwards) {
        session.failNext(
            new GaussException(SqlState.QUERY_CANCELED, "canceling statement due to user request"));
      }
    }
  }

  /**
   * The client's request to cancel a transaction, which it may overtake. Any thread.
   *
   * @param forward which of those that came here
   */
  void cancel(int forward) {
    canceled = forward;
    if (forward == forwards) {
      session.cancel();
    }
  }

  /**
   * Refuses what a session can do only on the node to which its client is connected, when this is
   * another one; then it stays there, so that it succeeds when it is tried again.
   *
   * @throws GaussException 40001
   */
  void requireHome(String command) {
    if (servesOther) {
      isSentHome = true;
      throw new GaussException(
              SqlState.SERIALIZATION_FAILURE,
              "%s cannot run in a transaction that another node has".formatted(command))
          .hint("The transaction might succeed if retried.");
    }
  }

  /** Whether the client's session is to keep its transactions. */
  boolean isSentHome() {
    return isSentHome;
  }

  /** Transactions that have begun here since the session began. */
  public long transactions() {
    return state.sampler().transactions();
  }

  // ---------------------------------------------------------------- leaving

  /** A statement is run that may leave something in the session. */
  void note(LeftBehind left) {
    staysForGood |= left == LeftBehind.STAYS;
  }

  /**
   * Whether no transaction has begun, or none in which anything has run but BEGIN. An error that is
   * still to be reported is reported here.
   */
  public boolean isAtStart() {
    if (session.hasToFail()) {
      return false;
    }
    return switch (state.control().state()) {
      case IDLE -> true;
      case BLOCK -> state.control().isFresh();
      case IMPLICIT, FAILED -> false;
    };
  }

  /** Why the next transaction must run here; null when it need not. */
  public RerouteCounts.Reason stays() {
    RerouteCounts.Reason reason = state.staysBySettings();
    return reason == null && isPinned() ? RerouteCounts.Reason.PINNED : reason;
  }

  /**
   * Whether the session has state that exists only on this node. What else it has is copied by
   * {@link StateTransfer}, or ends with a transaction; {@link LeftBehind} has the statements.
   */
  boolean isPinned() {
    return staysForGood
        || session.portals().isAnyOpen()
        || state.catalog().hasTemporary()
        || state.notifications().mayListen()
        || state.transaction().hasSessionLocks();
  }

  /** The text of a prepared statement; null when there is none with that name. */
  public String textOf(String statement) {
    StatementDefinition definition = statements.definition(statement);
    return definition == null ? null : definition.text();
  }

  /** Oids of the types of a statement's parameters, as far as they are known here. */
  public int[] typesOf(String statement) {
    PreparedStatement found = statements.find(statement);
    if (found != null) {
      return Arrays.stream(found.parameterTypes()).mapToInt(PgType::oid).toArray();
    }
    // Prepared on another node.
    StatementDefinition elsewhere = statements.findElsewhere(statement);
    return elsewhere == null ? NO_TYPES : elsewhere.oids();
  }

  /** The transaction continues elsewhere: {@link #isAtStart}. Null when none has begun. */
  BlockStart leave() {
    session.cancelIdleTimeout();
    left = null;
    if (state.control().state() != TransactionControl.State.IDLE) {
      left =
          new BlockStart(
              state.settings().get(TransactionMode.ISOLATION),
              state.control().isReadOnly(),
              state.eval().transactionTimestamp);
      state.control().rollback();
    }
    return left;
  }

  /**
   * The transaction that has left last runs here after all, from where it has left, until {@link
   * #repeated} perhaps for the second time.
   *
   * @param meetsItself whether its first attempt may still have locks elsewhere
   */
  public void returns(boolean meetsItself) {
    isShown = true;
    state.isRepeated(true);
    state.mayMeetItself(meetsItself);
    if (left != null) {
      enter(left);
    }
  }

  // ---------------------------------------------------------------- coming in

  /** Continues with a block in which nothing has run yet. */
  void enter(BlockStart block) {
    state.control().begin();
    state.settings().setForTransaction(TransactionMode.ISOLATION, block.isolation());
    state
        .settings()
        .setForTransaction(TransactionMode.READ_ONLY, block.isReadOnly() ? "on" : "off");
    state.eval().transactionTimestamp = block.beganMicros();
  }

  /** The transaction is no longer on another node. */
  public void isHere() {
    isShown = true;
  }

  /**
   * The node that had the transaction is lost: the block has failed, and waits for the client to
   * end it.
   *
   * @param error what the next statement reports; null = the client knows it
   */
  public void loseBlock(GaussException error) {
    if (left == null) {
      state.control().begin();
    } else {
      enter(left);
    }
    state.control().fail();
    if (error != null) {
      session.failBlock(error);
    }
  }

  /** What was to begin a block has failed: so does what was sent behind it. */
  void failBlock() {
    state.control().begin();
    state.control().fail();
  }

  /** What runs again has run. */
  public void repeated() {
    state.isRepeated(false);
    state.mayMeetItself(false);
  }
}
