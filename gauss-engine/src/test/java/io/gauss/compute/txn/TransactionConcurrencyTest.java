package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.undo.UndoProbe;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.wait.WouldBlockException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
class TransactionConcurrencyTest {
  private static final int ACCOUNTS = 8;
  private static final long OPENING = 1000;

  private TransactionFixture fixture;

  @BeforeEach
  void open() {
    fixture = new TransactionFixture(128).start();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  // ---- invariants under load

  @ParameterizedTest
  @EnumSource(IsolationLevel.class)
  void moneyIsNeitherMadeNorLost(IsolationLevel level) throws Exception {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("TransactionConcurrencyTest gauss.seed=" + seed);
    openAccounts();
    AtomicBoolean done = new AtomicBoolean();
    List<FutureTask<Void>> tasks = new ArrayList<>();
    AtomicInteger transfers = new AtomicInteger();
    for (int i = 0; i < 6; i++) {
      Random random = new Random(seed + i);
      tasks.add(run(() -> transferMoney(random, level, transfers)));
    }
    FutureTask<Void> auditor = run(() -> audit(done));
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
    done.set(true);
    auditor.get();
    assertTrue(transfers.get() > 0);
    assertEquals(OPENING * ACCOUNTS, sum(), "seed " + seed);
  }

  private Void transferMoney(Random random, IsolationLevel level, AtomicInteger transfers) {
    Transaction txn = fixture.session();
    for (int i = 0; i < 400; i++) {
      int from = random.nextInt(ACCOUNTS);
      int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
      long amount = random.nextInt(100);
      try {
        txn.begin(level);
        statement(txn, from, balance -> balance - amount);
        if (random.nextInt(10) == 0) {
          txn.rollback();
          continue;
        }
        statement(txn, to, balance -> balance + amount);
        txn.commit();
        transfers.incrementAndGet();
      } catch (GaussException e) {
        txn.rollback();
        assertTrue(
            e.state() == SqlState.DEADLOCK_DETECTED || e.state() == SqlState.SERIALIZATION_FAILURE,
            e.toString());
      }
    }
    txn.close();
    return null;
  }

  private Void audit(AtomicBoolean done) {
    Transaction txn = fixture.session();
    while (!done.get()) {
      txn.begin(IsolationLevel.REPEATABLE_READ);
      for (int round = 0; round < 2; round++) {
        txn.startStatement();
        long sum = 0;
        for (int account = 0; account < ACCOUNTS; account++) {
          sum += fixture.rows().read(txn, account);
        }
        assertEquals(OPENING * ACCOUNTS, sum);
        txn.endStatement();
      }
      txn.commit();
    }
    txn.close();
    return null;
  }

  @ParameterizedTest
  @EnumSource(IsolationLevel.class)
  void noUpdateIsLost(IsolationLevel level) throws Exception {
    List<FutureTask<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      tasks.add(
          run(
              () -> {
                Transaction txn = fixture.session();
                int commits = 0;
                for (int n = 0; n < 300; n++) {
                  txn.begin(level);
                  try {
                    statement(txn, 0, value -> value + 1);
                    txn.commit();
                    commits++;
                  } catch (GaussException e) {
                    assertEquals(SqlState.SERIALIZATION_FAILURE, e.state());
                    txn.rollback();
                  }
                }
                txn.close();
                return commits;
              }));
    }
    int commits = 0;
    for (FutureTask<Integer> task : tasks) {
      commits += task.get();
    }
    assertEquals(commits, fixture.rows().newest(fixture.engine().newContext(), 0));
  }

  // ---- anomalies, step by step

  @Test
  void atReadCommittedASecondStatementSeesWhatWasCommittedBetween() {
    Transaction reader = begin(IsolationLevel.READ_COMMITTED);
    assertEquals(0, readStatement(reader, 0));
    write(begin(IsolationLevel.READ_COMMITTED), 0, 7).commit();
    assertEquals(7, readStatement(reader, 0));
  }

  @Test
  void atRepeatableReadItDoesNotNorDoReadsSkew() {
    Transaction reader = begin(IsolationLevel.REPEATABLE_READ);
    assertEquals(0, readStatement(reader, 0));
    Transaction writer = write(begin(IsolationLevel.READ_COMMITTED), 0, 7);
    write(writer, 1, 7).commit();
    assertEquals(0, readStatement(reader, 0));
    assertEquals(0, readStatement(reader, 1));
    reader.commit();
  }

