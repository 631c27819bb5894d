package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.storage.api.StorageAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A storage node may listen at another address than the one it announces. */
@Timeout(180)
class PeerListenTest {
  private static final String OTHER_LOOPBACK = "127.0.0.2";

  @TempDir Path directory;

  private static void connect(String host, int port) throws IOException {
    new Socket(host, port).close();
  }

  @Test
  void aNodeListensOnAllAddressesAndTellsTheOneThatIsInStorageNodes() throws IOException {
    try (StorageNodes nodes =
        new StorageNodes(directory, 3, Map.of("peer.listen", "0.0.0.0", "peer.plaintext", "on"))) {
      nodes.start();
      nodes.awaitWell();
      StorageAddress first = nodes.addresses().getFirst();
      connect(OTHER_LOOPBACK, first.port());
      connect(OTHER_LOOPBACK, first.raftPort());
      assertEquals(first.address(), nodes.node(first.node()).address());
    }
  }

  @Test
  void withoutTheSettingItListensThereOnly() throws IOException {
    try (StorageNodes nodes = new StorageNodes(directory, 1)) {
      nodes.start();
      nodes.awaitWell();
      StorageAddress only = nodes.addresses().getFirst();
      assertThrows(ConnectException.class, () -> connect(OTHER_LOOPBACK, only.port()));
      assertThrows(ConnectException.class, () -> connect(OTHER_LOOPBACK, only.raftPort()));
    }
  }
}
