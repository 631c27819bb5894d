package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.TableRights;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a compute node tells about routes: what drivers would do with what is published. */
class PublishedRoutesTest {
  private static final String SQL = "SELECT v FROM t WHERE id = $1";

  private PublishedRouting published = PublishedRouting.NONE;
  private final List<NodeState.Node> nodes = new ArrayList<>();
  private int better = BetterNode.NOT_KNOWN;
  private String owners; // of keys
  private TableRights rights = TableRights.ALL;
  private final PublishedRoutes routes =
      new PublishedRoutes(
          () -> published,
          () -> nodes,
          slot -> new NodeLoad(1, 1, 0.25),
          () -> 1,
          (text, values) -> better,
          (table, column, value) -> owners);

  @AfterEach
  void close() {
    routes.close();
  }

  private static NodeState.Node compute(int id, int slot, String state) {
    return new NodeState.Node(id, "compute", "h" + id, 5432, null, state, slot, 1, 0);
  }

  private String explain(Object value) {
    return String.join("\n", routes.explain(SQL, List.of(value), rights));
  }

  private static byte[] table(long version) {
    return Publication.write(
        new RoutingTable(
            version,
            List.of(
                new RoutingTable.Entry(
                    StatementReader.read(SQL).template().id(),
                    1,
                    0,
                    ColumnProfile.Kind.NUMBER,
                    "",
                    new double[] {100},
                    new short[] {1, 2}))));
  }

  @Test
  void aNodeThatIsAloneSaysSo() {
    nodes.add(compute(1, 1, "UP"));
    nodes.add(new NodeState.Node(101, "memory", "h", 1, null, "UP", 0, 1, 0));
    assertEquals(
        "Connection: on node 1 (h1:5432)\nEvery statement runs there: it is the only compute node",
        explain(5L));
  }

  @Test
  void whatIsPublishedIsReadWhenItIsAskedFor() {
    nodes.add(compute(1, 1, "UP"));
    nodes.add(compute(2, 2, "UP"));
    assertTrue(explain(5L).contains("Model: none is published yet"));
    published = new PublishedRouting(7, 0, null, table(7), null, GroupOwners.NONE);
    assertTrue(explain(5L).contains("Decision: node 1 (h1:5432), by the table"), explain(5L));
    assertTrue(explain(500L).contains("Predicate: t.id = 500"), explain(500L));
    assertTrue(explain(500L).contains("Decision: node 2 (h2:5432), by the table"));
    nodes.set(1, compute(2, 2, "DRAINING"));
    assertTrue(explain(500L).contains("that node takes no transactions"));
  }

  @Test
  void theOwnerOfAKeyThatWasNotLearnedIsTold() {
    nodes.add(compute(1, 1, "UP"));
    nodes.add(compute(2, 2, "UP"));
    published = new PublishedRouting(7, 0, null, table(7), null, GroupOwners.NONE);
    owners = "number\n\\N\t1\n1000\t2\n";
    String other = "SELECT v FROM other WHERE id = $1";
    String told = String.join("\n", routes.explain(other, List.of(1500L), TableRights.ALL));
    assertTrue(told.contains("Owner of the key: node 2 (h2:5432)"), told);
    assertTrue(told.contains("Decision: node 2 (h2:5432), which has the rows of the key"), told);
    assertFalse(explain(5L).contains("Owner of the key"), explain(5L));
  }

  private static final int TABLE = 16_384;

  /** Who may read these tables, and all tables of the name {@code t} or not. */
  private static TableRights rights(boolean mayReadAll, int... tables) {
    return new TableRights() {
      @Override
      public boolean mayRead(int tableOid) {
        return Arrays.stream(tables).anyMatch(oid -> oid == tableOid);
      }

      @Override
      public boolean mayReadAll(String name) {
        return mayReadAll || !name.equals("t");
      }
    };
  }