  @Test
  void atRepeatableReadWriteSkewIsAllowedAsSnapshotIsolationHasIt() {
    Transaction a = begin(IsolationLevel.REPEATABLE_READ);
    Transaction b = begin(IsolationLevel.REPEATABLE_READ);
    assertEquals(0, readStatement(a, 1));
    assertEquals(0, readStatement(b, 0));
    write(a, 0, 1).commit();
    write(b, 1, 1).commit();
    assertEquals(1, readStatement(begin(IsolationLevel.READ_COMMITTED), 0));
  }

  @Test
  void theFirstUpdaterWins() {
    Transaction a = begin(IsolationLevel.REPEATABLE_READ);
    Transaction b = begin(IsolationLevel.REPEATABLE_READ);
    readStatement(b, 0);
    write(a, 0, 1).commit();
    GaussException e = assertThrows(GaussException.class, () -> write(b, 0, 2));
    assertEquals(SqlState.SERIALIZATION_FAILURE, e.state());
    b.rollback();
  }

  @Test
  void whoeverWaitedForARollbackGoesOnWithTheOldVersion() throws Exception {
    Transaction a = write(begin(IsolationLevel.REPEATABLE_READ), 0, 1);
    Transaction b = begin(IsolationLevel.REPEATABLE_READ);
    readStatement(b, 0);
    FutureTask<Transaction> waits = run(() -> write(b, 0, 2));
    awaitRowWait(a);
    a.rollback();
    waits.get().commit();
    assertEquals(2, readStatement(begin(IsolationLevel.READ_COMMITTED), 0));
  }

  // ---- waits

  @Test
  void twoThatWaitForEachOtherAreADeadlockAndTheYoungerGivesWay() throws Exception {
    Transaction older = write(begin(IsolationLevel.READ_COMMITTED), 0, 1);
    fixture.engine().clock().next(1); // so that one is younger
    Transaction younger = write(begin(IsolationLevel.READ_COMMITTED), 1, 1);
    FutureTask<Transaction> second = run(() -> write(younger, 0, 2));
    awaitRowWait(older);
    FutureTask<Transaction> first = run(() -> write(older, 1, 2));
    ExecutionException e = assertThrows(ExecutionException.class, second::get);
    GaussException deadlock = (GaussException) e.getCause();
    assertEquals(SqlState.DEADLOCK_DETECTED, deadlock.state());
    assertEquals("deadlock detected", deadlock.getMessage());
    assertTrue(deadlock.detail().contains("waits for transaction"), deadlock.detail());
    younger.rollback();
    first.get().commit();
    assertEquals(1, fixture.transactions().metrics().deadlocks());
  }

