package io.gauss.compute.txn;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of one table on this node.
 *
 * <p>Readers and writers of rows take a weak mode: one add to a striped counter and one look at the
 * gate. Whoever wants a strong mode closes the gate for the modes it conflicts with, then waits
 * until their counters are zero; meanwhile weak requests queue behind it, so DDL is not starved.
 * Strong first closes the gate, then counts; weak first counts, then looks at the gate: so one of
 * the two sees the other.
 *
 * <p>A transaction that already holds a mode here does not queue behind those who wait for it; it
 * looks at granted modes only. Requests are otherwise granted first come first served among those
 * that conflict. Thread-safe; the slow path is under the table's lock, which is never held across a
 * wait.
 */
final class TableLock {
  private static final int STRIPES = 8;
  private static final int STRIDE = 8;
  private static final int WEAK_MODES = 2;
  private static final TableLockMode[] MODES = TableLockMode.values();

  private final int table;
  private final AtomicLongArray counters = new AtomicLongArray(STRIPES * WEAK_MODES * STRIDE);
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Request> requests = new ArrayList<>(); // waiting, first come first; under lock
  private final List<Request> strong = new ArrayList<>(); // granted strong modes; under lock
  private volatile int gate; // bit m: weak mode m has to take the slow path

  TableLock(int table) {
    this.table = table;
  }

  int table() {
    return table;
  }

  /** The quick way in, for weak modes: false when the gate is closed for the mode. */
  boolean tryWeak(int stripe, TableLockMode mode) {
    int counter = counter(stripe, mode);
    counters.getAndIncrement(counter);
    if ((gate & bit(mode)) == 0) {
      return true;
    }
    counters.getAndDecrement(counter);
    wakeWaiting(); // whoever closed the gate may have counted this attempt
    return false;
  }

  /** Whether somebody has or wants a strong mode. */
  boolean isGateClosed() {
    return gate != 0;
  }

  /** A request that queues; {@link Request#reached} grants it when its turn comes. */
  Request request(Transaction transaction, TableLockMode mode, boolean alreadyHolds) {
    Request request = new Request(transaction, mode, alreadyHolds);
    lock.lock();
    try {
      requests.add(request);
      closeGates();
    } finally {
      lock.unlock();
    }
    return request;
  }

  /** Takes back a request that was not granted. */
  void withdraw(Request request) {
    lock.lock();
    try {
      requests.remove(request);
      closeGates();
      wakeAll();
    } finally {
      lock.unlock();
    }
  }

  void releaseWeak(int stripe, TableLockMode mode) {
    counters.getAndDecrement(counter(stripe, mode));
    wakeWaiting();
  }

  void releaseStrong(Transaction transaction, TableLockMode mode) {
    lock.lock();
    try {
      for (int i = strong.size() - 1; i >= 0; i--) {
        if (strong.get(i).transaction == transaction && strong.get(i).mode == mode) {
          strong.remove(i);
          break;
        }
      }
      closeGates();
      wakeAll();
    } finally {
      lock.unlock();
    }
  }

  private void wakeWaiting() {
    if (gate != 0) {
      lock.lock();
      try {
        wakeAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void wakeAll() {
    for (Request request : requests) {
      request.transaction.waiter().wake();
    }
  }

  private void closeGates() {
    int closed = 0;
    for (TableLockMode weak : MODES) {
      if (weak.isWeak() && (anyConflict(strong, weak) || anyConflict(requests, weak))) {
        closed |= bit(weak);
      }
    }
    gate = closed;
  }

  private static boolean anyConflict(List<Request> list, TableLockMode mode) {
    for (Request request : list) {
      if (!request.mode.isWeak() && request.mode.conflictsWith(mode)) {
        return true;
      }
    }
    return false;
  }

  private long weakHolders(TableLockMode mode) {
    long sum = 0;
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      sum += counters.get(counter(stripe, mode));
    }
    return sum;
  }

  private static int counter(int stripe, TableLockMode mode) {
    return ((stripe & (STRIPES - 1)) * WEAK_MODES + mode.ordinal()) * STRIDE;
  }

  private static int bit(TableLockMode weak) {
    return 1 << weak.ordinal();
  }

  /** One transaction's wish for a mode. */
  final class Request implements LockWaiter.Goal {
    private final Transaction transaction;
    private final TableLockMode mode;
    private final boolean alreadyHolds;
    private boolean granted; // of the requester

    private Request(Transaction transaction, TableLockMode mode, boolean alreadyHolds) {
      this.transaction = transaction;
      this.mode = mode;
      this.alreadyHolds = alreadyHolds;
    }

    @Override
    public boolean reached() {
      if (granted) {
        return true;
      }
      lock.lock();
      try {
        if (!isFree()) {
          return false;
        }
        requests.remove(this);
        if (mode.isWeak()) {
          counters.getAndIncrement(counter(transaction.stripe(), mode));
        } else {
          strong.add(this);
        }
        granted = true;
        closeGates();
        wakeAll();
        return true;
      } finally {
        lock.unlock();
      }
    }

    private boolean isFree() {
      for (Request holder : strong) {
        if (holder.transaction != transaction && holder.mode.conflictsWith(mode)) {
          return false;
        }
      }
      for (Request earlier : requests) {
        if (earlier == this) {
          break;
        }
        if (!alreadyHolds && earlier.mode.conflictsWith(mode)) {
          return false;
        }
      }
      for (TableLockMode weak : MODES) {
        if (!mode.isWeak() && weak.isWeak() && weak.conflictsWith(mode)) {
          if (weakHolders(weak) != (transaction.holds(TableLock.this, weak) ? 1 : 0)) {
            return false;
          }
        }
      }
      return true;
    }

    @Override
    public long[] holders() {
      List<Long> holders = new ArrayList<>();
      lock.lock();
      try {
        for (Request holder : strong) {
          if (holder.transaction != transaction && holder.mode.conflictsWith(mode)) {
            holders.add(holder.transaction.waitNumber());
          }
        }
        for (Request earlier : requests) {
          if (earlier == this) {
            break;
          }
          if (!alreadyHolds && earlier.mode.conflictsWith(mode)) {
            holders.add(earlier.transaction.waitNumber());
          }
        }
      } finally {
        lock.unlock();
      }
      if (!mode.isWeak()) {
        transaction.addWeakHolders(TableLock.this, mode, holders);
      }
      return holders.stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public String describe() {
      return mode + " on table " + table;
    }

    @Override
    public TransactionActivity.Wait activity(long nanos) {
      return new TransactionActivity.Wait(table, mode, 0, nanos);
    }
  }
}
