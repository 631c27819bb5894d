package io.gauss.compute.txn;

import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The advisory locks of a session, at two levels that are counted apart, as in PostgreSQL. A lock
 * of the session is given up as many times as it was taken, or at the session's end, whatever
 * becomes of transactions meanwhile. A lock of the transaction is given up with the transaction, or
 * with the savepoint behind which it was first taken; taking it again adds nothing to that.
 *
 * <p>Belongs to the session; {@link #activity} may come from any thread.
 */
final class HeldAdvisoryLocks {
  private final Transaction transaction;
  private final AdvisoryLocks locks;

  /** Written by the session under this object's monitor, read by others under it. */
  private final Map<Key, Count> held = new LinkedHashMap<>();

  /** Locks of the transaction, in the order in which they were first taken. */
  private final List<Key> ofTransaction = new ArrayList<>(0);

  private long sessionLocks; // those with a count

  private record Key(LockName name, LockMode mode) {
    /** The same in each run, which an enum's own is not. */
    @Override
    public int hashCode() {
      return 31 * name.hashCode() + mode.id();
    }
  }

  private static final class Count {
    private long ofSession;
    private boolean ofTransaction;
  }

  HeldAdvisoryLocks(Transaction transaction, AdvisoryLocks locks) {
    this.transaction = transaction;
    this.locks = locks;
  }

  /** See {@link Transaction#lockAdvisory}. */
  boolean lock(LockName name, LockMode mode, boolean untilEnd, boolean now) {
    Key key = new Key(name, mode);
    Count count = held.get(key);
    if (count == null) {
      LockMode other = mode == LockMode.SHARE ? LockMode.EXCLUSIVE : LockMode.SHARE;
      if (!locks.lock(transaction, name, mode, held.containsKey(new Key(name, other)), now)) {
        return false;
      }
      count = new Count();
      put(key, count);
    }
    if (!untilEnd) {
      sessionLocks += count.ofSession == 0 ? 1 : 0;
      count.ofSession++;
    } else if (!count.ofTransaction) {
      count.ofTransaction = true;
      ofTransaction.add(key);
    }
    return true;
  }

  /** See {@link Transaction#unlockAdvisory}. */
  boolean unlock(LockName name, LockMode mode) {
    Key key = new Key(name, mode);
    Count count = held.get(key);
    if (count == null || count.ofSession == 0) {
      return false;
    }
    count.ofSession--;
    if (count.ofSession == 0) {
      sessionLocks--;
      releaseUnlessHeld(key, count);
    }
    return true;
  }

  /** Gives up all locks of the session, however often they were taken. */
  void unlockAll() {
    for (Map.Entry<Key, Count> one : List.copyOf(held.entrySet())) {
      one.getValue().ofSession = 0;
      releaseUnlessHeld(one.getKey(), one.getValue());
    }
    sessionLocks = 0;
  }

  /** Number of locks of the transaction, for {@link #rollbackTo}. */
  int position() {
    return ofTransaction.size();
  }

  /** Gives up the locks of the transaction that were first taken after the position. */
  void rollbackTo(int position) {
    while (ofTransaction.size() > position) {
      Key key = ofTransaction.removeLast();
      Count count = held.get(key);
      count.ofTransaction = false;
      releaseUnlessHeld(key, count);
    }
  }

  private void releaseUnlessHeld(Key key, Count count) {
    if (count.ofSession == 0 && !count.ofTransaction) {
      remove(key);
      // What the session has committed, or read, is visible to whoever has the lock next.
      locks.release(transaction, key.name(), key.mode(), transaction.dependsOn());
    }
  }

  private synchronized void put(Key key, Count count) {
    held.put(key, count);
  }

  private synchronized void remove(Key key) {
    held.remove(key);
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /** Whether any of them outlives the transaction. */
  boolean hasOfSession() {
    return sessionLocks > 0;
  }

  /** The locks that the session has; any thread. */
  synchronized List<TransactionActivity.HeldAdvisory> activity() {
    return held.keySet().stream()
        .map(key -> new TransactionActivity.HeldAdvisory(key.name(), key.mode()))
        .toList();
  }
}
