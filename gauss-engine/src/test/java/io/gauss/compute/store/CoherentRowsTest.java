package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.OverflowPage;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.buffer.CoherentCluster;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.Spaces;
import io.gauss.compute.tree.TreeChecker;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.txn.base.TransactionSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Rows, their undo and their overflow pages, where three nodes take all of these pages from each
 * other. Whose transactions are visible to whom is not part of this: each node writes rows of its
 * own, which lie between those of the others.
 */
@Timeout(300)
class CoherentRowsTest {
  private static final int NODES = 3;
  private static final int PAGE_BYTES = 900;

  private final long seed = Seeds.next();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CoherentCluster cluster = new CoherentCluster(NODES, 96);
  private final List<Spaces> spaces = new ArrayList<>();
  private final List<Transactions> transactions = new ArrayList<>();
  private final List<Store> stores = new ArrayList<>();
  private int space;

  @BeforeEach
  void start() {
    for (int slot = 1; slot <= NODES; slot++) {
      CoherentCluster.Node node = cluster.node(slot);
      Spaces own = new Spaces(node.pool(), slot);
      own.open(node.newContext());
      Transactions all =
          new Transactions(
              node.log(), node.pool(), own, TransactionSettings.DEFAULT, System::nanoTime);
      stores.add(new Store(node.pool(), own, all, PAGE_BYTES));
      all.format(node.newContext());
      spaces.add(own);
      transactions.add(all);
    }
    space = stores.get(0).create(cluster.node(1).newContext());
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  @Test
  void allNodesWriteAndRollBackInOneTreeWhileTheOthersReadTheirUndo() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    List<Future<Integer>> readers = new ArrayList<>();
    List<Future<Map<String, byte[]>>> writers = new ArrayList<>();
    for (int slot = 1; slot <= NODES; slot++) {
      int at = slot;
      writers.add(threads.submit(() -> write(at, 120)));
      readers.add(threads.submit(() -> readUndo(at, done)));
    }
    Map<String, byte[]> all = new TreeMap<>();
    try {
      for (Future<Map<String, byte[]>> writer : writers) {
        all.putAll(get(writer));
      }
    } finally {
      done.set(true);
    }
    for (Future<Integer> reader : readers) {
      assertTrue(get(reader) > 0, "undo of other nodes was read; seed " + seed);
    }
    for (int slot = 1; slot <= NODES; slot++) {
      EngineContext ctx = cluster.node(slot).newContext();
      TreeChecker.Report report = TreeChecker.check(stores.get(slot - 1).tree(space).btree(), ctx);
      assertEquals(List.of(), report.problems(), "seed " + seed);
      checkRows(slot, ctx, all);
    }
  }

  private <T> T get(Future<T> running) throws Exception {
    try {
      return running.get(250, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("seed " + seed, e.getCause());
    }
  }

  private static byte[] key(int slot, int number) {
    return "%04d/%d".formatted(number, slot).getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.US_ASCII);
  }

  /** Transactions of several changes, of which each third is rolled back. */
  private Map<String, byte[]> write(int slot, int count) {
    Random random = new Random(seed + slot);
    VersionedTree tree = stores.get(slot - 1).tree(space);
    Transaction txn = transactions.get(slot - 1).session(cluster.node(slot).newContext());
    Map<String, byte[]> rows = new TreeMap<>();
    RowVersion version = new RowVersion();
    for (int i = 0; i < count; i++) {
      txn.begin(IsolationLevel.READ_COMMITTED);
      Map<String, byte[]> changed = new TreeMap<>(rows);
      for (int j = 0; j < 6; j++) {
        txn.startStatement();
        byte[] key = key(slot, random.nextInt(60));
        byte[] row = new byte[1 + random.nextInt(i % 10 == 0 ? 2000 : 60)];
        random.nextBytes(row);
        if (changed.containsKey(text(key))) {
          assertEquals(
              Outcome.OK,
              tree.readNewest(
                  txn, txn.snapshot(), key, 0, key.length, WaitPolicy.NO_WAIT, version));
          assertEquals(Outcome.OK, tree.update(txn, version, row, 0, row.length));
        } else {
          assertEquals(Outcome.OK, tree.insert(txn, key, 0, key.length, row, 0, row.length, null));
        }
        changed.put(text(key), row);
      }
      if (random.nextInt(3) == 0) {
        txn.rollback();
      } else {
        txn.commit();
        rows = changed;
      }
      assertEquals(0, txn.context().latchesHeld());
      assertEquals(0, txn.context().pagesRetained());
    }
    txn.close();
    return rows;
  }

