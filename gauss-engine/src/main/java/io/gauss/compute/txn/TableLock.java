package io.gauss.compute.txn;

import io.gauss.common.deadlock.WaitNumber;
import io.gauss.common.error.GaussException;
import io.gauss.memory.lock.LockAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of one table on this node.
 *
 * <p>Readers and writers of rows take a weak mode: one add to a striped counter and one read of the
 * gate. A request for a strong mode closes the gate for the modes with which it conflicts, then
 * waits until their counters are zero; meanwhile weak requests queue behind it, so DDL is not
 * starved. Strong first closes the gate, then counts; weak first counts, then reads the gate: so
 * one of the two sees the other.
 *
 * <p>A transaction that already holds a mode here does not queue behind transactions that wait for
 * it; it checks granted modes only. Otherwise conflicting requests are granted first come first
 * served. Thread-safe; the slow path is under the table's lock, which is never held across a wait.
 *
 * <p>On one of several compute nodes the gate is open for a weak mode only while the node has it on
 * lease ({@link TableLease}), and is closed when the lease is to be given back, which happens when
 * the counter is zero. A strong mode is first acquired on this node, then requested from the home.
 */
final class TableLock implements KeptLease {
  private static final int STRIPES = 8;
  private static final int STRIDE = 8;
  static final int WEAK_MODES = 2;

  private static final int WEAK_BITS = (1 << WEAK_MODES) - 1;

  /** In the gate: a transaction waits for weak modes to be given up. */
  private static final int WATCHED = 1 << 16;

  /** A wait that was checked this often stops queueing; about a second. */
  private static final int PATIENT_CHECKS = 10;

  private static final TableLockMode[] MODES = TableLockMode.values();

  private final int table;
  private final NodeLocks leases;
  private final AtomicLongArray counters = new AtomicLongArray(STRIPES * WEAK_MODES * STRIDE);
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Request> requests = new ArrayList<>(); // waiting, first come first; under lock
  private final List<Request> strong = new ArrayList<>(); // granted strong modes; under lock
  private final TableLease lease; // null on a single node; under lock
  private boolean watched; // holders of a recalled lease are being reported; under lock
  private long openings = 1; // of the gate; under lock
  private volatile long leaseNumber = 1; // set to openings before the gate opens
  private volatile int gate; // bit m: weak mode m has to take the slow path

  /**
   * @param leases null on a single node
   */
  TableLock(int table, NodeLocks leases) {
    this.table = table;
    this.leases = leases;
    this.lease = leases == null ? null : new TableLease(leases, table);
    closeGates();
  }

  int table() {
    return table;
  }

  /** The fast path, for weak modes: false when the gate is closed for the mode. */
  boolean tryWeak(int stripe, TableLockMode mode) {
    int counter = counter(stripe, mode);
    counters.getAndIncrement(counter);
    if ((gate & bit(mode)) == 0) {
      return true;
    }
    counters.getAndDecrement(counter);
    wakeWaiting(); // the request that closed the gate may have counted this attempt
    return false;
  }

  /** Whether any transaction has or wants a strong mode, here or on another node. */
  boolean isGateClosed() {
    return gate != 0;
  }

