package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.log.CommitAdvance;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Table locks of several nodes: leases from a home that is real, over lines that are slow. */
@Timeout(300)
class NodeLocksTest {
  private static final int TABLE = 20_000;
  private static final int OTHER = 20_001;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final NodesFixture nodes = new NodesFixture(3, 4, Seeds.next(), 0);
  private final LockLines lines = new LockLines(nodes, Seeds.next());

  @AfterEach
  void stop() throws InterruptedException {
    threads.shutdownNow();
    lines.close();
    nodes.close();
  }

  private Transaction begin(int slot) {
    Transaction txn = nodes.node(slot).session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    return txn;
  }

  private Transaction having(int slot, int table, TableLockMode mode) {
    Transaction txn = begin(slot);
    txn.lockTable(table, mode);
    return txn;
  }

  private Future<Transaction> wanting(Transaction txn, int table, TableLockMode mode) {
    return threads.submit(
        () -> {
          txn.lockTable(table, mode);
          return txn;
        });
  }

  private static void eventually(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertFalse(Thread.interrupted(), "it did not happen in time");
      Thread.yield();
    }
  }

  private void awaitWaiting(int slot, int count) {
    eventually(() -> nodes.node(slot).transactions.waiting() == count);
  }

  /** The node has been told to give the mode's lease back: whoever wants it there waits. */
  private void awaitRecalled(int slot, TableLockMode weak) {
    TableLock lock = nodes.node(slot).transactions.tableLocks().of(TABLE);
    eventually(() -> lock.leaseNumber(weak) == 0);
  }

  private void awaitQuiet() {
    eventually(lines::isQuiet);
  }

  private void assertNobodyWaits() {
    nodes.all().forEach(node -> assertEquals(0, node.transactions.waiting()));
    nodes
        .all()
        .forEach(node -> eventually(() -> node.transactions.links().deadlocks().size() == 0));
  }

  @Test
  void aModeForRowsIsAskedForOnceAndThenCostsNoMessage() {
    having(1, TABLE, TableLockMode.ROW_EXCLUSIVE).commit();
    long before = lines.node(1).messages();
    for (int i = 0; i < 10; i++) {
      having(1, TABLE, TableLockMode.ROW_EXCLUSIVE).commit();
    }
    assertEquals(before, lines.node(1).messages());
  }

  @Test
  void rowsAreReadAndWrittenAtAllNodesAtOnce() {
    List<Transaction> all = new ArrayList<>();
    for (int slot = 1; slot <= 3; slot++) {
      all.add(having(slot, TABLE, TableLockMode.ACCESS_SHARE));
      all.add(having(slot, TABLE, TableLockMode.ROW_EXCLUSIVE));
    }
    all.forEach(Transaction::commit);
    assertNobodyWaits();
  }

  @Test
  void whoWantsATableAloneWaitsForTheTransactionsOfOtherNodesAndOthersWaitBehind()
      throws Exception {
    Transaction reader = having(1, TABLE, TableLockMode.ACCESS_SHARE);
    Transaction ddl = begin(2);
    Future<Transaction> alone = wanting(ddl, TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    awaitRecalled(1, TableLockMode.ACCESS_SHARE);
    Future<Transaction> later = wanting(begin(1), TABLE, TableLockMode.ACCESS_SHARE);
    Future<Transaction> third = wanting(begin(3), TABLE, TableLockMode.ROW_EXCLUSIVE);
    awaitWaiting(1, 1);
    awaitWaiting(3, 1);
    awaitQuiet();
    assertFalse(alone.isDone());
    reader.commit();
    alone.get();
    awaitQuiet();
    assertFalse(later.isDone());
    assertFalse(third.isDone());
    ddl.commit();
    later.get().commit();
    third.get().commit();
    assertNobodyWaits();
  }

  @Test
  void aTransactionGetsAStrongerModeOfATableThatItReadsAlready() {
    having(1, TABLE, TableLockMode.ACCESS_SHARE).commit();
    Transaction txn = having(2, TABLE, TableLockMode.ACCESS_SHARE);
    txn.lockTable(TABLE, TableLockMode.ROW_EXCLUSIVE);
    txn.lockTable(TABLE, TableLockMode.SHARE);
    txn.lockTable(TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    txn.commit();
    having(1, TABLE, TableLockMode.ACCESS_SHARE).commit();
  }

  @Test
  void indexesAreBuiltBesideEachOtherAndNotBesideWriters() throws Exception {
    Transaction first = having(1, TABLE, TableLockMode.SHARE);
    Transaction second = having(2, TABLE, TableLockMode.SHARE);
    Future<Transaction> writer = wanting(begin(3), TABLE, TableLockMode.ROW_EXCLUSIVE);
    having(3, TABLE, TableLockMode.ACCESS_SHARE).commit();
    awaitWaiting(3, 1);
    first.commit();
    awaitQuiet();
    assertFalse(writer.isDone());
    second.commit();
    writer.get().commit();
  }

  @Test
  void aStrongModeIsNotKept() {
    having(1, TABLE, TableLockMode.ACCESS_EXCLUSIVE).commit();
    awaitQuiet();
    assertEquals(0, lines.size());
  }

  @Test
  void aWaitForAnotherNodeEndsByTheLockTimeoutAndLeavesNothing() {
    Transaction reader = having(1, TABLE, TableLockMode.ACCESS_SHARE);
    Transaction ddl = begin(2);
    ddl.lockTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(50));
    GaussException timeout =
        assertThrows(
            GaussException.class, () -> ddl.lockTable(TABLE, TableLockMode.ACCESS_EXCLUSIVE));
    assertEquals(SqlState.LOCK_NOT_AVAILABLE, timeout.state());
    awaitQuiet();
    having(1, TABLE, TableLockMode.ACCESS_SHARE).commit();
    having(2, TABLE, TableLockMode.ROW_EXCLUSIVE).commit();
    reader.commit();
    ddl.rollback();
    assertNobodyWaits();
  }

  @Test
  void aWaitForAnotherNodeCanBeCancelled() {
    Transaction reader = having(1, TABLE, TableLockMode.ACCESS_SHARE);
    Transaction ddl = begin(2);
    Future<Transaction> wait = wanting(ddl, TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    awaitWaiting(2, 1);
    ddl.context()
        .interrupts()
        .request(SqlState.QUERY_CANCELED, "canceling statement due to user request");
    ExecutionException failed = assertThrows(ExecutionException.class, wait::get);
    assertEquals(SqlState.QUERY_CANCELED, ((GaussException) failed.getCause()).state());
    reader.commit();
    ddl.rollback();
    having(3, TABLE, TableLockMode.ACCESS_EXCLUSIVE).commit();
  }

  @Test
  void aCircleOverTwoTablesAtTwoNodesEndsWithTheYoungestGivingWay() throws Exception {
    Transaction older = having(1, TABLE, TableLockMode.ROW_EXCLUSIVE);
    nodes.node(2).engine.clock().observe(nodes.node(1).engine.clock().next(1));
    Transaction younger = having(2, OTHER, TableLockMode.ROW_EXCLUSIVE);
    Future<Transaction> first = wanting(older, OTHER, TableLockMode.ACCESS_EXCLUSIVE);
    awaitWaiting(1, 1);
    Future<Transaction> second = wanting(younger, TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    ExecutionException failed = assertThrows(ExecutionException.class, second::get);
    assertEquals(SqlState.DEADLOCK_DETECTED, ((GaussException) failed.getCause()).state());
    younger.rollback();
    first.get().commit();
    assertNobodyWaits();
  }

  @Test
  void ofTwoNodesThatReadATableAndWantItAloneOneGivesWay() throws Exception {
    Transaction one = having(1, TABLE, TableLockMode.ACCESS_SHARE);
    Transaction two = having(2, TABLE, TableLockMode.ACCESS_SHARE);
    Future<Transaction> first = wanting(one, TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    Future<Transaction> second = wanting(two, TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    eventually(() -> isDead(first) || isDead(second));
    (isDead(first) ? one : two).rollback();
    (isDead(first) ? second : first).get().commit();
    assertNobodyWaits();
  }

  private static boolean isDead(Future<?> wait) {
    return wait.state() == Future.State.FAILED
        && ((GaussException) wait.exceptionNow()).state() == SqlState.DEADLOCK_DETECTED;
  }

  /**
   * The first one has it at its node, and waits for the home; the second one waits for the first.
   */
  @Test
  void twoOfANodeWhoWantATableAloneAreNoCircle() throws Exception {
    Transaction reader = having(1, TABLE, TableLockMode.ACCESS_SHARE);
    Future<Transaction> first = wanting(begin(2), TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    awaitWaiting(2, 1);
    Future<Transaction> second = wanting(begin(2), TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    awaitWaiting(2, 2);
    eventually(
        () ->
            nodes.node(1).transactions.links().deadlocks().size() > 2
                || first.isDone()
                || second.isDone());
    reader.commit();
    first.get().commit();
    second.get().commit();
    assertNobodyWaits();
  }

  @Test
  void aCircleOfATableAndARowEndsAsWell() throws Exception {
    Transaction writer = begin(1);
    writer.startStatement();
    nodes.rows().update(nodes.node(1), writer, 0, WaitPolicy.WAIT, old -> old);
    Transaction ddl = having(2, TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    ddl.startStatement();
    Future<Transaction> table = wanting(writer, TABLE, TableLockMode.ROW_EXCLUSIVE);
    awaitWaiting(1, 1);
    Future<Boolean> row =
        threads.submit(
            () -> nodes.rows().update(nodes.node(2), ddl, 0, WaitPolicy.WAIT, old -> old));
    eventually(() -> isDead(table) || isDead(row));
    (isDead(table) ? writer : ddl).rollback();
    if (isDead(table)) {
      assertTrue(row.get());
      ddl.commit();
    } else {
      table.get().commit();
    }
    assertNobodyWaits();
  }

  @Test
  void aCircleThroughTheQueueAtTheHomeEndsWithoutAVictim() throws Exception {
    Transaction reader = having(3, TABLE, TableLockMode.ACCESS_SHARE);
    Transaction writer = having(1, OTHER, TableLockMode.ROW_EXCLUSIVE);
    Future<Transaction> ddl = wanting(begin(2), TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    awaitRecalled(3, TableLockMode.ACCESS_SHARE);
    // Queues behind the DDL, which waits for the reader, which waits for this one.
    Future<Transaction> behind = wanting(writer, TABLE, TableLockMode.ACCESS_SHARE);
    Future<Transaction> closes = wanting(reader, OTHER, TableLockMode.ACCESS_EXCLUSIVE);
    behind.get().commit();
    closes.get().commit();
    ddl.get().commit();
    assertNobodyWaits();
  }

  @Test
  void othersGetATableOnlyWhenWhatWasDoneToItIsVisible() throws Exception {
    NodesFixture.Node node = nodes.node(1);
    long[] heard = {0};
    node.engine
        .log()
        .advance(
            new CommitAdvance() {
              @Override
              public void sending(long lsn) {
                // They do not listen.
              }

              @Override
              public long through() {
                return heard[0];
              }
            });
    Transaction ddl = having(1, TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    ddl.startStatement();
    nodes.rows().update(node, ddl, 0, WaitPolicy.WAIT, old -> old);
    ddl.commit();
    having(1, TABLE, TableLockMode.ACCESS_SHARE).commit(); // here it is published already
    Future<Transaction> reader = wanting(begin(2), TABLE, TableLockMode.ACCESS_SHARE);
    awaitWaiting(2, 1);
    node.engine.quiesce();
    awaitQuiet();
    assertFalse(reader.isDone());
    heard[0] = Long.MAX_VALUE;
    node.engine.log().advanced();
    reader.get().commit();
  }

  @Test
  void whoTakesNothingCanTellWhetherSomebodyChangedIt() {
    having(1, TABLE, TableLockMode.ROW_EXCLUSIVE).commit();
    TableLock lock = nodes.node(1).transactions.tableLocks().of(TABLE);
    long before = lock.leaseNumber(TableLockMode.ROW_EXCLUSIVE);
    having(2, TABLE, TableLockMode.ROW_EXCLUSIVE).commit();
    assertEquals(before, lock.leaseNumber(TableLockMode.ROW_EXCLUSIVE));
    Transaction other = having(2, TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    assertEquals(0, lock.leaseNumber(TableLockMode.ROW_EXCLUSIVE));
    other.commit();
    having(1, TABLE, TableLockMode.ROW_EXCLUSIVE).commit();
    assertNotEquals(before, lock.leaseNumber(TableLockMode.ROW_EXCLUSIVE));
  }

  @Test
  void aNewHomeKnowsWhatIsOnLeaseAndHearsAgainWhatIsWaitedFor() throws Exception {
    Transaction reader = having(1, TABLE, TableLockMode.ACCESS_SHARE);
    Future<Transaction> ddl = wanting(begin(2), TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    awaitWaiting(2, 1);
    lines.loseHome();
    awaitQuiet();
    assertFalse(ddl.isDone());
    having(3, OTHER, TableLockMode.ACCESS_EXCLUSIVE).commit();
    reader.commit();
    ddl.get().commit();
    assertNobodyWaits();
  }

  @Test
  void nodesNeverHaveWhatExcludesEachOtherWhateverIsLostMeanwhile() throws Exception {
    int tables = 3;
    int modes = TableLockMode.values().length;
    AtomicIntegerArray had = new AtomicIntegerArray(tables * modes);
    List<Future<?>> sessions = new ArrayList<>();
    CountDownLatch wantsLoss = new CountDownLatch(1);
    CountDownLatch lost = new CountDownLatch(1);
    for (int i = 0; i < 9; i++) {
      int slot = i % 3 + 1;
      boolean awaitsLoss = i == 0; // however soon all of them come to their end
      Random random = new Random(Seeds.next());
      sessions.add(
          threads.submit(
              () -> {
                Transaction txn = nodes.node(slot).session();
                for (int round = 0; round < 60; round++) {
                  if (awaitsLoss && round == 30) {
                    wantsLoss.countDown();
                    lost.await();
                  }
                  useTables(txn, random, had, tables, modes);
                }
                return null;
              }));
    }
    Random random = new Random(Seeds.next());
    while (sessions.stream().anyMatch(session -> !session.isDone())) {
      boolean isDue = wantsLoss.getCount() == 0 && lost.getCount() != 0;
      if (isDue || random.nextInt(20_000) == 0) {
        lines.loseHome();
        lost.countDown();
      }
      Thread.yield();
      assertFalse(Thread.interrupted(), "they do not come to an end");
    }
    for (Future<?> session : sessions) {
      session.get();
    }
    awaitQuiet();
    assertNobodyWaits();
  }

  private static void useTables(
      Transaction txn, Random random, AtomicIntegerArray had, int tables, int modes) {
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.lockTimeoutNanos(random.nextInt(4) == 0 ? 1_000_000 : 0);
    List<Integer> taken = new ArrayList<>();
    try {
      for (int i = random.nextInt(3); i >= 0; i--) {
        int table = random.nextInt(tables);
        int mode = random.nextInt(3) == 0 ? random.nextInt(modes) : random.nextInt(2);
        txn.lockTable(TABLE + table, TableLockMode.values()[mode]);
        had.incrementAndGet(table * modes + mode);
        taken.add(table * modes + mode);
        checkAlone(taken, had, table, mode, modes);
      }
      Thread.yield();
    } catch (GaussException e) {
      assertTrue(
          e.state() == SqlState.LOCK_NOT_AVAILABLE || e.state() == SqlState.DEADLOCK_DETECTED,
          e::toString);
    }
    taken.forEach(had::decrementAndGet);
    txn.rollback();
  }

  /** Nobody else has what the mode excludes. */
  private static void checkAlone(
      List<Integer> own, AtomicIntegerArray had, int table, int mode, int modes) {
    for (int other = 0; other < modes; other++) {
      int place = table * modes + other;
      if (TableLockMode.values()[mode].conflictsWith(TableLockMode.values()[other])) {
        long mine = own.stream().filter(taken -> taken == place).count();
        assertEquals(mine, had.get(place), "of mode " + other + " beside mode " + mode);
      }
    }
  }
}
