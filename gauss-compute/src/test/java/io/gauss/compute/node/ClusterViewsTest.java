package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What views tell of a cluster. */
@Timeout(120)
class ClusterViewsTest extends OnThreeNodes {
  private static void run(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  private static long number(Connection connection, String query) throws SQLException {
    return Long.parseLong(OneNode.query(connection, query).getFirst());
  }

  private static long leaves(Connection connection, String column, String table)
      throws SQLException {
    return number(
        connection,
        "SELECT coalesce(sum(%s), 0) FROM gauss.page_transfers WHERE name = '%s' AND page = 'leaf'"
            .formatted(column, table));
  }

  @Test
  void aHotRowIsToldFromRowsThatOnlyShareAPage() throws Exception {
    List<Connection> all = cluster.connections();
    run(all.getFirst(), "CREATE TABLE hot (id int PRIMARY KEY, v int)");
    run(all.getFirst(), "CREATE TABLE shared (id int PRIMARY KEY, v int)");
    for (int i = 0; i < NODES; i++) {
      run(
          all.get(i),
          "INSERT INTO hot VALUES (%d, 0)".formatted(i),
          "INSERT INTO shared VALUES (%d, 0)".formatted(i));
    }
    Connection watched = all.get(1);
    long added = leaves(watched, "for_new_row", "shared");
    assertTrue(added > 0, "the leaf came for a new row");
    int rounds = 10;
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < NODES; i++) {
        run(
            all.get(i),
            "UPDATE hot SET v = v + 1 WHERE id = 0",
            "UPDATE shared SET v = v + 1 WHERE id = " + i);
      }
    }
    assertEquals(rounds, leaves(watched, "for_same_row", "hot"));
    assertEquals(0, leaves(watched, "for_other_row", "hot"));
    assertEquals(rounds, leaves(watched, "for_other_row", "shared"));
    assertEquals(0, leaves(watched, "for_same_row", "shared"));
    assertTrue(leaves(watched, "owned_in", "hot") >= rounds, "each time the page came");
    assertTrue(leaves(watched, "owned_out", "hot") >= rounds - 1, "and went again");
    assertTrue(leaves(watched, "bytes_in", "hot") >= rounds * 8192L, "with its bytes");
  }

  @Test
  void thePartsOfATransferAddUp() throws Exception {
    List<Connection> all = cluster.connections();
    run(all.getFirst(), "CREATE TABLE parts (id int PRIMARY KEY, v int)");
    run(all.getFirst(), "INSERT INTO parts VALUES (1, 0)");
    for (int i = 0; i < 4 * NODES; i++) {
      run(all.get(i % NODES), "UPDATE parts SET v = v + 1");
    }
    Connection watched = all.get(2);
    String total =
        "SELECT sum(transfers * mean_ms) FROM gauss.page_transfer_phases WHERE name = 'parts' AND ";
    double whole = Double.parseDouble(value(watched, total + "phase = 'total'"));
    double parts =
        Double.parseDouble(value(watched, total + "phase IN ('queue','owner','travel')"));
    assertEquals(whole, parts, 0.1 * whole + 0.1, "of what came");
    List<String> given =
        OneNode.query(
            watched,
            "SELECT phase FROM gauss.page_transfer_phases WHERE name = 'parts' AND transfers > 0"
                + " AND phase IN ('turn','revoke','force','confirm') ORDER BY phase");
    assertEquals(List.of("confirm", "force", "revoke", "turn"), given);
    assertEquals(
        "0",
        value(
            watched,
            "SELECT count(*) FROM gauss.page_transfer_phases"
                + " WHERE p50_ms > p99_ms OR p99_ms > max_ms OR mean_ms > max_ms"));
  }

  @Test
  void explainAnalyzeTellsPagesOfOtherNodesFromPagesThatAreHere() throws Exception {
    Connection writer = cluster.connections().get(0);
    Connection reader = cluster.connections().get(1);
    run(writer, "CREATE TABLE seen (id int PRIMARY KEY, v int)", "INSERT INTO seen VALUES (1, 0)");
    String analyze = "EXPLAIN (ANALYZE, COSTS off) SELECT v FROM seen WHERE id = 1";
    run(reader, "SELECT v FROM seen WHERE id = 1");
    run(writer, "UPDATE seen SET v = 1");
    String first = String.join("\n", OneNode.query(reader, analyze));
    assertTrue(first.matches("(?s).*Buffers: shared .*remote=[1-9].*"), first);
    assertTrue(first.matches("(?s).*I/O Timings: shared .*remote=\\d+\\.\\d{3}.*"), first);
    String again = String.join("\n", OneNode.query(reader, analyze));
    assertTrue(again.matches("(?s).*Buffers: shared hit=[1-9]\\d*\n.*"), again);
    String without =
        String.join("\n", OneNode.query(reader, analyze.replace("COSTS", "BUFFERS off, COSTS")));
    assertFalse(without.contains("Buffers"), without);
  }

  private static String value(Connection connection, String query) throws SQLException {
    return OneNode.query(connection, query).getFirst();
  }
}
