package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.store.WaitPolicy;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random transactions of several sessions, one step at a time, against a naive twin that keeps a
 * copy of all values for each snapshot.
 */
class TransactionFuzzTest {
  private static final int ROWS = 12;
  private static final int SESSIONS = 6;

  private final Random random;
  private final long seed;
  private TransactionFixture fixture;
  private final Session[] sessions = new Session[SESSIONS];

  // The twin: committed values, how often each was committed, and who has each row.
  private final long[] committed = new long[ROWS];
  private final long[] commits = new long[ROWS];
  private final Session[] owner = new Session[ROWS];
  private long commitCount;

  TransactionFuzzTest() {
    seed = Long.getLong("gauss.seed", System.nanoTime());
    random = new Random(seed);
  }

  private record Write(int row, long value) {}

  private static final class Session {
    Transaction transaction;
    boolean active;
    boolean repeatable;
    long[] snapshot;
    long[] snapshotCommits;
    List<Write> writes = new ArrayList<>();
    List<long[]> savepoints = new ArrayList<>(); // position, writes
    Snapshot cursor;
    long[] cursorSees;

    long own(int row, long otherwise) {
      for (int i = writes.size() - 1; i >= 0; i--) {
        if (writes.get(i).row == row) {
          return writes.get(i).value;
        }
      }
      return otherwise;
    }
  }

  @Test
  void everySnapshotSeesWhatTheTwinSees() {
    System.out.println("TransactionFuzzTest gauss.seed=" + seed);
    fixture = new TransactionFixture(96);
    try {
      newSessions();
      for (int step = 0; step < 20_000; step++) {
        step();
      }
      crash();
      assertTrue(fixture.transactions().segments().count() <= SESSIONS);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    } finally {
      fixture.close();
    }
  }

  private void newSessions() {
    for (int i = 0; i < SESSIONS; i++) {
      sessions[i] = new Session();
      sessions[i].transaction = fixture.session();
    }
  }

  private void step() {
    if (random.nextInt(2000) == 0) {
      crash();
      return;
    }
    Session session = sessions[random.nextInt(SESSIONS)];
    if (!session.active) {
      begin(session);
      return;
    }
    switch (random.nextInt(20)) {
      case 0 -> commit(session);
      case 1 -> rollback(session);
      case 2 -> savepoint(session);
      case 3 -> rollbackTo(session);
      case 4 -> failingStatement(session);
      case 5 -> fixture.transactions().refreshHorizon();
      case 6 -> cursor(session);
      case 7, 8, 9, 10, 11 -> readAll(session);
      default -> update(session);
    }
  }

  private void begin(Session session) {
    session.active = true;
    session.repeatable = random.nextBoolean();
    session.snapshot = null;
    session.transaction.begin(
        session.repeatable ? IsolationLevel.REPEATABLE_READ : IsolationLevel.READ_COMMITTED);
  }

  private void startStatement(Session session) {
    session.transaction.startStatement();
    if (!session.repeatable || session.snapshot == null) {
      session.snapshot = committed.clone();
      session.snapshotCommits = commits.clone();
    }
  }

  private void readAll(Session session) {
    startStatement(session);
    for (int row = 0; row < ROWS; row++) {
      assertEquals(
          session.own(row, session.snapshot[row]), fixture.rows().read(session.transaction, row));
    }
    session.transaction.endStatement();
  }

  private void update(Session session) {
    startStatement(session);
    int row = random.nextInt(ROWS);
    boolean rolledBack = write(session, row, 1 + random.nextInt(1_000_000));
    if (!rolledBack) {
      session.transaction.endStatement();
    }
  }

  /** True when the transaction is gone because of 40001. */
  private boolean write(Session session, int row, long value) {
    boolean locked = owner[row] != null && owner[row] != session;
    boolean tooNew =
        session.repeatable && owner[row] != session && commits[row] != session.snapshotCommits[row];
    try {
      boolean done =
          fixture.rows().update(session.transaction, row, WaitPolicy.NO_WAIT, old -> value);
      assertEquals(!locked, done);
      assertFalse(done && tooNew, "a newer commit was overwritten");
      if (done) {
        owner[row] = session;
        session.writes.add(new Write(row, value));
      }
      return false;
    } catch (GaussException e) {
      assertEquals(SqlState.SERIALIZATION_FAILURE, e.state());
      assertTrue(tooNew && !locked);
      rollback(session);
      return true;
    }
  }

