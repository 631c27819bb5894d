package io.gauss.compute.catalog;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.engine.WouldBlockException;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.store.WaitPolicy;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.ByteSink;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Values of sequences. The node takes ranges: the tree of sequences holds, per sequence, the first
 * value that no range covers yet, and values of the range in hand come from memory. So a crash
 * skips values and never repeats one: the row that reserved a range comes before every commit that
 * used a value of it in the same log.
 *
 * <p>Reserving runs in a transaction of its own, so that nextval does not roll back and nobody
 * waits for anybody's transaction. Thread-safe.
 */
public final class Sequences {
  /** Values reserved at once; what a crash may skip. */
  public static final int RANGE = 64;

  private static final int ROW_BYTES = 9;

  private final VersionedTree tree;
  private final ConcurrentHashMap<Integer, State> states = new ConcurrentHashMap<>();
  private final EngineContext context;
  private final Transaction transaction;

  /** Guards the context and transaction that reserve ranges. */
  private final ReentrantLock reserving = new ReentrantLock();

  /** The range in hand. Guarded by its lock. */
  private static final class State {
    final ReentrantLock lock = new ReentrantLock();
    long next;
    int left;
  }

  /** What the tree holds: the next value, or that there is none because the sequence ran out. */
  private record Stored(long next, boolean exhausted) {}

  /**
   * @param context for reserving ranges, used by nobody else
   */
  public Sequences(Store store, EngineContext context, Transaction transaction) {
    this.tree = store.tree(SystemSpaces.CATALOG + 1);
    this.context = context;
    this.transaction = transaction;
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
      caller.beforeWait();
      state.lock.lock();
    }
    try {
      if (state.left == 0) {
        if (!caller.mayBlock()) {
          throw WouldBlockException.INSTANCE;
        }
        reserve(sequence, state);
      }
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
    if (!caller.mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    State state = state(sequence);
    state.lock.lock();
    try {
      Stored stored = called ? after(sequence, value) : new Stored(value, false);
      write(sequence.oid(), old -> stored);
      state.left = 0;
    } finally {
      state.lock.unlock();
    }
  }

  /**
   * Begins a new sequence at its start: a restart may give it the oid of one that was dropped,
   * whose row is still there. Waits.
   */
  public void begin(SequenceDef sequence) {
    write(sequence.oid(), old -> new Stored(sequence.start(), false));
  }

  /**
   * Gives values in hand back, so that another definition of the sequence goes on where this one
   * stopped, and says where that is. May wait.
   *
   * @return the next value, or the last one when the sequence has run out; null when none was taken
   *     yet
   */
  public Long giveBack(SequenceDef sequence, EngineContext caller) {
    if (!caller.mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    State state = state(sequence);
    state.lock.lock();
    try {
      Long[] position = new Long[1];
      long next = state.next;
      boolean inHand = state.left > 0;
      write(
          sequence.oid(),
          old -> {
            Stored now = inHand ? new Stored(next, false) : old;
            position[0] = now == null ? null : (Long) now.next();
            return now == null ? new Stored(sequence.start(), false) : now;
          });
      state.left = 0;
      return position[0];
    } finally {
      state.lock.unlock();
    }
  }

  /** Forgets the values in hand of a sequence that was dropped or defined anew. */
  public void forget(int oid) {
    states.remove(oid);
  }

  /**
   * Says what is wrong with a sequence's row and its range in hand; null when nothing is. May wait
   * for whoever reserves a range.
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
        return state.left > 0 ? "has values in hand, but no row that reserves them" : null;
      }
      if (version.rowLength != ROW_BYTES) {
        return "has a row of " + version.rowLength + " bytes";
      }
      long next = ByteSink.getLong(version.row, 0);
      boolean exhausted = version.row[Long.BYTES] != 0;
      if (next < sequence.minValue() || next > sequence.maxValue()) {
        return "goes on with " + next + ", which is out of its bounds";
      }
      if (state.left == 0 || exhausted || sequence.cycle()) {
        return null;
      }
      long last = state.next + (state.left - 1) * sequence.increment();
      boolean covered = sequence.increment() > 0 ? last < next : last > next;
      return covered ? null : "has " + last + " in hand, but its row goes on with " + next;
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
    write(
        sequence.oid(),
        old -> {
          Stored from = old == null ? new Stored(sequence.start(), false) : old;
          if (from.exhausted()) {
            // It may have got other bounds since.
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
          return to;
        });
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
  private interface Change {
    /**
     * @param old null when the sequence was never used
     */
    Stored apply(Stored old);
  }

  private void write(int oid, Change change) {
    reserving.lock();
    try {
      context.mayBlock(true);
      transaction.begin(Transaction.IsolationLevel.READ_COMMITTED);
      try {
        transaction.startStatement();
        writeRow(oid, change);
        transaction.endStatement();
        transaction.commit();
      } finally {
        if (transaction.isActive()) {
          transaction.rollback();
        }
      }
    } finally {
      reserving.unlock();
    }
  }

  private static byte[] key(int oid) {
    ByteSink sink = new ByteSink(Integer.BYTES);
    sink.putInt(oid);
    return sink.toByteArray();
  }

  private void writeRow(int oid, Change change) {
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
      Stored stored = change.apply(old);
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
