package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.disk.PrivateFiles;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes of a cluster are killed and paused under write load, one fault after the other.
 * Afterwards every acknowledged transfer is there and no refused one is, balances fit their
 * history, all checkers of the store find it sound, and the storage nodes have the same pages.
 */
class StorageFaultsTest {
  private static final Logger LOG = LoggerFactory.getLogger(StorageFaultsTest.class);
  private static final int WRITERS = 4;

  /** Shorter than the lease, so that writers are refused and readers answered for a while. */
  private static final int TIMEOUT_SECONDS = 1;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private ClusterProcesses cluster;
  private TransferLoad load;

  /** Something that is done to a cluster and ends with the cluster being whole again. */
  @FunctionalInterface
  private interface Fault {
    void happen() throws Exception;
  }

  private void start() throws Exception {
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    cluster =
        new ClusterProcesses(
            data, Map.of("pool.size", "32MB", "storage.timeout", "" + TIMEOUT_SECONDS));
    cluster.haveUsualLease();
    cluster.start();
    load = new TransferLoad(cluster);
    load.createTables();
    load.start(WRITERS, Long.getLong("gauss.seed", System.nanoTime()));
    load.progress().await(50);
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** Waits until commits continue afterwards; notes the longest time without one. */
  private void under(String name, Fault fault) throws Exception {
    load.progress().reset();
    long begin = System.nanoTime();
    fault.happen();
    load.progress().await(20);
    LOG.info(
        "{}: longest gap without commits {} ms of {} ms",
        name,
        load.progress().longestGapMillis(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
  }

  private void check() throws Exception {
    load.close();
    LOG.info("told: {}", load.summary());
    load.check(1);
    cluster.stopCompute();
    PageStoreComparison.awaitSameCheckpoint(
        ClusterProcesses.STORAGE.stream().map(cluster::storageLog).toList());
    cluster.stopStorage();
    int pages =
        PageStoreComparison.assertSame(
            ClusterProcesses.STORAGE.stream().map(cluster::storageDirectory).toList());
    LOG.info("{} pages are the same on all storage nodes", pages);
  }

  private static void pause(double seconds) {
    LockSupport.parkNanos((long) (seconds * 1e9));
  }

  private void killAndRestart(int node) throws Exception {
    cluster.killStorage(node);
    load.progress().await(20);
    cluster.startStorage(node);
    cluster.awaitStorage(node);
  }

  private void pauseAndResume(int node, double seconds) throws Exception {
    cluster.pauseStorage(node);
    pause(seconds);
    cluster.resumeStorage(node);
  }

  private void killAndRestartCompute() throws Exception {
    cluster.killCompute();
    cluster.startCompute();
  }

  /**
   * Two of three are away for longer than clients wait and than the compute node's lease lasts. It
   * is told apart by the answers: while there is a lease, who reads gets one.
   */
  private void loseTheQuorum() throws Exception {
    try (Connection reader = reader();
        Connection writer = cluster.connect()) {
      cluster.killStorage(202);
      cluster.killStorage(203);
      awaitRefusal(writer);
      long answers = 0;
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(5) && reads(reader)) {
        answers++;
        pause(0.05);
      }
      LOG.info("{} reads were answered after the first write had been refused", answers);
    }
    cluster.startStorage(202);
    cluster.startStorage(203);
    cluster.awaitStorage(202);
    cluster.awaitStorage(203);
  }

  /** A connection that has just read: a disk may stall for longer than the timeout lasts. */
  private Connection reader() throws SQLException {
    long begin = System.nanoTime();
    while (true) {
      Connection connection = null;
      try {
        connection = cluster.connect();
        assertEquals(500_500, sum(connection));
        return connection;
      } catch (SQLException e) {
        if (connection != null) {
          connection.close();
        }
        assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(120), e::toString);
        pause(0.05);
      }
    }
  }

  /** False when there was no answer, of which the client is told in the one right way. */
  private static boolean reads(Connection connection) {
    try {
      assertEquals(500_500, sum(connection), "what is read is right");
      return true;
    } catch (SQLException e) {
      assertEquals("57P03", e.getSQLState(), e.getMessage());
      return false;
    }
  }

  private static int sum(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT sum(v) FROM fixed")) {
      assertTrue(row.next());
      return row.getInt(1);
    }
  }

  /** Asks until the answer is that writers are refused. */
  private static void awaitRefusal(Connection connection) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(120)) {
      try (Statement statement = connection.createStatement()) {
        // Locks no row: nothing of it waits for the log before it is refused.
        statement.executeUpdate("DELETE FROM fixed WHERE id = 0");
      } catch (SQLException e) {
        assertEquals("57P03", e.getSQLState(), e.getMessage());
        return;
      }
      pause(0.05);
    }
    throw new AssertionError("writers are not refused");
  }

  @Test
  void aStorageNodeIsKilledAndTheQuorumIsLostAndComesBack() throws Exception {
    start();
    under("node 201 killed", () -> killAndRestart(201));
    under("quorum lost", this::loseTheQuorum);
    check();
  }

  @Test
  @Tag("long")
  void eachProcessIsKilledAndPausedRoundAfterRound() throws Exception {
    start();
    for (int round = 0; round < Integer.getInteger("gauss.rounds", 3); round++) {
      // One fault for all of them in turn, so that it meets whoever leads.
      for (int node : ClusterProcesses.STORAGE) {
        under("node " + node + " killed", () -> killAndRestart(node));
      }
      for (int node : ClusterProcesses.STORAGE) {
        under("node " + node + " paused for 6 s", () -> pauseAndResume(node, 6));
      }
      for (int node : ClusterProcesses.STORAGE) {
        under("node " + node + " slow", () -> pulse(node));
      }
      under("node 201 without room", () -> runWithoutRoom(201));
      under("compute node killed", this::killAndRestartCompute);
      under("compute node paused for 1 s", () -> pauseAndResumeCompute(1));
      under("compute node paused for 6 s", () -> pauseAndResumeCompute(6));
      under("quorum lost", this::loseTheQuorum);
    }
    check();
  }

  /** What a node does that believes its disk to be full. It leads again once it is up to date. */
  private void runWithoutRoom(int node) throws Exception {
    cluster.killStorage(node);
    cluster.startStorage(node, "disk.reserve=1000000GB");
    cluster.awaitStorage(node);
    pause(5);
    load.progress().await(100);
    cluster.killStorage(node);
    cluster.startStorage(node);
    cluster.awaitStorage(node);
  }

  private void pauseAndResumeCompute(double seconds) throws Exception {
    cluster.pauseCompute();
    pause(seconds);
    cluster.resumeCompute();
  }

  /** Pauses in short turns: what a slow disk or an overloaded machine looks like from outside. */
  private void pulse(int node) throws Exception {
    for (int i = 0; i < 10; i++) {
      pauseAndResume(node, 0.4);
      pause(0.1);
    }
  }
}
