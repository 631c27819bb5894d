package io.gauss.server.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The conversation between a machine that joins and a node of the cluster. */
@Timeout(60)
class JoinServerTest {
  private static final String HOST = "127.0.0.1";
  private static final List<String> ROLES = List.of("compute", "storage");

  @TempDir Path data;
  private ClusterAuthority authority;
  private JoinServer server;
  private JoinRequest asked;

  @BeforeEach
  void listen() {
    Instant now = Instant.now();
    authority = ClusterAuthority.create(data, now);
    NodeCredentials own = NodeCredentials.in(data);
    own.keep(authority.issue(own.makeKey(), HOST, 0, 9, now).pem(), authority.certificate());
    server =
        JoinServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), own, this::admit);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private JoinAnswer admit(JoinRequest request) {
    asked = request;
    Instant now = Instant.now();
    authority.tokens().check(request, now);
    ClusterAuthority.Issued issued = authority.issue(request.key(), request.host(), 0, 9, now);
    authority.tokens().use(request, issued.node(), now);
    return JoinAnswer.of(
        issued, authority.certificate(), "key of the cluster", "201@10.0.0.1:7001:7002");
  }

  private JoinToken token(ClusterAuthority from) {
    Instant now = Instant.now();
    return from.tokens().give(HOST, server.port(), now.plus(Duration.ofHours(1)), now);
  }

  private JoinAnswer ask(JoinToken token, Path machine) {
    return JoinClient.ask(
        token,
        token.host(),
        token.port(),
        NodeCredentials.in(machine),
        new JoinRequest.Wish(ROLES, "10.0.0.2", 0));
  }

  private Path machine(String name) throws IOException {
    return Files.createDirectory(data.resolve(name));
  }

  @Test
  void aMachineWithATokenGetsANumberACertificateAndTheKeyOfTheCluster() throws Exception {
    JoinAnswer answer = ask(token(authority), machine("b"));
    assertNull(answer.refused());
    assertEquals(2, answer.node());
    assertEquals("key of the cluster", answer.clusterKey());
    assertEquals("201@10.0.0.1:7001:7002", answer.storageNodes());
    assertEquals(ROLES, asked.roles());
    assertEquals("10.0.0.2", asked.host());
    NodeCredentials own = NodeCredentials.in(data.resolve("b"));
    own.keep(answer.certificate(), answer.authority());
    assertEquals(2, own.chain().size());
    JoinTls.ofNode(own); // key and certificate fit
  }

  @Test
  void aTokenThatWasUsedIsRefusedWithTheReason() throws IOException {
    JoinToken token = token(authority);
    ask(token, machine("b"));
    assertTrue(ask(token, machine("c")).refused().contains("used already"));
  }

  /** Somebody between the two, or the wrong address: the secret is not told there. */
  @Test
  void aTokenIsShownToItsClusterOnly() throws IOException {
    ClusterAuthority other = ClusterAuthority.create(machine("other"), Instant.now());
    JoinToken token = token(other);
    GaussException refused = assertThrows(GaussException.class, () -> ask(token, machine("b")));
    assertEquals(SqlState.CONNECTION_FAILURE, refused.state());
    assertTrue(
        refused.getMessage().contains("not the cluster that has given out the token"),
        refused.getMessage());
    assertNull(asked);
  }

  @Test
  void anotherVersionIsRefusedInWords() throws Exception {
    JoinRequest later = new JoinRequest(2, 1, new byte[1], new byte[1], new byte[1], ROLES, "x", 0);
    try (Socket socket =
        JoinTls.ofMachine(authority.fingerprint())
            .getSocketFactory()
            .createSocket(HOST, server.port())) {
      JoinWire.write(socket, later);
      JoinAnswer answer = JoinWire.read(socket, JoinAnswer.class, 30_000);
      assertTrue(answer.refused().contains("version 2"), answer.refused());
    }
  }

  @Test
  void rubbishEndsTheConnectionAndHarmsNobody() throws Exception {
    for (String rubbish :
        List.of("null\n", "[1]\n", "{\"version\":\"\u00e9\"}\n", "x".repeat(100_000))) {
      try (Socket socket =
          JoinTls.ofMachine(authority.fingerprint())
              .getSocketFactory()
              .createSocket(HOST, server.port())) {
        try {
          socket.getOutputStream().write(rubbish.getBytes(StandardCharsets.UTF_8));
          socket.getOutputStream().flush();
          assertEquals(-1, socket.getInputStream().read(), "an answer to " + rubbish);
        } catch (IOException e) {
          assertTrue(socket.isConnected(), e::toString); // it was reset
        }
      }
    }
    assertNull(ask(token(authority), machine("b")).refused());
  }
}
