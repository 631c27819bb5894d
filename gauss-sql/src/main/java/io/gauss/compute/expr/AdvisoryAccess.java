package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.memory.lock.LockName;

/** The session's advisory locks, for the functions about them. Only where waiting is allowed. */
public interface AdvisoryAccess {
  AdvisoryAccess NONE = new AdvisoryAccess() {};

  /** For how long a lock is taken. */
  enum Level {
    /** Until it is given up as many times as it was taken, or the session ends. */
    SESSION,
    /** Until the transaction ends. */
    TRANSACTION
  }

  /**
   * Takes a lock; waits while other sessions exclude it.
   *
   * @throws GaussException 40P01, 53200, 55P03, 57014 and others; {@code WouldBlockException} when
   *     the caller may not wait, before anything has changed
   */
  default void lock(LockName name, boolean isShared, Level level) {
    throw outside();
  }

  /** As {@link #lock}, without waiting for other sessions: false when they have it. */
  default boolean tryLock(LockName name, boolean isShared, Level level) {
    throw outside();
  }

  /**
   * Gives up a lock of the session once; warns the client when there is none.
   *
   * @return whether there was one
   */
  default boolean unlock(LockName name, boolean isShared) {
    throw outside();
  }

  /** Gives up all locks of the session. */
  default void unlockAll() {
    throw outside();
  }

  private static GaussException outside() {
    return GaussException.notSupported("an advisory lock outside a session");
  }
}