  /** By asking for many values anybody could find out where ranges begin. */
  @Test
  void whoMayNotReadTheValuesIsToldNothing() {
    nodes.add(compute(1, 1, "UP"));
    nodes.add(compute(2, 2, "UP"));
    byte[] sources =
        new PublicationSources(Map.of("t.id", new int[] {TABLE}), Map.of(), new byte[0]).write();
    published = new PublishedRouting(7, 0, null, table(7), sources, GroupOwners.NONE);
    rights = rights(true, TABLE);
    assertTrue(explain(5L).contains("by the table"), explain(5L));
    for (TableRights less : List.of(rights(true, TABLE + 1), rights(false, TABLE))) {
      rights = less;
      assertEquals(
          "Connection: on node 1 (h1:5432)\n"
              + "Nothing more is told: values of t.id are those of tables that you may not read"
              + " (SELECT)",
          explain(5L));
    }
    published = new PublishedRouting(8, 0, null, table(8), null, GroupOwners.NONE);
    rights = rights(true, TABLE);
    assertTrue(explain(5L).contains("Nothing more is told"), "nobody knows whose values they are");
  }

  @Test
  void whatReroutingWouldDoIsToldToo() {
    nodes.add(compute(1, 1, "UP"));
    nodes.add(compute(7, 2, "UP"));
    assertTrue(explain(5L).endsWith("driver: stays here, nothing is known of such statements"));
    better = 2;
    assertTrue(explain(5L).endsWith("driver: forwarded to node 7 (h7:5432)"), explain(5L));
  }

  @Test
  void whatCannotBeUsedLeavesWhatThereWas() {
    nodes.add(compute(1, 1, "UP"));
    nodes.add(compute(2, 2, "UP"));
    published = new PublishedRouting(7, 0, null, table(7), null, GroupOwners.NONE);
    explain(5L);
    published = new PublishedRouting(8, 0, null, new byte[] {1, 2, 3}, null, GroupOwners.NONE);
    assertTrue(explain(5L).contains("Table: version 7"));
  }

  /** The table is the one before, of which the sources that are published now say nothing. */
  @Test
  void whereAPartCannotBeUsedNobodyKnowsWhoseValuesThereAre() {
    nodes.add(compute(1, 1, "UP"));
    nodes.add(compute(2, 2, "UP"));
    byte[] sources =
        new PublicationSources(Map.of("t.id", new int[] {TABLE}), Map.of(), new byte[0]).write();
    rights = rights(true, TABLE);
    published = new PublishedRouting(7, 0, null, table(7), null, GroupOwners.NONE);
    assertTrue(explain(5L).contains("Nothing more is told"), explain(5L));
    published = new PublishedRouting(8, 0, null, new byte[] {1, 2}, sources, GroupOwners.NONE);
    assertTrue(explain(5L).contains("Nothing more is told"), explain(5L));
    published = new PublishedRouting(9, 0, null, table(9), sources, GroupOwners.NONE);
    assertTrue(explain(5L).contains("by the table"), explain(5L));
  }

  /**
   * The sources of a new publication come into use with the rest of it: whoever is being told of
   * the one before is not told by the new one's.
   */
  @Test
  void whoIsBeingToldIsToldOfOnePublication() throws Exception {
    nodes.add(compute(1, 1, "UP"));
    nodes.add(compute(2, 2, "UP"));
    byte[] sources =
        new PublicationSources(Map.of("t.id", new int[] {TABLE}), Map.of(), new byte[0]).write();
    published = new PublishedRouting(7, 0, null, table(7), null, GroupOwners.NONE);
    explain(5L);
    rights = rights(true, TABLE);
    AtomicReference<String> told = new AtomicReference<>();
    AtomicReference<PublishedRoutes> all = new AtomicReference<>();
    PublishedRoutes pausing =
        new PublishedRoutes(
            () -> published,
            () -> {
              if (told.get() == null && published.version() == 7) {
                // While the first one is being told, another one comes and finds something newer.
                published = new PublishedRouting(8, 0, null, table(8), sources, GroupOwners.NONE);
                told.set("");
                Thread other = new Thread(() -> told.set(explained(all.get())));
                other.start();
                join(other);
              }
              return nodes;
            },
            slot -> new NodeLoad(1, 1, 0.25),
            () -> 1,
            (text, values) -> better,
            (table, column, value) -> owners);
    all.set(pausing);
    try (pausing) {
      assertTrue(explained(pausing).contains("Nothing more is told"));
      assertTrue(told.get().contains("Nothing more is told"), "of the same one: " + told);
      assertTrue(explained(pausing).contains("Table: version 8"));
    }
  }

  private String explained(PublishedRoutes by) {
    return String.join("\n", by.explain(SQL, List.of(5L), rights));
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