  /**
   * A number that stays the same while no transaction anywhere gets a strong mode that conflicts
   * with the weak one; 0 when one may have it now.
   */
  long leaseNumber(TableLockMode weak) {
    return (gate & bit(weak)) != 0 ? 0 : leaseNumber;
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

  /** Withdraws a request whose requester has given up; it may have been granted meanwhile. */
  void withdraw(Request request) {
    lock.lock();
    try {
      int place = requests.indexOf(request);
      if (place >= 0) { // nobody ahead of it has waited for it
        requests.remove(place);
      }
      requests
          .subList(Math.max(place, 0), requests.size())
          .forEach(behind -> behind.isOutdated = true);
      request.giveUp();
      settle();
    } finally {
      lock.unlock();
    }
  }

  void releaseWeak(int stripe, TableLockMode mode) {
    counters.getAndDecrement(counter(stripe, mode));
    wakeWaiting();
  }

  /**
   * @param csn the transaction's commit, or the last one that it has seen, 0 = none: other nodes
   *     get the lock when the commit is visible
   */
  void releaseStrong(Transaction transaction, TableLockMode mode, long csn) {
    lock.lock();
    try {
      for (int i = strong.size() - 1; i >= 0; i--) {
        if (strong.get(i).transaction == transaction && strong.get(i).mode == mode) {
          strong.remove(i);
          break;
        }
      }
      if (lease != null && leases.isVisible(csn)) {
        lease.end(mode);
      }
      settle();
    } finally {
      lock.unlock();
    }
    if (lease != null && !leases.isVisible(csn)) {
      leases.whenVisible(csn, () -> endLease(mode));
    }
  }

  private void endLease(TableLockMode mode) {
    lock.lock();
    try {
      lease.end(mode);
      settle();
    } finally {
      lock.unlock();
    }
  }

  private void wakeWaiting() {
    if ((gate & WATCHED) != 0) {
      lock.lock();
      try {
        settle();
      } finally {
        lock.unlock();
      }
    }
  }

  // ---- leases

  /** The home of this lock orders something. */
  void ordered(LockAction action) {
    change(
        () -> {
          long request = lease.ordered(action);
          for (Request granted : strong) {
            granted.isLeased |= request != TableLease.NONE && granted.leaseRequest == request;
          }
        });
  }

  /** The home cannot serve a request. */
  void refused(long request, GaussException why) {
    change(
        () -> {
          TableLockMode weak = lease.refused(request);
          for (Request asking : weak == null ? strong : requests) {
            if (weak == null ? asking.leaseRequest == request : asking.mode == weak) {
              asking.failure = why;
            }
          }
        });
  }

  void homeChanged() {
    change(lease::homeChanged);
  }

  void askAgain() {
    change(lease::askAgain);
  }

  private void change(Runnable action) {
    lock.lock();
    try {
      action.run();
      settle();
    } finally {
      lock.unlock();
    }
  }

  /** Whether there is still a lease to give back that transactions of this node keep. */
  @Override
  public boolean isStillWatched() {
    lock.lock();
    try {
      watched = lease.isRecalled();
      return watched;
    } finally {
      lock.unlock();
    }
  }

  /** It is never given up before the end of a transaction. */
  @Override
  public long changes() {
    return 0;
  }

  @Override
  public List<Mode> modes(int slot) {
    return Arrays.stream(MODES)
        .map(
            mode ->
                new Mode(
                    WaitNumber.ofLock(slot, table, mode.ordinal()),
                    leases.holders(this, mode),
                    "who keeps " + mode + " on table " + table + " from others"))
        .toList();
  }

  /** Called after a change of held, wanted or leased modes. Under the lock. */
  private void settle() {
    closeGates();
    if (lease != null) {
      settleLease();
    }
    wakeAll();
  }

  private void settleLease() {
    boolean changed = false;
    for (Request request : List.copyOf(requests)) {
      // At once, since the lease may have to be given back before the requester is awake.
      if (request.mode.isWeak() && lease.covers(request.mode) && request.isFree()) {
        request.grantWeak();
        changed = true;
      }
    }
    for (TableLockMode weak : MODES) {
      // The gate is closed for the mode by now: the counter only falls.
      if (weak.isWeak() && lease.isLeaving(weak) && weakHolders(weak) == 0) {
        lease.left(weak);
        changed = true;
      }
    }
    if (changed) {
      closeGates();
    }
    if (!watched && lease.isRecalled()) {
      watched = true;
      leases.watch(this);
    }
  }

  private void wakeAll() {
    for (Request request : requests) {
      request.transaction.waiter().wake();
    }
    for (Request request : strong) {
      if (!request.isLeased) {
        request.transaction.waiter().wake();
      }
    }
  }

  private void closeGates() {
    int closed = 0;
    for (TableLockMode weak : MODES) {
      if (weak.isWeak()
          && (anyConflict(strong, weak) || anyConflict(requests, weak) || !isLeased(weak))) {
        closed |= bit(weak);
      }
    }
    if (!requests.isEmpty() || (lease != null && lease.isRecalled())) {
      closed |= WATCHED;
    }
    if ((gate & ~closed & WEAK_BITS) != 0) {
      openings++;
      leaseNumber = openings; // before the gate opens
    }
    gate = closed;
  }

  private boolean isLeased(TableLockMode weak) {
    return lease == null || lease.covers(weak);
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

  /** One transaction's request for a mode. Its fields are guarded by the table's lock. */
  final class Request implements LockWaiter.Goal {
    private final Transaction transaction;
    private final TableLockMode mode;
    private final boolean alreadyHolds;
    private boolean granted; // on this node
    private boolean isLeased = lease == null; // a strong one: and by the home
    private long leaseRequest = TableLease.NONE; // a strong one
    private boolean ahead; // does not queue at the home
    private int checks;
    private GaussException failure;

    /** Somebody for whom this was reported to wait has given up, and its transaction goes on. */
    private volatile boolean isOutdated;

    /** When homes were first seen to be away, by a monotonic clock; 0 = they are not. */
    private long awaySince;

    private Request(Transaction transaction, TableLockMode mode, boolean alreadyHolds) {
      this.transaction = transaction;
      this.mode = mode;
      this.alreadyHolds = alreadyHolds;
      this.ahead = alreadyHolds;
    }

    @Override
    public boolean reached() {
      lock.lock();
      try {
        if (failure != null) {
          throw failure;
        }
        if (!granted && isFree()) {
          grant();
        }
        boolean hasIt = granted && (mode.isWeak() || isLeased);
        if (!hasIt && leases != null) {
          awaySince = leases.requireHomes(awaySince);
        }
        return hasIt;
      } finally {
        lock.unlock();
      }
    }

    private void grant() {
      if (!mode.isWeak()) {
        requests.remove(this);
        strong.add(this);
        granted = true;
        if (lease != null) {
          acquireLease();
        }
      } else if (isLeased(mode)) {
        grantWeak();
      } else {
        lease.ask(mode, ahead);
        if (!lease.covers(mode)) {
          return; // nothing has changed for other requests
        }
        grantWeak();
      }
      settle();
    }

    private void grantWeak() {
      requests.remove(this);
      counters.getAndIncrement(counter(transaction.stripe(), mode));
      granted = true;
    }

    private void acquireLease() {
      leaseRequest = lease.acquire(mode, ahead);
      isLeased = lease.isGranted(leaseRequest);
    }

    /** The requester gives up without using the mode that it has got. */
    private void giveUp() {
      if (!granted) {
        return;
      }
      if (mode.isWeak()) {
        counters.getAndDecrement(counter(transaction.stripe(), mode));
        return;
      }
      strong.remove(this);
      if (lease != null && isLeased) {
        lease.end(mode);
      } else if (lease != null) {
        lease.withdraw(leaseRequest);
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
        if (isOutdated) {
          transaction.waiter().renew();
          isOutdated = false;
        }
        for (Request holder : strong) {
          if (holder.transaction != transaction && holder.mode.conflictsWith(mode)) {
            holders.add(holder.transaction.waitNumber());
          }
        }
        for (Request earlier : requests) {
          if (granted || earlier == this) {
            break; // those that follow wait for this one
          }
          if (!alreadyHolds && earlier.mode.conflictsWith(mode)) {
            holders.add(earlier.transaction.waitNumber());
          }
        }
        if (lease != null && (granted || isFree())) {
          leases.addOthers(slot -> WaitNumber.ofLock(slot, table, mode.ordinal()), holders);
          queueNoLonger();
        }
      } finally {
        lock.unlock();
      }
      if (!mode.isWeak()) {
        transaction.addWeakHolders(TableLock.this, mode, holders);
      }
      return holders.stream().mapToLong(Long::longValue).toArray();
    }

    /**
     * A request that has waited for long, and whose transaction others may wait for, is no longer
     * kept behind requests that only wait at the home: these may be part of a cycle that is in no
     * graph.
     */
    private void queueNoLonger() {
      if (ahead || ++checks < PATIENT_CHECKS || !transaction.hasLocks()) {
        return;
      }
      ahead = true;
      if (mode.isWeak()) {
        lease.ask(mode, true);
      } else if (!isLeased) {
        lease.withdraw(leaseRequest);
        acquireLease();
      }
      settle();
    }

    @Override
    public boolean lasts() {
      return !isOutdated;
    }

    @Override
    public String describe() {
      return mode + " on table " + table;
    }

    @Override
    public TransactionActivity.Wait activity(long nanos) {
      return new TransactionActivity.TableWait(table, mode, nanos);
    }
  }
}
