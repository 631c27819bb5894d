package io.gauss.memory.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.task.FreePorts;
import io.gauss.common.task.LeftThreads;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.memory.node.MemoryNode.Phase;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails in any phase leaves no thread or port behind. */
@Timeout(300)
class MemoryNodeStartTest {
  private static final int NODE = 101;

  @TempDir Path directory;

  private MemoryNodeSettings settings(StorageNodes storage, int port) throws IOException {
    return MemoryNodeSettings.load(
        Files.createDirectories(directory.resolve("memory-" + NODE)),
        NODE,
        Map.of(
            "cluster.key",
            storage.key().toString(),
            "storage.nodes",
            storage.addresses().stream()
                .map(StorageAddress::toString)
                .collect(Collectors.joining(",")),
            "threads.event-loops",
            "2",
            "directory.entries",
            "10000",
            "cache.size",
            "4MB",
            "peer.port",
            "" + port));
  }

  private static void start(MemoryNodeSettings settings, Phase failing, List<Phase> completed) {
    MemoryNode.start(
            settings,
            config -> new TcpTransport(config, new TcpOptions(SocketIo.best(), 1, null)),
            new SimpleMeterRegistry(),
            phase -> {
              completed.add(phase);
              if (phase == failing) {
                throw new IllegalStateException(phase + " is made to fail");
              }
            })
        .close();
  }

  @Test
  void nothingIsLeftOfAStartThatFails() throws IOException {
    try (StorageNodes storage = new StorageNodes(directory, 1)) {
      storage.start();
      storage.awaitWell();
      int port = FreePorts.one();
      MemoryNodeSettings settings = settings(storage, port);
      List<Phase> all = new ArrayList<>();
      start(settings, null, all); // begins what stays for the life of the process
      assertEquals(List.of(Phase.values()), all);
      for (Phase failing : Phase.values()) {
        LeftThreads threads = LeftThreads.besideAStorageNode();
        IllegalStateException failure =
            assertThrows(
                IllegalStateException.class, () -> start(settings, failing, new ArrayList<>()));
        assertEquals(failing + " is made to fail", failure.getMessage());
        assertEquals(0, failure.getSuppressed().length, failing.toString());
        threads.assertNone();
        new ServerSocket(port).close();
      }
      start(settings, null, all);
    }
  }
}
