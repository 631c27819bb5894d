package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.PublishedRouting;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What samples of transactions tell: each transaction here is sampled. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessSamplesTest {
  private static final int ROWS = 8_000;
  private static final int STEP = 250;
  private static final long SEED = Long.getLong("gauss.seed", System.nanoTime());

  private OneNode node;

  @BeforeAll
  void start(@TempDir Path data) throws SQLException {
    node = new OneNode(data, Map.of("routing.samples", "10000"));
    node.execute(
        "CREATE TABLE t (id int PRIMARY KEY, v int, filler text, d date)",
        "INSERT INTO t SELECT i, 0, repeat('x', 300), NULL FROM generate_series(1, %d) i"
            .formatted(ROWS),
        "CREATE ROLE reader LOGIN",
        "GRANT SELECT ON t TO reader");
  }

  @AfterAll
  void stop() {
    node.close();
  }

  private String last(String columns, String like) throws SQLException {
    List<String> found =
        node.query(
            "SELECT %s FROM gauss.routing_samples WHERE statement LIKE '%s'"
                .formatted(columns, like));
    assertFalse(found.isEmpty(), "no sample of " + like);
    return found.getLast();
  }

  private static TreeSet<Long> groups(String text) {
    TreeSet<Long> groups = new TreeSet<>();
    Arrays.stream(text.replaceAll("[{}]", "").split(","))
        .filter(number -> !number.isEmpty())
        .map(Long::valueOf)
        .forEach(groups::add);
    return groups;
  }

  /** The group of each of some keys, by a transaction of its own. */
  private Map<Integer, Long> groupsByKey(Connection connection) throws SQLException {
    Map<Integer, Long> groups = new TreeMap<>();
    for (int id = 1; id <= ROWS; id += STEP) {
      String query = "SELECT v /* key %d */ FROM t WHERE id = %d".formatted(id, id);
      OneNode.query(connection, query);
      TreeSet<Long> touched = groups(last("page_groups", "%key " + id + " %"));
      assertEquals(1, touched.size(), "one key is in one group: " + touched);
      groups.put(id, touched.first());
    }
    return groups;
  }

  @Test
  void theGroupsOfATransactionAreThoseOfTheKeysThatItsStatementsTouched() throws SQLException {
    Random random = new Random(SEED);
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      Map<Integer, Long> byKey = groupsByKey(connection);
      assertTrue(new TreeSet<>(byKey.values()).size() >= 4, "the table has several groups");
      assertEquals(
          byKey.values().stream().sorted().toList(),
          List.copyOf(byKey.values()),
          "keys that were filled in one after the other are neighbours");
      connection.setAutoCommit(false);
      for (int round = 0; round < 20; round++) {
        TreeSet<Long> touched = new TreeSet<>();
        TreeSet<Long> written = new TreeSet<>();
        for (int i = 0; i < 1 + round % 4; i++) {
          int id = 1 + STEP * random.nextInt(ROWS / STEP);
          boolean writes = random.nextBoolean();
          statement.execute(
              writes
                  ? "UPDATE t SET v = v + 1 /* round %d */ WHERE id = %d".formatted(round, id)
                  : "SELECT v /* round %d */ FROM t WHERE id = %d".formatted(round, id));
          touched.add(byKey.get(id));
          if (writes) {
            written.add(byKey.get(id));
          }
        }
        boolean commits = random.nextBoolean();
        if (commits) {
          connection.commit();
        } else {
          connection.rollback();
        }
        String like = "%round " + round + " %";
        String message = "seed " + SEED + ", round " + round;
        assertEquals(touched, groups(last("page_groups", like)), message);
        assertEquals(written, groups(last("written_groups", like)), message);
        assertEquals(commits ? "t" : "f", last("committed", like), message);
      }
    }
  }

  @Test
  void parametersAreThoseOfTheFirstStatement() throws SQLException {
    try (Connection connection = node.connect()) {
      connection.setAutoCommit(false);
      String text = "SELECT v /* typed */ FROM t WHERE id = ? AND filler <> ? AND v < ? AND d <= ?";
      try (PreparedStatement first = connection.prepareStatement(text);
          Statement second = connection.createStatement()) {
        first.setInt(1, 7);
        first.setString(2, "y".repeat(100));
        first.setDouble(3, 2.5);
        first.setObject(4, LocalDate.of(1970, 1, 3));
        second.execute("SELECT 1 /* typed, but tells nothing */");
        first.executeQuery().close();
        second.execute("SELECT v /* later */ FROM t WHERE id = 8");
        connection.commit();
      }
    }
    assertEquals("{7," + "y".repeat(64) + ",2.5,172800000000}", last("parameters", "%typed%"));
    assertEquals(
        List.of(),
        node.query("SELECT 1 FROM gauss.routing_samples WHERE statement LIKE '%/* later%'"));
  }

  @Test
  void aSampleHasItsUserAndTheTablesOfItsStatement() throws SQLException {
    node.execute(
        "CREATE TABLE other (id int PRIMARY KEY)",
        "CREATE VIEW both_tables AS SELECT t.id FROM t JOIN other ON t.id = other.id",
        "GRANT SELECT ON both_tables TO reader");
    try (Connection reader =
        DriverManager.getConnection(
            "jdbc:postgresql://127.0.0.1:%d/gauss?user=reader".formatted(node.node.port()))) {
      OneNode.query(reader, "SELECT id /* of both */ FROM both_tables WHERE id = 9");
    }
    AccessSample sample =
        node.node.routing().sampling().samples().stream()
            .filter(each -> each.text().contains("/* of both"))
            .findFirst()
            .orElseThrow();
    int[] tables = {oid("t"), oid("other")};
    Arrays.sort(tables);
    assertArrayEquals(tables, sample.tables());
    assertEquals(
        node.query("SELECT oid FROM pg_roles WHERE rolname = 'reader'"),
        List.of("" + sample.role()));
  }

  @Test
  void aSimpleQueryIsToldAsTheClientSentIt() throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss&preferQueryMode=simple"
                    .formatted(node.node.port()));
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT v /* simple */ FROM t WHERE id = 77");
    }
    assertEquals(
        "SELECT v /* simple */ FROM t WHERE id = 77|{}", last("statement, parameters", "%simple%"));
  }

  @Test
  void whatUsersTypeIsForSuperusersToSee() throws SQLException {
    node.execute("SELECT v FROM t WHERE id = 4711");
    try (Connection reader =
        DriverManager.getConnection(
            "jdbc:postgresql://127.0.0.1:%d/gauss?user=reader".formatted(node.node.port()))) {
      assertEquals(
          List.of("0|0|t"),
          OneNode.query(
              reader,
              "SELECT count(statement), count(parameters), count(page_groups) > 0"
                  + " FROM gauss.routing_samples"));
      assertEquals(
          List.of("t"), OneNode.query(reader, "SELECT sum(transactions) > 0 FROM gauss.routing"));
    }
  }

  private int oid(String table) throws SQLException {
    return Integer.parseInt(node.query("SELECT '%s'::regclass::oid".formatted(table)).getFirst());
  }

  /** A publication has one byte here for each of three tables: whether it may be read. */
  @Test
  void ofWhatIsPublishedRolesSeeTheValuesOfTablesThatTheyMayRead() throws SQLException {
    byte[] model = {1, 2, 3};
    long version = node.node.routing().nextVersion();
    node.node.routing().publish(version, model, null, null, GroupOwners.NONE);
    node.execute(
        "CREATE TABLE not_for_all (a int)",
        "CREATE SCHEMA closed",
        "CREATE TABLE closed.t2 (a int)",
        "GRANT SELECT ON closed.t2 TO reader");
    String content = "SELECT content FROM gauss.routing_publications";
    try (Connection reader =
        DriverManager.getConnection(
            "jdbc:postgresql://127.0.0.1:%d/gauss?user=reader".formatted(node.node.port()))) {
      assertEquals(
          List.of("model|" + version + "|3|f"),
          OneNode.query(
              reader,
              "SELECT kind, version, size, content IS NOT NULL FROM gauss.routing_publications"));
      node.execute("CREATE ROLE gauss_routing");
      node.execute("GRANT gauss_routing TO reader");
      assertEquals(
          List.of("f"),
          OneNode.query(reader, content.replace("content", "content IS NOT NULL")),
          "a node that cannot leave out values shows none");
      int[] tables = {oid("t"), oid("not_for_all"), oid("closed.t2"), 4711};
      node.node
          .routing()
          .filterBy(
              (published, mayRead) -> {
                byte[] left = new byte[tables.length];
                for (int i = 0; i < left.length; i++) {
                  left[i] = (byte) (mayRead.test(tables[i]) ? 1 : 0);
                }
                return published.with(left, null);
              });
      byte[] left = {1, 0, 0, 0};
      assertEquals(
          List.of("\\x01000000|4|" + PublishedRouting.checksum(left)),
          OneNode.query(reader, "SELECT content, size, checksum FROM gauss.routing_publications"));
      node.execute("GRANT USAGE ON SCHEMA closed TO reader");
      assertEquals(List.of("\\x01000100"), OneNode.query(reader, content));
      node.execute("DROP ROLE gauss_routing");
      assertEquals(
          List.of("f"),
          OneNode.query(reader, "SELECT content IS NOT NULL FROM gauss.routing_publications"));
      node.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
      assertEquals(List.of("\\x01010100"), OneNode.query(reader, content), "it may read all");
    }
    assertEquals(
        List.of("model|" + version + "|" + PublishedRouting.checksum(model) + "|3|\\x010203"),
        node.query("SELECT kind, version, checksum, size, content FROM gauss.routing_publications"),
        "superusers see all of it");
    assertThrows(
        GaussException.class,
        () -> node.node.routing().publish(version, model, null, null, GroupOwners.NONE),
        "again");
    assertTrue(node.node.routing().nextVersion() > version);
  }

  @Test
  void explainRouteAsksWhoKnowsForTheStatementAndItsValues() throws SQLException {
    node.node
        .routing()
        .explainBy((text, values, rights) -> List.of("route of: " + text, "with " + values));
    try (Connection connection = node.connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "EXPLAIN (ROUTE) SELECT v FROM t WHERE id = ? AND d = ? AND filler = 'x'")) {
      statement.setInt(1, 42);
      statement.setObject(2, LocalDate.of(1970, 1, 2));
      List<String> lines = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          lines.add(rows.getString(1));
        }
      }
      assertEquals(
          List.of(
              "route of: SELECT v FROM t WHERE id = $1 AND d = $2 AND filler = 'x'",
              "with [42, 86400000000]"),
          lines);
    }
    assertEquals(
        List.of("route of: DELETE FROM t WHERE id = 7", "with []"),
        node.query("EXPLAIN (ROUTE, COSTS OFF) DELETE FROM t WHERE id = 7"));
    assertTrue(
        node.query("EXPLAIN (ROUTE OFF) SELECT v FROM t WHERE id = 7").getFirst().contains("Scan"));
    SQLException both =
        assertThrows(
            SQLException.class, () -> node.query("EXPLAIN (ANALYZE, ROUTE) DELETE FROM t"));
    assertEquals("22023", both.getSQLState());
  }

  @Test
  void transactionsAreCountedByHowTheClientChoosesNodes() throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss&options=-c%%20gauss.routing=table"
                    .formatted(node.node.port()));
        Statement statement = connection.createStatement()) {
      for (int id = 1; id <= 10; id++) {
        statement.execute("SELECT v FROM t WHERE id = " + id);
      }
    }
    List<String> table =
        node.query(
            "SELECT transactions BETWEEN 10 AND 20, sampled, sampled_pages >= 20, transfers,"
                + " here_share FROM gauss.routing WHERE routing = 'table'");
    assertEquals(List.of("t|10|t|0|1"), table);
  }
}