  /** Reads the undo records that rows of other nodes name, and checks whose they are. */
  private int readUndo(int slot, AtomicBoolean done) {
    Random random = new Random(seed + 50 + slot);
    EngineContext ctx = cluster.node(slot).newContext();
    int found = 0;
    while (!done.get() || found == 0) { // it may get its first turn when the writers are done
      byte[] key = key(slot % NODES + 1, random.nextInt(60));
      found += readUndo(slot, ctx, key) ? 1 : 0;
    }
    return found;
  }

  private boolean readUndo(int slot, EngineContext ctx, byte[] key) {
    TreeCursor cursor = TreeCursor.of(ctx);
    stores.get(slot - 1).tree(space).btree().findLeaf(ctx, cursor, key, 0, key.length, false);
    long xid;
    int page;
    int undoSlot;
    long lsn;
    try {
      if (cursor.slot < 0) {
        return false;
      }
      long header = TreePage.version(cursor.guard.address(), cursor.slot);
      xid = VersionHeader.xid(header);
      page = VersionHeader.undoPage(header);
      undoSlot = VersionHeader.undoSlot(header);
      lsn = VersionHeader.undoLsn(header);
    } finally {
      cursor.guard.close();
    }
    var reader = transactions.get(slot - 1).undoReader();
    try (PageGuard guard = new PageGuard()) {
      long record = reader.tryRecord(ctx, guard, xid, page, undoSlot, lsn);
      while (record == 0) {
        reader.load(ctx, xid, page, lsn);
        record = reader.tryRecord(ctx, guard, xid, page, undoSlot, lsn);
      }
      byte[] named = new byte[key.length];
      Memory.copyOut(record + UndoContentLayout.KEY, named, 0, named.length);
      assertArrayEquals(key, named, "the undo record is of another row; seed " + seed);
      assertTrue(reader.recordLength(ctx, guard, xid, page, undoSlot) >= key.length);
    }
    return true;
  }

  /** What is in the newest versions, long rows included. */
  private void checkRows(int slot, EngineContext ctx, Map<String, byte[]> all) {
    Store store = stores.get(slot - 1);
    TreeCursor cursor = TreeCursor.of(ctx);
    for (Map.Entry<String, byte[]> each : all.entrySet()) {
      byte[] key = each.getKey().getBytes(StandardCharsets.US_ASCII);
      store.tree(space).btree().findLeaf(ctx, cursor, key, 0, key.length, false);
      assertTrue(cursor.slot >= 0, each.getKey() + " is lost; seed " + seed);
      long page = cursor.guard.address();
      byte[] row = new byte[TreePage.rowLength(page, cursor.slot)];
      Memory.copyOut(TreePage.rowAddress(page, cursor.slot), row, 0, row.length);
      boolean isLong = VersionHeader.isOverflow(TreePage.version(page, cursor.slot));
      cursor.guard.close();
      if (isLong) {
        int first = OverflowPage.firstPage(row, 0);
        row = new byte[each.getValue().length];
        store.overflow().read(StoreSession.of(ctx), space, first, row, row.length);
      }
      assertArrayEquals(each.getValue(), row, each.getKey() + ", seed " + seed);
    }
  }

  @Test
  void anOverflowRowOfOneNodeIsReadByTheOthersAndFreedByAThird() {
    Random random = new Random(seed);
    for (int round = 0; round < 10; round++) {
      byte[] row = new byte[30_000];
      random.nextBytes(row);
      int writer = round % NODES;
      StoreSession session = StoreSession.of(cluster.node(writer + 1).newContext());
      Transaction txn = transactions.get(writer).session(session.ctx);
      txn.begin(IsolationLevel.READ_COMMITTED);
      int first = stores.get(writer).overflow().write(txn, session, space, row, 0, row.length);
      txn.commit();
      txn.close();
      for (int node = 0; node < NODES; node++) {
        StoreSession reading = StoreSession.of(cluster.node(node + 1).newContext());
        byte[] found = new byte[row.length];
        stores.get(node).overflow().read(reading, space, first, found, found.length);
        assertTrue(Arrays.equals(row, found), "seed " + seed);
      }
      int other = (writer + 1) % NODES;
      StoreSession freeing = StoreSession.of(cluster.node(other + 1).newContext());
      stores.get(other).overflow().free(freeing, space, first, Long.MAX_VALUE);
    }
  }
}
