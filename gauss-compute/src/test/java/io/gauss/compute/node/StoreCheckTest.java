package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.WaitPolicy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What gauss.store_check says of a sound store, and that it finds what is broken. */
class StoreCheckTest {
  private static final String PROBLEMS =
      "SELECT name, problem FROM gauss.store_check WHERE problem IS NOT NULL";

  @TempDir private Path data;

  @Test
  void aSoundStorePassesEveryCheckAlsoAfterARestart() throws SQLException {
    try (OneNode node = new OneNode(data)) {
      fill(node);
      assertEquals(
          List.of("page store equals buffer pool", "trees", "indexes", "undo", "sequences"),
          node.query("SELECT name FROM gauss.store_check"));
      assertEquals(List.of(), node.query(PROBLEMS));
    }
    try (OneNode node = new OneNode(data)) {
      assertEquals(List.of(), node.query(PROBLEMS));
    }
  }

  @Test
  void writersWaitForTheCheckAndNothingSeemsBrokenWhileTheyPress() throws Exception {
    try (OneNode node = new OneNode(data)) {
      fill(node);
      AtomicBoolean stop = new AtomicBoolean();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (Connection connection = node.connect();
                        Statement statement = connection.createStatement()) {
                      for (int i = 0; !stop.get(); i++) {
                        statement.execute("UPDATE t SET v = v + 1 WHERE id = " + i % 500);
                        statement.execute("INSERT INTO s (v) VALUES (" + i + ")");
                      }
                    } catch (SQLException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      try {
        for (int i = 0; i < 5; i++) {
          assertEquals(List.of(), node.query(PROBLEMS));
        }
      } finally {
        stop.set(true);
        writer.join();
      }
    }
  }

  @Test
  void anIndexEntryThatIsGoneIsFound() throws SQLException {
    try (OneNode node = new OneNode(data)) {
      fill(node);
      removeFirstEntry(node.node, highestSpace(node.node));
      List<String> problems = node.query(PROBLEMS);
      assertEquals(1, problems.size(), problems.toString());
      assertTrue(
          problems.getFirst().startsWith("indexes|index public.s_v has no entry for row"),
          problems.toString());
    }
  }

  @Test
  void aSequenceThatWouldRepeatValuesIsFound() throws SQLException {
    try (OneNode node = new OneNode(data)) {
      fill(node);
      removeFirstEntry(node.node, SystemSpaces.CATALOG + 1);
      List<String> problems = node.query(PROBLEMS);
      assertEquals(1, problems.size(), problems.toString());
      assertTrue(problems.getFirst().contains("no row that reserves them"), problems.toString());
    }
  }

  private static void fill(OneNode node) throws SQLException {
    node.execute(
        "CREATE TABLE t (id int PRIMARY KEY, v int, u text UNIQUE)",
        "CREATE INDEX t_v ON t (v DESC, u)",
        "INSERT INTO t SELECT g, g % 7, CASE WHEN g % 3 = 0 THEN NULL ELSE 'u' || g END"
            + " FROM generate_series(0, 1999) AS g",
        "DELETE FROM t WHERE id % 5 = 4",
        "UPDATE t SET v = NULL WHERE id % 11 = 0",
        "CREATE TABLE s (id serial, v int)",
        "CREATE INDEX s_v ON s (v)",
        "INSERT INTO s (v) VALUES (1), (2), (NULL)");
  }

  private static int highestSpace(ComputeNode node) {
    return node.engine().spaces().userSpaces().getLast();
  }

  /** Deletes the first row of a tree behind the back of everything above. */
  private static void removeFirstEntry(ComputeNode node, int space) {
    EngineContext ctx = node.engine().newContext();
    VersionedTree tree =
        new Store(node.engine().pool(), node.engine().spaces(), node.transactions()).tree(space);
    Transaction txn = node.transactions().session(ctx);
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    RowVersion version = new RowVersion();
    try (var scan = tree.newScan(ctx)) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
      assertTrue(scan.next());
      scan.copyVersion(version);
    }
    assertEquals(
        Outcome.OK,
        tree.readNewest(
            txn, txn.snapshot(), version.key, 0, version.keyLength, WaitPolicy.WAIT, version));
    assertEquals(Outcome.OK, tree.delete(txn, version));
    txn.endStatement();
    txn.commit();
    txn.close();
  }
}
