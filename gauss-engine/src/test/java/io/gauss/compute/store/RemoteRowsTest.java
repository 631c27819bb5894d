package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.UndoSpaces;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.NodesFixture;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.wait.WouldBlockException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The row store over pages that another node wrote: node 1 writes a tree, its pages go to node 2
 * while some of its transactions are active, and node 2 reads and writes there from then on.
 */
@Timeout(300)
class RemoteRowsTest {
  private static final int SPACE = SystemSpaces.FIRST_USER;
  private static final int ROWS = 400;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Random random = new Random(Seeds.next());
  private final Map<String, byte[]> committed = new TreeMap<>();
  private NodesFixture nodes;
  private NodesFixture.Node one;
  private NodesFixture.Node two;
  private VersionedTree home;
  private VersionedTree tree;
  private final RowVersion version = new RowVersion();

  @BeforeEach
  void start() {
    nodes = new NodesFixture(2, 1, random.nextLong(), 0, RemoteRowsTest::withTree);
    one = nodes.node(1);
    two = nodes.node(2);
    home = store(one).tree(SPACE);
    tree = store(two).tree(SPACE);
  }

  private static TestEngine withTree(TestEngine engine) {
    EngineContext ctx = engine.newContext();
    assertEquals(SPACE, BTree.create(ctx, engine.pool(), engine.spaces()));
    engine.quiesce();
    return engine.restart(64);
  }

  private static Store store(NodesFixture.Node node) {
    return new Store(node.engine.pool(), node.engine.spaces(), node.transactions, 1500);
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    nodes.close();
  }

  private static byte[] key(int number) {
    return "key-%05d".formatted(number).getBytes(StandardCharsets.US_ASCII);
  }

  private byte[] row() {
    byte[] row = new byte[1 + random.nextInt(40)];
    random.nextBytes(row);
    return row;
  }

