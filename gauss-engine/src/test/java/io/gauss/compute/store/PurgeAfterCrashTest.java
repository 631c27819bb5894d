package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.WaitPolicy;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deleted rows that waited for purge when the process ended are purged after the next start. */
class PurgeAfterCrashTest {
  private static final int FRAMES = 200;
  private static final int BYTES_A_PAGE = 400;
  private static final int ROWS = 300;

  private StoreEngine engine = new StoreEngine(FRAMES, BYTES_A_PAGE);
  private final int space = engine.store().create(engine.newContext());

  private Transaction begin() {
    Transaction txn = engine.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    return txn;
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private void insertAll() {
    Transaction txn = begin();
    for (int i = 0; i < ROWS; i++) {
      txn.startStatement();
      byte[] key = key(i);
      assertEquals(
          Outcome.OK,
          engine.store().tree(space).insert(txn, key, 0, key.length, new byte[10], 0, 10, null));
      txn.endStatement();
    }
    txn.commit();
    txn.close();
  }

  private Transaction deleteFrom(int first) {
    Transaction txn = begin();
    VersionedTree tree = engine.store().tree(space);
    for (int i = first; i < ROWS; i++) {
      RowVersion version = new RowVersion();
      txn.startStatement();
      byte[] key = key(i);
      assertEquals(
          Outcome.OK,
          tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version));
      assertEquals(Outcome.OK, tree.delete(txn, version));
      txn.endStatement();
    }
    return txn;
  }

  /** The process ends; what is in memory is gone. */
  private void crash() {
    engine.engine().quiesce();
    byte[] log = engine.engine().stream().content();
    engine.close();
    engine = StoreEngine.over(log, log.length, FRAMES, BYTES_A_PAGE);
  }

  private long purgedLeaves() {
    for (int round = 0; round < 50; round++) {
      engine.purge();
    }
    return engine.transactions().metrics().purgedPages();
  }

  @Test
  void whatWasDeletedBeforeACrashIsPurgedAfterIt() {
    insertAll();
    Transaction txn = deleteFrom(0);
    txn.commit();
    txn.close();
    crash();
    assertTrue(purgedLeaves() > ROWS * 14 / BYTES_A_PAGE, "leaves were found");
    assertEquals(List.of(), engine.lostPages());
  }

  @Test
  void whatWasBeingDeletedIsThereAgain() {
    insertAll();
    deleteFrom(0); // is rolled back by recovery
    crash();
    purgedLeaves();
    Transaction txn = deleteFrom(0);
    txn.commit();
    txn.close();
    assertTrue(purgedLeaves() > 0);
    assertEquals(List.of(), engine.lostPages());
  }
}
