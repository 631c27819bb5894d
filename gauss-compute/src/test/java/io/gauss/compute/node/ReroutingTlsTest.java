package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.routing.BetterNode;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** Transactions are forwarded between nodes that encrypt their clients' connections. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class ReroutingTlsTest {
  private static final int HERE = 1;
  private static final int THERE = 2;
  private static final String THERE_IS_BETTER = "/*there*/ ";
  private static final String NODE = ForwardedClients.NODE;

  /** {@code PgProtocol.PASS_REQUEST}, in place of a start-up packet. */
  private static final int PASS_REQUEST = 1234 << 16 | 5697;

  private WholeCluster cluster;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    cluster =
        new WholeCluster(
            directory, 1, 1, 2, Map.of(), Map.of("routing.reroute", "on", "tls", "generate"));
    cluster
        .compute(HERE)
        .node
        .reroutes()
        .route(
            (text, parameters) -> text.startsWith(THERE_IS_BETTER) ? THERE : BetterNode.NOT_KNOWN);
    cluster.compute(HERE).execute("CREATE TABLE t (id int PRIMARY KEY, note text)");
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  /** A node that encrypts lets nobody else forward transactions to it, so these were encrypted. */
  @Test
  void transactionsAreForwardedByEncryptedConnections() throws SQLException, IOException {
    try (Connection client = DriverManager.getConnection(cluster.url(HERE) + "&sslmode=require")) {
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      client.setAutoCommit(false);
      assertEquals(List.of("2"), OneNode.query(client, THERE_IS_BETTER + "SELECT " + NODE));
      long copied =
          client
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("COPY t FROM STDIN", new StringReader(rows()));
      assertEquals(10_000, copied);
      client.commit();
      client.setAutoCommit(true);
      assertEquals(
          List.of("2|10000|10000"),
          OneNode.query(
              client,
              THERE_IS_BETTER + "SELECT " + NODE + ", count(*), count(DISTINCT note) FROM t"));
      assertEquals(
          10_000, OneNode.query(client, THERE_IS_BETTER + "SELECT * FROM t ORDER BY id").size());
      assertEquals(List.of("1"), OneNode.query(client, "SELECT " + NODE));
    }
  }

  private static String rows() {
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      rows.append(i).append("\tnote ").append(i).append(" of a row that has some length\n");
    }
    return rows.toString();
  }

  @Test
  void whoDoesNotEncryptForwardsNothing() throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), cluster.compute(THERE).node.port())) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(24);
      out.writeInt(PASS_REQUEST);
      out.writeLong(1);
      out.writeLong(2);
      byte[] answer = new DataInputStream(socket.getInputStream()).readAllBytes();
      String text = new String(answer, StandardCharsets.UTF_8);
      assertTrue(text.contains("by encrypted connections only"), text);
    }
  }
}
