package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.redo.MtrLayout;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Cuts the log behind each single mini-transaction of whatever makes pages unreachable or gives
 * them back: after recovery and purge every page is in the tree or free.
 */
class LostPagesCrashTest {
  private static final int FRAMES = 200;
  private static final int BYTES_A_PAGE = 400;
  private static final int LONG_ROW = 30_000;
  private static final int LEAF_ROWS = 20;

  private StoreEngine engine = new StoreEngine(FRAMES, BYTES_A_PAGE);
  private VersionedTree tree = engine.store().tree(engine.store().create(engine.newContext()));

  private interface Work {
    void run(Transaction txn);
  }

  private Transaction begin() {
    Transaction txn = engine.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    return txn;
  }

  private void commit(Work work) {
    Transaction txn = begin();
    work.run(txn);
    txn.commit();
    txn.close();
  }

  private void insert(Transaction txn, int number, int length) {
    txn.startStatement();
    byte[] key = key(number);
    assertEquals(
        Outcome.OK, tree.insert(txn, key, 0, key.length, new byte[length], 0, length, null));
    txn.endStatement();
  }

  private void update(Transaction txn, int number, int length) {
    RowVersion version = new RowVersion();
    read(txn, number, version);
    assertEquals(Outcome.OK, tree.update(txn, version, new byte[length], 0, length));
    txn.endStatement();
  }

  private void delete(Transaction txn, int number) {
    RowVersion version = new RowVersion();
    read(txn, number, version);
    assertEquals(Outcome.OK, tree.delete(txn, version));
    txn.endStatement();
  }

  private void read(Transaction txn, int number, RowVersion version) {
    txn.startStatement();
    byte[] key = key(number);
    assertEquals(
        Outcome.OK,
        tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version));
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  /** Does something, and then has it cut off behind each of its mini-transactions. */
  private void cutEverywhere(Runnable work) {
    engine.engine().quiesce();
    int start = engine.engine().stream().content().length;
    work.run();
    engine.engine().quiesce();
    byte[] content = engine.engine().stream().content();
    engine.close();
    ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    int cuts = 0;
    for (int end = start; end < content.length; end += bytes.getInt(end + MtrLayout.LENGTH)) {
      try (StoreEngine recovered = StoreEngine.over(content, end, FRAMES, BYTES_A_PAGE)) {
        recovered.check();
        assertEquals(List.of(), recovered.lostPages(), "cut after " + cuts + " MTRs");
        assertEquals(0, recovered.transactions().purgeList().size());
      }
      cuts++;
    }
    assertTrue(cuts > 5, cuts + " MTRs");
  }

  @Test
  void aLongRowThatIsInsertedAndRolledBackLosesNoPage() {
    commit(txn -> insert(txn, 1, 10));
    cutEverywhere(
        () -> {
          Transaction txn = begin();
          insert(txn, 2, LONG_ROW);
          txn.rollback();
          txn.close();
          engine.purge();
        });
  }

  @Test
  void aLongRowThatIsUpdatedLosesNoPage() {
    commit(txn -> insert(txn, 1, LONG_ROW));
    cutEverywhere(
        () -> {
          Transaction undone = begin();
          update(undone, 1, LONG_ROW + 1);
          update(undone, 1, 10);
          undone.rollback();
          undone.close();
          commit(txn -> update(txn, 1, LONG_ROW + 2));
          engine.purge();
          commit(txn -> update(txn, 1, 10));
          engine.purge();
        });
  }

  @Test
  void aLongRowThatIsDeletedAndInsertedAgainLosesNoPage() {
    commit(
        txn -> {
          insert(txn, 1, LONG_ROW);
          insert(txn, 2, LONG_ROW);
        });
    cutEverywhere(
        () -> {
          commit(
              txn -> {
                delete(txn, 1);
                delete(txn, 2);
              });
          commit(txn -> insert(txn, 2, LONG_ROW));
          engine.purge();
          engine.purge();
        });
  }

  @Test
  void leavesThatBecomeEmptyAreNotLost() {
    commit(
        txn -> {
          for (int i = 0; i < LEAF_ROWS; i++) {
            insert(txn, i, 60);
          }
        });
    cutEverywhere(
        () -> {
          commit(
              txn -> {
                for (int i = 0; i < LEAF_ROWS; i++) {
                  delete(txn, i);
                }
              });
          engine.purge();
          engine.purge();
        });
  }
}
