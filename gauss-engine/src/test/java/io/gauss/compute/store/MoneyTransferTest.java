package io.gauss.compute.store;

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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Money moves between rows of a tree with tiny pages in a small pool, in several threads, with
 * purge and evictions in progress: rows are updated, locked, deleted and inserted again, some as
 * overflow rows. The sum stays what it was for every snapshot, and after a crash in the middle of
 * it.
 */
@Timeout(300)
class MoneyTransferTest {
  private static final int ACCOUNTS = 40;
  private static final long OPENING = 1000;
  private static final int THREADS = 5;

  /** How long is waited behind those who stopped inside a transaction. */
  private static final long BEHIND_STOPPED_NANOS = 300_000_000;

  private final long seed = Seeds.next();
  private StoreEngine engine;
  private VersionedTree tree;

  @BeforeEach
  void open() {
    engine = new StoreEngine(160, 700);
    EngineContext ctx = engine.newContext();
    tree = engine.store().tree(engine.store().create(ctx));
    Transaction txn = engine.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    for (int account = 0; account < ACCOUNTS; account++) {
      txn.startStatement();
      byte[] row = row(OPENING, 0);
      assertEquals(Outcome.OK, tree.insert(txn, key(account), 0, 4, row, 0, row.length, null));
      txn.endStatement();
    }
    txn.commit();
    txn.close();
    engine.transactions().start();
  }

  @AfterEach
  void close() {
    engine.transactions().stop();
    engine.close();
  }

