package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.gauss.server.chaos.FakeTime;
import io.gauss.storage.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * The wall clock of all processes of a cluster, and of one alone, is set forward and back under
 * write load. Nobody loses a lease, and everything that was acknowledged is there.
 *
 * <p>Needs libfaketime, which stands between a process and the system's clock (package {@code
 * libfaketime} of Debian; or {@code -Dgauss.faketime=} the library), and is skipped without it: the
 * machine's own clock is not set by a test.
 */
@Tag("long")
class WallClockJumpTest {
  private static final Logger LOG = LoggerFactory.getLogger(WallClockJumpTest.class);
  private static final int WRITERS = 4;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private Path clock;
  private ClusterProcesses cluster;
  private TransferLoad load;

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start() throws Exception {
    Optional<Path> library = FakeTime.library();
    assumeTrue(
        library.isPresent(),
        "libfaketime is not installed, so that no process can be given another wall clock");
    clock = directory.resolve("clock");
    set(clock, Duration.ZERO);
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    cluster =
        new ClusterProcesses(data, Map.of("pool.size", "32MB"), environment(library.get(), clock));
    cluster.haveUsualLease();
    cluster.start();
    load = new TransferLoad(cluster);
    load.createTables();
    load.start(WRITERS, Long.getLong("gauss.seed", System.nanoTime()));
    load.progress().await(50);
  }

  private static Map<String, String> environment(Path library, Path clock) {
    Map<String, String> variables = FakeTime.variables(library);
    variables.put("FAKETIME_TIMESTAMP_FILE", clock.toString());
    variables.put("FAKETIME_CACHE_DURATION", "1");
    return variables;
  }

  /** From now on, or a second later, the wall clock is that much ahead of the machine's. */
  private static void set(Path clock, Duration ahead) throws IOException {
    Path fresh = clock.resolveSibling(clock.getFileName() + ".new");
    Files.writeString(fresh, "%+d\n".formatted(ahead.toSeconds()));
    Files.move(fresh, clock, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** How far the compute node's wall clock is ahead of this process's. */
  private Duration ahead() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT extract(epoch FROM clock_timestamp())")) {
      assertTrue(row.next());
      return Duration.ofSeconds((long) row.getDouble(1) - System.currentTimeMillis() / 1_000);
    }
  }

  private void jump(Duration to) throws Exception {
    load.progress().reset();
    set(clock, to);
    long begin = System.nanoTime();
    while (ahead().minus(to).abs().compareTo(Duration.ofMinutes(1)) > 0) {
      assertTrue(
          System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(60), "the jump is not noticed");
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
    load.progress().await(200);
    LOG.info(
        "wall clock at {}: longest gap without commits {} ms",
        to,
        load.progress().longestGapMillis());
  }

  @Test
  void whoeverSetsTheWallClockNobodyLosesALease() throws Exception {
    start();
    long compute = cluster.computePid();
    for (Duration to :
        List.of(
            Duration.ofHours(1),
            Duration.ofDays(400),
            Duration.ZERO,
            Duration.ofDays(-400),
            Duration.ofSeconds(-5))) {
      jump(to);
      assertEquals(compute, cluster.computePid(), "the compute node still runs in its epoch");
    }
    // One whose clock differs from the others' by years, as the one that leads or that follows.
    for (int node : ClusterProcesses.STORAGE) {
      cluster.killStorage(node);
      Path own = directory.resolve("clock-" + node);
      set(own, Duration.ofDays(1_000L * (node - 202)));
      cluster.startStorage(node, Map.of("FAKETIME_TIMESTAMP_FILE", own.toString()));
      cluster.awaitStorage(node);
      load.progress().await(200);
      set(own, Duration.ofDays(-700));
      load.progress().await(200);
    }
    assertEquals(compute, cluster.computePid(), "the compute node still runs in its epoch");
    check();
  }

  private void check() throws Exception {
    load.close();
    LOG.info("told: {}", load.summary());
    load.check(1);
    cluster.stopCompute();
    PageStoreComparison.awaitSameCheckpoint(
        ClusterProcesses.STORAGE.stream().map(cluster::storageLog).toList());
    cluster.stopStorage();
    PageStoreComparison.assertSame(
        ClusterProcesses.STORAGE.stream().map(cluster::storageDirectory).toList());
  }
}
