package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.compute.buffer.MovablePages;
import io.gauss.compute.routing.PageGroups;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.storage.node.StorageNodes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What views tell of a cluster, and what is done to other nodes' sessions. */
@Timeout(300)
class ClusterViewsTest extends OnThreeNodes {
  private static final int PLACED_ROWS = 400;
  private static final String SLEEP = "SELECT pg_sleep(1000)";

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
    long copied = leaves(watched, "copies_in", "hot");
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
    assertTrue(
        leaves(watched, "copies_in", "hot") < copied + rounds / 2,
        "with the right to write, not to be read first: "
            + OneNode.query(watched, "SELECT * FROM gauss.page_transfers WHERE name = 'hot'"));
    assertTrue(leaves(watched, "bytes_in", "hot") >= rounds * 8192L, "with its bytes");
  }

  @Test
  void neighboursThatDifferentNodesWriteGetLeavesOfTheirOwn() throws Exception {
    List<Connection> all = cluster.connections();
    run(all.getFirst(), "CREATE TABLE crowd (id int PRIMARY KEY, v int)");
    run(all.getFirst(), "INSERT INTO crowd SELECT i, 0 FROM generate_series(0, 11) i");
    long before = -1;
    long after = remoteNeighbours();
    int rounds = 0;
    while (before != after) { // ends by the time limit when they continue to share leaves
      for (int i = 0; i < 12 * 5; i++) {
        run(
            all.get(i % 12 / 2 % NODES),
            "UPDATE crowd SET v = v + 1 WHERE id = " + i % 12,
            "SELECT v FROM crowd WHERE id = " + i % 12);
      }
      rounds += 5;
      before = after;
      after = remoteNeighbours();
    }
    assertTrue(after > 0, "they shared a leaf");
    assertEquals(12L * rounds, number(all.getFirst(), "SELECT sum(v) FROM crowd"));
  }

  /** How often the leaves of crowd came for other rows than those that were written there. */
  private long remoteNeighbours() throws SQLException {
    long sum = 0;
    for (Connection connection : cluster.connections()) {
      sum += leaves(connection, "for_other_row", "crowd");
    }
    return sum;
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
    String[] sums =
        value(
                watched,
                "SELECT sum(transfers * mean_ms) FILTER (WHERE phase = 'total'),"
                    + " sum(transfers * mean_ms) FILTER (WHERE phase IN ('queue','owner','travel'))"
                    + " FROM gauss.page_transfer_phases WHERE name = 'parts'")
            .split("\\|");
    double whole = Double.parseDouble(sums[0]);
    assertEquals(whole, Double.parseDouble(sums[1]), 0.1 * whole + 0.1, "of what came");
    List<String> given =
        OneNode.query(
            watched,
            "SELECT phase FROM gauss.page_transfer_phases WHERE name = 'parts' AND transfers > 0"
                + " AND phase IN ('turn','revoke','force','confirm') ORDER BY phase");
    assertEquals(List.of("confirm", "force", "revoke", "turn"), given);
    awaitValue( // of pages that come just now a part may be counted
        "0",
        watched,
        "SELECT count(*) FROM gauss.page_transfer_phases"
            + " WHERE p50_ms > p99_ms OR p99_ms > max_ms OR mean_ms > max_ms");
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

  @Test
  void ownersAndReadersOfATablesPagesAreTold() throws Exception {
    List<Connection> all = cluster.connections();
    run(
        all.getFirst(),
        "CREATE TABLE owned (id int PRIMARY KEY, v text)",
        "INSERT INTO owned SELECT i, repeat('x', 500) FROM generate_series(1, 200) i");
    String owners =
        "SELECT node FROM gauss.page_owners WHERE name = 'owned' AND holding = 'owner'"
            + " AND pages > 10";
    // The pages' homes hear of an owner after it has the page.
    awaitValue("1", all.get(2), owners);
    run(all.get(1), "SELECT count(v) FROM owned");
    awaitValue(
        "t",
        all.getFirst(),
        "SELECT pages > 10 FROM gauss.sharers WHERE name = 'owned' AND reader = 2");
    run(all.get(1), "UPDATE owned SET v = 'y'");
    awaitValue("2", all.getFirst(), owners);
  }

  // ---------------------------------------------------------------- sessions

  private static int pid(Connection connection) throws SQLException {
    return Integer.parseInt(value(connection, "SELECT pg_backend_pid()"));
  }

  private static void awaitRow(Connection connection, String query) throws SQLException {
    while (OneNode.query(connection, query).isEmpty()) {
      Thread.onSpinWait();
    }
  }

  /** A node that does not answer others for a second has no rows in views for a moment. */
  private static void awaitValue(String expected, Connection connection, String query) {
    StorageNodes.await(
        expected + " by " + query,
        () -> {
          try {
            return OneNode.query(connection, query).equals(List.of(expected));
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** The answer of a function about another node's session, which may not answer at once. */
  private static String signal(Connection connection, String query) throws SQLException {
    while (true) {
      try {
        return value(connection, query);
      } catch (SQLException e) {
        if (!"57P03".equals(e.getSQLState())) {
          throw e;
        }
      }
    }
  }

  private Future<?> start(Connection connection, String text) {
    return clients.submit(
        () -> {
          run(connection, text);
          return null;
        });
  }

  private static String stateOf(Future<?> statement) {
    ExecutionException failure = assertThrows(ExecutionException.class, statement::get);
    return ((SQLException) failure.getCause()).getSQLState();
  }

  @Test
  void aStatementOfOneNodeIsSeenAndCanceledOnAnother() throws Exception {
    List<Connection> all = cluster.connections();
    int sleeper = pid(all.get(1));
    Future<?> sleep = start(all.get(1), SLEEP);
    awaitRow(
        all.getFirst(),
        "SELECT 1 FROM pg_stat_activity WHERE pid = %d AND query = '%s'".formatted(sleeper, SLEEP));
    awaitValue(
        "2|gauss", all.get(2), "SELECT node, usename FROM gauss.sessions WHERE pid = " + sleeper);
    String waits =
        "SELECT node, cause FROM gauss.waiting WHERE waiting_ms >= 0 AND since <= now() AND pid = "
            + sleeper;
    awaitRow(all.getFirst(), waits);
    awaitValue("2|sleep", all.getFirst(), waits);
    String cancel = "SELECT pg_cancel_backend(%d)".formatted(sleeper);
    while (!sleep.isDone()) {
      assertEquals("t", signal(all.getFirst(), cancel));
    }
    assertEquals("57014", stateOf(sleep));
    assertEquals("f", value(all.getFirst(), "SELECT pg_cancel_backend(29999999)"));
    assertEquals("f", value(all.getFirst(), "SELECT pg_cancel_backend(70000001)"));
  }

  @Test
  void aStatementIsShownAsTheClientSentItHoweverOften() throws Exception {
    Connection one = cluster.connections().getFirst();
    String own = "SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid() AND 7 > %d";
    for (int i = 0; i < 4; i++) {
      assertEquals(own.formatted(i), value(one, own.formatted(i)));
    }
  }

  @Test
  void aClientsRequestToCancelMayComeToAnyNode() throws Exception {
    try (RawSession session = new RawSession(cluster.compute(1).node.port())) {
      session.send('Q', SLEEP);
      awaitRow(
          cluster.connections().get(1),
          "SELECT 1 FROM pg_stat_activity WHERE pid = %d AND query = '%s'"
              .formatted(session.pid, SLEEP));
      RawSession.cancel(cluster.compute(3).node.port(), session.pid, session.secret + 1);
      while (session.in.available() == 0) {
        RawSession.cancel(cluster.compute(3).node.port(), session.pid, session.secret);
      }
      assertTrue(session.read('E').contains("57014"));
    }
  }

  @Test
  void aSessionIsEndedFromAnotherNode() throws Exception {
    Connection here = cluster.connections().getFirst();
    Connection there = cluster.connections().get(2);
    int ended = pid(there);
    assertEquals("t", signal(here, "SELECT pg_terminate_backend(%d, 60000)".formatted(ended)));
    assertEquals(
        List.of(), OneNode.query(here, "SELECT 1 FROM pg_stat_activity WHERE pid = " + ended));
    assertEquals(
        "57P01", assertThrows(SQLException.class, () -> run(there, "SELECT 1")).getSQLState());
    assertEquals("f", signal(here, "SELECT pg_terminate_backend(%d)".formatted(ended)));
  }

  @Test
  void whoWaitsForWhomIsSeenAcrossNodes() throws Exception {
    List<Connection> all = cluster.connections();
    Connection holder = all.get(0);
    Connection waiter = all.get(1);
    Connection watcher = all.get(2);
    run(holder, "CREATE TABLE waited (id int PRIMARY KEY, v int)");
    run(holder, "INSERT INTO waited VALUES (1, 0)");
    int holds = pid(holder);
    int waits = pid(waiter);
    holder.setAutoCommit(false);
    run(holder, "UPDATE waited SET v = 1");
    Future<?> update = start(waiter, "UPDATE waited SET v = 2");
    String pairs =
        "SELECT w.pid, h.pid, w.node, h.node FROM gauss.locks w JOIN gauss.transactions h"
            + " ON h.xid = w.waits_for_xid WHERE NOT w.granted";
    awaitValue("%d|%d|2|1".formatted(waits, holds), watcher, pairs);
    awaitValue(
        "row|1|t",
        watcher,
        "SELECT w.cause, w.waits_for_node, w.waits_for_xid = h.xid FROM gauss.waiting w,"
            + " gauss.transactions h WHERE w.pid = %d AND h.pid = %d".formatted(waits, holds));
    awaitValue(
        "Lock|transactionid|active",
        watcher,
        "SELECT wait_event_type, wait_event, state FROM pg_stat_activity WHERE pid = " + waits);
    awaitValue(
        "Client|ClientRead|idle in transaction",
        watcher,
        "SELECT wait_event_type, wait_event, state FROM pg_stat_activity WHERE pid = " + holds);
    awaitValue(
        String.valueOf(holds),
        watcher,
        "SELECT h.pid FROM pg_locks w JOIN pg_locks h ON h.transactionid = w.transactionid"
            + " AND h.granted WHERE NOT w.granted AND w.pid = "
            + waits);
    holder.commit();
    update.get();
  }

  @Test
  void aRoleSeesAndCancelsItsOwnOnAllNodes() throws Exception {
    List<Connection> all = cluster.connections();
    run(all.getFirst(), "CREATE ROLE limited LOGIN");
    run(all.get(1), "SELECT 1"); // a statement waits for the news of a role, a login does not
    try (Connection one = as("limited", 1);
        Connection two = as("limited", 2)) {
      int superusers = pid(all.get(1));
      awaitValue(
          "<insufficient privilege>",
          one,
          "SELECT query FROM pg_stat_activity WHERE pid = " + superusers);
      SQLException refused =
          assertThrows(
              SQLException.class,
              () -> run(one, "SELECT pg_terminate_backend(%d)".formatted(superusers)));
      assertEquals("42501", refused.getSQLState());
      assertEquals("t", signal(one, "SELECT pg_cancel_backend(%d)".formatted(pid(two))));
    }
  }

  private Connection as(String role, int node) throws SQLException {
    return DriverManager.getConnection(cluster.url(node).replace("user=gauss", "user=" + role));
  }

  /** These pages' groups, all on the node of a slot. */
  private static GroupOwners allOn(int slot, Set<Long> pages) {
    return GroupOwners.of(
        pages.stream()
            .map(PageGroups::of)
            .distinct()
            .collect(
                Collectors.toMap(Function.identity(), group -> new GroupOwners.Place(slot, 0, 1))));
  }

  private RoutingExchange routing(int number) {
    return cluster.compute(number).node.routing();
  }

  @Test
  void samplesOfAllNodesComeToTheOneThatLearns() throws Exception {
    List<Connection> all = cluster.connections();
    run(all.getFirst(), "CREATE TABLE sampled (id int PRIMARY KEY, v int)");
    run(all.getFirst(), "INSERT INTO sampled VALUES (1, 0), (2, 0), (3, 0)");
    List<Integer> trainers =
        cluster.numbers().stream().filter(number -> routing(number).isTrainer()).toList();
    assertEquals(1, trainers.size(), "one node learns: " + trainers);
    RoutingExchange trainer = routing(trainers.getFirst());
    Set<Integer> learned = new TreeSet<>();
    while (!learned.equals(Set.of(1, 2, 3))) { // at random: which of the transactions, not whether
      for (int i = 0; i < NODES; i++) {
        run(all.get(i), "UPDATE sampled SET v = v + 1 WHERE id = " + (i + 1));
      }
      trainer.takeSamples(Integer.MAX_VALUE).stream()
          .filter(sample -> sample.text().startsWith("UPDATE sampled"))
          .forEach(sample -> learned.add(sample.node()));
    }
    assertTrue(
        trainer.samples().stream()
            .anyMatch(
                sample -> sample.text().startsWith("UPDATE sampled") && sample.transfers() > 0),
        "the page came from another node");
  }

  @Test
  void whatWasLearnedOnOneNodeIsSoonOnAll() {
    RoutingExchange one = routing(2);
    long version = one.nextVersion();
    byte[] table = {4, 5, 6};
    one.publish(version, null, table, null, GroupOwners.NONE);
    for (int number : cluster.numbers()) {
      StorageNodes.await(
          "version on node " + number, () -> routing(number).published().version() == version);
      assertEquals(table.length, routing(number).published().table().length);
    }
    StorageNodes.await(
        "others have told that they have it", () -> routing(3).nextVersion() > version);
  }

  @Test
  void eachNodeShowsAddressesAndLoadOfAll() throws SQLException {
    List<Connection> all = cluster.connections();
    StorageNodes.await(
        "all nodes have told how busy they are with these connections",
        () ->
            cluster.numbers().stream()
                .map(number -> routing(1).load(number))
                .allMatch(load -> load != null && load.sessions() > 0 && load.cpu() >= 0));
    // A node that has had no processor for a moment says so in its state, until its next look.
    awaitValue(
        NODES + "|t",
        all.getFirst(),
        "SELECT count(*), bool_and(host = '127.0.0.1' AND port > 0 AND state = 'UP'"
            + " AND sessions > 0 AND active >= 0 AND load BETWEEN 0 AND 1)"
            + " FROM gauss.nodes WHERE role = 'compute'");
  }

  private MovablePages pages(int number) {
    return cluster.compute(number).node.engine().pool().moves();
  }

  private Set<Long> owned(int number) {
    Set<Long> found = new TreeSet<>();
    pages(number)
        .forEachOwned(
            (page, lsn) -> {
              if (PageId.space(page) >= SystemSpaces.FIRST_USER) {
                found.add(page);
              }
            });
    return found;
  }

  @Test
  void pagesGoToTheirNodeUnlessTheyAreWrittenWhereTheyAre() throws Exception {
    Connection connection = cluster.connections().getFirst();
    Set<Long> others = owned(1);
    Connection there = cluster.connections().get(1);
    run(there, "SET gauss.routing = 'model'");
    run(
        connection,
        "SET gauss.routing = 'model'",
        "CREATE TABLE moved (id int PRIMARY KEY, v int, filler text)",
        "INSERT INTO moved SELECT i, 0, repeat('x', 500) FROM generate_series(1, %d) i"
            .formatted(PLACED_ROWS));
    Set<Long> all = owned(1);
    all.removeAll(others);
    assertTrue(all.size() > PLACED_ROWS / 20, "pages: " + all.size());
    RoutingExchange routing = routing(1);
    int other = cluster.compute(2).node.transactions().node();
    GroupOwners owners = allOn(other, all);
    AtomicBoolean ends = new AtomicBoolean();
    Thread writer = Thread.ofPlatform().start(() -> write(connection, ends));
    try {
      routing.publish(routing.nextVersion(), null, null, null, owners);
      StorageNodes.await(
          "all but the page that is written go",
          () -> {
            follow(there);
            Set<Long> left = owned(1);
            left.retainAll(all);
            Set<Long> arrived = owned(2);
            arrived.retainAll(all);
            return left.size() == 1 && arrived.size() == all.size() - 1;
          });
    } finally {
      ends.set(true);
      writer.join();
    }
    String counts =
        "SELECT groups, placed >= %d, refused, failed FROM gauss.page_placement"
            .formatted(all.size() - 1);
    String expected = owners.size() + "|t|0|0";
    while (!OneNode.query(there, counts).getFirst().equals(expected)) { // ends by the time limit
      Thread.onSpinWait();
    }
    assertEquals(
        List.of(String.valueOf(PLACED_ROWS)),
        OneNode.query(
            cluster.connections().getLast(),
            "SELECT count(*) FROM moved WHERE length(filler) = 500"));
    run(connection, "RESET gauss.routing");
    run(there, "RESET gauss.routing");
  }

  /** A transaction of a client that chooses nodes by what is published. */
  private static void follow(Connection connection) {
    try {
      run(connection, "SELECT 1");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Learning alone must cost clients nothing that do not go by it: their transactions run where
   * they did.
   */
  @Test
  void pagesStayWhereTransactionsUseThemThatDoNotFollow() throws Exception {
    Connection connection = cluster.connections().getFirst();
    Connection there = cluster.connections().get(1);
    Set<Long> others = owned(1);
    run(
        connection,
        "CREATE TABLE stays (id int PRIMARY KEY, v int, filler text)",
        "INSERT INTO stays SELECT i, 0, repeat('x', 500) FROM generate_series(1, %d) i"
            .formatted(PLACED_ROWS));
    Set<Long> all = owned(1);
    all.removeAll(others);
    RoutingExchange routing = routing(1);
    int other = cluster.compute(2).node.transactions().node();
    GroupOwners owners = allOn(other, all);
    run(there, "SET gauss.routing = 'model'"); // pages of others would be taken there
    routing.publish(routing.nextVersion(), null, null, null, owners);
    String staying = "SELECT hot >= %d FROM gauss.page_placement".formatted(all.size());
    boolean stay = false;
    while (!stay) { // ends by the time limit
      follow(there);
      run(connection, "SELECT sum(v) FROM stays");
      stay = OneNode.query(connection, staying).getFirst().equals("t");
    }
    assertTrue(owned(1).containsAll(all));
    run(there, "RESET gauss.routing");
  }

  private static void write(Connection connection, AtomicBoolean ends) {
    try (Statement statement = connection.createStatement()) {
      while (!ends.get()) {
        statement.execute("UPDATE moved SET v = v + 1 WHERE id = 1");
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
