package io.gauss.common.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.PeerTls;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportException;
import io.gauss.server.join.ClusterAuthority;
import io.gauss.server.join.NodeCredentials;
import io.gauss.storage.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Certificates of a cluster's own authority say which node somebody is: whoever has one of them,
 * and the secret of the cluster, is that node and no other one.
 */
class CertifiedNodesTest {
  private static final int ANY = 0;

  @TempDir private Path parent;
  private final List<Transport> opened = new ArrayList<>();
  private ClusterAuthority authority;

  @BeforeEach
  void make() throws IOException {
    authority =
        ClusterAuthority.create(
            PrivateFiles.createDirectory(parent.resolve("first")), Instant.now());
  }

  @AfterEach
  void close() {
    opened.reversed().forEach(Transport::close);
  }

  private PeerTls files(int node) throws IOException {
    Path data = parent.resolve("node-" + node);
    NodeCredentials own = NodeCredentials.in(data);
    if (!Files.exists(own.certificate())) {
      PrivateFiles.createDirectory(data);
      ClusterAuthority.Issued issued =
          authority.issueAgain(node, own.makeKey(), "127.0.0.1", Instant.now());
      own.keep(issued.pem(), authority.certificate());
    }
    return new PeerTls(own.certificate(), own.key(), own.authority());
  }

  /** A node that has the certificate of any other one, and does not look at it itself. */
  private static TransportTls unchecked(PeerTls files) {
    return TransportTls.of(files.certificate(), files.key(), files.authority());
  }

  private Transport open(int number, NodeRole role, TransportTls tls) {
    // The number of commands is too high for a clock.
    TransportConfig known = TestNodes.config(Math.min(number, Lsn.MAX_NODE), role);
    TransportConfig config =
        new TransportConfig(
            NodeIdentity.of(number, role, 1, known.self().clock()),
            known.key(),
            known.guard(),
            known.settings(),
            known.meters());
    Transport transport = new TcpTransport(config, new TcpOptions(SocketIo.best(), 1, tls));
    opened.add(transport);
    return transport;
  }

  private NodeAddress listening(int number, NodeRole role, TransportTls tls) {
    return open(number, role, tls).listen(new NodeAddress("127.0.0.1", 0), new Handlers());
  }

  private static int connected(Peer peer) {
    return peer.connected().orTimeout(60, TimeUnit.SECONDS).join().node();
  }

  private static TransportException refusal(Peer peer) {
    return (TransportException)
        assertThrows(
                CompletionException.class,
                () -> peer.connected().orTimeout(60, TimeUnit.SECONDS).join())
            .getCause();
  }

  @Test
  void aNodeIsEachOfItsRolesAndCommandsAreOfAnyNode() throws IOException {
    NodeAddress storage = listening(203, NodeRole.STORAGE, unchecked(files(3)));
    TransportTls two = unchecked(files(2));
    assertEquals(203, connected(open(2, NodeRole.COMPUTE, two).connect(storage, 203)));
    assertEquals(203, connected(open(102, NodeRole.MEMORY, two).connect(storage, 203)));
    assertEquals(203, connected(open(202, NodeRole.STORAGE, two).connect(storage, ANY)));
    assertEquals(203, connected(open(65_535, NodeRole.TOOL, two).connect(storage, ANY)));
  }

  @Test
  void whoConnectsCannotSayThatItIsAnotherNode() throws IOException {
    NodeAddress storage = listening(203, NodeRole.STORAGE, unchecked(files(3)));
    TransportTls two = unchecked(files(2));
    TransportException refused = refusal(open(201, NodeRole.STORAGE, two).connect(storage, 203));
    assertEquals(SqlState.INVALID_AUTHORIZATION_SPECIFICATION, refused.state());
    assertTrue(
        refused
            .getMessage()
            .contains("who says that it is node 201 (storage) has the certificate of node 2"),
        refused.getMessage());
    // Nor the same number in another role.
    refusal(open(2, NodeRole.STORAGE, two).connect(storage, 203));
    refusal(open(202, NodeRole.TOOL, two).connect(storage, 203));
  }

  /** It has taken the address of another node, or its machine got it. */
  @Test
  void whoAcceptsCannotSayThatItIsAnotherNode() throws IOException {
    NodeAddress posing = listening(203, NodeRole.STORAGE, unchecked(files(2)));
    TransportException refused =
        refusal(open(1, NodeRole.COMPUTE, unchecked(files(1))).connect(posing, 203));
    assertEquals(SqlState.INVALID_AUTHORIZATION_SPECIFICATION, refused.state());
    assertTrue(refused.getMessage().contains("certificate of node 2"), refused.getMessage());
  }

  /** As an operator's own authority makes them: they are compared with nothing. */
  @Test
  void certificatesThatNameNoNodeAreTakenFromEachOtherOnly() throws IOException {
    TransportTls unnamed = TcpHarness.tls("one");
    NodeAddress storage = listening(203, NodeRole.STORAGE, unnamed);
    assertEquals(203, connected(open(7, NodeRole.COMPUTE, unnamed).connect(storage, 203)));
    PeerTls two = files(2);
    // An authority for both: its files are one behind the other.
    Path both = parent.resolve("both.pem");
    Files.writeString(
        both, Files.readString(two.authority()) + Files.readString(TcpHarness.authority("one")));
    NodeAddress named =
        listening(202, NodeRole.STORAGE, TransportTls.of(two.certificate(), two.key(), both));
    TransportTls stranger = TcpHarness.tls("one", both);
    TransportException refused = refusal(open(7, NodeRole.COMPUTE, stranger).connect(named, 202));
    assertTrue(
        refused.getMessage().contains("names no node of this cluster: CN=test node of one"),
        refused.getMessage());
  }

  @Test
  void aNodeDoesNotStartWithTheCertificateOfAnotherOne() throws IOException {
    PeerTls two = files(2);
    GaussException refused =
        assertThrows(
            GaussException.class,
            () -> TransportTls.of(two, TestNodes.config(203, NodeRole.STORAGE).self()));
    assertEquals(SqlState.INVALID_PARAMETER_VALUE, refused.state());
    assertTrue(refused.getMessage().contains("it is that of node 2"), refused.getMessage());
    TransportTls.of(two, TestNodes.config(202, NodeRole.STORAGE).self());
    assertNull(TransportTls.of(null, TestNodes.config(202, NodeRole.STORAGE).self()));
  }
}
