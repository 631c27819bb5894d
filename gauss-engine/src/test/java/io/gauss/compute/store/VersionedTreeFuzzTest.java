package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.memory.Memory;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.WaitPolicy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Several sessions, one step at a time in random order, against a naive twin: committed rows in a
 * map, each transaction with its own writes above a copy of the map that its snapshot is.
 */
class VersionedTreeFuzzTest {
  private static final byte[] GONE = {};

  /** A session and what the twin knows of its transaction. */
  private static final class Session {
    final Transaction txn;
    final EngineContext ctx;
    final VersionedScan scan;
    final RowVersion version = new RowVersion();
    NavigableMap<Integer, byte[]> snapshot; // committed rows when it was taken
    long snapshotSequence;
    Map<Integer, byte[]> writes = new HashMap<>(); // GONE = deleted
    Map<Integer, byte[]> writesBeforeStatement = new HashMap<>();
    Set<Integer> locks = new HashSet<>();
    long savepoint;
    Map<Integer, byte[]> writesAtSavepoint;

    Session(Transaction txn, VersionedTree tree) {
      this.txn = txn;
      this.ctx = txn.context();
      this.scan = tree.newScan(ctx);
    }

    byte[] sees(int key) {
      byte[] own = writesBeforeStatement.get(key);
      return own == null ? snapshot.get(key) : own == GONE ? null : own;
    }
  }

  private StoreEngine engine;
  private VersionedTree tree;
  private Random random;
  private TreeMap<Integer, byte[]> committed;
  private Map<Integer, Long> lastChange;
  private long sequence;
  private List<Session> sessions;
  private int universe;

  @Test
  void agreesWithTheTwinOverRestarts() {
    random = new Random(Seeds.next());
    for (int round = 0; round < 5; round++) {
      int maxUsed = new int[] {300, 700, 8192}[random.nextInt(3)];
      engine = new StoreEngine(60 + random.nextInt(100), maxUsed);
      committed = new TreeMap<>();
      lastChange = new HashMap<>();
      universe = 5 + random.nextInt(150);
      int space = engine.store().create(engine.newContext());
      for (int epoch = 0; epoch < 3; epoch++) {
        tree = engine.store().tree(space);
        openSessions();
        for (int step = 0; step < 500; step++) {
          step(sessions.get(random.nextInt(sessions.size())));
        }
        assertEquals(List.of(), engine.problems(space));
        engine = engine.restart(60 + random.nextInt(100));
        tree = engine.store().tree(space);
        openSessions();
        compareAll(sessions.get(0));
        assertEquals(List.of(), engine.problems(space));
        finish(sessions.get(0), true);
      }
      engine.close();
    }
  }

