package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.tree.TreeLeafPages;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.type.ByteSink;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Purging a whole tree at once, as VACUUM asks for, with no background that would do it too. */
class StorePurgeTest {
  private static final int ROWS = 400;
  private static final int BYTES_A_PAGE = 512;

  private final StoreEngine engine = new StoreEngine(256, BYTES_A_PAGE);
  private final EngineContext ctx = engine.newContext();
  private final int space = engine.store().create(ctx);
  private final VersionedTree tree = engine.store().tree(space);

  private static byte[] key(int number) {
    ByteSink sink = new ByteSink(Integer.BYTES);
    sink.putInt(number);
    return sink.toByteArray();
  }

  private void insertAll() {
    Transaction txn = engine.session();
    txn.begin(Transaction.IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    RowVersion version = new RowVersion();
    for (int i = 0; i < ROWS; i++) {
      byte[] key = key(i);
      assertEquals(Outcome.OK, tree.insert(txn, key, 0, key.length, key, 0, key.length, version));
    }
    txn.endStatement();
    txn.commit();
    txn.close();
  }

  private void deleteAll() {
    Transaction txn = engine.session();
    txn.begin(Transaction.IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    RowVersion version = new RowVersion();
    for (int i = 0; i < ROWS; i++) {
      byte[] key = key(i);
      tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version);
      assertEquals(Outcome.OK, tree.delete(txn, version));
    }
    txn.endStatement();
    txn.commit();
    txn.close();
  }

  private int leaves() {
    return TreeLeafPages.list(tree.btree(), ctx).length;
  }

  @Test
  void purgingATreeTakesItsEmptyLeavesOut() {
    insertAll();
    int before = leaves();
    deleteAll();
    assertEquals(before, leaves());
    engine.engine().quiesce();
    assertEquals(before, engine.store().purge(ctx, space));
    assertTrue(leaves() < before / 2, leaves() + " leaves are left of " + before);
    assertEquals(List.of(), engine.problems(space));
  }

  @Test
  void whatASnapshotStillSeesIsLeft() {
    insertAll();
    int before = leaves();
    Transaction reader = engine.session();
    reader.begin(Transaction.IsolationLevel.REPEATABLE_READ);
    reader.startStatement();
    Snapshot snapshot = reader.snapshot();
    deleteAll();
    engine.engine().quiesce();
    engine.store().purge(ctx, space);
    assertEquals(before, leaves());
    int seen = 0;
    try (VersionedScan scan = tree.newScan(reader.context())) {
      scan.open(reader, snapshot, null, 0, true, null, 0, true, false);
      while (scan.next()) {
        seen++;
      }
    }
    assertEquals(ROWS, seen);
    reader.endStatement();
    reader.commit();
    reader.close();
  }
}
