package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.AdvisoryAccess;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;

/**
 * What functions do with the session's advisory locks. Never where waiting is not allowed: a
 * statement that would have to wait is run again from its start, and what it has done with the
 * session's locks is not undone.
 */
final class SessionAdvisoryLocks implements AdvisoryAccess {
  private final SessionState state;

  SessionAdvisoryLocks(SessionState state) {
    this.state = state;
  }

  private static LockMode mode(boolean isShared) {
    return isShared ? LockMode.SHARE : LockMode.EXCLUSIVE;
  }

  @Override
  public void lock(LockName name, boolean isShared, Level level) {
    take(name, isShared, level, false);
  }

  @Override
  public boolean tryLock(LockName name, boolean isShared, Level level) {
    if (take(name, isShared, level, true)) {
      return true;
    }
    checkNotMeetingItself();
    return false;
  }

  /**
   * Whoever has the lock may be the first attempt of the transaction, which ran on another node and
   * is not rolled back yet. The text need not show that it tries to get a lock, as for a view.
   *
   * @throws GaussException 40001
   */
  private void checkNotMeetingItself() {
    if (state.mayMeetItself()) {
      throw new GaussException(
              SqlState.SERIALIZATION_FAILURE,
              "the transaction is rolled back: it may have had the advisory lock on a compute node"
                  + " that is lost")
          .hint("The transaction might succeed if retried.");
    }
  }

  private boolean take(LockName name, boolean isShared, Level level, boolean now) {
    state.context().waits().beforeWait();
    return state.transaction().lockAdvisory(name, mode(isShared), level == Level.TRANSACTION, now);
  }

  @Override
  public boolean unlock(LockName name, boolean isShared) {
    state.context().waits().beforeWait();
    if (state.transaction().unlockAdvisory(name, mode(isShared))) {
      return true;
    }
    state.warn(
        new GaussException(
            SqlState.WARNING, "you don't own a lock of type " + mode(isShared).title()));
    return false;
  }

  @Override
  public void unlockAll() {
    state.context().waits().beforeWait();
    state.transaction().unlockAllAdvisory();
  }
}
