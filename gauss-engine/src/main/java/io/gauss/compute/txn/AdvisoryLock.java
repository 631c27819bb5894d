package io.gauss.compute.txn;

import io.gauss.common.deadlock.WaitNumber;
import io.gauss.common.error.GaussException;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLock;
import io.gauss.memory.lock.NodeLockTransitions;
import io.gauss.memory.lock.NodeLockTransitions.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One advisory lock on this node. Guarded by the mutex of its part of {@link AdvisoryLocks}.
 *
 * <p>A request is granted on this node first, then asked for at the lock's home, like a strong mode
 * of a table. Conflicting requests are served in the order of their arrival; only a session that
 * has the other mode is not kept behind requests that may wait for it. The lease goes back with the
 * last session that has the mode, unless another one of this node takes it over.
 *
 * <p>Other than a table's lock it may be given up before the transaction ends. So who has it now
 * says nothing about later: a wait that was reported to the deadlock detector stands only as long
 * as nobody has given the lock up since ({@link #changes}).
 */
final class AdvisoryLock implements KeptLease {
  private static final LockMode[] MODES = {LockMode.SHARE, LockMode.EXCLUSIVE};

  /** A wait that was checked this often stops queueing at the home; about a second. */
  private static final int PATIENT_CHECKS = 10;

  private final AdvisoryLocks.Part part;
  private final LockName name;
  private final NodeLocks leases; // null on a single node
  private final List<Request> requests = new ArrayList<>(); // waiting for sessions of this node
  private final List<Request> granted = new ArrayList<>(); // on this node
  private NodeLock lease = NodeLock.NOTHING;

  /**
   * Given up by a session whose commits other nodes have not heard of: the lease is kept for it.
   */
  private final List<Object> leaving = new ArrayList<>(0);

  /** Answered once those that were leaving have left. */
  private final List<Postponed> postponed = new ArrayList<>(0);

  private boolean watched; // holders of a recalled lease are being reported
  private volatile long changes;

  private record Postponed(LockAction.Probe probe, List<Object> awaited) {}

  AdvisoryLock(AdvisoryLocks.Part part, LockName name, NodeLocks leases) {
    this.part = part;
    this.name = name;
    this.leases = leases;
  }

  LockName name() {
    return name;
  }

  /** Whether there is nothing to remember. */
  boolean isUnused() {
    return requests.isEmpty() && granted.isEmpty() && lease.equals(NodeLock.NOTHING);
  }

  private static boolean conflict(LockMode one, LockMode other) {
    return one == LockMode.EXCLUSIVE || other == LockMode.EXCLUSIVE;
  }

  // ---- sessions

  /**
   * A request, which is granted when its turn comes.
   *
   * @param hasOther whether the session has the other mode
   * @param now whether it is denied when others have the lock
   */
  Request request(Transaction transaction, LockMode mode, boolean hasOther, boolean now) {
    Request request = new Request(transaction, mode, hasOther, now);
    requests.add(request);
    if (request.isFree()) {
      request.grant();
    } else if (now) {
      requests.remove(request);
      request.isDenied = true;
    }
    return request;
  }

  /** Withdraws a request whose requester has given up; it may have been granted meanwhile. */
  void withdraw(Request request) {
    int place = requests.indexOf(request);
    if (place >= 0) { // nobody ahead of it has waited for it
      requests.remove(place);
      requests.subList(place, requests.size()).forEach(behind -> behind.isOutdated = true);
    } else {
      noteChange();
    }
    if (granted.remove(request)) {
      if (leases != null && request.isLeased) {
        passOn();
        endLease(request.mode);
        return;
      }
      if (leases != null) {
        apply(NodeLockTransitions.withdraw(lease, request.leaseRequest));
      }
    }
    passOn();
  }

  /**
   * A session gives the lock up.
   *
   * @param leaves null when all nodes have heard of what it depends on; otherwise {@link #left}
   *     follows with the same
   */
  void release(Transaction transaction, LockMode mode, Object leaves) {
    granted.removeIf(one -> one.transaction == transaction && one.mode == mode);
    noteChange();
    passOn();
    if (leaves != null) {
      leaving.add(leaves);
    } else if (leases != null) {
      endLease(mode);
    }
  }

  /** By now all nodes have heard of it: see {@link #release}. */
  void left(LockMode mode, Object leaves) {
    leaving.remove(leaves);
    endLease(mode);
    for (Postponed one : List.copyOf(postponed)) {
      one.awaited().remove(leaves);
      if (one.awaited().isEmpty()) {
        postponed.remove(one);
        apply(NodeLockTransitions.probed(lease, one.probe()));
      }
    }
  }

  /** A session that has given the lock up needs the lease no more. */
  private void endLease(LockMode mode) {
    apply(NodeLockTransitions.end(lease, mode));
    apply(NodeLockTransitions.giveBack(lease));
    passOn();
  }

  /** Grants the requests whose turn has come. */
  private void passOn() {
    for (Request request : List.copyOf(requests)) {
      if (request.isFree()) {
        request.grant();
        request.transaction.waiter().wake();
      }
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the mutex
  private void noteChange() {
    changes++;
    requests.forEach(request -> request.isOutdated = true);
  }

  // ---- what the home says

  void ordered(LockAction action) {
    switch (action) {
      case LockAction.Grant grant -> {
        Step step = NodeLockTransitions.granted(lease, grant);
        apply(step);
        for (Request request : granted) {
          if (step.granted() != 0 && request.leaseRequest == step.granted()) {
            request.isLeased = true;
            request.transaction.waiter().wake();
          }
        }
        apply(NodeLockTransitions.giveBack(lease)); // if nobody wanted it any more
      }
      case LockAction.Recall recall -> apply(NodeLockTransitions.recalled(lease, recall));
      case LockAction.Keep keep -> apply(NodeLockTransitions.kept(lease, keep));
      case LockAction.Probe probe -> probed(probe);
      case LockAction.Deny deny -> {
        apply(NodeLockTransitions.denied(lease, deny));
        end(deny.request(), null);
      }
    }
    if (!watched && isRecalled()) {
      watched = true;
      leases.watch(this);
    }
  }

  /**
   * Another node's session wants the lock now or not at all. It is not denied it because of one
   * that was given up: its client may have been told so.
   */
  private void probed(LockAction.Probe probe) {
    boolean isTaken = granted.stream().anyMatch(one -> one.isLeased && one.isAlone());
    if (leaving.isEmpty() || isTaken) {
      apply(NodeLockTransitions.probed(lease, probe));
    } else {
      postponed.add(new Postponed(probe, new ArrayList<>(leaving)));
    }
  }

  /** The home cannot serve a request. */
  void refused(long request, GaussException why) {
    apply(NodeLockTransitions.denied(lease, new LockAction.Deny(0, request)));
    end(request, why);
  }

  /**
   * The home does not grant a request.
   *
   * @param failure null when others have the lock
   */
  private void end(long leaseRequest, GaussException failure) {
    for (Request request : List.copyOf(granted)) {
      if (!request.isLeased && request.leaseRequest == leaseRequest) {
        granted.remove(request);
        request.failure = failure;
        request.isDenied = failure == null;
        request.transaction.waiter().wake();
        noteChange();
      }
    }
    passOn();
  }

  void homeChanged() {
    postponed.clear(); // the new one asks again
    apply(NodeLockTransitions.homeLost(lease));
  }

  void askAgain() {
    apply(NodeLockTransitions.askAgain(lease));
  }

  private void apply(Step step) {
    lease = step.lock();
    step.messages().forEach(message -> leases.send(name, message));
  }

  // ---- deadlocks

  private boolean isRecalled() {
    return lease.leases().stream().anyMatch(held -> held.recalled() != 0);
  }

  @Override
  public boolean isStillWatched() {
    ReentrantLock mutex = part.mutex();
    mutex.lock();
    try {
      watched = isRecalled();
      return watched;
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public long changes() {
    return changes;
  }

  @Override
  public List<Mode> modes(int slot) {
    ReentrantLock mutex = part.mutex();
    mutex.lock();
    try {
      List<Mode> all = new ArrayList<>();
      for (LockMode mode : MODES) {
        List<Long> holders = new ArrayList<>();
        for (Request request : granted) {
          if (request.isLeased && conflict(request.mode, mode)) {
            holders.add(request.transaction.waitNumber());
          }
        }
        all.add(
            new Mode(
                WaitNumber.ofAdvisory(slot, hash(), mode.id()),
                holders.stream().mapToLong(Long::longValue).toArray(),
                "who keeps " + describe(mode) + " from others"));
      }
      return all;
    } finally {
      mutex.unlock();
    }
  }

  /** Two locks with the same one, of those that are waited for over nodes, are unlikely enough. */
  private long hash() {
    long mixed = (name.id() ^ (long) name.kind().id() << 58) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
    return mixed ^ mixed >>> 32;
  }

  private String describe(LockMode mode) {
    return "%s on advisory lock [%d,%d,%d]"
        .formatted(mode.title(), name.upperKey(), name.lowerKey(), name.keys());
  }

  /** One session's request for a mode, and its right to it once granted. */
  final class Request implements LockWaiter.Goal {
    private final Transaction transaction;
    private final LockMode mode;
    private final boolean hasOther;
    private final boolean now;
    private volatile boolean isLeased; // granted by the home, or there is none
    private long leaseRequest;
    private boolean ahead; // does not queue at the home
    private int checks;
    private GaussException failure;

    /** When homes were first seen to be away, by a monotonic clock; 0 = they are not. */
    private long awaySince;

    private volatile boolean isDenied;

    /** Somebody has given the lock up since this wait was reported. */
    private volatile boolean isOutdated;

    private Request(Transaction transaction, LockMode mode, boolean hasOther, boolean now) {
      this.transaction = transaction;
      this.mode = mode;
      this.hasOther = hasOther;
      this.now = now;
      this.ahead = hasOther;
    }

    private boolean isAlone() {
      return mode == LockMode.EXCLUSIVE;
    }

    /** Whether it was for now and others have the lock. */
    boolean isDenied() {
      return isDenied;
    }

    @Override
    public boolean reached() {
      ReentrantLock mutex = part.mutex();
      mutex.lock();
      try {
        if (failure != null) {
          throw failure;
        }
        boolean isOver = isLeased || isDenied;
        if (!isOver && leases != null) {
          awaySince = leases.requireHomes(awaySince);
        }
        return isOver;
      } finally {
        mutex.unlock();
      }
    }

    private void grant() {
      requests.remove(this);
      for (Request holder : List.copyOf(granted)) {
        if (isInTheWay(holder)) {
          holder.putBack();
        }
      }
      granted.add(this);
      if (leases == null) {
        isLeased = true;
      } else {
        acquireLease();
      }
    }

    /** Overtaken by one that has the other mode: see {@link #isFree}. */
    private void putBack() {
      granted.remove(this);
      isOutdated = true; // it waits for that one now, and not for the home
      apply(NodeLockTransitions.withdraw(lease, leaseRequest));
      if (now) {
        isDenied = true;
        transaction.waiter().wake();
      } else {
        requests.addFirst(this);
      }
    }

    private void acquireLease() {
      leaseRequest = leases.nextRequest();
      apply(NodeLockTransitions.acquire(lease, leaseRequest, mode, ahead, now));
      isLeased = lease.asked().stream().noneMatch(open -> open.request() == leaseRequest);
    }

    /**
     * Whether no session of this node is in the way. One that only waits for the home is in
     * nobody's way who has the other mode: it may be kept there behind a node that waits for that
     * very session.
     */
    private boolean isFree() {
      for (Request holder : granted) {
        if (isInTheWay(holder) && (holder.isLeased || !hasOther || now)) {
          return false;
        }
      }
      return !isBehind();
    }

    /** Whether it is kept behind an earlier request of this node. */
    private boolean isBehind() {
      for (Request earlier : requests) {
        if (earlier == this) {
          return false;
        }
        if ((!hasOther || now) && isInTheWay(earlier)) {
          return true;
        }
      }
      return false;
    }

    private boolean isInTheWay(Request other) {
      return other.transaction != transaction && conflict(other.mode, mode);
    }

    @Override
    public long[] holders() {
      List<Long> holders = new ArrayList<>();
      ReentrantLock mutex = part.mutex();
      mutex.lock();
      try {
        if (isOutdated) {
          transaction.waiter().renew();
          isOutdated = false;
        }
        if (!now) {
          addHolders(holders);
        }
      } finally {
        mutex.unlock();
      }
      return holders.stream().mapToLong(Long::longValue).toArray();
    }

    private void addHolders(List<Long> holders) {
      for (Request holder : granted) {
        if (isInTheWay(holder) && (holder.isLeased || !hasOther)) {
          holders.add(holder.transaction.waitNumber());
        }
      }
      boolean isGranted = granted.contains(this);
      for (Request earlier : requests) {
        if (isGranted || earlier == this) {
          break;
        }
        if (!hasOther && isInTheWay(earlier)) {
          holders.add(earlier.transaction.waitNumber());
        }
      }
      if (leases != null && !isLeased && (isGranted || isFree())) {
        leases.addOthers(slot -> WaitNumber.ofAdvisory(slot, hash(), mode.id()), holders);
        queueNoLonger();
      }
    }

    /**
     * A request that has waited for long, and whose session others may wait for, is no longer kept
     * behind requests that only wait at the home: these may be part of a cycle that is in no graph.
     */
    private void queueNoLonger() {
      if (ahead || ++checks < PATIENT_CHECKS || !transaction.hasLocks()) {
        return;
      }
      ahead = true;
      apply(NodeLockTransitions.withdraw(lease, leaseRequest));
      acquireLease();
      if (isLeased) {
        transaction.waiter().wake();
      }
    }

    /** One for now waits for the home's answer only. */
    @Override
    public boolean isTimed() {
      return !now;
    }

    @Override
    public boolean lasts() {
      return !isOutdated && !isLeased;
    }

    @Override
    public String describe() {
      return AdvisoryLock.this.describe(mode);
    }

    @Override
    public TransactionActivity.Wait activity(long nanos) {
      return new TransactionActivity.AdvisoryWait(name, mode, nanos);
    }
  }
}