  private void openSessions() {
    sessions = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Transaction txn = engine.session();
      txn.lockTimeoutNanos(1);
      sessions.add(new Session(txn, tree));
    }
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(9).put((byte) 7).putInt(i * 31).putInt(i).array();
  }

  private byte[] row(Random random) {
    int length =
        switch (random.nextInt(30)) {
          case 0 -> 3000 + random.nextInt(20000);
          case 1, 2, 3 -> random.nextInt(120);
          default -> 10 + random.nextInt(30);
        };
    byte[] row = new byte[length + 1];
    random.nextBytes(row);
    // Half of the rows resemble each other, so that updates have common beginnings and ends.
    if (random.nextBoolean()) {
      Arrays.fill(row, (byte) 1);
      row[random.nextInt(row.length)] = 2;
    }
    return row;
  }

  private void step(Session session) {
    if (!session.txn.isActive()) {
      session.txn.begin(
          random.nextBoolean() ? IsolationLevel.READ_COMMITTED : IsolationLevel.REPEATABLE_READ);
      session.writes.clear();
      session.locks.clear();
      session.savepoint = -1;
    }
    boolean fresh = !session.txn.hasSnapshot();
    session.txn.startStatement();
    if (fresh || session.txn.isolation() == IsolationLevel.READ_COMMITTED) {
      session.snapshot = new TreeMap<>(committed);
      session.snapshotSequence = sequence;
    }
    session.writesBeforeStatement = new HashMap<>(session.writes);
    Map<Integer, byte[]> before = new HashMap<>(session.writes);
    boolean undo = false;
    try {
      int operations = 1 + random.nextInt(3);
      for (int i = 0; i < operations; i++) {
        operation(session, random.nextInt(universe));
        assertEquals(0, session.ctx.latchesHeld());
      }
      undo = random.nextInt(15) == 0;
    } catch (GaussException e) {
      assertTrue(
          e.state() == SqlState.LOCK_NOT_AVAILABLE || e.state() == SqlState.SERIALIZATION_FAILURE,
          e.toString());
      undo = true;
    }
    if (undo) {
      session.txn.rollbackStatement();
      session.writes = before;
    }
    session.txn.endStatement();
    end(session);
  }

  private void end(Session session) {
    switch (random.nextInt(20)) {
      case 0, 1, 2 -> finish(session, true);
      case 3, 4 -> finish(session, false);
      case 5 -> {
        session.savepoint = session.txn.savepoint();
        session.writesAtSavepoint = new HashMap<>(session.writes);
      }
      case 6 -> {
        if (session.savepoint >= 0) {
          session.txn.rollbackTo(session.savepoint);
          session.writes = new HashMap<>(session.writesAtSavepoint);
        }
      }
      case 7 -> engine.purge();
      default -> {}
    }
  }

  private void finish(Session session, boolean commit) {
    if (!session.txn.isActive()) {
      return;
    }
    if (!commit) {
      session.txn.rollback();
    } else {
      session.txn.commit();
      sequence++;
      session.writes.forEach(
          (key, row) -> {
            lastChange.put(key, sequence);
            if (row == GONE) {
              committed.remove(key);
            } else {
              committed.put(key, row);
            }
          });
    }
    session.writes.clear();
    session.locks.clear();
  }

  private void operation(Session session, int key) {
    switch (random.nextInt(14)) {
      case 0, 1 -> get(session, key);
      case 2, 3, 4 -> insert(session, key);
      case 5, 6, 7, 8 -> change(session, key);
      case 9 -> scan(session, false);
      case 10 -> scan(session, true);
      case 11, 12 -> insertRun(session, key);
      default -> findNewest(session, key);
    }
  }

  private void get(Session session, int key) {
    byte[] bytes = key(key);
    boolean found =
        tree.get(session.txn, session.txn.snapshot(), bytes, 0, bytes.length, session.version);
    byte[] expected = session.sees(key);
    assertEquals(expected != null, found);
    if (found) {
      assertRow(expected, session.version);
    }
  }

  private static void assertRow(byte[] expected, RowVersion version) {
    assertArrayEquals(expected, Arrays.copyOf(version.row, version.rowLength));
  }

  /**
   * Another session that has written the key in its active transaction, null when there is none.
   */
  private Session writer(Session session, int key) {
    for (Session other : sessions) {
      if (other != session && other.txn.isActive() && other.writes.containsKey(key)) {
        return other;
      }
    }
    return null;
  }

  /**
   * Rolled back locks may stay in the twin: rolling back a lock releases it here, unlike a write's
   * wait.
   */
  private boolean lockedByOther(Session session, int key) {
    for (Session other : sessions) {
      if (other != session && other.txn.isActive() && other.locks.contains(key)) {
        return true;
      }
    }
    return false;
  }

  private byte[] newest(Session session, int key) {
    byte[] own = session.writes.get(key);
    return own == null ? committed.get(key) : own == GONE ? null : own;
  }

  private void insert(Session session, int key) {
    byte[] bytes = key(key);
    byte[] row = row(random);
    if (writer(session, key) != null) {
      GaussException e =
          assertThrows(
              GaussException.class,
              () ->
                  tree.insert(
                      session.txn, bytes, 0, bytes.length, row, 0, row.length, session.version));
      assertEquals(SqlState.LOCK_NOT_AVAILABLE, e.state());
      return;
    }
    byte[] newest = newest(session, key);
    if (hides(session, key)) {
      GaussException e =
          assertThrows(
              GaussException.class,
              () -> tree.insert(session.txn, bytes, 0, bytes.length, row, 0, row.length, null));
      assertEquals(SqlState.SERIALIZATION_FAILURE, e.state());
      return;
    }
    Outcome outcome =
        tree.insert(session.txn, bytes, 0, bytes.length, row, 0, row.length, session.version);
    if (newest != null) {
      assertEquals(Outcome.DUPLICATE, outcome);
      assertRow(newest, session.version);
    } else {
      assertEquals(Outcome.OK, outcome);
      session.writes.put(key, row);
    }
  }

  /** Whether a row of its own would hide one that its snapshot sees and others have deleted. */
  private boolean hides(Session session, int key) {
    return session.txn.isolation() == IsolationLevel.REPEATABLE_READ
        && !session.writes.containsKey(key)
        && session.sees(key) != null
        && newest(session, key) == null;
  }

  /** Rows with neighbouring keys, or with any, or one twice. */
  private void insertRun(Session session, int first) {
    TreeMap<Integer, byte[]> rows = new TreeMap<>();
    RowRun run = new RowRun();
    boolean repeats = false;
    int count = 1 + random.nextInt(60);
    int spread = random.nextInt(3);
    for (int i = 0; i < count; i++) {
      int key = spread == 0 ? random.nextInt(universe) : first + i * spread;
      if (spread == 0 && rows.containsKey(key) && random.nextInt(20) > 0) {
        continue;
      }
      byte[] row = row(random);
      byte[] bytes = key(key);
      run.add(bytes, 0, bytes.length, row, 0, row.length);
      repeats |= rows.put(key, row) != null;
    }
    long savepoint = session.txn.savepoint();
    // In the order of the keys, the first that is in the way decides.
    Integer taken = null;
    for (int key : rows.keySet()) {
      if (taken == null
          && (writer(session, key) != null
              || newest(session, key) != null
              || hides(session, key))) {
        taken = key;
      }
    }
    if (taken != null && writer(session, taken) != null && !repeats) {
      GaussException e = assertThrows(GaussException.class, () -> tree.insert(session.txn, run));
      assertEquals(SqlState.LOCK_NOT_AVAILABLE, e.state());
      session.txn.rollbackTo(savepoint);
      return;
    }
    boolean inserted;
    try {
      inserted = tree.insert(session.txn, run);
    } catch (GaussException e) {
      // A row that was deleted may have been inserted again by a transaction that is active.
      boolean hides = taken != null && writer(session, taken) == null && hides(session, taken);
      assertTrue(
          hides
              ? e.state() == SqlState.SERIALIZATION_FAILURE
              : repeats && e.state() == SqlState.LOCK_NOT_AVAILABLE,
          e.toString());
      inserted = false;
    }
    assertEquals(taken == null && !repeats, inserted);
    if (inserted) {
      session.writes.putAll(rows);
    } else {
      session.txn.rollbackTo(savepoint);
    }
  }

  private void change(Session session, int key) {
    byte[] bytes = key(key);
    Session writer = writer(session, key);
    boolean lockedByOther = lockedByOther(session, key);
    byte[] own = session.writes.get(key);
    boolean ownInStatement = own != null && own != session.writesBeforeStatement.get(key);
    long changed = lastChange.getOrDefault(key, 0L);
    boolean newer = own == null && changed > session.snapshotSequence;
    if (newer
        && writer == null
        && !lockedByOther
        && session.txn.isolation() == IsolationLevel.REPEATABLE_READ) {
      GaussException e = assertThrows(GaussException.class, () -> readNewest(session, bytes));
      assertEquals(SqlState.SERIALIZATION_FAILURE, e.state());
      return;
    }
    Outcome outcome = readNewest(session, bytes);
    if (writer != null || lockedByOther) {
      if (outcome != Outcome.LOCKED) {
        // A lock whose statement was rolled back is gone, and a new key is nobody's.
        assertTrue(writer == null, "written by another: " + outcome);
        return;
      }
      return;
    }
    byte[] newest = newest(session, key);
    if (ownInStatement) {
      assertTrue(outcome == Outcome.SELF || own == GONE, outcome.toString());
      return;
    }
    if (newest == null) {
      assertEquals(Outcome.NOT_FOUND, outcome);
      return;
    }
    assertEquals(newer ? Outcome.CHANGED : Outcome.OK, outcome);
    assertRow(newest, session.version);
    switch (random.nextInt(4)) {
      case 0, 1 -> {
        byte[] row = random.nextBoolean() ? newest.clone() : row(random);
        row[random.nextInt(row.length)]++;
        assertEquals(Outcome.OK, tree.update(session.txn, session.version, row, 0, row.length));
        session.writes.put(key, row);
        assertEquals(Outcome.STALE, tree.update(session.txn, session.version, row, 0, row.length));
      }
      case 2 -> {
        Outcome deleted =
            random.nextBoolean()
                ? tree.delete(session.txn, session.version)
                : tree.move(session.txn, session.version, bytes, bytes.length);
        assertEquals(Outcome.OK, deleted);
        session.writes.put(key, GONE);
      }
      default -> {
        assertEquals(Outcome.OK, tree.lock(session.txn, session.version));
        session.locks.add(key);
      }
    }
  }

  private Outcome readNewest(Session session, byte[] key) {
    return tree.readNewest(
        session.txn,
        session.txn.snapshot(),
        key,
        0,
        key.length,
        WaitPolicy.NO_WAIT,
        session.version);
  }

  private void scan(Session session, boolean descending) {
    int from = random.nextInt(universe);
    int to = random.nextInt(universe);
    TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = from; i <= to; i++) {
      byte[] row = session.sees(i);
      if (row != null) {
        expected.put(key(i), row);
      }
    }
    byte[] low = key(from);
    byte[] high = key(to);
    NavigableMap<byte[], byte[]> inOrder = descending ? expected.descendingMap() : expected;
    try (VersionedScan scan = session.scan) {
      scan.open(
          session.txn,
          session.txn.snapshot(),
          low,
          low.length,
          true,
          high,
          high.length,
          true,
          descending);
      for (Map.Entry<byte[], byte[]> entry : inOrder.entrySet()) {
        assertTrue(scan.next());
        byte[] row = new byte[scan.rowLength()];
        Memory.copyOut(scan.rowAddress(), row, 0, row.length);
        assertArrayEquals(entry.getValue(), row);
        byte[] key = new byte[9];
        scan.copyKey(key, 0);
        assertArrayEquals(entry.getKey(), key);
        if (random.nextInt(10) == 0) {
          scan.pause();
        }
      }
      assertFalse(scan.next());
    }
  }

  private void compareAll(Session session) {
    session.txn.begin(IsolationLevel.READ_COMMITTED);
    session.txn.startStatement();
    session.snapshot = new TreeMap<>(committed);
    session.snapshotSequence = sequence;
    session.writesBeforeStatement = new HashMap<>();
    for (int i = 0; i < universe; i++) {
      get(session, i);
    }
    session.txn.endStatement();
  }

  private void findNewest(Session session, int key) {
    byte[] bytes = key(key);
    Session writer = writer(session, key);
    boolean before = committed.containsKey(key);
    byte[] newest = writer == null ? newest(session, key) : writer.writes.get(key);
    boolean after = newest != null && newest != GONE;
    if (writer != null && before != after) {
      GaussException e = assertThrows(GaussException.class, () -> find(session, bytes));
      assertEquals(SqlState.LOCK_NOT_AVAILABLE, e.state());
      return;
    }
    assertEquals(after ? Outcome.OK : Outcome.NOT_FOUND, find(session, bytes));
    if (after) {
      assertRow(newest, session.version);
    }
  }

  private Outcome find(Session session, byte[] key) {
    return tree.findNewest(session.txn, key, key.length, true, key, key.length, session.version);
  }
}