  private static Transaction begin(NodesFixture.Node node) {
    Transaction txn = node.session();
    txn.begin(IsolationLevel.REPEATABLE_READ);
    txn.startStatement();
    return txn;
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.US_ASCII);
  }

  /** Node 1 writes rows of its own number, in the transaction given. */
  private void change(Transaction txn, int number, Map<String, byte[]> into) {
    byte[] key = key(number);
    Outcome found =
        home.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.NO_WAIT, version);
    if (found == Outcome.NOT_FOUND) {
      byte[] row = row();
      assertEquals(Outcome.OK, home.insert(txn, key, 0, key.length, row, 0, row.length, null));
      into.put(text(key), row);
    } else if (found == Outcome.OK && random.nextInt(4) == 0) {
      assertEquals(Outcome.OK, home.delete(txn, version));
      into.put(text(key), null);
    } else if (found == Outcome.OK) {
      byte[] row = row();
      assertEquals(Outcome.OK, home.update(txn, version, row, 0, row.length));
      into.put(text(key), row);
    }
  }

  private void apply(Map<String, byte[]> changes) {
    changes.forEach(
        (key, row) -> {
          if (row == null) {
            committed.remove(key);
          } else {
            committed.put(key, row);
          }
        });
  }

  /** Many transactions of node 1, one after the other; some roll back. */
  private void history() {
    for (int i = 0; i < 150; i++) {
      Transaction txn = begin(one);
      Map<String, byte[]> changes = new TreeMap<>();
      for (int j = 0; j < 8; j++) {
        txn.startStatement();
        change(txn, random.nextInt(ROWS), changes);
      }
      if (random.nextInt(5) == 0) {
        txn.rollback();
      } else {
        txn.commit();
        apply(changes);
      }
      txn.close();
    }
  }

  /** The tree's pages, and the undo to read them with, go to node 2. */
  private void move() {
    one.engine.quiesce();
    two.engine.store().adopt(one.engine.store(), SPACE);
    two.engine.store().adopt(one.engine.store(), UndoSpaces.of(1));
    two.engine.clock().observe(one.engine.clock().now());
  }

  private void assertSees(Map<String, byte[]> expected, Transaction txn) {
    try (VersionedScan scan = tree.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, random.nextBoolean());
      int found = 0;
      byte[] key = new byte[2000];
      while (scan.next()) {
        byte[] row = new byte[scan.rowLength()];
        Memory.copyOut(scan.rowAddress(), row, 0, row.length);
        int length = scan.copyKey(key, 0);
        byte[] wanted = expected.get(text(Arrays.copyOf(key, length)));
        assertNotNull(wanted);
        assertArrayEquals(wanted, row);
        found++;
      }
      assertEquals(expected.size(), found);
    }
    for (int i = 0; i < 40; i++) {
      byte[] key = key(random.nextInt(ROWS));
      boolean there = tree.get(txn, txn.snapshot(), key, 0, key.length, version);
      byte[] wanted = expected.get(text(key));
      assertEquals(wanted != null, there);
      if (there) {
        assertArrayEquals(wanted, Arrays.copyOf(version.row, version.rowLength));
      }
    }
    assertEquals(0, txn.context().latchesHeld());
  }

  @Test
  void aSnapshotOnAnotherNodeSeesWhatWasCommittedAndNothingElse() {
    history();
    Transaction open = begin(one);
    Map<String, byte[]> uncommitted = new TreeMap<>();
    for (int i = 0; i < 60; i++) {
      open.startStatement();
      change(open, random.nextInt(ROWS), uncommitted);
    }
    move();
    Transaction early = begin(two);
    assertSees(committed, early);
    long csn = open.commit();
    Map<String, byte[]> before = new TreeMap<>(committed);
    apply(uncommitted);
    assertSees(before, early);
    two.engine.clock().observe(csn);
    assertSees(committed, begin(two));
  }

  @Test
  void readingStopsBeforeItWaitsOnAnEventLoop() {
    history();
    move();
    Transaction reader = begin(two);
    byte[] key = anyKey();
    TreeCursor cursor = TreeCursor.of(reader.context());
    tree.btree().findLeaf(reader.context(), cursor, key, 0, key.length, false);
    cursor.guard.close(); // the pages are in memory now, only the outcomes are not
    reader.context().waits().mayBlock(false);
    assertThrows(
        WouldBlockException.class,
        () -> tree.get(reader, reader.snapshot(), key, 0, key.length, version));
    assertEquals(0, reader.context().latchesHeld());
    reader.context().waits().mayBlock(true);
    assertTrue(tree.get(reader, reader.snapshot(), key, 0, key.length, version));
    reader.context().waits().mayBlock(false);
    assertTrue(tree.get(reader, reader.snapshot(), key, 0, key.length, version), "known by now");
  }

  private byte[] anyKey() {
    return committed.keySet().iterator().next().getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void aWriterWaitsForAnotherNodesTransactionAndThenTakesItsRow() throws Exception {
    history();
    Transaction open = begin(one);
    byte[] key = anyKey();
    assertEquals(
        Outcome.OK,
        home.readNewest(open, open.snapshot(), key, 0, key.length, WaitPolicy.NO_WAIT, version));
    byte[] theirs = row();
    assertEquals(Outcome.OK, home.update(open, version, theirs, 0, theirs.length));
    move();

    Transaction polite = begin(two);
    assertEquals(
        Outcome.LOCKED,
        tree.readNewest(
            polite, polite.snapshot(), key, 0, key.length, WaitPolicy.NO_WAIT, version));
    Transaction strict = begin(two);
    RowVersion strictVersion = new RowVersion();
    Future<Outcome> conflict = threads.submit(() -> newest(strict, key, strictVersion));
    eventuallyWaiting(1);
    Transaction writer = two.session();
    writer.begin(IsolationLevel.READ_COMMITTED);
    writer.startStatement();
    RowVersion mine = new RowVersion();
    Future<Outcome> wait = threads.submit(() -> newest(writer, key, mine));
    eventuallyWaiting(2);
    open.commit();
    Throwable failure = assertThrows(ExecutionException.class, conflict::get).getCause();
    assertEquals(SqlState.SERIALIZATION_FAILURE, ((GaussException) failure).state());
    strict.rollback();
    assertEquals(Outcome.CHANGED, wait.get());
    assertArrayEquals(theirs, Arrays.copyOf(mine.row, mine.rowLength));
    byte[] ours = row();
    assertEquals(Outcome.OK, tree.update(writer, mine, ours, 0, ours.length));
    writer.commit();
    committed.put(text(key), ours);
    assertSees(committed, begin(two));
  }

  private Outcome newest(Transaction txn, byte[] key, RowVersion into) {
    return tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, into);
  }

  private void eventuallyWaiting(int count) {
    while (one.waitersFromElsewhere() != count) {
      assertFalse(Thread.interrupted(), "it did not happen in time");
      Thread.yield();
    }
  }

  @Test
  void anInsertWaitsForTheKeyThatAnotherNodesTransactionInserted() throws Exception {
    Transaction open = begin(one);
    byte[] key = key(7);
    byte[] theirs = row();
    assertEquals(Outcome.OK, home.insert(open, key, 0, key.length, theirs, 0, theirs.length, null));
    move();
    Transaction writer = begin(two);
    byte[] ours = row();
    Future<Outcome> insert =
        threads.submit(
            () -> tree.insert(writer, key, 0, key.length, ours, 0, ours.length, version));
    eventuallyWaiting(1);
    assertFalse(insert.isDone());
    open.commit();
    assertEquals(Outcome.DUPLICATE, insert.get());
    assertArrayEquals(theirs, Arrays.copyOf(version.row, version.rowLength));
  }

  @Test
  void aForeignKeyWaitsOnlyWhereExistenceIsOpen() throws Exception {
    byte[] changed = key(1);
    byte[] inserted = key(2);
    Transaction before = begin(one);
    byte[] row = row();
    assertEquals(
        Outcome.OK, home.insert(before, changed, 0, changed.length, row, 0, row.length, null));
    before.commit();
    Transaction open = begin(one);
    home.readNewest(open, open.snapshot(), changed, 0, changed.length, WaitPolicy.WAIT, version);
    assertEquals(Outcome.OK, home.lock(open, version));
    assertEquals(
        Outcome.OK, home.insert(open, inserted, 0, inserted.length, row, 0, row.length, null));
    move();
    Transaction child = begin(two);
    assertEquals(
        Outcome.OK,
        tree.findNewest(child, changed, changed.length, true, changed, changed.length, version));
    Future<Outcome> found =
        threads.submit(
            () ->
                tree.findNewest(
                    child, inserted, inserted.length, true, inserted, inserted.length, version));
    eventuallyWaiting(1);
    open.commit();
    assertEquals(Outcome.OK, found.get());
  }
}
