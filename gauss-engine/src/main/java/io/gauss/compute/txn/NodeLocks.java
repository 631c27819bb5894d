package io.gauss.compute.txn;

import io.gauss.common.deadlock.WaitNumber;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of one of several compute nodes: a table's lock gives its transactions only modes that
 * the node has on lease from the lock's home ({@link TableLease}). Messages to homes leave through
 * {@link Home}; their messages arrive here. A single node does not use this.
 *
 * <p><b>Weak modes</b> stay on lease when transactions end, so statements that read or write rows
 * cost no message. When a transaction of another node wants a conflicting mode, they are given back
 * as soon as the transactions that have them end; new requests queue meanwhile. <b>Strong modes</b>
 * are given back with the last transaction that has them, but not before its commit is visible: by
 * then every node knows of its changes to the catalog.
 *
 * <p><b>Deadlocks.</b> A transaction that waits for a lease does not know the transactions of other
 * nodes that block it. So there is a wait number for "the transactions of that node that exclude
 * this mode of this lock" ({@link WaitNumber#ofLock}): a waiter reports that it waits for this
 * number of every other node; a node that is asked to give back a lease and cannot reports that
 * each such number of its own waits for its transactions. These reports need no separate
 * verification: as long as the waiter waits and the blocking transaction lasts, the one waits for
 * the other. Transactions that queue at the home behind others which do not have the lock yet are
 * not in the graph; a transaction for which others may wait stops queueing after a second, so that
 * no cycle of them lasts.
 *
 * <p>Thread-safe; nothing here waits. Order: the lock of a {@link TableLock}, then whatever {@link
 * Home} takes.
 */
