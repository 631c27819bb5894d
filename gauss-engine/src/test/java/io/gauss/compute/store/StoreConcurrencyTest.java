package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real threads, real waits, small pages: what must hold whatever the interleaving. */
class StoreConcurrencyTest {
  private static final int ACCOUNTS = 60;
  private static final long OPENING = 1000;

  private final long seed = Seeds.next();
  private final StoreEngine engine = new StoreEngine(300, 600);
  private final VersionedTree tree =
      engine.store().tree(engine.store().create(engine.newContext()));
  private final ExecutorService executor = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    executor.shutdownNow();
    engine.close();
  }

  @Test
  void moneyIsNeitherMadeNorLostAndEverySnapshotSeesTheWholeSum() throws Exception {
    engine.transactions().start();
    Transaction setup = engine.session();
    setup.begin(IsolationLevel.READ_COMMITTED);
    setup.startStatement();
    for (int i = 0; i < ACCOUNTS; i++) {
      assertEquals(Outcome.OK, insert(setup, key(i), OPENING));
    }
    setup.endStatement();
    setup.commit();
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger commits = new AtomicInteger();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Random random = new Random(seed + t);
      tasks.add(() -> transfers(random, commits));
    }
    for (int t = 0; t < 2; t++) {
      tasks.add(() -> audits(stop));
    }
    List<Future<Void>> futures = new ArrayList<>();
    for (Callable<Void> task : tasks) {
      futures.add(executor.submit(task));
    }
    for (int i = 0; i < 4; i++) {
      futures.get(i).get();
    }
    stop.set(true);
    for (Future<Void> future : futures) {
      future.get();
    }
    engine.transactions().stop();
    assertTrue(commits.get() > 100);
    assertEquals(ACCOUNTS * OPENING, sum(engine.session()));
    assertEquals(List.of(), engine.problems(tree.space()));
  }

  private Void transfers(Random random, AtomicInteger commits) {
    Transaction txn = engine.session();
    RowVersion version = new RowVersion();
    for (int i = 0; i < 400; i++) {
      txn.begin(
          random.nextBoolean() ? IsolationLevel.READ_COMMITTED : IsolationLevel.REPEATABLE_READ);
      try {
        long amount = random.nextInt(50);
        txn.startStatement();
        add(txn, random.nextInt(ACCOUNTS), -amount, version, random);
        txn.endStatement();
        txn.startStatement();
        add(txn, random.nextInt(ACCOUNTS), amount, version, random);
        txn.endStatement();
        if (random.nextInt(6) == 0) {
          txn.rollback();
        } else {
          txn.commit();
          commits.incrementAndGet();
        }
      } catch (GaussException e) {
        assertTrue(
            e.state() == SqlState.DEADLOCK_DETECTED || e.state() == SqlState.SERIALIZATION_FAILURE,
            e.toString());
        txn.rollback();
      }
    }
    txn.close();
    return null;
  }

  /** Changes an account: by update, or by delete and insert, in rows of random lengths. */
  private void add(Transaction txn, int account, long amount, RowVersion version, Random random) {
    byte[] key = key(account);
    while (true) {
      Outcome outcome =
          tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version);
      assertTrue(outcome == Outcome.OK || outcome == Outcome.CHANGED, outcome.toString());
      long balance = ByteBuffer.wrap(version.row).order(ByteOrder.LITTLE_ENDIAN).getLong() + amount;
      byte[] row = row(balance, 8 + random.nextInt(60));
      if (random.nextInt(4) > 0) {
        if (tree.update(txn, version, row, 0, row.length) == Outcome.OK) {
          return;
        }
      } else if (tree.delete(txn, version) == Outcome.OK) {
        assertEquals(Outcome.OK, tree.insert(txn, key, 0, key.length, row, 0, row.length, null));
        return;
      }
    }
  }

  private Void audits(AtomicBoolean stop) {
    Transaction txn = engine.session();
    while (!stop.get()) {
      assertEquals(ACCOUNTS * OPENING, sum(txn));
    }
    txn.close();
    return null;
  }

  private long sum(Transaction txn) {
    long sum = 0;
    int rows = 0;
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    try (VersionedScan scan = tree.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
      while (scan.next()) {
        sum += Memory.getLong(scan.rowAddress());
        rows++;
      }
    }
    txn.endStatement();
    txn.commit();
    assertEquals(ACCOUNTS, rows);
    return sum;
  }

  @Test
  void aQueueStaysSmallWhenItsLowEndIsDeletedAndItsHighEndGrows() {
    Transaction txn = engine.session();
    EngineContext ctx = txn.context();
    RowVersion version = new RowVersion();
    int length = 30;
    int next = 0;
    for (int round = 0; round < 3000; round++) {
      txn.begin(IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      insert(txn, key(next++), round);
      txn.endStatement();
      if (next > length) {
        txn.startStatement();
        try (VersionedScan scan = tree.newScan(ctx)) {
          scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
          assertTrue(scan.next());
          scan.copyVersion(version);
        }
        assertEquals(next - 1 - length, ByteBuffer.wrap(version.key).getInt());
        assertEquals(Outcome.OK, tree.delete(txn, version));
        txn.endStatement();
      }
      txn.commit();
      if (round % 50 == 0) {
        engine.purge();
      }
    }
    engine.purge();
    var report = io.gauss.compute.tree.TreeChecker.check(tree.btree(), ctx);
    assertEquals(List.of(), report.problems());
    assertEquals(length, report.records());
    assertTrue(report.leaves() < 40, report.toString());
  }

  @Test
  void insertersOfOneKeyWaitForEachOtherAndOneWins() throws Exception {
    AtomicInteger inserted = new AtomicInteger();
    AtomicInteger duplicates = new AtomicInteger();
    List<Future<Void>> futures = new ArrayList<>();
    for (int t = 0; t < 6; t++) {
      boolean rollsBack = t % 2 == 0;
      Callable<Void> task =
          () -> {
            Transaction txn = engine.session();
            txn.begin(IsolationLevel.READ_COMMITTED);
            txn.startStatement();
            Outcome outcome = insert(txn, key(5), 1);
            txn.endStatement();
            if (outcome == Outcome.OK && rollsBack) {
              txn.rollback();
            } else {
              txn.commit();
              (outcome == Outcome.OK ? inserted : duplicates).incrementAndGet();
            }
            return null;
          };
      futures.add(executor.submit(task));
    }
    for (Future<Void> future : futures) {
      future.get();
    }
    assertEquals(1, inserted.get());
    assertTrue(duplicates.get() >= 2);
  }

  @Test
  void locksThatCameAndWentMakeNoChain() {
    Transaction txn = engine.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    insert(txn, key(1), 7);
    txn.commit();
    RowVersion version = new RowVersion();
    for (int i = 0; i < 50; i++) {
      txn.begin(IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      assertEquals(Outcome.OK, readNewest(txn, key(1), version));
      assertEquals(i > 0, version.lockedOnly);
      assertEquals(i > 0, version.contentHeader() != null);
      assertEquals(Outcome.OK, tree.lock(txn, version));
      if (i % 3 == 0) {
        txn.rollback();
        txn.begin(IsolationLevel.READ_COMMITTED);
        txn.startStatement();
        assertEquals(Outcome.OK, readNewest(txn, key(1), version));
        assertEquals(Outcome.OK, tree.lock(txn, version));
      }
      txn.commit();
    }
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    assertEquals(Outcome.OK, readNewest(txn, key(1), version));
    byte[] row = row(8, 30);
    assertEquals(Outcome.OK, tree.update(txn, version, row, 0, row.length));
    assertEquals(Outcome.SELF, readNewest(txn, key(1), version));
    txn.rollback();
    assertEquals(7, firstBalance(txn));
  }

  @Test
  void aLongRowIsReadWholeInTheStatementThatWroteIt() {
    byte[] row = row(7, 100_000);
    row[row.length - 1] = 42;
    Transaction txn = engine.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    RowVersion version = new RowVersion();
    tree.insert(txn, key(1), 0, key(1).length, row, 0, row.length, version);

    assertEquals(Outcome.SELF, readNewest(txn, key(1), version));

    assertArrayEquals(row, Arrays.copyOf(version.row, version.rowLength));
    txn.rollback();
  }

  private Outcome readNewest(Transaction txn, byte[] key, RowVersion version) {
    return tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version);
  }

  private long firstBalance(Transaction txn) {
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    try (VersionedScan scan = tree.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
      assertTrue(scan.next());
      return Memory.getLong(scan.rowAddress());
    } finally {
      txn.commit();
    }
  }

  private Outcome insert(Transaction txn, byte[] key, long balance) {
    byte[] row = row(balance, 20);
    return tree.insert(txn, key, 0, key.length, row, 0, row.length, null);
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(4).putInt(i).array();
  }

  private static byte[] row(long balance, int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).putLong(balance).array();
  }
}
