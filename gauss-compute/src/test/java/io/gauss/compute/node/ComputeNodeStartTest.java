package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.task.FreePorts;
import io.gauss.common.task.LeftThreads;
import io.gauss.compute.node.ComputeNode.Phase;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.disk.DataDirectory;
import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails in any phase leaves no thread, port or lock behind. */
@Timeout(300)
class ComputeNodeStartTest {
  @TempDir Path data;

  private static void start(NodeSettings settings, Phase failing, List<Phase> completed) {
    ComputeNode.start(
            settings,
            new SimpleMeterRegistry(),
            Membership.Transports.tcp(settings),
            phase -> {
              completed.add(phase);
              if (phase == failing) {
                throw new IllegalStateException(phase + " is made to fail");
              }
            })
        .close();
  }

  private void assertNothingIsLeft(NodeSettings settings, Supplier<LeftThreads> looks)
      throws IOException {
    List<Phase> all = new ArrayList<>();
    start(settings, null, all); // what stays for the life of the process begins here
    assertEquals(List.of(Phase.values()), all);
    for (Phase failing : Phase.values()) {
      LeftThreads threads = looks.get();
      List<Phase> completed = new ArrayList<>();
      IllegalStateException failure =
          assertThrows(IllegalStateException.class, () -> start(settings, failing, completed));
      assertEquals(failing + " is made to fail", failure.getMessage());
      assertEquals(0, failure.getSuppressed().length, failing.toString());
      assertSame(failing, completed.getLast());
      threads.assertNone();
      DataDirectory.take(settings.data()).close();
      new ServerSocket(settings.port()).close();
    }
    start(settings, null, all);
  }

  @Test
  void aNodeThatIsAloneLeavesNothing() throws IOException {
    assertNothingIsLeft(
        NodeSettings.load(data, FreePorts.one(), Map.of("pool.size", "16MB")), LeftThreads::new);
  }

  @Test
  void aNodeOfAClusterLeavesNothing() throws IOException {
    try (StorageNodes storage = new StorageNodes(data, 1)) {
      storage.start();
      storage.awaitWell();
      String addresses =
          storage.addresses().stream()
              .map(StorageAddress::toString)
              .collect(Collectors.joining(","));
      assertNothingIsLeft(
          NodeSettings.load(
              data.resolve("compute"),
              FreePorts.one(),
              Map.of(
                  "pool.size",
                  "16MB",
                  "cluster.key",
                  storage.key().toString(),
                  "storage.nodes",
                  addresses)),
          LeftThreads::besideAStorageNode);
    }
  }
}
