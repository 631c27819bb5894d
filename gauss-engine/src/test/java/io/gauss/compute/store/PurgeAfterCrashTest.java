package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.WaitPolicy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;
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

  private Transaction deleteAll() {
    return changeAll((txn, version) -> tree().delete(txn, version));
  }

  /** Each row goes to a key behind all others. */
  private Transaction moveAll() {
    return changeAll(
        (txn, version) -> {
          byte[] to = key(ROWS + ByteBuffer.wrap(version.key).getInt());
          assertEquals(Outcome.OK, tree().move(txn, version, to, to.length));
          return tree().insert(txn, to, 0, to.length, new byte[10], 0, 10, null);
        });
  }

  private VersionedTree tree() {
    return engine.store().tree(space);
  }

  private Transaction changeAll(BiFunction<Transaction, RowVersion, Outcome> change) {
    Transaction txn = begin();
    for (int i = 0; i < ROWS; i++) {
      RowVersion version = new RowVersion();
      txn.startStatement();
      byte[] key = key(i);
      assertEquals(
          Outcome.OK,
          tree().readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version));
      assertEquals(Outcome.OK, change.apply(txn, version));
      txn.endStatement();
    }
    return txn;
  }

  private static void commit(Transaction txn) {
    txn.commit();
    txn.close();
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
    commit(deleteAll());
    crash();
    assertTrue(purgedLeaves() > ROWS * 14 / BYTES_A_PAGE, "leaves were found");
    assertEquals(List.of(), engine.lostPages());
  }

  @Test
  void rowsWhoseKeyChangedArePurgedUnderTheOldOne() {
    insertAll();
    commit(moveAll());
    crash();
    assertTrue(purgedLeaves() > ROWS * 14 / BYTES_A_PAGE, "leaves were found");
    assertEquals(List.of(), engine.lostPages());
  }

  @Test
  void whatWasBeingDeletedIsThereAgain() {
    insertAll();
    deleteAll(); // is rolled back by recovery
    crash();
    purgedLeaves();
    commit(deleteAll());
    assertTrue(purgedLeaves() > 0);
    assertEquals(List.of(), engine.lostPages());
  }
}
