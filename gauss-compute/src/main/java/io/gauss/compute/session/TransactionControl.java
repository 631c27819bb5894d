package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.invariant.Invariant;
import io.gauss.compute.routing.TransactionSampler;
import io.gauss.compute.session.Savepoints.Savepoint;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.setting.SessionSettings;
import io.gauss.compute.session.setting.TransactionMode;
import io.gauss.compute.sql.exec.deferred.PendingChecks;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.util.EnumMap;
import java.util.Map;

/**
 * The transaction block of a session as PostgreSQL's clients see it: idle, an implicit transaction
 * around the statements of one message group, a block, a failed block; and the savepoints in it.
 *
 * <p>An error undoes what the failed statement's subtransaction did at once, so that its row locks
 * do not outlive it: down to the innermost savepoint, or the whole transaction when there is none.
 * Belongs to the session.
 */
final class TransactionControl {
  enum State {
    IDLE,
    /** Ends by itself at Sync or at the end of a simple query. */
    IMPLICIT,
    BLOCK,
    /** A block in which a statement failed; only its end or ROLLBACK TO leaves this state. */
    FAILED
  }

  private final Transaction transaction;
  private final SessionSettings settings;
  private final DdlScope ddl;
  private final TransactionSampler sampler;
  private final PendingChecks pending;
  private final SessionNotifications notifications;
  private final Savepoints savepoints;
  private State state = State.IDLE;

  /** A block in which only its BEGIN has run. */
  private boolean fresh;

  /** A simple query of several statements runs. */
  private boolean several;

  /** The part of a transaction that is not rows: DDL's changes of the catalog and of spaces. */
  interface DdlScope {
    /** The position for {@link #rolledBackTo}. */
    long position();

    /** Discards the changes after the position; the catalog's rows have already been undone. */
    void rolledBackTo(long position);

    void rolledBack();

    /** Commits the transaction, and publishes its other changes; see Transaction.commit. */
    long commit();
  }

  TransactionControl(
      Transaction transaction,
      SessionSettings settings,
      DdlScope ddl,
      TransactionSampler sampler,
      PendingChecks pending,
      SessionNotifications notifications,
      ClientMemory.Share memory) {
    this.savepoints = new Savepoints(memory);
    this.pending = pending;
    this.notifications = notifications;
    this.transaction = transaction;
    this.settings = settings;
    this.ddl = ddl;
    this.sampler = sampler;
  }

  State state() {
    return state;
  }

  char status() {
    return switch (state) {
      case IDLE, IMPLICIT -> 'I';
      case BLOCK -> 'T';
      case FAILED -> 'E';
    };
  }

  boolean isActive() {
    return state == State.IMPLICIT || state == State.BLOCK;
  }

  private static IsolationLevel level(String name) {
    return switch (name) {
      case "repeatable read" -> IsolationLevel.REPEATABLE_READ;
      case "read committed", "read uncommitted" -> IsolationLevel.READ_COMMITTED;
      default -> throw new IllegalStateException("isolation level " + name);
    };
  }

  /** Makes sure that a transaction is open for the next statement. */
  void ensureOpen() {
    if (state == State.IDLE) {
      open(State.IMPLICIT);
    }
  }

  private void open(State opened) {
    transaction.begin(level(settings.getDefault(TransactionMode.ISOLATION)));
    state = opened;
    sampler.begun();
    for (TransactionMode mode : TransactionMode.values()) {
      settings.setForTransaction(mode, settings.getDefault(mode));
    }
  }

  /** BEGIN: false when a block is open already, which is a warning. */
  boolean begin() {
    switch (state) {
      case IDLE -> {
        open(State.BLOCK);
        fresh = true;
      }
      case IMPLICIT -> state = State.BLOCK;
      case BLOCK, FAILED -> {
        return false;
      }
    }
    return true;
  }

  /**
   * Begins or ends a simple query. Its statements are one transaction if there are several, up to
   * the first COMMIT or ROLLBACK in it, and again up to the next: also for those that need none.
   */
  void ofSeveral(boolean statements) {
    several = statements;
  }

