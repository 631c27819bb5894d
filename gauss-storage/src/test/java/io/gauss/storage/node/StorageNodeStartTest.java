package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.task.FreePorts;
import io.gauss.common.task.LeftThreads;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.disk.DataDirectory;
import io.gauss.storage.node.StorageNode.Phase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails in any phase leaves no thread, port or lock behind. */
@Timeout(300)
class StorageNodeStartTest {
  @TempDir Path data;

  private StorageNodeSettings settings() throws IOException {
    Path key = data.resolve(ClusterKeyFile.NAME);
    ClusterKeyFile.ensure(key);
    StorageAddress self = new StorageAddress(201, "127.0.0.1", FreePorts.one(), FreePorts.one());
    return StorageNodeSettings.load(
        data, 201, Map.of("storage.nodes", self.toString(), "pages.redo-memory", "16MB"));
  }

  private static void start(StorageNodeSettings settings, Phase failing, List<Phase> completed) {
    StorageNode.start(
            settings,
            StoragePlatform.DISK,
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
    StorageNodeSettings settings = settings();
    List<Phase> all = new ArrayList<>();
    start(settings, null, all); // begins what stays for the life of the process
    assertEquals(List.of(Phase.values()), all);
    for (Phase failing : Phase.values()) {
      LeftThreads threads = new LeftThreads();
      IllegalStateException failure =
          assertThrows(
              IllegalStateException.class, () -> start(settings, failing, new ArrayList<>()));
      assertEquals(failing + " is made to fail", failure.getMessage());
      assertEquals(0, failure.getSuppressed().length, failing.toString());
      threads.assertNone();
      DataDirectory.take(settings.data()).close();
      new ServerSocket(settings.self().port()).close();
      new ServerSocket(settings.self().raftPort()).close();
    }
    start(settings, null, all);
  }
}
