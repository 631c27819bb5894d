package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.PeerTls;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.raft.RaftHost;
import io.gauss.storage.raft.RaftSettings;
import io.gauss.storage.remote.RemoteStorage;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster whose nodes present certificates to each other, on the ports for peers and for Raft.
 */
@Timeout(180)
class EncryptedClusterTest {
  private static final int ALERT = 21;
  private static final int HANDSHAKE = 22;

  @TempDir Path directory;

  private PeerTls tls() throws IOException {
    return new PeerTls(file("one-node.crt"), file("one-node.key"), file("one-ca.crt"));
  }

  private Path file(String name) throws IOException {
    Path copy = directory.resolve(name);
    try (InputStream in = getClass().getResourceAsStream("/transport/" + name)) {
      Files.copy(in, copy);
    }
    return copy;
  }

  /** Whether a TLS server rejects bytes that do not begin with a TLS handshake. */
  private static boolean speaksTls(String host, int port) throws IOException {
    try (Socket socket = new Socket(host, port)) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      int first = socket.getInputStream().read();
      return first == -1 || first == ALERT || first == HANDSHAKE;
    }
  }

  @Test
  void aClusterFormsAndServesOverEncryptedConnectionsOnly() throws IOException {
    try (StorageNodes nodes = new StorageNodes(directory, 3, tls())) {
      nodes.start();
      nodes.awaitWell();
      try (ComputeStandIn compute = new ComputeStandIn(nodes, 1);
          RemoteStorage storage = compute.open()) {
        assertEquals(0, storage.stream().endOffset());
        assertEquals(3, compute.map().live(Role.STORAGE).size());
        var first = nodes.addresses().getFirst();
        assertTrue(speaksTls(first.host(), first.port()), "port for peers");
        assertTrue(speaksTls(first.host(), first.raftPort()), "port for Raft");
      }
    }
  }

  @Test
  void withoutEncryptionTheProbeOfThisTestSeesIt() throws IOException {
    try (StorageNodes nodes = new StorageNodes(directory, 1)) {
      nodes.start();
      nodes.awaitWell();
      assertFalse(speaksTls("127.0.0.1", nodes.addresses().getFirst().raftPort()));
    }
  }

  @Test
  void filesThatAreNoCertificatesAreRefusedByName() throws IOException {
    Path empty = Files.createFile(directory.resolve("empty"));
    RaftSettings settings =
        RaftSettings.of(1, "127.0.0.1", 0, directory.resolve("raft"))
            .withTls(new PeerTls(empty, empty, empty));
    GaussException refused =
        assertThrows(
            GaussException.class, () -> RaftHost.start(settings, group -> new BaseStateMachine()));
    assertEquals(SqlState.INVALID_PARAMETER_VALUE, refused.state());
    assertTrue(refused.getMessage().contains(empty.toString()), refused.getMessage());
  }
}
