package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.invariant.Invariant;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.wait.WaitCause;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The advisory locks that sessions of this node have or want. Unlike table locks they are invented
 * by clients, in any number: one is here only as long as a session has it or wants it, or its lease
 * has not been given back, and there are no more than the limit.
 *
 * <p>Divided into parts by the lock's bucket. A part's mutex guards its locks and their states, and
 * is never held across a wait. Order: the mutex, then whatever {@link NodeLocks.Home} takes.
 * Thread-safe.
 */
final class AdvisoryLocks {
  private static final int PARTS = 64;

  private final List<Part> parts =
      IntStream.range(0, PARTS).mapToObj(number -> new Part()).toList();
  private final int most;
  private final DeadlockDetector detector;
  private final AtomicInteger size = new AtomicInteger();
  private volatile NodeLocks leases; // null on a single node

  /** The locks of some buckets. */
  final class Part {
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<LockName, AdvisoryLock> locks = new HashMap<>(); // under the mutex

    /** Changes a lock, which is made when it is not here, and forgotten when it is unused. */
    void change(LockName name, Consumer<AdvisoryLock> change) {
      mutex.lock();
      try {
        AdvisoryLock lock = locks.get(name);
        if (lock == null) {
          lock = new AdvisoryLock(this, name, leases);
          locks.put(name, lock);
          size.incrementAndGet();
        }
        try {
          change.accept(lock);
        } finally {
          if (lock.isUnused()) {
            locks.remove(name);
            size.decrementAndGet();
          }
        }
      } finally {
        mutex.unlock();
      }
    }

    private void changeAll(int bucket, Consumer<AdvisoryLock> change) {
      mutex.lock();
      try {
        locks.keySet().stream()
            .filter(name -> name.bucket() == bucket)
            .toList()
            .forEach(name -> change(name, change));
      } finally {
        mutex.unlock();
      }
    }

    private boolean has(LockName name) {
      mutex.lock();
      try {
        return locks.containsKey(name);
      } finally {
        mutex.unlock();
      }
    }

    /** For short reads of a lock's state. */
    ReentrantLock mutex() {
      return mutex;
    }
  }

  /**
   * @param most locks at a time
   */
  AdvisoryLocks(int most, DeadlockDetector detector) {
    this.most = most;
    this.detector = detector;
  }

  /** From now on a mode is granted only while this node has it on lease. Before the first lock. */
  void leases(NodeLocks ofNode) {
    Invariant.check(size.get() == 0, "advisory locks were taken before the node had leases");
    leases = ofNode;
  }

  /** Number of locks that are here. */
  int size() {
    return size.get();
  }

  /**
   * Takes a lock that the transaction's session does not have in this mode. May wait; with {@code
   * now} only for the lock's home.
   *
   * @param hasOther whether the session has the other mode
   * @param now whether it is taken only if no other session has it
   * @return false when it was for now and others have it
   * @throws GaussException 53200 when there are too many; 55P03, 57014, 40P01 and others from the
   *     wait
   */
  boolean lock(
      Transaction transaction, LockName name, LockMode mode, boolean hasOther, boolean now) {
    Part part = part(name.bucket());
    if (size.get() >= most && !part.has(name)) {
      throw new GaussException(SqlState.OUT_OF_MEMORY, "out of shared memory")
          .hint("You might need to increase locks.advisory.");
    }
    LockWaiter waiter = transaction.waiter();
    waiter.prepare();
    AdvisoryLock.Request[] made = new AdvisoryLock.Request[1];
    part.change(name, lock -> made[0] = lock.request(transaction, mode, hasOther, now));
    AdvisoryLock.Request request = made[0];
    boolean isOver = false;
    try {
      if (!request.reached()) {
        await(transaction, request);
      }
      isOver = true;
      return !request.isDenied();
    } finally {
      if (!isOver) {
        part.change(name, lock -> lock.withdraw(request));
      }
    }
  }

  private void await(Transaction transaction, AdvisoryLock.Request request) {
    EngineContext ctx = transaction.context();
    ctx.waits().beforeWait();
    long began = detector.nanos();
    try {
      transaction.waiter().await(request, detector);
    } finally {
      ctx.waits().waited(WaitCause.ADVISORY, detector.nanos() - began);
    }
  }

  /**
   * Gives a lock up.
   *
   * @param csn the last commit on which the session depends, 0 = none: other nodes get the lock
   *     when it is visible
   */
  void release(Transaction transaction, LockName name, LockMode mode, long csn) {
    Part part = part(name.bucket());
    NodeLocks ofNode = leases;
    Object leaves = ofNode == null || ofNode.isVisible(csn) ? null : new Object();
    part.change(name, lock -> lock.release(transaction, mode, leaves));
    if (leaves != null) {
      ofNode.whenVisible(csn, () -> part.change(name, lock -> lock.left(mode, leaves)));
    }
  }

  // ---- messages of homes

  /** The home of a lock orders something. */
  void ordered(LockName name, LockAction action) {
    part(name.bucket()).change(name, lock -> lock.ordered(action));
  }

  /** The home of a lock cannot serve a request. */
  void refused(LockName name, long request, GaussException why) {
    part(name.bucket()).change(name, lock -> lock.refused(request, why));
  }

  void homeChanged(int bucket) {
    part(bucket).changeAll(bucket, AdvisoryLock::homeChanged);
  }

  void askAgain(int bucket) {
    part(bucket).changeAll(bucket, AdvisoryLock::askAgain);
  }

  private Part part(int bucket) {
    return parts.get(bucket % PARTS);
  }
}
