package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.gauss.jdbc.GaussDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Gauss's own driver with a node that asks for passwords, encrypted and not. */
class GaussDriverTest {
  private static final Map<String, String> ASKING =
      Map.of("auth.loopback", "scram", "tls", "generate");

  @TempDir Path data;

  private ComputeNode start(Map<String, String> settings) {
    Map<String, String> all = new TreeMap<>(settings);
    all.put("pool.size", "16MB");
    return ComputeNode.start(NodeSettings.load(data, 0, all), new SimpleMeterRegistry());
  }

  private static String url(ComputeNode node) {
    return "jdbc:gauss://127.0.0.1:%d/gauss".formatted(node.port());
  }

  private static Connection connect(ComputeNode node, String password, String more)
      throws SQLException {
    return DriverManager.getConnection(url(node) + "?user=ada&password=" + password + more);
  }

  @BeforeEach
  void makeRole() throws SQLException {
    try (ComputeNode node = start(Map.of());
        Connection gauss = DriverManager.getConnection(url(node) + "?user=gauss");
        Statement statement = gauss.createStatement()) {
      statement.execute("CREATE ROLE ada LOGIN PASSWORD 'lovelace'");
      statement.execute("CREATE TABLE notes (id int PRIMARY KEY, note text)");
      statement.execute("GRANT ALL ON notes TO ada");
    }
  }

  @Test
  void notificationsComeByPgjdbcsWay() throws SQLException {
    try (ComputeNode node = start(Map.of());
        Connection listener =
            DriverManager.getConnection(url(node) + "?user=gauss&routing.mode=random");
        Connection sender = DriverManager.getConnection(url(node) + "?user=gauss")) {
      try (Statement statement = listener.createStatement()) {
        statement.execute("LISTEN news");
      }
      try (Statement statement = sender.createStatement()) {
        statement.execute("NOTIFY news, 'today'");
      }
      PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications(60_000);
      assertEquals(1, heard.length);
      assertEquals("news", heard[0].getName());
      assertEquals("today", heard[0].getParameter());
    }
  }

  private static void assertWorks(Connection connection, int id) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO notes VALUES (?, ?)")) {
      insert.setInt(1, id);
      insert.setString(2, "é".repeat(id * 10_000));
      assertEquals(1, insert.executeUpdate());
    }
    try (PreparedStatement select =
        connection.prepareStatement("SELECT note, current_user FROM notes WHERE id = ?")) {
      select.setInt(1, id);
      try (ResultSet rows = select.executeQuery()) {
        assertTrue(rows.next());
        assertEquals(id * 10_000, rows.getString(1).length());
        assertEquals("ada", rows.getString(2));
        assertFalse(rows.next());
      }
    }
  }

  @Test
  void aPasswordLetsInWithAndWithoutEncryption() throws SQLException {
    try (ComputeNode node = start(ASKING)) {
      String[] ways = {
        "&sslmode=disable",
        "&sslmode=require",
        "&sslmode=require&channelBinding=require",
        "&sslmode=verify-ca&sslrootcert=" + data.resolve("tls/certificate.pem")
      };
      for (int i = 0; i < ways.length; i++) {
        try (Connection ada = connect(node, "lovelace", ways[i])) {
          assertWorks(ada, i + 1);
        }
      }
    }
  }

  @Test
  void aDataSourceTakesThePasswordToo() throws SQLException {
    try (ComputeNode node = start(ASKING)) {
      GaussDataSource source = new GaussDataSource();
      source.setUrl(url(node) + "?sslmode=require");
      source.setUser("ada");
      source.setPassword("lovelace");
      try (Connection ada = source.getConnection()) {
        assertWorks(ada, 1);
      }
      assertEquals(
          "28P01",
          assertThrows(SQLException.class, () -> source.getConnection("ada", "byron"))
              .getSQLState());
    }
  }

  @Test
  void aWrongPasswordAndAMissingCertificateAreRefused() {
    try (ComputeNode node = start(ASKING)) {
      SQLException wrong =
          assertThrows(SQLException.class, () -> connect(node, "byron", "&sslmode=require"));
      assertEquals("28P01", wrong.getSQLState());
      SQLException unknown =
          assertThrows(
              SQLException.class,
              () -> connect(node, "lovelace", "&sslmode=verify-ca&sslrootcert=/none.pem"));
      assertEquals("08006", unknown.getSQLState());
    }
  }
}
