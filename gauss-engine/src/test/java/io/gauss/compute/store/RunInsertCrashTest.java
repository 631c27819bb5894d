package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.memory.Memory;
import io.gauss.common.redo.MtrLayout;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.tree.TreeChecker;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Runs of rows by several transactions at a time, the log cut behind any mini-transaction: after
 * recovery a transaction's rows are all there or none, also when the recovery is cut off as well.
 */
class RunInsertCrashTest {
  private static final int MAX_USED = 500;
  private static final int RUNS = 3;
  private static final int RUN_ROWS = 40;

  private final Random random = new Random(Seeds.next());
  private StoreEngine engine;
  private VersionedTree tree;
  private int nextGroup = 1;

  @Test
  void rowsOfATransactionComeBackTogetherOrNotAtAll() {
    engine = new StoreEngine(200, MAX_USED);
    int space = engine.store().create(engine.newContext());
    tree = engine.store().tree(space);
    engine.engine().quiesce();
    int start = engine.engine().stream().content().length;
    Set<Integer> committed = workload(40);
    engine.engine().quiesce();
    assertEquals(committed, groups());
    byte[] content = engine.engine().stream().content();
    engine.close();
    List<Integer> ends = ends(content, start);
    for (int i = 0; i < 40; i++) {
      int end = ends.get(random.nextInt(ends.size()));
      recover(space, content, end);
      assertTrue(committed.containsAll(groups()));
      engine.engine().quiesce();
      byte[] recovered = engine.engine().stream().content();
      engine.close();
      List<Integer> again = ends(recovered, end);
      if (!again.isEmpty()) {
        recover(space, recovered, again.get(random.nextInt(again.size())));
        Set<Integer> before = groups();
        before.addAll(workload(3));
        assertEquals(before, groups());
        engine.close();
      }
    }
  }

  private void recover(int space, byte[] content, int bytes) {
    engine = StoreEngine.over(content, bytes, 200, MAX_USED);
    engine.check();
    tree = engine.store().tree(space);
  }

  /** Transactions whose steps alternate; returns the groups of those that committed. */
  private Set<Integer> workload(int transactions) {
    Set<Integer> committed = new HashSet<>();
    Transaction[] sessions = {engine.session(), engine.session(), engine.session()};
    int[] group = new int[sessions.length];
    int[] runs = new int[sessions.length];
    for (int left = transactions; left > 0; ) {
      int i = random.nextInt(sessions.length);
      Transaction txn = sessions[i];
      if (!txn.isActive()) {
        txn.begin(IsolationLevel.READ_COMMITTED);
        group[i] = nextGroup++;
        runs[i] = 0;
      }
      txn.startStatement();
      if (random.nextInt(4) == 0) {
        // Rows of a statement that is undone, with keys that a later one uses.
        insertRun(txn, group[i], runs[i]);
        txn.rollbackStatement();
      } else {
        insertRun(txn, group[i], runs[i]++);
      }
      txn.endStatement();
      if (runs[i] == RUNS) {
        left--;
        if (random.nextInt(3) == 0) {
          txn.rollback();
        } else {
          txn.commit();
          committed.add(group[i]);
        }
      }
    }
    for (Transaction txn : sessions) {
      txn.rollback();
    }
    return committed;
  }

  /** Keys in ascending order behind all others, or scattered among those of other groups. */
  private void insertRun(Transaction txn, int group, int number) {
    RowRun run = new RowRun();
    boolean scattered = group % 2 == 0;
    for (int i = 0; i < RUN_ROWS; i++) {
      int row = number * RUN_ROWS + i;
      ByteBuffer key = ByteBuffer.allocate(9);
      if (scattered) {
        key.put((byte) 1).putInt(Integer.reverse(row * 7919)).putInt(group);
      } else {
        key.put((byte) 2).putInt(group).putInt(row);
      }
      byte[] bytes =
          ByteBuffer.allocate(8 + random.nextInt(50))
              .order(ByteOrder.LITTLE_ENDIAN)
              .putInt(group)
              .array();
      run.add(key.array(), 0, 9, bytes, 0, bytes.length);
    }
    assertTrue(tree.insert(txn, run));
  }

  /** The groups that are there, each of them whole. */
  private Set<Integer> groups() {
    assertEquals(List.of(), engine.problems(tree.space()));
    Map<Integer, Integer> rows = new HashMap<>();
    Transaction txn = engine.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    try (VersionedScan scan = tree.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, random.nextBoolean());
      while (scan.next()) {
        rows.merge(Memory.getInt(scan.rowAddress()), 1, Integer::sum);
      }
    }
    txn.endStatement();
    txn.commit();
    rows.forEach((group, count) -> assertEquals(RUNS * RUN_ROWS, count, "group " + group));
    return new HashSet<>(rows.keySet());
  }

  @Test
  void ascendingRunsLeaveFullLeavesAndAreLoggedOnce() {
    engine = new StoreEngine(400, 8192);
    tree = engine.store().tree(engine.store().create(engine.newContext()));
    engine.engine().quiesce();
    int start = engine.engine().stream().content().length;
    Transaction txn = engine.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    int rows = 0;
    for (int i = 0; i < 20; i++) {
      RowRun run = new RowRun();
      for (int j = 0; j < 500; j++) {
        byte[] key = ByteBuffer.allocate(8).putLong(rows++).array();
        run.add(key, 0, key.length, new byte[92], 0, 92);
      }
      assertTrue(tree.insert(txn, run));
    }
    txn.endStatement();
    txn.commit();
    engine.engine().quiesce();
    int logged = engine.engine().stream().content().length - start;
    long leaves = TreeChecker.check(tree.btree(), engine.newContext()).leaves();
    engine.close();

    assertTrue(leaves <= rows / 53, leaves + " leaves for " + rows + " rows");
    assertTrue(logged <= rows * (100 + 14), logged + " bytes of log for " + rows + " rows");
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

  /**
   * The high key that a fresh leaf leaves behind may not fit into a leaf that others have filled.
   */
  @Test
  void aRunBehindALeafThatIsFullToTheBrimFindsRoom() {
    engine = new StoreEngine(400, 8192);
    Transaction txn = engine.session();
    for (int round = 0; round < 300; round++) {
      tree = engine.store().tree(engine.store().create(engine.newContext()));
      txn.begin(IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      List<Integer> numbers = new ArrayList<>(IntStream.range(0, 150).boxed().toList());
      numbers.addAll(0, IntStream.range(1000, 1060).boxed().toList());
      Collections.shuffle(numbers.subList(60, 160 + random.nextInt(40)), random);
      for (int number : numbers) {
        byte[] key = longKey(number, 0);
        byte[] row = new byte[8 + random.nextInt(60)];
        assertEquals(Outcome.OK, tree.insert(txn, key, 0, key.length, row, 0, row.length, null));
      }
      RowRun run = new RowRun();
      for (int i = 0; i < 5; i++) {
        byte[] key = longKey(149, 1 + i); // all but the last byte is the last row's
        run.add(key, 0, key.length, new byte[60], 0, 60);
      }
      assertTrue(tree.insert(txn, run));
      txn.endStatement();
      txn.commit();
      assertEquals(List.of(), engine.problems(tree.space()));
    }
    engine.close();
  }

  private static byte[] longKey(int number, int last) {
    return ByteBuffer.allocate(120).putInt(0, number).putInt(116, last).array();
  }
}
