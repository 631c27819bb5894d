package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.gauss.storage.disk.PrivateFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code gauss add --replaces} on a cluster of processes under write load. Afterwards every
 * acknowledged transfer is there, and the new storage node has the pages that the others have.
 */
@Timeout(1_200)
class StorageAddTest {
  private static final int WRITERS = 4;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private ClusterProcesses cluster;
  private TransferLoad load;

  @BeforeEach
  void start() throws Exception {
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    cluster = new ClusterProcesses(data, Map.of("pool.size", "32MB"));
    cluster.start();
    load = new TransferLoad(cluster);
    load.createTables();
    load.start(WRITERS, Long.getLong("gauss.seed", System.nanoTime()));
    load.progress().await(50);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private void assertSound(List<Integer> storage) throws Exception {
    assertEquals(storage, cluster.storageNodes());
    load.close();
    load.check(1);
    cluster.stopCompute();
    PageStoreComparison.awaitSameCheckpoint(storage.stream().map(cluster::storageLog).toList());
    cluster.stopStorage();
    PageStoreComparison.assertSame(storage.stream().map(cluster::storageDirectory).toList());
  }

  @Test
  void aNodeWhoseDiskIsLostIsReplaced() throws Exception {
    cluster.killStorage(203);
    Files.delete(cluster.storageDirectory(203).resolve("pages/CURRENT"));
    cluster.replaceStorage(203);
    load.progress().await(50);
    // The new one counts: with it, another one may go.
    cluster.killStorage(202);
    load.progress().await(50);
    cluster.startStorage(202);
    cluster.awaitStorage(202);
    assertSound(List.of(201, 202, 204));
  }

  @Test
  @Tag("long")
  void aNodeThatRunsHandsOver() throws Exception {
    cluster.replaceStorage(201);
    load.progress().await(50);
    assertFalse(Files.exists(cluster.storageDirectory(201)));
    assertSound(List.of(202, 203, 204));
  }
}