  /** A statement that changes some rows, sees none of its own changes, and is undone. */
  private void failingStatement(Session session) {
    startStatement(session);
    int before = session.writes.size();
    long[] saw = new long[ROWS];
    for (int row = 0; row < ROWS; row++) {
      saw[row] = session.own(row, session.snapshot[row]);
    }
    for (int i = random.nextInt(5); i > 0; i--) {
      int row = random.nextInt(ROWS);
      if (write(session, row, -1)) {
        return;
      }
      assertEquals(saw[row], fixture.rows().read(session.transaction, row));
    }
    session.transaction.rollbackStatement();
    session.transaction.endStatement();
    forget(session, before);
  }

  private void savepoint(Session session) {
    session.savepoints.add(new long[] {session.transaction.savepoint(), session.writes.size()});
  }

  private void rollbackTo(Session session) {
    if (!session.savepoints.isEmpty()) {
      int index = random.nextInt(session.savepoints.size());
      long[] savepoint = session.savepoints.get(index);
      session.savepoints.subList(index + 1, session.savepoints.size()).clear();
      session.transaction.rollbackTo(savepoint[0]);
      forget(session, (int) savepoint[1]);
    }
  }

  private void forget(Session session, int writes) {
    session.writes.subList(writes, session.writes.size()).clear();
    for (int row = 0; row < ROWS; row++) {
      int wanted = row;
      if (owner[row] == session && session.writes.stream().noneMatch(w -> w.row == wanted)) {
        owner[row] = null;
      }
    }
  }

  /** A cursor's snapshot outlives its statement, and purge respects it. */
  private void cursor(Session session) {
    if (session.cursor == null) {
      startStatement(session);
      session.cursor = session.transaction.keepSnapshot();
      session.cursorSees = new long[ROWS];
      for (int row = 0; row < ROWS; row++) {
        session.cursorSees[row] = session.own(row, session.snapshot[row]);
      }
      session.transaction.endStatement();
      return;
    }
    if (session.writes.isEmpty() && session.savepoints.isEmpty()) {
      // Own writes may have been rolled back below the cursor; only then it could differ.
      for (int row = 0; row < ROWS; row++) {
        assertEquals(
            session.cursorSees[row], fixture.rows().read(session.transaction, session.cursor, row));
      }
    }
    dropCursor(session);
  }

  private void dropCursor(Session session) {
    if (session.cursor != null) {
      session.transaction.releaseSnapshot(session.cursor);
      session.cursor = null;
    }
  }

  private void commit(Session session) {
    long before = fixture.engine().clock().now();
    dropCursor(session);
    long csn = session.transaction.commit();
    if (!session.writes.isEmpty()) {
      assertTrue(csn > before);
      commitCount++;
      for (Write write : session.writes) {
        committed[write.row] = write.value;
        commits[write.row] = commitCount;
      }
    }
    ended(session);
  }

  private void rollback(Session session) {
    dropCursor(session);
    session.transaction.rollback();
    ended(session);
  }

  private void ended(Session session) {
    session.active = false;
    session.writes.clear();
    session.savepoints.clear();
    for (int row = 0; row < ROWS; row++) {
      if (owner[row] == session) {
        owner[row] = null;
      }
    }
  }

  /**
   * Everything so far is durable; what is active is lost, half of the time in the middle of its
   * rollback.
   */
  private void crash() {
    fixture.engine().quiesce();
    fixture = fixture.restart(96);
    Arrays.fill(owner, null);
    newSessions();
    while (!fixture.transactions().rollBackOrphans(fixture.engine().newContext(), 1)) {
      if (random.nextInt(4) == 0) {
        fixture.engine().quiesce();
        fixture = fixture.restart(96);
        newSessions();
      }
    }
    for (int row = 0; row < ROWS; row++) {
      assertEquals(
          committed[row], fixture.rows().newest(fixture.engine().newContext(), row), "row " + row);
    }
  }
}