public final class NodeLocks {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLocks.class);

  private static final TableLockMode[] MODES = TableLockMode.values();
  private static final int RETRY_SECONDS = 1;

  private final Home home;
  private final PeerNodes peers;
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong reports = new AtomicLong();
  private final AtomicLong messages = new AtomicLong();
  private BooleanSupplier homesAreAway = () -> false;
  private Duration patience = Duration.ZERO;
  private volatile Transactions transactions;
  private volatile boolean stopped;

  /** The way to the homes of locks. */
  public interface Home {
    /**
     * Sends a message to the home of the lock's bucket; messages about one bucket arrive in the
     * order given. While there is no home they are lost. Must not wait.
     */
    void send(LockName name, Message message);
  }

  /**
   * @param peers the other compute nodes, of which some may have locks
   */
  public NodeLocks(Home home, PeerNodes peers) {
    this.home = home;
    this.peers = peers;
  }

  /** Before the first lock is taken. */
  void attach(Transactions all) {
    transactions = all;
  }

  /**
   * Before the first lock is taken: sets how to find out that there is no node that could give a
   * lease, and for how long that is tolerated.
   */
  public void giveUpWithout(BooleanSupplier noHomes, Duration time) {
    homesAreAway = noHomes;
    patience = time;
  }

  /**
   * For a transaction that waits for a lease.
   *
   * @param awaySince the result of the last call, 0 at first
   * @throws GaussException 57P03 when there has been no memory node for too long
   */
  long requireHomes(long awaySince) {
    if (!homesAreAway.getAsBoolean()) {
      return 0;
    }
    long now = Environment.nanoTime();
    if (awaySince != 0 && now - awaySince > patience.toNanos()) {
      throw new GaussException(
          SqlState.CANNOT_CONNECT_NOW,
          "no memory node is there that could lock a table for this node, after "
              + patience.toSeconds()
              + " s");
    }
    return awaySince != 0 ? awaySince : Math.max(1, now);
  }

  /** The node ends: drops actions that wait for its log and repeated checks. */
  void stop() {
    stopped = true;
  }

  private void again(long delay, TimeUnit unit, Runnable action) {
    Later.run(
        delay,
        unit,
        () -> {
          if (!stopped) {
            action.run();
          }
        });
  }

  /** The name by which a lock is known outside of this node. */
  static LockName name(int table) {
    return new LockName(
        table > 0 ? LockName.Kind.TABLE : LockName.Kind.OBJECT, Integer.toUnsignedLong(table));
  }

  // ---- messages of homes, in order for each lock, on any thread

  /** The home of a lock orders something. */
  public void order(LockName name, LockAction action) {
    TableLock lock = lock(name);
    if (lock != null) {
      lock.ordered(action);
    }
  }

  /**
   * The home of a lock cannot serve a request.
   *
   * @param sqlState of the error that the statement gets; 55000 = another home serves the lock, to
   *     which it will be asked again
   */
  public void refused(LockName name, long request, String sqlState, String message) {
    TableLock lock = lock(name);
    if (lock == null || sqlState.equals(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE.code())) {
      LOG.debug("request {} for {} is refused: {}", request, name, message);
      return;
    }
    SqlState state =
        sqlState.equals(SqlState.OUT_OF_MEMORY.code())
            ? SqlState.OUT_OF_MEMORY
            : SqlState.INSUFFICIENT_RESOURCES;
    lock.refused(request, new GaussException(state, message));
  }

  /** A bucket has a new home: the locks here are reported to it before this returns. */
  public void homeChanged(int bucket) {
    ofBucket(bucket).forEach(TableLock::homeChanged);
  }

  /** The home of a bucket serves from now on. */
  public void askAgain(int bucket) {
    ofBucket(bucket).forEach(TableLock::askAgain);
  }

  private TableLock lock(LockName name) {
    boolean here = name.kind() != LockName.Kind.ADVISORY && transactions != null;
    return here ? transactions.tableLocks().existing((int) name.id()) : null;
  }

  private List<TableLock> ofBucket(int bucket) {
    Transactions all = transactions;
    return all == null
        ? List.of()
        : all.tableLocks().all().stream()
            .filter(lock -> name(lock.table()).bucket() == bucket)
            .toList();
  }

  // ---- for leases

  long nextRequest() {
    return requests.incrementAndGet();
  }

  void send(LockName name, Message message) {
    messages.incrementAndGet();
    home.send(name, message);
  }

  /** Messages sent to homes so far. */
  long messages() {
    return messages.get();
  }

  /** Runs the action once the commit is visible; never, if the log has failed. */
  void whenVisible(long csn, Runnable action) {
    transactions
        .log()
        .whenVisible(
            csn,
            failure -> {
              if (failure == null) {
                action.run();
              } else {
                // It may still become durable; other nodes do not know of the commit until then.
                again(RETRY_SECONDS, TimeUnit.SECONDS, () -> whenVisible(csn, action));
              }
            });
  }

  boolean isVisible(long csn) {
    return csn <= transactions.log().visibleLsn();
  }

  // ---- deadlocks

  /**
   * Adds the wait numbers of the transactions of other nodes that may prevent a mode of the lock
   * from being granted here.
   */
  void addOthers(int table, TableLockMode wanted, List<Long> holders) {
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (slot != peers.self() && peers.has(slot)) {
        holders.add(WaitNumber.ofLock(slot, table, wanted.ordinal()));
      }
    }
  }

  /** Reports which transactions keep a recalled lease here, for as long as there are any. */
  void watch(TableLock lock) {
    DeadlockDetector detector = transactions.detector();
    again(detector.checkNanos(), TimeUnit.NANOSECONDS, () -> report(lock, detector));
  }

  private void report(TableLock lock, DeadlockDetector detector) {
    int slot = transactions.clock().node();
    boolean wanted = lock.isStillWatched();
    for (TableLockMode mode : MODES) {
      long number = WaitNumber.ofLock(slot, lock.table(), mode.ordinal());
      long[] holders = wanted ? holders(lock, mode) : new long[0];
      if (holders.length == 0) {
        detector.service().over(number, reports.get());
      } else {
        detector
            .service()
            .report(
                number,
                reports.incrementAndGet(),
                0, // older than every transaction, so that the lock is never the victim
                holders,
                "node " + slot,
                "who keeps " + mode + " on table " + lock.table() + " from others");
      }
    }
    if (wanted) {
      again(detector.recheckNanos(), TimeUnit.NANOSECONDS, () -> report(lock, detector));
    }
  }

  private long[] holders(TableLock lock, TableLockMode wanted) {
    List<Long> holders = new ArrayList<>();
    for (Transaction transaction : transactions.sessions()) {
      transaction.addIfHolder(lock, wanted, holders);
    }
    return holders.stream().mapToLong(Long::longValue).toArray();
  }
}
