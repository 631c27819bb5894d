package io.gauss.compute.session;

import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.wait.CurrentWait;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What other sessions see of a session: read without a lock, so parts of it may be slightly old.
 * Any thread.
 */
final class SessionActivity {
  private final SessionServices services;
  private final SessionState state;
  private final BooleanSupplier isAnswerHeld;

  /**
   * @param isAnswerHeld whether a statement has ended and its answer waits until it may be sent
   */
  SessionActivity(SessionServices services, SessionState state, BooleanSupplier isAnswerHeld) {
    this.services = services;
    this.state = state;
    this.isAnswerHeld = isAnswerHeld;
  }

  SystemState.SessionRow session() {
    String doing =
        switch (state.control().status()) {
          case 'T' -> "idle in transaction";
          case 'E' -> "idle in transaction (aborted)";
          default -> "idle";
        };
    if (isActive()) {
      doing = "active";
    }
    RoleDef user = services.catalog().current().role(state.roles().sessionOid());
    return new SystemState.SessionRow(
        state.processId(),
        user == null ? null : user.name(), // dropped since, or not committed yet
        state.application(),
        state.client().isEmpty() ? null : state.client(),
        doing,
        state.currentText(),
        currentWait());
  }

  /** The advisory locks that it has. */
  List<SystemState.AdvisoryRow> advisoryLocks() {
    return state.transaction().advisoryLocks().stream()
        .map(held -> new SystemState.AdvisoryRow(state.processId(), held.name(), held.mode()))
        .toList();
  }

  /** Whether a statement runs, as far as other threads can see. */
  boolean isActive() {
    TransactionActivity transaction = state.transaction().activity();
    return transaction != null && runs(transaction);
  }

  private CurrentWait currentWait() {
    CurrentWait wait = state.context().waits().current();
    return wait != null || !isAnswerHeld.getAsBoolean() ? wait : CurrentWait.COMMIT;
  }

  /**
   * As far as other threads can see: a REPEATABLE READ transaction has its snapshot even when idle.
   */
  private static boolean runs(TransactionActivity transaction) {
    return transaction.waiting() != null
        || transaction.snapshotLsn() != 0
            && transaction.isolation() == IsolationLevel.READ_COMMITTED;
  }

  /**
   * Its transaction; null when none is open.
   *
   * @param own whether the session itself asks, with a statement that runs
   */
  SystemState.TransactionRow transaction(long nowMicros, boolean own) {
    TransactionActivity activity = state.transaction().activity();
    if (activity == null) {
      return null;
    }
    boolean running = own || activity.snapshotLsn() != 0;
    String doing = activity.waiting() != null ? "waiting" : running ? "active" : "idle";
    return new SystemState.TransactionRow(
        state.processId(), doing, state.eval().transactionTimestamp, nowMicros, activity);
  }
}
