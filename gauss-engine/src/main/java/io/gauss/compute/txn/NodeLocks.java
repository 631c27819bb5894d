package io.gauss.compute.txn;

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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of one of several compute nodes: a table's lock, or an advisory one, gives its
 * transactions only modes that the node has on lease from the lock's home ({@link TableLease}).
 * Messages to homes leave through {@link Home}; their messages arrive here. A single node does not
 * use this.
 *
 * <p><b>Weak modes</b> stay on lease when transactions end, so statements that read or write rows
 * cost no message. When a transaction of another node wants a conflicting mode, they are given back
 * as soon as the transactions that have them end; new requests queue meanwhile. <b>Strong modes</b>
 * are given back with the last transaction that has them, but not before its commit is visible: by
 * then every node knows of its changes to the catalog.
 *
 * <p><b>Deadlocks.</b> A transaction that waits for a lease does not know the transactions of other
 * nodes that block it. So there is a wait number for "the transactions of that node that exclude
 * this mode of this lock" ({@link io.gauss.common.deadlock.WaitNumber#ofLock}): a waiter reports
 * that it waits for this number of every other node; a node that is asked to give back a lease and
 * cannot reports that each such number of its own waits for its transactions. Such a report about a
 * table needs no verification: as long as the waiter waits and the blocking transaction lasts, the
 * one waits for the other. One about an advisory lock stands as long as nobody here has given that
 * lock up since. Transactions that queue at the home behind others which do not have the lock yet
 * are not in the graph; a transaction for which others may wait stops queueing after a second, so
 * that no cycle of them lasts.
 *
 * <p>Thread-safe; nothing here waits. Order: the lock of a {@link TableLock}, then whatever {@link
 * Home} takes.
 */
public final class NodeLocks {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLocks.class);

  private static final int RETRY_SECONDS = 1;

  private final Home home;
  private final PeerNodes peers;
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong reports = new AtomicLong();
  private final AtomicLong messages = new AtomicLong();

  /** What is reported of locks that are kept from others, by wait number. */
  private final Map<Long, Reported> reported = new ConcurrentHashMap<>();

  private BooleanSupplier homesAreAway = () -> false;
  private Duration patience = Duration.ZERO;
  private volatile Transactions transactions;
  private volatile boolean stopped;

  /**
   * @param id of the report
   * @param changes of the lock before its holders were looked up
   */
  private record Reported(long id, KeptLease lock, long changes) {}

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
          "no memory node is there that could give this node a lock, after "
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
    if (name.isAdvisory()) {
      Transactions all = transactions;
      if (all != null) {
        all.advisoryLocks().ordered(name, action);
      }
      return;
    }
    TableLock lock = table(name);
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
    Transactions all = transactions;
    if (all == null || sqlState.equals(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE.code())) {
      LOG.debug("request {} for {} is refused: {}", request, name, message);
      return;
    }
    SqlState state =
        sqlState.equals(SqlState.OUT_OF_MEMORY.code())
            ? SqlState.OUT_OF_MEMORY
            : SqlState.INSUFFICIENT_RESOURCES;
    GaussException why = new GaussException(state, message);
    if (state == SqlState.OUT_OF_MEMORY) {
      why.hint("You might need to increase locks.max of the memory nodes.");
    }
    TableLock lock = table(name);
    if (name.isAdvisory()) {
      all.advisoryLocks().refused(name, request, why);
    } else if (lock != null) {
      lock.refused(request, why);
    }
  }

  /** A bucket has a new home: the locks here are reported to it before this returns. */
  public void homeChanged(int bucket) {
    ofBucket(bucket).forEach(TableLock::homeChanged);
    Transactions all = transactions;
    if (all != null) {
      all.advisoryLocks().homeChanged(bucket);
    }
  }

  /** The home of a bucket serves from now on. */
  public void askAgain(int bucket) {
    ofBucket(bucket).forEach(TableLock::askAgain);
    Transactions all = transactions;
    if (all != null) {
      all.advisoryLocks().askAgain(bucket);
    }
  }

  /** Null when it is not a table's, or nobody has ever requested it here. */
  private TableLock table(LockName name) {
    boolean here = !name.isAdvisory() && transactions != null;
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
   * Adds the wait numbers of the transactions of other nodes that may prevent a mode of a lock from
   * being granted here.
   *
   * @param number the wait number for those of the node with a slot
   */
  void addOthers(IntToLongFunction number, List<Long> holders) {
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (slot != peers.self() && peers.has(slot)) {
        holders.add(number.applyAsLong(slot));
      }
    }
  }

  /** Reports which transactions keep a recalled lease here, for as long as there are any. */
  void watch(KeptLease lock) {
    DeadlockDetector detector = transactions.detector();
    again(detector.checkNanos(), TimeUnit.NANOSECONDS, () -> report(lock, detector));
  }

  private void report(KeptLease lock, DeadlockDetector detector) {
    int slot = transactions.clock().node();
    boolean isWanted = lock.isStillWatched();
    long changes = lock.changes(); // before the holders
    for (KeptLease.Mode mode : lock.modes(slot)) {
      if (isWanted && mode.holders().length > 0) {
        report(lock, changes, mode, detector, slot);
      } else {
        reported.remove(mode.number());
        detector.service().over(mode.number(), reports.get());
      }
    }
    if (isWanted) {
      again(detector.recheckNanos(), TimeUnit.NANOSECONDS, () -> report(lock, detector));
    }
  }

  /** As long as nobody has given it up it is the same wait, so that doubts about it are settled. */
  private void report(
      KeptLease lock, long changes, KeptLease.Mode mode, DeadlockDetector detector, int slot) {
    Reported now =
        reported.compute(
            mode.number(),
            (number, before) ->
                before != null && before.lock == lock && before.changes == changes
                    ? before
                    : new Reported(reports.incrementAndGet(), lock, changes));
    detector
        .service()
        .report(
            mode.number(),
            now.id,
            0, // older than every transaction, so that the lock is never the victim
            mode.holders(),
            "node " + slot,
            mode.what());
  }

  /** Whether those who were reported to keep a lock from others still do. */
  boolean stands(long number, long report) {
    Reported last = reported.get(number);
    return last != null && last.id == report && last.lock.changes() == last.changes;
  }

  /** Wait numbers of the transactions of this node that exclude the mode. */
  long[] holders(TableLock lock, TableLockMode wanted) {
    List<Long> holders = new ArrayList<>();
    for (Transaction transaction : transactions.sessions()) {
      transaction.addIfHolder(lock, wanted, holders);
    }
    return holders.stream().mapToLong(Long::longValue).toArray();
  }
}
