package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.invariant.Invariant;
import io.gauss.compute.routing.TransactionSampler;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.setting.SessionSettings;
import io.gauss.compute.session.setting.SettingChecks;
import io.gauss.compute.session.setting.SettingDefinitions;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.util.ArrayList;
import java.util.List;

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

  private record Savepoint(String name, long undo, int settings, long ddl) {}

  private final Transaction transaction;
  private final SessionSettings settings;
  private final DdlScope ddl;
  private final TransactionSampler sampler;
  private final List<Savepoint> savepoints = new ArrayList<>(0);
  private State state = State.IDLE;

  /** A block in which only its BEGIN has run. */
  private boolean fresh;

  /** The part of a transaction that is not rows: DDL's changes of the catalog and of spaces. */
  interface DdlScope {
    /** The position for {@link #rolledBackTo}. */
    long position();

    /** Discards the changes after the position; the catalog's rows have already been undone. */
    void rolledBackTo(long position);

    void rolledBack();

    /** Called before the transaction's commit is reserved. */
    void beforeCommit();

    /** Commits the transaction, and publishes its other changes; see Transaction.commit. */
    long commit();
  }

  TransactionControl(
      Transaction transaction, SessionSettings settings, DdlScope ddl, TransactionSampler sampler) {
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
    transaction.begin(level(settings.get("default_transaction_isolation")));
    state = opened;
    sampler.begun();
    if (!settings.get("default_transaction_isolation").equals("read committed")) {
      settings.set("transaction_isolation", settings.get("default_transaction_isolation"), true);
    }
    if (settings.get("default_transaction_read_only").equals("on")) {
      settings.set("transaction_read_only", "on", true);
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

  /** Something other than BEGIN runs. */
  void used() {
    fresh = false;
  }

  /** Whether a block is open in which only its BEGIN has run. */
  boolean isFresh() {
    return fresh && state == State.BLOCK;
  }

  /** Sets the level of the transaction that is open; only before its first statement. */
  void isolation(String name) {
    String wanted = SettingDefinitions.find("transaction_isolation").normalise(name);
    SettingChecks.check(SettingDefinitions.find("transaction_isolation"), wanted);
    if (level(wanted) != transaction.isolation()) {
      if (transaction.hasSnapshot() || !savepoints.isEmpty()) {
        throw new GaussException(
            SqlState.ACTIVE_SQL_TRANSACTION,
            "SET TRANSACTION ISOLATION LEVEL must be called before any query");
      }
      transaction.isolation(level(wanted));
    }
    settings.set("transaction_isolation", wanted, true);
  }

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
      ddl.beforeCommit();
      // The schema is published before the table locks are released: their waiters plan with it.
      long lsn = ddl.commit();
      isCommitted = true;
      settings.commit();
      return lsn;
    } finally {
      if (!transaction.isActive()) {
        ended(isCommitted);
      }
    }
  }

  /** Undoes everything and ends; may wait. */
  void rollback() {
    if (transaction.isActive()) {
      transaction.rollback();
    }
    ddl.rolledBack();
    settings.rollback();
    ended(false);
  }

  private void ended(boolean isCommitted) {
    sampler.ended(isCommitted);
    state = State.IDLE;
    savepoints.clear();
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
          ddl.rolledBack();
        } else {
          Savepoint innermost = savepoints.getLast();
          transaction.rollbackTo(innermost.undo());
          ddl.rolledBackTo(innermost.ddl());
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

  /** Number of savepoints that are set. */
  int level() {
    return savepoints.size();
  }

  void savepoint(String name) {
    requireBlock("SAVEPOINT");
    savepoints.add(
        new Savepoint(name, transaction.savepoint(), settings.position(), ddl.position()));
  }

  void release(String name) {
    requireBlock("RELEASE SAVEPOINT");
    int index = find(name);
    while (savepoints.size() > index) {
      savepoints.removeLast();
    }
  }

  void rollbackTo(String name) {
    requireBlock("ROLLBACK TO SAVEPOINT");
    int index = find(name);
    Savepoint savepoint = savepoints.get(index);
    transaction.rollbackTo(savepoint.undo());
    ddl.rolledBackTo(savepoint.ddl());
    settings.rollbackTo(savepoint.settings());
    while (savepoints.size() > index + 1) {
      savepoints.removeLast();
    }
    state = State.BLOCK;
  }

  /**
   * Number of savepoints below the named one.
   *
   * @throws GaussException 3B001 when there is none with that name, 25P01 outside a block
   */
  int levelOf(String name) {
    requireBlock("ROLLBACK TO SAVEPOINT");
    return find(name);
  }

  private int find(String name) {
    for (int i = savepoints.size() - 1; i >= 0; i--) {
      if (savepoints.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new GaussException(
        SqlState.INVALID_SAVEPOINT_SPECIFICATION,
        "savepoint \"%s\" does not exist".formatted(name));
  }

  private void requireBlock(String statement) {
    if (state != State.BLOCK && state != State.FAILED) {
      throw new GaussException(
          SqlState.NO_ACTIVE_SQL_TRANSACTION,
          statement + " can only be used in transaction blocks");
    }
  }
}
