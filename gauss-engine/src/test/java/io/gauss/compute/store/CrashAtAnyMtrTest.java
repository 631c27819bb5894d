package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.memory.Memory;
import io.gauss.common.redo.MtrLayout;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.WaitPolicy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Cuts the log of a workload behind an arbitrary mini-transaction, recovers, and looks: trees are
 * sound, the sum of all accounts is what it was, the index says what the table says, and once all
 * is purged no page is lost. Then cuts the log of the recovery and the purge as well.
 */
class CrashAtAnyMtrTest {
  private static final int ACCOUNTS = 40;
  private static final long OPENING = 1000;
  private static final int MAX_USED = 400;

  private final Random random = new Random(Seeds.next());
  private StoreEngine engine;
  private int tableSpace;
  private int indexSpace;
  private VersionedTree table;
  private VersionedTree index;

  @Test
  void whateverIsCutOffTheTransactionsAreWholeOrGone() {
    engine = new StoreEngine(200, MAX_USED);
    tableSpace = engine.store().create(engine.newContext());
    indexSpace = engine.store().create(engine.newContext());
    openTrees();
    Transaction setup = engine.session();
    setup.begin(IsolationLevel.READ_COMMITTED);
    setup.startStatement();
    for (int i = 0; i < ACCOUNTS; i++) {
      insert(setup, i, OPENING, 20);
    }
    setup.commit();
    engine.engine().quiesce();
    int start = engine.engine().stream().content().length;
    workload(250);
    engine.engine().quiesce();
    byte[] content = engine.engine().stream().content();
    engine.close();
    List<Integer> ends = ends(content, start);
    for (int i = 0; i < 40; i++) {
      int end = ends.get(random.nextInt(ends.size()));
      engine = StoreEngine.over(content, end, 200, MAX_USED);
      check();
      assertEquals(List.of(), engine.lostPages());
      engine.engine().quiesce();
      byte[] recovered = engine.engine().stream().content();
      engine.close();
      List<Integer> again = ends(recovered, end);
      if (!again.isEmpty()) {
        int cut = again.get(random.nextInt(again.size()));
        engine = StoreEngine.over(recovered, cut, 200, MAX_USED);
        check();
        assertEquals(List.of(), engine.lostPages());
        workload(5);
        check();
        engine.close();
      }
    }
  }

  private void openTrees() {
    table = engine.store().tree(tableSpace);
    index = engine.store().tree(indexSpace);
  }

  private static List<Integer> ends(byte[] content, int from) {
    ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    List<Integer> ends = new ArrayList<>();
    int at = 0;
    while (at < content.length) {
      at += bytes.getInt(at + MtrLayout.LENGTH);
      if (at >= from) {
        ends.add(at);
      }
    }
    return ends;
  }

  private void workload(int transactions) {
    List<Transaction> sessions = List.of(engine.session(), engine.session(), engine.session());
    sessions.forEach(session -> session.lockTimeoutNanos(1));
    RowVersion version = new RowVersion();
    for (int i = 0; i < transactions * 3; i++) {
      Transaction txn = sessions.get(random.nextInt(sessions.size()));
      if (!txn.isActive()) {
        txn.begin(IsolationLevel.READ_COMMITTED);
      }
      try {
        long amount = random.nextInt(90);
        int rowBytes =
            random.nextInt(12) == 0 ? 3000 + random.nextInt(20_000) : 20 + random.nextInt(60);
        txn.startStatement();
        add(txn, random.nextInt(ACCOUNTS), -amount, rowBytes, version);
        txn.endStatement();
        txn.startStatement();
        add(txn, random.nextInt(ACCOUNTS), amount, 20 + random.nextInt(60), version);
        txn.endStatement();
        if (random.nextInt(3) == 0) {
          txn.commit();
        } else if (random.nextInt(4) == 0) {
          txn.rollback();
        }
      } catch (GaussException e) {
        assertEquals(SqlState.LOCK_NOT_AVAILABLE, e.state(), e.toString());
        txn.rollback();
      }
      if (random.nextInt(40) == 0) {
        engine.purge();
      }
    }
  }

  private void add(Transaction txn, int account, long amount, int rowBytes, RowVersion version) {
    byte[] key = key(account);
    assertEquals(
        Outcome.OK,
        table.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version));
    long balance = ByteBuffer.wrap(version.row).order(ByteOrder.LITTLE_ENDIAN).getLong();
    byte[] row = row(balance + amount, rowBytes);
    if (random.nextInt(3) > 0) {
      assertEquals(Outcome.OK, table.update(txn, version, row, 0, row.length));
    } else {
      boolean moves = random.nextBoolean(); // away and back
      assertEquals(
          Outcome.OK,
          moves ? table.move(txn, version, key, key.length) : table.delete(txn, version));
      assertEquals(Outcome.OK, table.insert(txn, key, 0, key.length, row, 0, row.length, null));
    }
    if (amount != 0) {
      byte[] entry = entry(account, balance);
      assertEquals(
          Outcome.OK,
          index.readNewest(txn, txn.snapshot(), entry, 0, entry.length, WaitPolicy.WAIT, version));
      assertEquals(Outcome.OK, index.delete(txn, version));
      insertEntry(txn, account, balance + amount);
    }
  }

  private void insert(Transaction txn, int account, long balance, int rowBytes) {
    byte[] key = key(account);
    byte[] row = row(balance, rowBytes);
    assertEquals(Outcome.OK, table.insert(txn, key, 0, key.length, row, 0, row.length, null));
    insertEntry(txn, account, balance);
  }

  private void insertEntry(Transaction txn, int account, long balance) {
    byte[] entry = entry(account, balance);
    byte[] key = key(account);
    assertEquals(Outcome.OK, index.insert(txn, entry, 0, entry.length, key, 0, key.length, null));
  }

  private void check() {
    openTrees();
    engine.check();
    Transaction txn = engine.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    List<String> rows = new ArrayList<>();
    long sum = 0;
    byte[] key = new byte[64];
    try (VersionedScan scan = table.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, random.nextBoolean());
      while (scan.next()) {
        long balance = Memory.getLong(scan.rowAddress());
        sum += balance;
        scan.copyKey(key, 0);
        rows.add(ByteBuffer.wrap(key).getInt() + "=" + balance);
      }
    }
    List<String> entries = new ArrayList<>();
    try (VersionedScan scan = index.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
      while (scan.next()) {
        scan.copyKey(key, 0);
        long balance = ByteBuffer.wrap(key).getLong() ^ Long.MIN_VALUE;
        entries.add(ByteBuffer.wrap(key).getInt(8) + "=" + balance);
      }
    }
    txn.endStatement();
    txn.commit();
    assertEquals(ACCOUNTS, rows.size());
    assertEquals(ACCOUNTS * OPENING, sum);
    rows.sort(null);
    entries.sort(null);
    assertEquals(rows, entries);
    assertTrue(txn.context().latchesHeld() == 0);
  }

  private static byte[] key(int account) {
    return ByteBuffer.allocate(4).putInt(account).array();
  }

  private static byte[] entry(int account, long balance) {
    return ByteBuffer.allocate(12).putLong(balance ^ Long.MIN_VALUE).putInt(account).array();
  }

  private static byte[] row(long balance, int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).putLong(balance).array();
  }
}
