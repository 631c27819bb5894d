package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.store.LostPages;
import io.gauss.compute.txn.undo.PurgeList;
import io.gauss.storage.node.StorageNodes;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a compute node that died had of the disk is found again by those that live. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeadNodesSpaceTest {
  private static final int SURVIVOR = 1;
  private static final int DEAD = 2;

  private WholeCluster cluster;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    cluster = new WholeCluster(directory, 1, 1, 1, Map.of());
  }

  @BeforeEach
  void startTheOneThatDies() {
    if (!cluster.numbers().contains(DEAD)) {
      cluster.start(DEAD);
    }
  }

  @AfterAll
  void stop() {
    try {
      StorageNodes.await("no page is lost in the end", () -> pages().find().isEmpty());
    } finally {
      cluster.close();
    }
  }

  private OneNode survivor() {
    return cluster.compute(SURVIVOR);
  }

  private LostPages pages() {
    return WholeCluster.pages(survivor().node);
  }

  @Test
  void pagesThatADeadNodeHadInReserveAreUsedByWhoRecoversIt() throws Exception {
    cluster
        .compute(DEAD)
        .execute(
            "CREATE TABLE reserve (id int PRIMARY KEY, filler text)",
            "INSERT INTO reserve SELECT g, repeat('x', 300) FROM generate_series(1, 3000) AS g");
    assertTrue(pages().heldByNoneOf(Set.of(SURVIVOR)).size() > 1, "the dead one holds some");
    cluster.kill(DEAD);
    assertEquals(List.of(), pages().heldByNoneOf(Set.of(SURVIVOR)));
    int before = cluster.extents(SURVIVOR);
    survivor().execute("INSERT INTO reserve SELECT g, 'y' FROM generate_series(3001, 3400) AS g");
    assertEquals(before, cluster.extents(SURVIVOR), "there was room in what the dead one had");
    assertEquals(List.of(), pages().find());
    cluster.start(DEAD);
    cluster
        .compute(DEAD)
        .execute("INSERT INTO reserve SELECT g FROM generate_series(4001, 5000) AS g");
    assertEquals(List.of("4400"), survivor().query("SELECT count(*) FROM reserve"));
    assertEquals(List.of(), pages().find());
  }

  @Test
  void treesOfStatementsThatADeathCutOffAreDroppedWhileOthersLive() throws Exception {
    List<Integer> before = pages().spaces();
    survivor().execute("CREATE TABLE gone (id int PRIMARY KEY)");
    try (Connection cutOff = cluster.compute(DEAD).connect();
        Connection survives = survivor().connect();
        Statement own = survives.createStatement()) {
      survives.setAutoCommit(false);
      own.execute("CREATE TABLE mine (id int PRIMARY KEY)");
      makeTrees(cutOff);
      assertTrue(pages().spaces().size() > before.size() + 2, "trees are there");
      cluster.compute(DEAD).execute("DROP TABLE gone"); // the tree is dropped up to a second later
      cluster.kill(DEAD);
      own.execute("INSERT INTO mine VALUES (1)");
      survives.commit();
    }
    assertEquals(List.of("1"), survivor().query("SELECT * FROM mine"));
    survivor().execute("DROP TABLE mine");
    StorageNodes.await("only the table's trees are left", () -> pages().spaces().equals(before));
  }

  @Test
  void pagesThatADeadNodeHadToGiveBackAreGivenBackByWhoRecoversIt() throws Exception {
    survivor().execute("CREATE TABLE late (id int PRIMARY KEY, filler text)");
    OneNode dead = cluster.compute(DEAD);
    dead.execute(rows("late", 1, 1000));
    PurgeList toGiveBack = dead.node.transactions().purgeList();
    try (Connection first = survivor().connect();
        Connection second = survivor().connect()) {
      takeSnapshot(first);
      dead.execute("DELETE FROM late WHERE id > 200");
      takeSnapshot(second);
      dead.execute("UPDATE late SET filler = repeat('y', 9000) WHERE id < 100 AND id % 10 = 1");
      first.rollback();
      // Ten chains that were replaced and 80 of deleted rows; and then leaves of these.
      StorageNodes.await("all that is deleted is purged", () -> toGiveBack.size() > 91);
      // Purge waits for no force: a kill right now may lose what it did, and it would be done
      // again.
      int least = toGiveBack.size();
      dead.execute("INSERT INTO late VALUES (2, 'forces the log')");
      cluster.kill(DEAD);
      assertTrue(pages().find().size() > 180, "a snapshot is older than what freed the pages");
      int adopted = survivor().node.transactions().purgeList().size();
      // The last leaves may have come after the force.
      assertTrue(
          least <= adopted && adopted <= toGiveBack.size(),
          "%d of at least %d, at most %d".formatted(adopted, least, toGiveBack.size()));
    }
    StorageNodes.await("all is given back", () -> pages().find().isEmpty());
    assertEquals(List.of("101"), survivor().query("SELECT count(*) FROM late"));
    cluster.start(DEAD);
    cluster.compute(DEAD).execute(rows("late", 1001, 1100), "DELETE FROM late");
    StorageNodes.await("all is given back again", () -> pages().find().isEmpty());
  }

  private static void takeSnapshot(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT count(*) FROM late");
    }
  }

  @Test
  @Tag("long")
  void pagesOfWhatADeathRollsBackAreFreeAgain() throws Exception {
    survivor().execute("CREATE TABLE undone (id int PRIMARY KEY, filler text)");
    for (OneNode node : List.of(cluster.compute(DEAD), survivor())) {
      int first = node == survivor() ? 0 : 1;
      node.execute(rows("undone", first, 2000));
    }
    try (Connection cutOff = cluster.compute(DEAD).connect();
        Statement statement = cutOff.createStatement()) {
      cutOff.setAutoCommit(false);
      statement.execute(rows("undone", 2000, 6000));
      cluster.kill(DEAD);
    }
    assertEquals(List.of("2000"), survivor().query("SELECT count(*) FROM undone"));
    StorageNodes.await("all is purged", this::isNothingLost);
  }

  private boolean isNothingLost() {
    try {
      survivor().execute("VACUUM undone"); // frees what no snapshot can reach any more
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return pages().find().isEmpty();
  }

  /** Every other row, some of them longer than a page. */
  private static String rows(String table, int first, int end) {
    return "INSERT INTO %s SELECT g, repeat('x', CASE WHEN g %% 10 < 2 THEN 9000 ELSE 50 END)"
            .formatted(table)
        + " FROM generate_series(%d, %d, 2) AS g".formatted(first, end - 1);
  }

  private static void makeTrees(Connection cutOff) throws SQLException {
    cutOff.setAutoCommit(false);
    try (Statement statement = cutOff.createStatement()) {
      statement.execute("CREATE TABLE other (id int PRIMARY KEY, u text UNIQUE)");
      statement.execute("INSERT INTO other SELECT g, 'u' || g FROM generate_series(1, 1000) AS g");
      statement.execute("CREATE TEMPORARY TABLE temp (id int PRIMARY KEY)");
    }
  }
}