  @Test
  void aCycleOfFiveLosesOneMember() throws Exception {
    int members = 5;
    List<FutureTask<Transaction>> tasks = new ArrayList<>();
    List<Transaction> transactions = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      transactions.add(write(begin(IsolationLevel.READ_COMMITTED), i, 1));
    }
    for (int i = 0; i < members; i++) {
      int next = (i + 1) % members;
      Transaction txn = transactions.get(i);
      tasks.add(
          run(
              () -> {
                try {
                  write(txn, next, 2).commit();
                  return txn;
                } catch (GaussException e) {
                  assertEquals(SqlState.DEADLOCK_DETECTED, e.state());
                  txn.rollback();
                  return null;
                }
              }));
    }
    int lost = 0;
    for (FutureTask<Transaction> task : tasks) {
      lost += task.get() == null ? 1 : 0;
    }
    assertEquals(1, lost);
  }

  @Test
  void lockTimeoutEndsAWait() {
    write(begin(IsolationLevel.READ_COMMITTED), 0, 1);
    Transaction b = begin(IsolationLevel.READ_COMMITTED);
    b.lockTimeoutNanos(5_000_000);
    GaussException e = assertThrows(GaussException.class, () -> write(b, 0, 2));
    assertEquals(SqlState.LOCK_NOT_AVAILABLE, e.state());
    assertEquals("canceling statement due to lock timeout", e.getMessage());
    b.rollback();
  }

  @Test
  void aCancelEndsAWait() throws Exception {
    Transaction a = write(begin(IsolationLevel.READ_COMMITTED), 0, 1);
    Transaction b = begin(IsolationLevel.READ_COMMITTED);
    FutureTask<Transaction> waits = run(() -> write(b, 0, 2));
    awaitRowWait(a);
    b.context()
        .interrupts()
        .request(SqlState.QUERY_CANCELED, "canceling statement due to user request");
    ExecutionException e = assertThrows(ExecutionException.class, waits::get);
    assertEquals(SqlState.QUERY_CANCELED, ((GaussException) e.getCause()).state());
    b.rollback();
  }

  @Test
  void onAnEventLoopAWaitIsRefusedAndTheStatementCanBeRepeatedElsewhere() {
    Transaction a = write(begin(IsolationLevel.READ_COMMITTED), 0, 1);
    Transaction b = write(begin(IsolationLevel.READ_COMMITTED), 1, 5);
    b.context().waits().mayBlock(false);
    b.startStatement();
    assertTrue(fixture.rows().update(b, 2, WaitPolicy.WAIT, old -> 9));
    assertThrows(
        WouldBlockException.class,
        () -> fixture.rows().update(b, 0, WaitPolicy.WAIT, old -> old + 1));
    b.context().waits().mayBlock(true);
    b.rollbackStatement();
    a.commit();
    write(b, 0, 3);
    b.commit();
    Transaction reader = begin(IsolationLevel.READ_COMMITTED);
    assertEquals(3, readStatement(reader, 0));
    assertEquals(5, readStatement(reader, 1));
    assertEquals(0, readStatement(reader, 2));
  }

  @RepeatedTest(100)
  void waitersForOneRowWriteItInTheOrderInWhichTheyCame() throws Exception {
    fixture.close();
    fixture = new TransactionFixture(128, TransactionFixture.settings(10_000_000_000L)).start();
    Transaction a = write(begin(IsolationLevel.READ_COMMITTED), 0, 1);
    List<Integer> order = new ArrayList<>();
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      Transaction txn = begin(IsolationLevel.READ_COMMITTED);
      tasks.add(
          run(
              () -> {
                txn.startStatement();
                fixture
                    .rows()
                    .update(
                        txn,
                        0,
                        WaitPolicy.WAIT,
                        old -> {
                          order.add(number); // under the leaf's latch
                          return old + 1;
                        });
                txn.commit();
                return null;
              }));
      awaitWaiters(a, i + 1);
    }
    a.commit();
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
    assertEquals(List.of(0, 1, 2, 3), order);
  }

  // ---- table locks

  @Test
  void ddlWaitsForWritersAndKeepsNewOnesOut() throws Exception {
    Transaction writer = begin(IsolationLevel.READ_COMMITTED);
    writer.lockTable(1, TableLockMode.ROW_EXCLUSIVE);
    Transaction ddl = begin(IsolationLevel.READ_COMMITTED);
    FutureTask<Transaction> changes =
        run(
            () -> {
              ddl.lockTable(1, TableLockMode.ACCESS_EXCLUSIVE);
              return ddl;
            });
    awaitTableGate(1);
    Transaction late = begin(IsolationLevel.READ_COMMITTED);
    late.lockTimeoutNanos(1_000_000);
    GaussException e =
        assertThrows(GaussException.class, () -> late.lockTable(1, TableLockMode.ACCESS_SHARE));
    assertEquals(SqlState.LOCK_NOT_AVAILABLE, e.state());
    writer.lockTable(1, TableLockMode.ACCESS_SHARE); // whoever is in does not queue
    late.lockTable(2, TableLockMode.ROW_EXCLUSIVE); // other tables do not care
    writer.commit();
    changes.get().commit();
    late.lockTable(1, TableLockMode.ACCESS_SHARE);
    late.commit();
  }

  @Test
  void aCycleOverATableAndARowIsADeadlock() throws Exception {
    Transaction a = begin(IsolationLevel.READ_COMMITTED);
    a.lockTable(1, TableLockMode.ROW_EXCLUSIVE);
    Transaction b = write(begin(IsolationLevel.READ_COMMITTED), 0, 1);
    FutureTask<Transaction> ddl =
        run(
            () -> {
              b.lockTable(1, TableLockMode.ACCESS_EXCLUSIVE);
              return b;
            });
    FutureTask<Transaction> row = run(() -> write(a, 0, 2));
    int deadlocks = 0;
    for (FutureTask<Transaction> task : List.of(ddl, row)) {
      try {
        task.get().commit();
      } catch (ExecutionException e) {
        assertEquals(SqlState.DEADLOCK_DETECTED, ((GaussException) e.getCause()).state());
        (task == ddl ? b : a).rollback();
        deadlocks++;
      }
    }
    assertEquals(1, deadlocks);
  }

  @Test
  void twoReadersWhoBothWantToChangeTheTableAreADeadlock() throws Exception {
    List<FutureTask<Boolean>> tasks = new ArrayList<>();
    List<Transaction> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      readers.add(begin(IsolationLevel.READ_COMMITTED));
      readers.get(i).lockTable(1, TableLockMode.ACCESS_SHARE);
    }
    for (Transaction txn : readers) {
      tasks.add(
          run(
              () -> {
                try {
                  txn.lockTable(1, TableLockMode.ACCESS_EXCLUSIVE);
                  txn.commit();
                  return true;
                } catch (GaussException e) {
                  assertEquals(SqlState.DEADLOCK_DETECTED, e.state());
                  txn.rollback();
                  return false;
                }
              }));
    }
    assertEquals(1, (tasks.get(0).get() ? 1 : 0) + (tasks.get(1).get() ? 1 : 0));
  }

  @Test
  void tableLocksExcludeWhatTheyShouldUnderLoad() throws Exception {
    AtomicInteger writers = new AtomicInteger();
    AtomicInteger exclusives = new AtomicInteger();
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      boolean ddl = i < 2;
      tasks.add(
          run(
              () -> {
                Transaction txn = fixture.session();
                for (int n = 0; n < (ddl ? 300 : 3000); n++) {
                  txn.begin(IsolationLevel.READ_COMMITTED);
                  if (ddl) {
                    txn.lockTable(9, TableLockMode.ACCESS_EXCLUSIVE);
                    assertEquals(1, exclusives.incrementAndGet());
                    assertEquals(0, writers.get());
                    Thread.yield();
                    exclusives.decrementAndGet();
                  } else {
                    txn.lockTable(9, TableLockMode.ROW_EXCLUSIVE);
                    writers.incrementAndGet();
                    assertEquals(0, exclusives.get());
                    writers.decrementAndGet();
                  }
                  txn.commit();
                }
                txn.close();
                return null;
              }));
    }
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
  }

  // ---- what a reader saw is durable before it answers (rule 4)

  @Test
  void aReaderOfACommitThatIsNotDurableIsToldWhatToWaitFor() {
    Transaction writer = write(begin(IsolationLevel.READ_COMMITTED), 0, 1);
    fixture.engine().quiesce();
    Semaphore disk = new Semaphore(0);
    fixture.engine().stream().beforeAppend(disk::acquireUninterruptibly);
    try {
      long csn = writer.commit();
      Transaction reader = begin(IsolationLevel.READ_COMMITTED);
      assertEquals(1, readStatement(reader, 0));
      assertEquals(csn, reader.mustBeVisible());
      assertEquals(csn, reader.commit());
    } finally {
      disk.release(1_000_000);
    }
    fixture.engine().quiesce();
    Transaction later = begin(IsolationLevel.READ_COMMITTED);
    assertEquals(1, readStatement(later, 0));
    assertEquals(0, later.mustBeVisible());
    assertEquals(0, later.commit());
  }

  // ---- helpers

  private Transaction begin(IsolationLevel level) {
    Transaction txn = fixture.session();
    txn.begin(level);
    return txn;
  }

  private long readStatement(Transaction txn, int row) {
    txn.startStatement();
    long value = fixture.rows().read(txn, row);
    txn.endStatement();
    return value;
  }

  private Transaction write(Transaction txn, int row, long value) {
    statement(txn, row, old -> value);
    return txn;
  }

  private void statement(Transaction txn, int row, LongUnaryOperator change) {
    txn.startStatement();
    assertTrue(fixture.rows().update(txn, row, WaitPolicy.WAIT, change));
    txn.endStatement();
  }

  private void openAccounts() {
    Transaction txn = begin(IsolationLevel.READ_COMMITTED);
    for (int account = 0; account < ACCOUNTS; account++) {
      write(txn, account, OPENING);
    }
    txn.commit();
  }

  private long sum() {
    long sum = 0;
    for (int account = 0; account < ACCOUNTS; account++) {
      sum += fixture.rows().newest(fixture.engine().newContext(), account);
    }
    return sum;
  }

  private void awaitRowWait(Transaction holder) {
    awaitWaiters(holder, 1);
  }

  private void awaitWaiters(Transaction holder, int count) {
    UndoSegment segment = fixture.transactions().segments().get(Xid.segment(holder.xid()));
    assertNotNull(segment);
    while (UndoProbe.waiters(segment) < count) {
      Thread.onSpinWait();
    }
  }

  private void awaitTableGate(int table) {
    while (!fixture.transactions().tableLocks().of(table).isGateClosed()) {
      Thread.onSpinWait();
    }
  }

  private static <T> FutureTask<T> run(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofVirtual().start(task);
    return task;
  }
}
