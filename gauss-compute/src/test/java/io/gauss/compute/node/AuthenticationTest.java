package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets in with pgjdbc: passwords, encryption, and what outlives a restart. */
class AuthenticationTest {
  private static final Map<String, String> TRUST = Map.of();
  private static final Map<String, String> SCRAM = Map.of("auth.loopback", "scram");
  private static final Map<String, String> TLS =
      Map.of("auth.loopback", "scram", "tls", "generate");

  @TempDir Path data;

  private ComputeNode start(Map<String, String> settings) {
    Map<String, String> all = new TreeMap<>(settings);
    all.put("pool.size", "16MB");
    return ComputeNode.start(NodeSettings.load(data, 0, all), new SimpleMeterRegistry());
  }

  private static Connection connect(ComputeNode node, String user, String password, String more)
      throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/gauss?user=%s&password=%s%s"
            .formatted(node.port(), user, password, more));
  }

  private static String answer(Connection connection, String query) throws SQLException {
    return String.join(",", OneNode.query(connection, query));
  }

  private static void run(ComputeNode node, String... statements) throws SQLException {
    try (Connection gauss = connect(node, "gauss", "", "");
        Statement statement = gauss.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  private static String refusal(ComputeNode node, String user, String password) {
    SQLException e =
        assertThrows(SQLException.class, () -> connect(node, user, password, "").close());
    return e.getSQLState() + " " + e.getMessage();
  }

  @Test
  void trustEndsWithAPasswordUntilAllAreTrusted() throws SQLException {
    try (ComputeNode node = start(TRUST)) {
      run(node, "CREATE ROLE ada LOGIN PASSWORD 'lovelace'", "CREATE ROLE free LOGIN");
      connect(node, "free", "", "").close();
      connect(node, "ada", "lovelace", "").close();
      assertTrue(refusal(node, "ada", "byron").startsWith("28P01"));
      run(node, "ALTER ROLE ada PASSWORD NULL");
      connect(node, "ada", "byron", "").close();
      run(node, "ALTER ROLE ada PASSWORD 'lost'");
    }
    try (ComputeNode node = start(Map.of("auth.loopback", "trust-all"))) {
      connect(node, "ada", "anything", "").close();
    }
  }

  @Test
  void whoDoesNotEncryptIsRefusedWhereEncryptionIsRequired() throws SQLException {
    try (ComputeNode node = start(Map.of("tls", "generate", "tls.required", "on"))) {
      connect(node, "gauss", "", "&sslmode=require").close();
      SQLException refused =
          assertThrows(
              SQLException.class, () -> connect(node, "gauss", "", "&sslmode=disable").close());
      assertEquals(
          "28000 FATAL: this node takes encrypted connections only",
          refused.getSQLState() + " " + refused.getMessage());
    }
  }

  @Test
  void passwordsAreAskedForAndOutliveARestart() throws SQLException {
    try (ComputeNode node = start(TRUST)) {
      run(
          node,
          "ALTER ROLE gauss PASSWORD 'root'",
          "CREATE ROLE ada LOGIN PASSWORD 'lovelace'",
          "CREATE TABLE t (a int)",
          "INSERT INTO t VALUES (7)",
          "CREATE TABLE refused (a int)",
          "GRANT SELECT ON t TO ada",
          "CREATE ROLE late LOGIN PASSWORD 'late' VALID UNTIL '2001-01-01'",
          "CREATE ROLE none_given LOGIN",
          "CREATE ROLE locked PASSWORD 'locked'",
          "CREATE ROLE one LOGIN PASSWORD 'one' CONNECTION LIMIT 1");
    }
    try (ComputeNode node = start(SCRAM)) {
      try (Connection ada = connect(node, "ada", "lovelace", "")) {
        assertEquals("ada|ada", answer(ada, "SELECT current_user, session_user"));
        assertEquals("7", answer(ada, "SELECT a FROM t"));
        SQLException denied =
            assertThrows(SQLException.class, () -> ada.createStatement().execute("DELETE FROM t"));
        assertEquals("42501", denied.getSQLState());
        for (String copy : new String[] {"COPY t FROM STDIN", "COPY refused TO STDOUT"}) {
          SQLException refused =
              assertThrows(SQLException.class, () -> ada.createStatement().execute(copy));
          assertEquals("42501", refused.getSQLState());
        }
      }
      for (String[] wrong :
          new String[][] {
            {"ada", "byron"}, {"nobody", "x"}, {"late", "late"}, {"none_given", "x"}
          }) {
        assertEquals(
            "28P01 FATAL: password authentication failed for user \"%s\"".formatted(wrong[0]),
            refusal(node, wrong[0], wrong[1]));
      }
      assertEquals(
          "28000 FATAL: role \"locked\" is not permitted to log in",
          refusal(node, "locked", "locked"));
      try (Connection first = connect(node, "one", "one", "")) {
        assertEquals("one", answer(first, "SELECT current_user"));
        assertEquals(
            "53300 FATAL: too many connections for role \"one\"", refusal(node, "one", "one"));
      }
    }
  }

  @Test
  void nobodyGetsAnotherRoleOrASuperusersSettingByWhateverWay() throws SQLException {
    try (ComputeNode node = start(TRUST)) {
      run(node, "CREATE ROLE ada LOGIN");
      for (String option :
          new String[] {
            "session_authorization=gauss", "role=gauss", "log_min_duration_statement=0"
          }) {
        SQLException refused =
            assertThrows(
                SQLException.class,
                () -> connect(node, "ada", "", "&options=-c%20" + option).close());
        assertEquals("42501", refused.getSQLState(), option);
      }
      try (Connection ada = connect(node, "ada", "", "")) {
        for (String statement :
            new String[] {
              "SET ROLE gauss",
              "SET \"ROLE\" TO gauss",
              "SET SESSION AUTHORIZATION gauss",
              "SET \"SESSION_Authorization\" = gauss",
              "SELECT set_config('Role', 'gauss', false)",
              "SET log_min_duration_statement = 0"
            }) {
          SQLException refused =
              assertThrows(SQLException.class, () -> ada.createStatement().execute(statement));
          assertEquals("42501", refused.getSQLState(), statement);
        }
        assertEquals("ada|ada", answer(ada, "SELECT current_user, session_user"));
      }
    }
  }

  @Test
  void encryptedConnectionsBindTheirChannel() throws SQLException {
    try (ComputeNode node = start(TRUST)) {
      run(node, "ALTER ROLE gauss PASSWORD 'root'");
    }
    try (ComputeNode node = start(TLS)) {
      for (String more :
          new String[] {
            "&sslmode=require",
            "&sslmode=require&channelBinding=require",
            "&sslmode=require&channelBinding=disable",
            "&sslmode=disable"
          }) {
        try (Connection gauss = connect(node, "gauss", "root", more)) {
          assertEquals("1", answer(gauss, "SELECT 1"));
        }
      }
      assertTrue(refusal(node, "gauss", "wrong").startsWith("28P01"));
    }
  }

  @Test
  void encryptedConnectionsCarryMuch() throws SQLException {
    try (ComputeNode node = start(Map.of("tls", "generate"));
        Connection gauss = connect(node, "gauss", "", "&sslmode=require")) {
      assertEquals(
          "200000|40000000",
          answer(
              gauss,
              "SELECT count(*), sum(length(x)) FROM"
                  + " (SELECT repeat('x', 200) AS x FROM generate_series(1, 200000)) s"));
      assertEquals(
          50_000,
          OneNode.query(gauss, "SELECT repeat('y', 100) FROM generate_series(1, 50000)").size());
    }
  }

  @Test
  void aNodeListensOffThisMachineOnlyWithAPassword() throws SQLException {
    Map<String, String> everywhere = Map.of("listen.address", "0.0.0.0");
    GaussException refused = assertThrows(GaussException.class, () -> start(everywhere).close());
    assertEquals("28P01", refused.state().code());
    try (ComputeNode node = start(TRUST)) {
      run(node, "ALTER ROLE gauss PASSWORD 'root'");
    }
    try (ComputeNode node = start(everywhere);
        Connection gauss = connect(node, "gauss", "root", "")) {
      assertEquals("1", answer(gauss, "SELECT 1"));
      gauss.createStatement().execute("CREATE ROLE open LOGIN");
      assertTrue(refusal(node, "open", "x").startsWith("28P01"), "trust is for loopback alone");
    }
  }

  @Test
  void theFirstPasswordComesFromAFileAndOneThatIsThereStays() throws Exception {
    Path file = Files.writeString(data.resolve("password"), "from a file\n");
    Map<String, String> settings =
        Map.of(
            "listen.address", "0.0.0.0", "auth.loopback", "scram", "auth.password-file", "" + file);
    try (ComputeNode node = start(settings);
        Connection gauss = connect(node, "gauss", "from a file", "")) {
      assertTrue(refusal(node, "gauss", "wrong").startsWith("28P01"));
      gauss.createStatement().execute("ALTER ROLE gauss PASSWORD 'another'");
    }
    Files.delete(file); // not looked at any more
    try (ComputeNode node = start(settings);
        Connection gauss = connect(node, "gauss", "another", "")) {
      assertEquals("1", answer(gauss, "SELECT 1"));
      assertTrue(refusal(node, "gauss", "from a file").startsWith("28P01"));
    }
  }

  @Test
  void aPasswordFileWithoutAPasswordIsRefused() throws Exception {
    Path file = data.resolve("password");
    Map<String, String> settings = Map.of("auth.password-file", "" + file);
    assertEquals("58030", assertThrows(GaussException.class, () -> start(settings)).state().code());
    Files.writeString(file, "\n");
    assertEquals("22023", assertThrows(GaussException.class, () -> start(settings)).state().code());
  }

  @Test
  void settingsThatDoNotFitTogetherAreRefused() {
    for (Map<String, String> bad :
        java.util.List.of(
            Map.of("auth.loopback", "md5"),
            Map.of("tls", "on"),
            Map.of("tls.required", "on"),
            Map.of("tls.key", "key.pem"),
            Map.of("tls.key", "missing.pem", "tls.certificate", "missing.pem"))) {
      GaussException refused = assertThrows(GaussException.class, () -> start(bad).close());
      assertEquals("22023", refused.state().code());
    }
  }
}
