package io.gauss.jdbc.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.Routers;
import io.gauss.jdbc.routing.TableRouter;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a driver does with what a server publishes: its monitor asks as these tests do. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DriverPublicationsTest {
  private static final int MOST_BYTES = 4096;

  private TwoNodes nodes;
  private Connection server;
  private TableRouter router;

  @BeforeAll
  void start() throws Exception {
    nodes = new TwoNodes();
    nodes.tell(
        "CREATE TABLE gauss.routing_publications"
            + " (kind text, version bigint, checksum bigint, content bytea)");
    server = nodes.direct();
  }

  @AfterAll
  void stop() throws SQLException {
    server.close();
    nodes.close();
  }

  @BeforeEach
  void begin() throws SQLException {
    nodes.tell("DELETE FROM gauss.routing_publications");
    Properties properties = new Properties();
    properties.setProperty("routing.maxModelBytes", "" + MOST_BYTES);
    router = Routers.table(properties);
  }

  private static byte[] table(long version, int ranges) {
    double[] bounds = new double[ranges - 1];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = i;
    }
    return Publication.write(
        new RoutingTable(
            version,
            List.of(
                new RoutingTable.Entry(
                    1, 1, 0, ColumnProfile.Kind.NUMBER, "", bounds, new short[ranges]))));
  }

  private void publish(long version, byte[] content) throws SQLException {
    nodes.tell("DELETE FROM gauss.routing_publications");
    try (PreparedStatement insert =
        server.prepareStatement(
            "INSERT INTO gauss.routing_publications VALUES ('table', ?, ?, ?)")) {
      insert.setLong(1, version);
      insert.setLong(2, Arrays.hashCode(content));
      insert.setBytes(3, content);
      insert.executeUpdate();
    }
  }

  private void refresh() throws SQLException {
    router.refresh(server, new Topology(1, List.of()));
  }

  private SQLException refused() {
    return assertThrows(SQLException.class, this::refresh);
  }

  @Test
  void whatIsNewerComesIntoUse() throws SQLException {
    refresh();
    assertEquals(0, router.report().version());
    publish(3, table(3, 10));
    refresh();
    refresh();
    assertEquals(3, router.report().version());
    publish(4, table(4, 10));
    refresh();
    assertEquals(4, router.report().version());
    assertEquals(2, router.report().taken());
  }

  /** Its rights are gone when the content is asked for, and are back afterwards. */
  @ParameterizedTest
  @ValueSource(ints = {0, 10})
  void whatARoleMayNotReadForAMomentComesIntoUseLater(int rangesMeanwhile) throws SQLException {
    byte[] whole = table(3, 20);
    publish(3, whole);
    byte[] meanwhile = rangesMeanwhile == 0 ? null : table(3, rangesMeanwhile);
    router.refresh(beforeContent(() -> publish(3, meanwhile)), new Topology(1, List.of()));
    assertEquals(meanwhile == null ? 0 : 1, router.report().taken());
    publish(3, whole);
    refresh();
    assertEquals(meanwhile == null ? 1 : 2, router.report().taken());
    refresh();
    assertEquals(meanwhile == null ? 1 : 2, router.report().taken());
  }

  private interface Change {
    void run() throws SQLException;
  }

  /** The connection, on which something happens before the content is asked for. */
  private Connection beforeContent(Change change) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (arguments[0].toString().startsWith("SELECT content")) {
                change.run();
              }
              return method.invoke(server, arguments);
            });
  }

  /** Or rights that are granted would count from the next publication on only. */
  @Test
  void whatARoleMayReadOfTheSameVersionLaterComesIntoUse() throws SQLException {
    publish(3, table(3, 10));
    refresh();
    publish(3, table(3, 20));
    refresh();
    refresh();
    assertEquals(2, router.report().taken());
    publish(2, table(2, 10));
    refresh();
    assertEquals(3, router.report().version(), "a node that is behind");
    assertEquals(2, router.report().taken());
  }

  @Test
  void whatIsDamagedOrSomethingElseIsRefusedOnceAndTheOldStays() throws SQLException {
    publish(3, table(3, 10));
    refresh();
    byte[] damaged = table(4, 10);
    damaged[damaged.length / 2] ^= 1;
    publish(4, damaged);
    assertTrue(refused().getMessage().contains("the published table cannot be used"));
    refresh(); // is not asked for again
    publish(5, "nonsense".getBytes(StandardCharsets.UTF_8));
    assertEquals("XX000", refused().getSQLState());
    assertEquals(3, router.report().version());
    assertEquals(2, router.report().refused());
    publish(6, table(6, 10));
    refresh();
    assertEquals(6, router.report().version());
  }

  @Test
  void whatIsTooLargeIsNotEvenFetched() throws SQLException {
    publish(3, table(3, 1000));
    SQLException e = refused();
    assertEquals("54000", e.getSQLState());
    assertTrue(e.getMessage().contains("routing.maxModelBytes"), e.getMessage());
    assertEquals(1, router.report().refused());
  }

  @Test
  void whatIsOlderThanItClaimsIsRefused() throws SQLException {
    publish(3, table(3, 10));
    refresh();
    publish(2, table(2, 10));
    refresh(); // an older version is nothing new
    publish(9, table(2, 10));
    assertTrue(refused().getMessage().contains("version 2 after 3"));
    assertEquals(3, router.report().version());
  }

  @Test
  void driversOfOneServerMayHaveDifferentVersions() throws SQLException {
    publish(3, table(3, 10));
    refresh();
    TableRouter other = Routers.table(new Properties());
    publish(4, table(4, 1000)); // too large for the first, and not for the other
    refused();
    other.refresh(server, new Topology(1, List.of()));
    assertEquals(3, router.report().version());
    assertEquals(4, other.report().version());
  }
}
