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
import io.gauss.storage.raft.RaftNodes;
import io.gauss.storage.raft.RaftSettings;
import io.gauss.storage.remote.RemoteStorage;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
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

  /** Whether a server answers to the first message of a TLS handshake in its language. */
  private static boolean speaksTls(String host, int port)
      throws IOException, NoSuchAlgorithmException {
    SSLEngine client = SSLContext.getDefault().createSSLEngine();
    client.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
    client.wrap(ByteBuffer.allocate(0), hello);
    try (Socket socket = new Socket(host, port)) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(hello.array(), 0, hello.position());
      int first = socket.getInputStream().read();
      return first == ALERT || first == HANDSHAKE;
    }
  }

  @Test
  void aClusterFormsAndServesOverEncryptedConnectionsOnly() throws Exception {
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
  void withoutEncryptionTheProbeOfThisTestSeesIt() throws Exception {
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
        RaftSettings.of(1, "127.0.0.1", 0, directory.resolve("raft"), RaftNodes.KEY)
            .withTls(new PeerTls(empty, empty, empty));
    GaussException refused =
        assertThrows(
            GaussException.class, () -> RaftHost.start(settings, group -> new BaseStateMachine()));
    assertEquals(SqlState.INVALID_PARAMETER_VALUE, refused.state());
    assertTrue(refused.getMessage().contains(empty.toString()), refused.getMessage());
  }
}
