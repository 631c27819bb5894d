package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster on a system without epoll: two compute nodes, a memory node and three storage nodes
 * over NIO, with clients on both compute nodes, of which one is killed and comes back.
 */
@Timeout(1_200)
class NioClusterTest {
  private static final List<Integer> COMPUTES = List.of(1, 2);
  private static final int WRITERS = 4;
  private static final int STEADY = 100;

  /** Hides epoll from all processes of the cluster. */
  private static final Map<String, String> WITHOUT_EPOLL =
      Map.of("JAVA_TOOL_OPTIONS", "-Dio.netty.transport.noNative=true");

  @TempDir private Path directory;

  @Test
  void aClusterServesAndRecoversOverNio() throws Exception {
    try (ClusterProcesses cluster =
        new ClusterProcesses(
            directory, Map.of("pool.size", "32MB"), WITHOUT_EPOLL, COMPUTES.size(), 1)) {
      cluster.start();
      TransferLoad load = new TransferLoad(cluster, COMPUTES);
      load.createTables();
      load.start(WRITERS, Long.getLong("gauss.seed", System.nanoTime()));
      load.progress().await(STEADY);
      cluster.killCompute(1);
      load.progress().await(STEADY);
      cluster.startCompute(1);
      load.progress().await(STEADY);
      load.close();
      for (int node : COMPUTES) {
        load.check(node);
      }
    }
    assertEveryNodeUsedNio();
  }

  private void assertEveryNodeUsedNio() throws Exception {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> logs =
          files.filter(file -> file.getFileName().toString().endsWith(".log")).toList();
      long listeners = 0;
      for (Path log : logs) {
        String text = Files.readString(log);
        assertFalse(text.contains("(epoll"), log + " tells of epoll");
        listeners += text.lines().filter(line -> line.matches(".*listen.*\\(nio.*")).count();
      }
      // For clients and for nodes on each compute node, for nodes on the others; and once again.
      assertTrue(listeners >= 2 * COMPUTES.size() + 4, listeners + " in " + logs);
    }
  }
}
