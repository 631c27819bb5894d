package io.gauss.compute.catalog;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.wait.WouldBlockException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Values of sequences. The node takes ranges: the tree of sequences holds, per sequence, the first
 * value that no range covers yet; values of the range in hand come from memory. So a crash skips
 * values and never repeats one: in the log, the row that reserved a range precedes every commit
 * that used a value of that range, and an answer that names a value waits until the reservation is
 * visible (rule 38; {@link EngineContext#dependOn}). Only the first values of a range have to wait.
 *
 * <p>Reserving runs in a transaction of its own, so that nextval does not roll back and does not
 * wait for other sessions' transactions. Thread-safe.
 *
 * <p>Each node takes its own ranges from the same row, so values are unique in the cluster and
 * increase within each range. A range in hand is valid until the sequence is set: reserving takes
 * the sequence's lock in a mode for rows, whose lease the node keeps; setting takes it exclusively,
 * which ends the leases of all nodes. Both hold the lock only for their own short transaction.
 */
public final class Sequences {
  /** Number of values reserved at once, which a crash may skip. */
  public static final int RANGE = 64;

  private static final int ROW_BYTES = 9;

  /** The row for the oids of objects, stored among those of sequences. */
  private static final int OIDS = 1;

  /** Oids above this are derived from other oids. */
  private static final int LAST_OID = 0x0FFF_FFFF;

  private final VersionedTree tree;
  private final ConcurrentHashMap<Integer, State> states = new ConcurrentHashMap<>();
  private final State oids = new State();
  private final Writer reserving;
  private final Writer setting;

  /** A transaction for changes of rows, one at a time. */
  private static final class Writer {
    final ReentrantLock lock = new ReentrantLock();
    private final Supplier<Transaction> transactions;
    private volatile Transaction transaction; // used under lock, except for its lease numbers

    Writer(Supplier<Transaction> transactions) {
      this.transactions = transactions;
      this.transaction = transactions.get();
    }

    /**
     * Rolls back a failed change. If even that is impossible (the log has failed, pages are not
     * available), the rest of it is left to the background, and the next change gets a new
     * transaction.
     */
    void rollback() {
      Transaction failed = transaction;
      if (!failed.isActive()) {
        return;
      }
      try {
        failed.rollback();
      } catch (RuntimeException e) {
        transaction = transactions.get();
        failed.close();
      }
    }
  }

  /** The range in hand. Guarded by its lock. */
  private static final class State {
    final ReentrantLock lock = new ReentrantLock();
    long next;
    int left;
    long lease; // lease under which it was reserved
    Stored end; // content of the row then
    long reservedAt; // LSN of the commit that reserved it, or that set the sequence
  }

  /**
   * A change of a row.
   *
   * @param lease number of the lease under which it was made
   * @param lsn of its commit
   */
  private record Change(long lease, long lsn) {}

  /** The content of the tree: the next value, or that the sequence has run out. */
  private record Stored(long next, boolean exhausted) {}

  /**
   * @param transactions creates the transactions that reserve and set, each with its own context
   */
  public Sequences(Store store, Supplier<Transaction> transactions) {
    this.tree = store.tree(SystemSpaces.CATALOG + 1);
    this.reserving = new Writer(transactions);
    this.setting = new Writer(transactions);
  }

  /**
   * The next value.
   *
   * @param caller the session's context: when a range has to be reserved and it may not wait, this
   *     throws {@link WouldBlockException}
   * @throws GaussException 2200H when the sequence has run out
   */
  public long next(SequenceDef sequence, EngineContext caller) {
    State state = state(sequence);
    if (!state.lock.tryLock()) {
      caller.waits().beforeWait();
      state.lock.lock();
    }
    try {
      if (!hasValues(sequence, state)) {
        if (!caller.waits().mayBlock()) {
          throw WouldBlockException.INSTANCE;
        }
        caller.dependOn(state.reservedAt); // should the sequence have run out
        reserve(sequence, state);
      }
      caller.dependOn(state.reservedAt);
      long value = state.next;
      state.left--;
      if (state.left > 0) {
        state.next = value + sequence.increment();
      }
      return value;
    } finally {
      state.lock.unlock();
    }
  }

  /** Sets the value that comes next; not undone by a rollback. May wait. */
  public void set(SequenceDef sequence, long value, boolean called, EngineContext caller) {
    if (value < sequence.minValue() || value > sequence.maxValue()) {
      throw new GaussException(
          SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
          "setval: value %d is out of bounds for sequence \"%s\" (%d..%d)"
              .formatted(value, sequence.name(), sequence.minValue(), sequence.maxValue()));
    }
    if (!caller.waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    State state = state(sequence);
    state.lock.lock();
    try {
      Stored stored = called ? after(sequence, value) : new Stored(value, false);
      state.reservedAt = set(sequence, old -> stored);
      caller.dependOn(state.reservedAt);
      state.left = 0;
    } finally {
      state.lock.unlock();
    }
  }

  /**
   * Resets a new sequence to its start: after a restart it may have the oid of a dropped sequence
   * whose row is still there. Waits.
   */
  public void begin(SequenceDef sequence) {
    set(sequence, old -> new Stored(sequence.start(), false));
  }

  /**
   * Returns the values in hand to the tree, so that another definition of the sequence continues
   * where this one stopped. May wait.
   *
   * @return the next value, or the last one when the sequence has run out; null when no value was
   *     taken yet
   */
  public Long giveBack(SequenceDef sequence, EngineContext caller) {
    if (!caller.waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    State state = state(sequence);
    state.lock.lock();
    try {
      Long[] position = new Long[1];
      long next = state.next;
      // Read before the lock is taken, since that invalidates the values in hand on all nodes.
      // Values in hand are returned only if they are the last that were reserved.
      Stored end = state.end;
      boolean inHand = hasValues(sequence, state);
      state.reservedAt =
          set(
              sequence,
              old -> {
                Stored now = inHand && end.equals(old) ? new Stored(next, false) : old;
                position[0] = now == null ? null : (Long) now.next();
                return now == null ? new Stored(sequence.start(), false) : now;
              });
      caller.dependOn(state.reservedAt);
      state.left = 0;
      return position[0];
    } finally {
      state.lock.unlock();
    }
  }

  /** Discards the values in hand of a sequence that was dropped or redefined. */
  public void forget(int oid) {
    states.remove(oid);
  }

  /**
   * Describes the problem with a sequence's row and its range in hand; null when there is none. May
   * wait for a thread that reserves a range.
   */
  String problem(SequenceDef sequence, Transaction reader) {
    State state = state(sequence);
    state.lock.lock();
    try {
      byte[] key = key(sequence.oid());
      RowVersion version = new RowVersion();
      reader.startStatement();
      boolean found = tree.get(reader, reader.snapshot(), key, 0, key.length, version);
      reader.endStatement();
      if (!found) {
        return hasValues(sequence, state)
            ? "has values in hand, but no row that reserves them"
            : null;
      }
      if (version.rowLength != ROW_BYTES) {
        return "has a row of " + version.rowLength + " bytes";
      }
      long next = ByteSink.getLong(version.row, 0);
      boolean exhausted = version.row[Long.BYTES] != 0;
      if (next < sequence.minValue() || next > sequence.maxValue()) {
        return "continues with " + next + ", which is out of its bounds";
      }
      if (!hasValues(sequence, state) || exhausted || sequence.cycle()) {
        return null;
      }
      long last = state.next + (state.left - 1) * sequence.increment();
      boolean covered = sequence.increment() > 0 ? last < next : last > next;
      return covered ? null : "has " + last + " in hand, but its row continues with " + next;
    } finally {
      state.lock.unlock();
    }
  }

  private State state(SequenceDef sequence) {
    State state = states.get(sequence.oid());
    return state != null ? state : states.computeIfAbsent(sequence.oid(), oid -> new State());
  }

  private void reserve(SequenceDef sequence, State state) {
    long[] first = new long[1];
    int[] count = new int[1];
    Change reserved =
        reserve(
            sequence,
            old -> {
              Stored from = old == null ? new Stored(sequence.start(), false) : old;
              if (from.exhausted()) {
                // The bounds may have changed since.
                from = after(sequence, from.next());
              }
              if (from.exhausted()) {
                throw exhausted(sequence);
              }
              first[0] = from.next();
              Stored to = from;
              int taken = 0;
              // A range stays on one side of a wrap-around, so that it is first + i * increment.
              while (taken < RANGE
                  && !to.exhausted()
                  && (taken == 0 || follows(sequence, first[0], taken, to))) {
                to = after(sequence, to.next());
                taken++;
              }
              count[0] = taken;
              state.end = to;
              return to;
            });
    state.lease = reserved.lease();
    state.reservedAt = reserved.lsn();
    state.next = first[0];
    state.left = count[0];
  }

  private static boolean follows(SequenceDef sequence, long first, int taken, Stored to) {
    return to.next() == first + taken * sequence.increment();
  }

  private static Stored after(SequenceDef sequence, long value) {
    long increment = sequence.increment();
    boolean past =
        increment > 0
            ? value > sequence.maxValue() - increment
            : value < sequence.minValue() - increment;
    if (!past) {
      return new Stored(value + increment, false);
    }
    if (!sequence.cycle()) {
      return new Stored(value, true);
    }
    return new Stored(increment > 0 ? sequence.minValue() : sequence.maxValue(), false);
  }

  private static GaussException exhausted(SequenceDef sequence) {
    return new GaussException(
        SqlState.SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
        sequence.increment() > 0
            ? "nextval: reached maximum value of sequence \"%s\" (%d)"
                .formatted(sequence.name(), sequence.maxValue())
            : "nextval: reached minimum value of sequence \"%s\" (%d)"
                .formatted(sequence.name(), sequence.minValue()));
  }

  @FunctionalInterface
  private interface NewContent {
    /**
     * @param old null when the sequence was never used
     */
    Stored apply(Stored old);
  }

  /** Whether values are in hand, and the sequence has not been set since they were reserved. */
  private boolean hasValues(SequenceDef sequence, State state) {
    return state.left > 0
        && state.lease != 0
        && state.lease
            == reserving.transaction.leaseNumber(sequence.oid(), TableLockMode.ROW_EXCLUSIVE);
  }

  private Change reserve(SequenceDef sequence, NewContent content) {
    return write(reserving, sequence.oid(), TableLockMode.ROW_EXCLUSIVE, content);
  }

  /** Returns the LSN of the commit. */
  private long set(SequenceDef sequence, NewContent content) {
    return write(setting, sequence.oid(), TableLockMode.ACCESS_EXCLUSIVE, content).lsn();
  }

  /**
   * An oid that no node has assigned to any object.
   *
   * @param floor all below are taken
   * @throws GaussException 54000 when there is none left
   */
  public int newOid(int floor) {
    oids.lock.lock();
    try {
      if (oids.left == 0 || oids.next < floor) {
        write(
            reserving,
            OIDS,
            TableLockMode.ROW_EXCLUSIVE,
            old -> {
              oids.next = Math.max(old == null ? 0 : old.next(), floor);
              return new Stored(oids.next + RANGE, false);
            });
        oids.left = RANGE;
      }
      if (oids.next > LAST_OID) {
        throw new GaussException(
            SqlState.PROGRAM_LIMIT_EXCEEDED, "no oid is left: " + LAST_OID + " were given out");
      }
      oids.left--;
      return (int) oids.next++;
    } finally {
      oids.lock.unlock();
    }
  }

  private Change write(Writer writer, int oid, TableLockMode mode, NewContent content) {
    writer.lock.lock();
    try {
      Transaction transaction = writer.transaction;
      transaction.context().waits().mayBlock(true);
      transaction.begin(Transaction.IsolationLevel.READ_COMMITTED);
      try {
        transaction.lockTable(oid, mode);
        long lease = transaction.leaseNumber(oid, TableLockMode.ROW_EXCLUSIVE);
        transaction.startStatement();
        writeRow(transaction, oid, content);
        transaction.endStatement();
        return new Change(lease, transaction.commit());
      } finally {
        writer.rollback();
      }
    } finally {
      writer.lock.unlock();
    }
  }

  private static byte[] key(int oid) {
    ByteSink sink = new ByteSink(Integer.BYTES);
    sink.putInt(oid);
    return sink.toByteArray();
  }

  private void writeRow(Transaction transaction, int oid, NewContent content) {
    byte[] key = key(oid);
    RowVersion version = new RowVersion();
    while (true) {
      Outcome found =
          tree.readNewest(
              transaction, transaction.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version);
      Stored old =
          found == Outcome.NOT_FOUND
              ? null
              : new Stored(ByteSink.getLong(version.row, 0), version.row[Long.BYTES] != 0);
      Stored stored = content.apply(old);
      ByteSink row = new ByteSink(ROW_BYTES);
      row.putLong(stored.next());
      row.putByte(stored.exhausted() ? 1 : 0);
      Outcome written =
          found == Outcome.NOT_FOUND
              ? tree.insert(transaction, key, 0, key.length, row.array, 0, row.length, version)
              : tree.update(transaction, version, row.array, 0, row.length);
      if (written == Outcome.OK) {
        return;
      }
    }
  }
}
