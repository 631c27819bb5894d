package io.gauss.compute.node;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a cluster of three compute nodes, for all tests of a class. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnThreeNodes {
  static final int NODES = 3;
  private static final int MEMORY_NODES = 2;
  private static final int STORAGE_NODES = 1;

  final ExecutorService clients = Executors.newCachedThreadPool();
  WholeCluster cluster;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    cluster = new WholeCluster(directory, STORAGE_NODES, MEMORY_NODES, NODES, Map.of());
  }

  @AfterAll
  void stop() {
    clients.shutdownNow();
    cluster.close();
  }
}