  /** Opens the transaction of a simple query of several statements. */
  void ensureOpenOfSeveral() {
    if (several) {
      ensureOpen();
    }
  }

  /** Whether what is set for the transaction lasts for statements to come. */
  boolean isInBlock() {
    return several || state == State.BLOCK;
  }

  /** Something other than BEGIN runs. */
  void used() {
    fresh = false;
  }

  /** Whether a block is open in which only its BEGIN has run. */
  boolean isFresh() {
    return fresh && state == State.BLOCK;
  }

  // ---------------------------------------------------------------- modes

  /**
   * Whether a mode of the open transaction may have this value, by whatever way it is set: SET
   * TRANSACTION, SET, set_config.
   *
   * @throws GaussException 25001 when it is too late to change it
   */
  void check(TransactionMode mode, String value) {
    if (!transaction.isActive()) {
      return;
    }
    switch (mode) {
      case ISOLATION -> {
        if (level(value) == transaction.isolation()) {
          return;
        }
        if (transaction.hasSnapshot()) {
          throw tooLate("SET TRANSACTION ISOLATION LEVEL must be called before any query");
        }
        if (!savepoints.isEmpty()) {
          throw tooLate("SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
        }
      }
      case READ_ONLY -> {
        if (value.equals("on") || !isReadOnly()) {
          return;
        }
        if (!savepoints.isEmpty()) {
          throw tooLate("cannot set transaction read-write mode inside a read-only transaction");
        }
        if (transaction.hasSnapshot()) {
          throw tooLate("transaction read-write mode must be set before any query");
        }
      }
    }
  }

  private static GaussException tooLate(String message) {
    return new GaussException(SqlState.ACTIVE_SQL_TRANSACTION, message);
  }

  /** A mode of the transaction has been set. */
  void changed(TransactionMode mode, String value) {
    if (mode == TransactionMode.ISOLATION
        && transaction.isActive()
        && level(value) != transaction.isolation()) {
      transaction.isolation(level(value));
    }
  }

  boolean isReadOnly() {
    return settings.get(TransactionMode.READ_ONLY).equals("on");
  }

  /**
   * The modes of the next transaction after COMMIT or ROLLBACK AND CHAIN. A rollback ends
   * subtransactions first, and with them what they made read-only.
   */
  Map<TransactionMode, String> chained(boolean commits) {
    Map<TransactionMode, String> modes = new EnumMap<>(TransactionMode.class);
    for (TransactionMode mode : TransactionMode.values()) {
      modes.put(mode, settings.get(mode));
    }
    if (!commits && !savepoints.isEmpty()) {
      modes.put(TransactionMode.READ_ONLY, savepoints.outermost().isReadOnly() ? "on" : "off");
    }
    return modes;
  }

  /**
   * Called for everything that changes more than temporary tables. Opens the transaction, since
   * only then it has the modes that the session's defaults give it.
   *
   * @param command for the message
   * @throws GaussException 25006
   */
  void requireReadWrite(String command) {
    ensureOpen();
    if (isReadOnly()) {
      throw new GaussException(
          SqlState.READ_ONLY_SQL_TRANSACTION,
          "cannot execute %s in a read-only transaction".formatted(command));
    }
  }

  // ---------------------------------------------------------------- ends

  void checkNotFailed() {
    if (state == State.FAILED) {
      throw new GaussException(
          SqlState.IN_FAILED_SQL_TRANSACTION,
          "current transaction is aborted, commands ignored until end of transaction block");
    }
  }

  /**
   * Ends the transaction successfully, without waiting. The answer is sent once the commit is
   * visible; with gauss.commit_wait = local once it is durable, and other readers still wait for
   * the other nodes (rule 4).
   */
  void commit(ResponseWriter out) {
    boolean local = hasWritten() && settings.get("gauss.commit_wait").equals("local");
    long lsn = commit();
    if (local) {
      out.requireDurable(lsn);
    } else {
      out.requireVisible(lsn);
    }
  }

  private long commit() {
    boolean isCommitted = false;
    try {
      // The schema is published before the table locks are released: their waiters plan with it.
      long lsn = ddl.commit();
      notifications.committed(lsn);
      isCommitted = true;
      settings.commit();
      return lsn;
    } finally {
      if (transaction.isActive()) {
        // The block may go on from a savepoint, and commit once more.
        notifications.commitFailed();
      } else {
        ended(isCommitted);
      }
    }
  }

  /** Undoes everything and ends; may wait. */
  void rollback() {
    notifications.commitFailed();
    if (transaction.isActive()) {
      transaction.rollback();
    }
    ddl.rolledBack();
    settings.rollback();
    ended(false);
  }

  private void ended(boolean isCommitted) {
    pending.clear();
    notifications.ended();
    sampler.ended(isCommitted);
    state = State.IDLE;
    savepoints.keep(0);
  }

  /**
   * After a failed statement: undoes its subtransaction. May wait.
   *
   * @return whether the block is failed now (false: it was an implicit transaction, which has
   *     ended)
   */
  boolean fail() {
    switch (state) {
      case IDLE -> {
        return false;
      }
      case IMPLICIT -> {
        rollback();
        return false;
      }
      case BLOCK -> {
        if (savepoints.isEmpty()) {
          if (transaction.isActive()) {
            transaction.rollback();
          }
          pending.clear();
          notifications.ended();
          ddl.rolledBack();
        } else {
          Savepoint innermost = savepoints.innermost();
          pending.rollbackTo(innermost.pending());
          transaction.rollbackTo(innermost.undo());
          ddl.rolledBackTo(innermost.ddl());
          transaction.releaseAdvisory(innermost.advisory());
          notifications.rollbackTo(innermost.notifications());
        }
        state = State.FAILED;
        return true;
      }
      case FAILED -> {
        return true;
      }
    }
    throw Invariant.broken("transaction block in state " + state);
  }

  /** Whether ending a failed statement has to undo anything, which may wait. */
  boolean hasWritten() {
    return transaction.isActive() && transaction.xid() != 0;
  }

  /** SET CONSTRAINTS has had keys checked: only a savepoint can make them pending again. */
  void checkedConstraints() {
    if (savepoints.isEmpty()) {
      pending.forgetIfChecked();
    }
  }

  /** Number of savepoints that are set. */
  int level() {
    return savepoints.size();
  }

  void savepoint(String name) {
    requireBlock("SAVEPOINT");
    savepoints.add(
        new Savepoint(
            name,
            transaction.savepoint(),
            settings.position(),
            ddl.position(),
            transaction.advisoryPosition(),
            pending.position(),
            notifications.position(),
            isReadOnly()));
  }

  void release(String name) {
    requireBlock("RELEASE SAVEPOINT");
    int index = savepoints.find(name);
    boolean wasReadOnly = savepoints.get(index).isReadOnly();
    savepoints.keep(index);
    settings.setForTransaction(TransactionMode.READ_ONLY, wasReadOnly ? "on" : "off");
  }

  void rollbackTo(String name) {
    requireBlock("ROLLBACK TO SAVEPOINT");
    int index = savepoints.find(name);
    Savepoint savepoint = savepoints.get(index);
    pending.rollbackTo(savepoint.pending());
    transaction.rollbackTo(savepoint.undo());
    ddl.rolledBackTo(savepoint.ddl());
    transaction.releaseAdvisory(savepoint.advisory());
    notifications.rollbackTo(savepoint.notifications());
    settings.rollbackTo(savepoint.settings());
    savepoints.keep(index + 1);
    state = State.BLOCK;
  }

  /**
   * Number of savepoints below the named one.
   *
   * @throws GaussException 3B001 when there is none with that name, 25P01 outside a block
   */
  int levelOf(String name) {
    requireBlock("ROLLBACK TO SAVEPOINT");
    return savepoints.find(name);
  }

  private void requireBlock(String statement) {
    if (state != State.BLOCK && state != State.FAILED) {
      throw new GaussException(
          SqlState.NO_ACTIVE_SQL_TRANSACTION,
          statement + " can only be used in transaction blocks");
    }
  }
}