  @ParameterizedTest
  @EnumSource(IsolationLevel.class)
  void everySnapshotSeesAllTheMoney(IsolationLevel level) throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    List<FutureTask<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(seed + i);
      tasks.add(run(() -> transfers(level, random, 300, 0, done)));
    }
    FutureTask<Integer> auditor = run(() -> audit(done));
    int transfers = 0;
    for (FutureTask<Integer> task : tasks) {
      transfers += task.get();
    }
    done.set(true);
    assertTrue(auditor.get() > 0);
    assertTrue(transfers > 0);
    assertEquals(OPENING * ACCOUNTS, sum(engine.session()), "seed " + seed);
    engine
        .transactions()
        .withoutMaintenance(() -> assertEquals(List.of(), engine.problems(tree.space())));
  }

  @Test
  void aCrashInTheMiddleLosesNoMoney() throws Exception {
    for (int round = 0; round < 4; round++) {
      AtomicBoolean crash = new AtomicBoolean();
      List<FutureTask<Integer>> tasks = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(seed + 100L * round + i);
        tasks.add(
            run(
                () ->
                    transfers(
                        IsolationLevel.READ_COMMITTED,
                        random,
                        Integer.MAX_VALUE,
                        BEHIND_STOPPED_NANOS,
                        crash)));
      }
      long until = engine.transactions().metrics().commits() + 300;
      while (engine.transactions().metrics().commits() < until) {
        Thread.onSpinWait();
      }
      crash.set(true);
      for (FutureTask<Integer> task : tasks) {
        task.get();
      }
      // Sessions stopped wherever they were, most of them inside a transaction.
      engine.transactions().stop();
      engine = engine.restart(160);
      tree = engine.store().tree(tree.space());
      assertEquals(OPENING * ACCOUNTS, sum(engine.session()), "seed " + seed);
      assertEquals(List.of(), engine.problems(tree.space()));
      engine.transactions().start();
    }
  }

  /**
   * Stops in the middle of a transaction when told to.
   *
   * @param lockTimeoutNanos how long it waits for a row; 0 = as long as it takes
   */
  private int transfers(
      IsolationLevel level, Random random, int count, long lockTimeoutNanos, AtomicBoolean stop) {
    Transaction txn = engine.session();
    txn.lockTimeoutNanos(lockTimeoutNanos);
    RowVersion version = new RowVersion();
    int done = 0;
    for (int i = 0; i < count; i++) {
      int from = random.nextInt(ACCOUNTS);
      int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
      long amount = random.nextInt(100);
      try {
        txn.begin(level);
        add(txn, version, from, -amount, random);
        if (stop.get()) {
          return done;
        }
        add(txn, version, to, amount, random);
        if (random.nextInt(8) == 0) {
          txn.rollback();
        } else {
          txn.commit();
          done++;
        }
      } catch (GaussException e) {
        txn.rollback();
        assertTrue(
            e.state() == SqlState.DEADLOCK_DETECTED
                || e.state() == SqlState.SERIALIZATION_FAILURE
                || lockTimeoutNanos > 0 && e.state() == SqlState.LOCK_NOT_AVAILABLE,
            e.toString());
        if (stop.get()) {
          return done;
        }
      }
    }
    txn.close();
    return done;
  }

  private void add(Transaction txn, RowVersion version, int account, long amount, Random random) {
    byte[] key = key(account);
    while (true) {
      txn.startStatement();
      Outcome read = tree.readNewest(txn, txn.snapshot(), key, 0, 4, WaitPolicy.WAIT, version);
      if (read == Outcome.NOT_FOUND) {
        // Somebody deletes and inserts it again in one transaction: our statement came between.
        txn.endStatement();
        continue;
      }
      assertTrue(read == Outcome.OK || read == Outcome.CHANGED, read + " of account " + account);
      byte[] row =
          row(balance(version) + amount, random.nextInt(50) == 0 ? 4000 : random.nextInt(60));
      Outcome outcome;
      switch (random.nextInt(6)) {
        case 0 -> {
          outcome = tree.lock(txn, version);
          if (outcome == Outcome.OK) {
            txn.endStatement();
            continue;
          }
        }
        case 1 -> {
          outcome = tree.delete(txn, version);
          if (outcome == Outcome.OK) {
            assertEquals(Outcome.OK, tree.insert(txn, key, 0, 4, row, 0, row.length, null));
          }
        }
        case 2 -> {
          // A statement that fails half-way and is repeated.
          outcome = tree.update(txn, version, row, 0, row.length);
          txn.rollbackStatement();
          txn.endStatement();
          continue;
        }
        default -> outcome = tree.update(txn, version, row, 0, row.length);
      }
      txn.endStatement();
      if (outcome == Outcome.OK) {
        return;
      }
      assertEquals(Outcome.STALE, outcome);
    }
  }

  private int audit(AtomicBoolean done) {
    Transaction txn = engine.session();
    int audits = 0;
    while (!done.get()) {
      assertEquals(OPENING * ACCOUNTS, sum(txn), "seed " + seed);
      audits++;
    }
    txn.close();
    return audits;
  }

  private long sum(Transaction txn) {
    txn.begin(IsolationLevel.REPEATABLE_READ);
    long sum = 0;
    long again = 0;
    txn.startStatement();
    try (VersionedScan scan = tree.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
      while (scan.next()) {
        sum += balance(scan.rowAddress());
      }
    }
    RowVersion version = new RowVersion();
    for (int account = 0; account < ACCOUNTS; account++) {
      assertTrue(tree.get(txn, txn.snapshot(), key(account), 0, 4, version), "account " + account);
      again += balance(version);
    }
    assertEquals(sum, again);
    txn.endStatement();
    txn.commit();
    return sum;
  }

  private static byte[] key(int account) {
    return ByteBuffer.allocate(4).putInt(account).array();
  }

  private static byte[] row(long balance, int padding) {
    byte[] row = new byte[8 + padding];
    ByteBuffer.wrap(row).order(java.nio.ByteOrder.LITTLE_ENDIAN).putLong(0, balance);
    byte[] filler = "filler".getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < padding; i++) {
      row[8 + i] = filler[i % filler.length];
    }
    return row;
  }

  private static long balance(RowVersion version) {
    return ByteBuffer.wrap(version.row).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong(0);
  }

  private static long balance(long address) {
    return Memory.getLong(address);
  }

  private static <T> FutureTask<T> run(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofVirtual().start(task);
    return task;
  }
}
