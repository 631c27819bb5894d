package io.gauss.compute.txn;

import io.gauss.common.invariant.Invariant;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLock;
import io.gauss.memory.lock.NodeLock.Held;
import io.gauss.memory.lock.NodeLockTransitions;
import io.gauss.memory.lock.NodeLockTransitions.Step;

/**
 * The modes of one table's lock that this node has on lease from the lock's home. Guarded by the
 * lock of the {@link TableLock} that it belongs to; sends the messages that {@link
 * NodeLockTransitions} decides on.
 *
 * <p>A weak mode is used by the table's lock as a whole, as long as its gate is open for the mode
 * or transactions have it: so a statement that finds the gate open sends no message. A strong mode
 * is used by each transaction that has it, and is given back with its last one.
 */
final class TableLease {
  private static final TableLockMode[] MODES = TableLockMode.values();
  private static final LockMode[] GLOBAL = {
    LockMode.ACCESS_SHARE, LockMode.ROW_EXCLUSIVE, LockMode.SHARE, LockMode.ACCESS_EXCLUSIVE
  };

  /** No request. */
  static final long NONE = 0;

  private final NodeLocks node;
  private final LockName name;
  private NodeLock lock = NodeLock.NOTHING;

  /** By weak mode: whether the table's lock uses the lease. */
  private final boolean[] used = new boolean[TableLock.WEAK_MODES];

  /** By weak mode: open requests, the second of those that do not queue; 0 = none. */
  private final long[][] asked = new long[TableLock.WEAK_MODES][2];

  TableLease(NodeLocks node, int table) {
    this.node = node;
    this.name = NodeLocks.name(table);
  }

  static LockMode global(TableLockMode mode) {
    return GLOBAL[mode.ordinal()];
  }

  // ---- weak modes

  /** Whether transactions may get the weak mode without a request. */
  boolean covers(TableLockMode weak) {
    Held held = held(weak);
    return used[weak.ordinal()] && held != null && held.recalled() == 0;
  }

  /** Whether the weak mode is to be given back as soon as no transaction has it. */
  boolean isLeaving(TableLockMode weak) {
    Held held = held(weak);
    return used[weak.ordinal()] && held != null && held.recalled() != 0;
  }

  /**
   * Requests a weak mode, unless a request is open already.
   *
   * @param ahead of the requests that queue at the home
   */
  void ask(TableLockMode weak, boolean ahead) {
    long[] requests = asked[weak.ordinal()];
    int at = ahead ? 1 : 0;
    if (requests[at] == NONE) {
      long request = node.nextRequest();
      requests[at] = request;
      granted(NodeLockTransitions.acquire(lock, request, global(weak), ahead, false));
    }
  }

  /** No transaction has the weak mode any more, and none can get it: gives it back. */
  void left(TableLockMode weak) {
    used[weak.ordinal()] = false;
    apply(NodeLockTransitions.end(lock, global(weak)));
  }

  // ---- strong modes

  /**
   * Requests a strong mode.
   *
   * @return number of the request; it may be granted at once: see {@link #isGranted}
   */
  long acquire(TableLockMode strong, boolean ahead) {
    long request = node.nextRequest();
    apply(NodeLockTransitions.acquire(lock, request, global(strong), ahead, false));
    return request;
  }

  /** Whether a request that was made is no longer open. */
  boolean isGranted(long request) {
    return lock.asked().stream().noneMatch(open -> open.request() == request);
  }

  /** Withdraws a request that was not granted. */
  void withdraw(long request) {
    apply(NodeLockTransitions.withdraw(lock, request));
  }

  /** A transaction that had the strong mode has ended. */
  void end(TableLockMode strong) {
    apply(NodeLockTransitions.end(lock, global(strong)));
    apply(NodeLockTransitions.giveBack(lock));
  }

  // ---- what the home says

  /**
   * Carries out an order of the home; returns the request for a strong mode that is granted now.
   */
  long ordered(LockAction action) {
    return switch (action) {
      case LockAction.Grant grant -> {
        long strong = granted(NodeLockTransitions.granted(lock, grant));
        apply(NodeLockTransitions.giveBack(lock)); // if no transaction wanted it any more
        yield strong;
      }
      case LockAction.Recall recall -> {
        apply(NodeLockTransitions.recalled(lock, recall));
        yield NONE;
      }
      case LockAction.Keep keep -> {
        apply(NodeLockTransitions.kept(lock, keep));
        yield NONE;
      }
      case LockAction.Probe p -> throw Invariant.broken("a table is locked now or not at all");
      case LockAction.Deny d -> throw Invariant.broken("a table is locked now or not at all");
    };
  }

  /**
   * The home cannot serve a request.
   *
   * @return the weak mode that it was for; null for a strong one, or none that is open
   */
  TableLockMode refused(long request) {
    lock =
        new NodeLock(
            lock.leases(),
            lock.asked().stream().filter(open -> open.request() != request).toList());
    for (int mode = 0; mode < asked.length; mode++) {
      for (int at = 0; at < asked[mode].length; at++) {
        if (asked[mode][at] == request) {
          asked[mode][at] = NONE;
          return MODES[mode];
        }
      }
    }
    return null;
  }

  /** There is a new home: reports to it the modes on lease. */
  void homeChanged() {
    apply(NodeLockTransitions.homeLost(lock));
  }

  /** The new home serves. */
  void askAgain() {
    apply(NodeLockTransitions.askAgain(lock));
  }

  /** Whether the home wants any of it back. */
  boolean isRecalled() {
    return lock.leases().stream().anyMatch(held -> held.recalled() != 0);
  }

  /** Modes on lease. */
  int size() {
    return lock.leases().size();
  }

  // ---- inside

  private Held held(TableLockMode mode) {
    for (Held held : lock.leases()) {
      if (held.mode() == global(mode)) {
        return held;
      }
    }
    return null;
  }

  private void apply(Step step) {
    lock = step.lock();
    step.messages().forEach(message -> node.send(name, message));
  }

  /** Notes which requests the step has granted; returns the request if it is for a strong one. */
  private long granted(Step step) {
    apply(step);
    long request = step.granted();
    for (int mode = 0; mode < asked.length && request != NONE; mode++) {
      for (int at = 0; at < asked[mode].length; at++) {
        if (asked[mode][at] == request) {
          asked[mode][at] = NONE;
          took(MODES[mode]);
          return NONE;
        }
      }
    }
    return request;
  }

  private void took(TableLockMode weak) {
    if (used[weak.ordinal()]) {
      // It was requested twice, once ahead of others: the lock as a whole is one user.
      apply(NodeLockTransitions.end(lock, global(weak)));
    }
    used[weak.ordinal()] = true;
  }
}
