package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.transport.tcp.HostLookup;
import io.gauss.compute.node.ForwardedClients;
import io.gauss.compute.node.WholeCluster;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.ForwardedSessions;
import io.gauss.compute.session.SessionFaults;
import io.gauss.compute.session.wire.ForwardLayout;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** The connections between a client's node and better ones, when the better node is silent. */
@Timeout(300)
class ForwardLinksTest {
  private static final int HERE = 1;
  private static final int THERE = 2;
  private static final String THERE_IS_BETTER = "/*there*/ ";

  /** So long that a test which waits for it fails. */
  private static final int HOURS_MILLIS = 10_000_000;

  /** Of so many transactions one in sixteen is drawn. */
  private static final int MANY = 600;

  @TempDir Path directory;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private WholeCluster cluster() throws Exception {
    return cluster(Map.of("routing.reroute", "on"));
  }

  private WholeCluster cluster(Map<String, String> settings) throws Exception {
    WholeCluster cluster = new WholeCluster(directory, 1, 2, 2, Map.of(), settings);
    reroutes(cluster, HERE)
        .route((text, values) -> text.startsWith(THERE_IS_BETTER) ? THERE : BetterNode.NOT_KNOWN);
    try (Connection client = DriverManager.getConnection(cluster.url(HERE))) {
      run(client, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)");
    }
    // Until then it is no node to which anything could be forwarded: tests count the reasons.
    StorageNodes.await(
        "the client's node knows that the other one serves",
        () ->
            cluster.node(HERE).nodes().stream()
                .anyMatch(node -> node.id() == THERE && node.state().startsWith("UP")));
    return cluster;
  }

  private static Reroutes reroutes(WholeCluster cluster, int node) {
    return cluster.node(node).reroutes();
  }

  private static RerouteCounts counts(WholeCluster cluster) {
    return cluster.node(HERE).routing().reroutes();
  }

  private static void run(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  private static String value(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  /** The node tells where to come to, and then says nothing. */
  @Test
  void noClientWaitsForANodeThatDoesNotAnswer() throws Exception {
    try (WholeCluster cluster = cluster();
        Relay silent = new Relay(0)) {
      reroutes(cluster, HERE).openMillis(HOURS_MILLIS);
      reroutes(cluster, THERE).forwarded().open(silent.port(), new byte[0]);
      List<Connection> clients = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Connection client = DriverManager.getConnection(cluster.url(HERE));
        clients.add(client);
        assertEquals("1", value(client, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
        assertEquals("1", value(client, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
      }
      while (silent.accepted() == 0) {
        Thread.yield();
      }
      assertEquals(1, silent.accepted());
      assertEquals(2, counts(cluster).stayed(RerouteCounts.Reason.OPENING));
      assertEquals(8, counts(cluster).stayed(RerouteCounts.Reason.UNREACHABLE));
      for (Connection client : clients) {
        client.close();
      }
    }
  }

  /** The name server does not answer for long. */
  @Test
  void nobodyWaitsWhileTheNameOfANodeIsLookedUp() throws Exception {
    try (WholeCluster cluster =
            cluster(Map.of("routing.reroute", "on", "peer.address", "localhost"));
        Connection client = DriverManager.getConnection(cluster.url(HERE))) {
      CountDownLatch asked = new CountDownLatch(1);
      CountDownLatch answers = new CountDownLatch(1);
      reroutes(cluster, HERE).openMillis(HOURS_MILLIS);
      reroutes(cluster, HERE)
          .addresses(
              new HostLookup(
                  name -> {
                    asked.countDown();
                    await(answers);
                    return InetAddress.getByName(name);
                  }));
      assertEquals("1", value(client, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
      asked.await();
      for (int i = 0; i < 10; i++) { // more than there are event loops
        try (Connection other = DriverManager.getConnection(cluster.url(HERE))) {
          assertEquals("1", value(other, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
        }
      }
      answers.countDown();
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Only that role's sessions cannot go there. */
  @Test
  void aRoleThatANodeDoesNotKnowKeepsNobodyElseFromIt() throws Exception {
    try (WholeCluster cluster = cluster();
        Connection here = DriverManager.getConnection(cluster.url(HERE));
        Connection there = DriverManager.getConnection(cluster.url(THERE))) {
      run(here, "CREATE ROLE clerk LOGIN");
      try (Connection clerk =
          DriverManager.getConnection(cluster.url(HERE).replace("user=gauss", "user=clerk"))) {
        run(here, "DROP ROLE clerk");
        assertEquals("0", value(there, "SELECT count(*) FROM pg_roles WHERE rolname = 'clerk'"));
        while (counts(cluster).stayed(RerouteCounts.Reason.OPENING) < 5) {
          assertEquals("1", value(clerk, THERE_IS_BETTER + "SELECT 1"));
        }
        while (cluster.node(HERE).reroutes().isTried(THERE)) {
          Thread.onSpinWait();
        }
        ForwardedClients.ready(here, THERE_IS_BETTER, THERE);
        assertEquals(0, counts(cluster).stayed(RerouteCounts.Reason.UNREACHABLE));
      }
    }
  }

  @Test
  void aTransactionIsLostWhenItsNodeIsTakenForDeadThoughItsConnectionIsNotClosed()
      throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection client = DriverManager.getConnection(cluster.url(HERE));
        Connection idle = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      ForwardedClients.ready(idle, THERE_IS_BETTER, THERE);
      PGConnection told = client.unwrap(PGConnection.class);
      String zone = told.getParameterStatus("TimeZone");
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1", "SET TimeZone = 'Asia/Tokyo'");
      assertEquals("Asia/Tokyo", told.getParameterStatus("TimeZone"));
      relay.silence();
      Future<SQLException> answer =
          silently(relay, () -> assertThrows(SQLException.class, client::commit));
      cluster.declareDead(THERE);
      assertEquals("08007", answer.get().getSQLState());
      assertEquals(zone, told.getParameterStatus("TimeZone"));
      client.rollback();
      assertEquals("1", value(idle, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
      assertEquals("1", value(client, "SELECT v FROM t"));
      cluster.end(THERE);
    }
  }

  private Connection ready(WholeCluster cluster, String properties) throws SQLException {
    Connection client = DriverManager.getConnection(cluster.url(HERE) + properties);
    return ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
  }

  /** Says as the others where a transaction belongs, and hears what came of it. */
  private static final class Hearing implements BetterNode {
    private final AtomicInteger went = new AtomicInteger();
    private final AtomicInteger stayed = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile long template; // 0 = not compared, all go
    private volatile boolean stays; // all of them, by their templates

    @Override
    public int better(String text, List<?> parameters) {
      asked.incrementAndGet();
      return text.startsWith(THERE_IS_BETTER) ? THERE : NOT_KNOWN;
    }

    @Override
    public boolean stays(String text) {
      return stays;
    }

    @Override
    public long template(String text) {
      return template;
    }

    @Override
    public void looked(String text, boolean elsewhere) {
      (elsewhere ? went : stayed).incrementAndGet();
    }
  }

  @Test
  void whatStaysIsHardlyLookedAt() throws Exception {
    Hearing route = new Hearing();
    try (WholeCluster cluster = cluster()) {
      reroutes(cluster, HERE).route(route);
      try (Connection client = ready(cluster, "")) {
        assertTrue(route.went.get() > 0);
        assertEquals(8, wentOf(8, client, route, true, reroutes(cluster, HERE).gain()));
        assertEquals(0, wentOf(8, client, route, false, reroutes(cluster, HERE).gain()));

        int asked = route.asked.get();
        for (int i = 0; i < 10 * LookRate.ENOUGH; i++) {
          run(client, "SELECT v FROM t");
        }
        int more = route.asked.get() - asked;
        assertTrue(more < 4 * LookRate.ENOUGH, more + " asked");
        route.stays = true;
        for (int i = 0; i < MANY; i++) {
          run(client, "SELECT v FROM t");
        }
        int drawn = route.asked.get() - asked - more;
        assertTrue(drawn > 0, "those that are looked at are not drawn again by their template");
        route.stays = false;
        route.template = 0;
        int went = route.went.get();
        while (route.went.get() == went) { // until one of the few that are looked at goes
          run(client, THERE_IS_BETTER + "SELECT v FROM t");
        }
        assertEquals(8, wentOf(8, client, route, true, reroutes(cluster, HERE).gain()));
      }
    }
  }

  /** A transaction that comes with the one before it is looked at again when that is answered. */
  @Test
  void whatIsLookedAtAgainIsNotDrawnAgain() throws Exception {
    Hearing route = new Hearing();
    try (WholeCluster cluster = cluster()) {
      reroutes(cluster, HERE).route(route);
      try (WireClient client = wireClient(cluster)) {
        int rounds = 0;
        for (int i = 0; i < 8; i++) {
          for (int stays = 0; stays < LookRate.ENOUGH; stays++) {
            client.query("SELECT v FROM t");
          }
          int went = route.went.get();
          while (route.went.get() == went && rounds < MANY) {
            client.send(
                WireMessages.query("SELECT 1"),
                WireMessages.query(THERE_IS_BETTER + "SELECT v FROM t"));
            client.readUntilReady();
            client.readUntilReady();
            rounds++;
          }
        }
        assertTrue(rounds < MANY, "one in 16 goes, 8 times; not one in 256");
      }
    }
  }

  /**
   * Of transactions that belong to the other node, how many are said to go; of all others it is
   * said that they stay, but for a few that are forwarded to be compared.
   *
   * @param pays whether those of this template were faster there
   */
  private static int wentOf(
      int count, Connection client, Hearing route, boolean pays, ForwardingGain gain)
      throws SQLException {
    route.template = pays ? 7 : 8;
    long kind = ForwardingGain.kind(route.template, 0);
    gain.choose(kind, true, 1);
    for (int i = 0; i < ForwardingGain.ENOUGH; i++) {
      gain.took(kind, true, TimeUnit.HOURS.toNanos(pays ? 1 : 2));
      gain.took(kind, false, TimeUnit.HOURS.toNanos(pays ? 2 : 1));
    }
    int went = route.went.get();
    int stayed = route.stayed.get();
    for (int i = 0; i < count; i++) {
      run(client, THERE_IS_BETTER + "SELECT v FROM t");
    }
    assertEquals(pays, stayed == route.stayed.get());
    return route.went.get() - went;
  }

  /** Has something run there that is not answered. */
  private <T> Future<T> silently(Relay relay, Callable<T> statement) {
    long before = relay.swallowed();
    Future<T> answer = threads.submit(statement);
    while (relay.swallowed() == before) {
      Thread.yield();
    }
    return answer;
  }

  private static SQLException failure(Connection client, String text) {
    return assertThrows(SQLException.class, () -> run(client, text));
  }

  /**
   * As long as nothing of an answer has come and nothing can be committed, clients need not know
   * that there is another node. What is rolled back for sure has an error for which applications
   * repeat a transaction.
   */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void clientsNoticeTheLossOfANodeOnlyWhereTheyMust(String mode) throws Exception {
    String properties = "&preferQueryMode=" + mode;
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      try (Connection query = ready(cluster, properties);
          Connection begun = ready(cluster, properties);
          Connection update = ready(cluster, properties);
          Connection answered = ready(cluster, properties);
          Connection idle = ready(cluster, properties);
          Connection rolledBack = ready(cluster, properties);
          Connection sequence = ready(cluster, properties);
          Connection canceled = ready(cluster, properties);
          Statement toCancel = canceled.createStatement()) {
        begun.setAutoCommit(false);
        begun.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        run(query, "CREATE SEQUENCE s");
        sequence.setAutoCommit(false);
        for (Connection block : List.of(answered, idle, rolledBack)) {
          block.setAutoCommit(false);
          run(block, THERE_IS_BETTER + "SELECT 1");
        }
        String set = THERE_IS_BETTER + "UPDATE t SET v = v + 1";
        String count = "SELECT count(*) + " + ForwardedClients.NODE + " FROM t";
        relay.silence();
        final Future<String> queried = silently(relay, () -> value(query, THERE_IS_BETTER + count));
        final Future<SQLException> updated = silently(relay, () -> failure(update, set));
        final Future<SQLException> late = silently(relay, () -> failure(answered, set));
        final Future<String> begunThere =
            silently(
                relay,
                () -> {
                  run(begun, set);
                  return value(begun, "SELECT current_setting('transaction_isolation')");
                });
        final Future<SQLException> setThere =
            silently(relay, () -> failure(sequence, THERE_IS_BETTER + "SELECT setval('s', 9)"));
        final Future<SQLException> ended =
            silently(
                relay,
                () ->
                    assertThrows(
                        SQLException.class, () -> toCancel.execute(THERE_IS_BETTER + count)));
        toCancel.cancel();
        cluster.declareDead(THERE);
        assertEquals("2", queried.get());
        assertEquals("40001", setThere.get().getSQLState(), "it must not be set twice");
        assertEquals("57014", ended.get().getSQLState());
        rolledBack.rollback();
        assertEquals("repeatable read", begunThere.get());
        begun.commit();
        assertEquals("2", value(rolledBack, "SELECT v FROM t"));
        assertEquals("08007", updated.get().getSQLState(), "nobody can tell");
        assertEquals("40001", late.get().getSQLState());
        assertEquals("40001", failure(idle, "SELECT 2").getSQLState());
        answered.rollback();
        assertEquals("2", value(answered, "SELECT v FROM t"));
        assertEquals(3, counts(cluster).stayed(RerouteCounts.Reason.REPEATED));
        assertEquals(5, counts(cluster).lost(THERE));
      }
      cluster.end(THERE);
    }
  }

  /** What the other node lacks, this one may have. */
  @Test
  void whatTheOtherNodeCannotRunRunsHere() throws Exception {
    try (WholeCluster cluster = cluster();
        Connection client = DriverManager.getConnection(cluster.url(HERE))) {
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      int number = Integer.parseInt(value(client, "SELECT pg_backend_pid()"));
      String update = THERE_IS_BETTER + "UPDATE t SET v = v + 1";
      failThere(cluster, number, SqlState.OUT_OF_MEMORY);
      run(client, update);
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      long unreachable = counts(cluster).stayed(RerouteCounts.Reason.UNREACHABLE);
      assertEquals(0, unreachable, "one statement keeps nobody from the node");
      failThere(cluster, number, SqlState.CANNOT_CONNECT_NOW);
      client.setAutoCommit(false);
      run(client, update);
      assertEquals("1", value(client, "SELECT " + ForwardedClients.NODE));
      client.commit();
      assertEquals("3", value(client, "SELECT v FROM t"));
      assertEquals(2, counts(cluster).stayed(RerouteCounts.Reason.REPEATED));
    }
  }

  private static void failThere(WholeCluster cluster, int number, SqlState with) {
    SessionFaults.failForwarded(
        cluster.node(THERE).sessions(), number, new GaussException(with, "it has none"));
  }

  private WireClient wireClient(WholeCluster cluster) throws IOException {
    WireClient client = WireClient.started(cluster.port(HERE), "gauss");
    while (!client
        .query(THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE)
        .contains("DataRow " + THERE)) {
      Thread.yield();
    }
    return client;
  }

  private static WireClient inBlock(WireClient client, int id) throws IOException {
    client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    client.query(THERE_IS_BETTER + "UPDATE t SET v = v + 1 WHERE id = " + id);
    return client;
  }

  private static void sendSilently(Relay relay, WireClient client, byte[]... messages)
      throws IOException {
    long before = relay.swallowed();
    client.send(messages);
    while (relay.swallowed() == before) {
      Thread.yield();
    }
  }

  /** What a block's client asks for last decides what it hears, and whether the block is open. */
  @Test
  void theEndOfABlockThatIsLostOnItsWayEndsIt() throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection here = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      run(here, "INSERT INTO t SELECT i, 1 FROM generate_series(2, 9) i");
      try (WireClient rollback = inBlock(wireClient(cluster), 1);
          WireClient extended = inBlock(wireClient(cluster), 2);
          WireClient commit = inBlock(wireClient(cluster), 3);
          WireClient chain = inBlock(wireClient(cluster), 4);
          WireClient chainBack = inBlock(wireClient(cluster), 5);
          WireClient select = inBlock(wireClient(cluster), 6)) {
        relay.silence();
        sendSilently(relay, rollback, WireMessages.query("ROLLBACK"));
        sendSilently(
            relay,
            extended,
            WireMessages.parse("", "ROLLBACK"),
            WireMessages.bind("", ""),
            WireMessages.describe('P', ""),
            WireMessages.execute("", 0),
            WireMessages.sync());
        sendSilently(relay, commit, WireMessages.query("COMMIT"));
        sendSilently(relay, chain, WireMessages.query("COMMIT AND CHAIN"));
        sendSilently(relay, chainBack, WireMessages.query("ROLLBACK AND CHAIN"));
        sendSilently(relay, select, WireMessages.query("SELECT 1"));
        cluster.declareDead(THERE);
        assertEquals("CommandComplete ROLLBACK\nReadyForQuery I", rollback.readUntilReady());
        assertEquals(
            "ParseComplete\nBindComplete\nNoData\nCommandComplete ROLLBACK\nReadyForQuery I",
            extended.readUntilReady());
        assertEnds(commit, "08007", 'I');
        assertEnds(chain, "08007", 'E');
        assertEnds(chainBack, "40001", 'E');
        assertEnds(select, "40001", 'E');
        // The modes of the block that is lost are those of the next one.
        select.query("ROLLBACK AND CHAIN");
        String isolation = select.query("SHOW transaction_isolation");
        assertTrue(isolation.contains("repeatable read"), isolation);
      }
      cluster.end(THERE);
    }
  }

  /** The node that has the transaction waits for the client. */
  @Test
  void aClientThatIsIdleForTooLongInATransactionEnds() throws Exception {
    try (WholeCluster cluster = cluster();
        WireClient client = wireClient(cluster);
        Connection other = DriverManager.getConnection(cluster.url(HERE))) {
      inBlock(client, 1);
      client.query(
          "SET idle_in_transaction_session_timeout = 100"); // now: pauses end no block here
      String end = client.readUntilClosed();
      assertTrue(end.contains("FATAL 25P03"), end);
      run(other, "UPDATE t SET v = v + 10");
      assertEquals("11", value(other, "SELECT v FROM t"));
    }
  }

  private static void assertEnds(WireClient client, String state, char block) throws IOException {
    String answer = client.readUntilReady();
    assertTrue(answer.contains(state) && answer.endsWith("ReadyForQuery " + block), answer);
  }

  /**
   * Only the connection between the nodes is lost, and the other node does not know it: what begins
   * again here must not wait for the locks of its first attempt.
   */
  @Test
  void whatBeginsAgainDoesNotWaitForItself() throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection client = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      run(client, "SET lock_timeout = '20s'"); // instead of for ever
      client.setAutoCommit(false);
      relay.mute();
      final Future<Void> update =
          silently(
              relay,
              () -> {
                run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
                return null;
              });
      relay.hangUp();
      update.get();
      assertEquals("1", value(client, "SELECT " + ForwardedClients.NODE));
      client.commit();
      assertEquals("2", value(client, "SELECT v FROM t"));
      assertEquals(1, counts(cluster).stayed(RerouteCounts.Reason.REPEATED));
    }
  }

  /** Nor does who wants to cancel it. */
  @Test
  void aRequestToCancelDoesNotWaitForTheEndOfTheOtherSession() throws Exception {
    CountDownLatch asked = new CountDownLatch(2); // not only at once, but also later
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection other = DriverManager.getConnection(cluster.url(HERE));
        Connection client = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      int number = Integer.parseInt(value(client, "SELECT pg_backend_pid()"));
      client.setAutoCommit(false);
      relay.mute();
      final Future<SQLException> update =
          silently(relay, () -> failure(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1"));
      try (FaultPoints.Armed armed =
          FaultPoints.arm(
              "forward.end",
              () -> {
                asked.countDown();
                throw new GaussException(SqlState.CANNOT_CONNECT_NOW, "it cannot tell now");
              })) {
        relay.hangUp();
        asked.await();
        client.unwrap(PGConnection.class).cancelQuery();
        assertEquals("57014", update.get().getSQLState());
        assertTrue(SessionFaults.isServed(cluster.node(THERE).sessions(), number));
      }
      client.rollback();
      assertEquals("1", value(client, "SELECT v FROM t"));
      client.rollback();
      run(other, "SET lock_timeout = '20s'"); // instead of for ever
      run(other, "UPDATE t SET v = v + 10"); // it was asked again, and has ended
      assertEquals("11", value(other, "SELECT v FROM t"));
    }
  }

  /** It has gone in the middle of a transaction, and its connection to the other node, too. */
  @Test
  void aClientThatIsGoneKeepsNoLocksElsewhere() throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection other = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      try (Connection client = ready(cluster, "")) {
        client.setAutoCommit(false);
        run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
        relay.silence();
      }
      run(other, "SET lock_timeout = '20s'"); // instead of for ever
      run(other, "UPDATE t SET v = v + 10");
      assertEquals("11", value(other, "SELECT v FROM t"));
    }
  }

  /** As on the client's node. */
  @Test
  void whatAClientSendsBeforeItLeavesRunsToItsEnd() throws Exception {
    try (WholeCluster cluster = cluster();
        Connection holder = DriverManager.getConnection(cluster.url(HERE));
        Connection other = DriverManager.getConnection(cluster.url(HERE));
        WireClient client = wireClient(cluster)) {
      holder.setAutoCommit(false);
      run(holder, "UPDATE t SET v = v + 10");
      client.send(
          WireMessages.query(THERE_IS_BETTER + "UPDATE t SET v = v + 1"), WireMessages.terminate());
      while (cluster.node(THERE).transactions().waiting() == 0) {
        Thread.onSpinWait();
      }
      holder.commit();
      while (!value(other, "SELECT v FROM t").equals("12")) {
        Thread.onSpinWait();
      }
    }
  }

  /** No text of what runs again shows that it sets a sequence. */
  @Test
  void aSequenceThatAViewSetsIsNotSetTwice() throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection query = DriverManager.getConnection(cluster.url(HERE));
        Connection block = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      run(query, "CREATE SEQUENCE s", "CREATE VIEW sets AS SELECT setval('s', 9) AS v");
      ForwardedClients.ready(query, THERE_IS_BETTER, THERE);
      ForwardedClients.ready(block, THERE_IS_BETTER, THERE);
      block.setAutoCommit(false);
      String set = THERE_IS_BETTER + "SELECT v FROM sets";
      relay.silence();
      final Future<SQLException> alone = silently(relay, () -> failure(query, set));
      final Future<SQLException> inBlock = silently(relay, () -> failure(block, set));
      cluster.declareDead(THERE);
      assertEquals("08007", alone.get().getSQLState());
      assertEquals("40001", inBlock.get().getSQLState());
      block.rollback();
      assertEquals("9", value(query, set), "it may be set again by what comes later");
      cluster.end(THERE);
    }
  }

  /** The one before would be found by nobody, and keep what it has when the client's node dies. */
  @Test
  void aSessionThatIsReplacedEnds() throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection client = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      int number = Integer.parseInt(value(client, "SELECT pg_backend_pid()"));
      ForwardLayout.Answer ticket = SessionFaults.ticket(cluster.node(THERE).sessions(), number);
      try (WireClient another = new WireClient(cluster.port(THERE))) {
        redeem(ticket, another);
        assertTrue(another.readUntilReady().endsWith("ReadyForQuery I"));
        while (relay.ended() == 0) {
          assertFalse(Thread.interrupted(), "the session before goes on");
          Thread.yield();
        }
      }
    }
  }

  private static void redeem(ForwardLayout.Answer ticket, WireClient by) throws IOException {
    by.send(
        WireMessages.startMessage(
            out -> {
              out.writeInt(PgProtocol.PASS_REQUEST);
              out.writeLong(ticket.ticket());
              out.writeLong(ticket.ticketEnd());
            }));
  }

  /** It was on its way for long: the client's node has given it up, and asked for another one. */
  @Test
  void anOlderTicketThatIsRedeemedLateEndsNoSession() throws Exception {
    try (WholeCluster cluster = cluster();
        Connection client = DriverManager.getConnection(cluster.url(HERE))) {
      int number = Integer.parseInt(value(client, "SELECT pg_backend_pid()"));
      final ForwardLayout.Answer older =
          SessionFaults.ticket(cluster.node(THERE).sessions(), number);
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
      try (WireClient late = new WireClient(cluster.port(THERE))) {
        redeem(older, late);
        String answer = late.readUntilClosed();
        assertTrue(answer.contains("08006"), answer);
      }
      assertEquals("2", value(client, "SELECT v FROM t"));
      client.commit();
      assertEquals("2", value(client, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
    }
  }

  /** Rule 40, where BEGIN is forwarded: the session has a temporary table at the other node. */
  @Test
  void nothingBehindABeginThatIsLostWithItsNodeRunsByItself() throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        WireClient client = WireClient.started(cluster.port(HERE), "gauss");
        Connection other = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      while (!client
          .query(THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE)
          .contains("DataRow " + THERE)) {
        Thread.yield();
      }
      client.query("BEGIN");
      client.query(THERE_IS_BETTER + "SELECT 1");
      client.query("CREATE TEMP TABLE mine (v int)");
      client.query("COMMIT");
      client.ask(WireMessages.parse("increase", "UPDATE t SET v = v + 1"), WireMessages.sync());
      relay.silence();
      long before = relay.swallowed();
      client.send(
          WireMessages.query("BEGIN"),
          WireMessages.bind("", "increase"),
          WireMessages.execute("", 0),
          WireMessages.sync());
      while (relay.swallowed() == before) {
        Thread.yield();
      }
      cluster.declareDead(THERE);
      String first = client.readUntilReady();
      assertTrue(first.contains("08006") && first.endsWith("ReadyForQuery E"), first);
      String second = client.readUntilReady();
      assertTrue(second.contains("25P02"), second);
      client.query("ROLLBACK");
      assertEquals("1", value(other, "SELECT v FROM t"));
      cluster.end(THERE);
    }
  }

  @Test
  void aSessionThatIsEndedWhileItsCommitIsOnItsWayIsToldThatTheOutcomeIsUnknown() throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection client = DriverManager.getConnection(cluster.url(HERE));
        Connection other = DriverManager.getConnection(cluster.url(HERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      String pid = value(client, "SELECT pg_backend_pid()");
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
      relay.silence();
      Future<SQLException> answer =
          silently(relay, () -> assertThrows(SQLException.class, client::commit));
      assertEquals("t", value(other, "SELECT pg_terminate_backend(" + pid + ")"));
      assertEquals("08007", answer.get().getSQLState());
    }
  }

  @Test
  void aTransactionIsRolledBackWhenItsClientsNodeIsTakenForDeadThoughNothingIsClosed()
      throws Exception {
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection client = DriverManager.getConnection(cluster.url(HERE));
        Connection other = DriverManager.getConnection(cluster.url(THERE))) {
      reroutes(cluster, THERE).forwarded().open(relay.port(), new byte[0]);
      ForwardedClients.ready(client, THERE_IS_BETTER, THERE);
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
      relay.silence();
      cluster.declareDead(HERE);
      run(other, "UPDATE t SET v = v + 10");
      assertEquals("11", value(other, "SELECT v FROM t"));
      cluster.end(HERE);
    }
  }

  /** It is no session yet when the node is lost, and no ticket any more. */
  @Test
  @Timeout(120)
  void aSessionThatOpensWhileItsClientsNodeIsLostEnds() throws Exception {
    CountDownLatch opens = new CountDownLatch(1);
    CountDownLatch lost = new CountDownLatch(1);
    try (WholeCluster cluster = cluster();
        Relay relay = new Relay(cluster.port(THERE));
        Connection client = DriverManager.getConnection(cluster.url(HERE))) {
      ForwardedSessions sessions = reroutes(cluster, THERE).forwarded();
      sessions.open(relay.port(), new byte[0]);
      try (FaultPoints.Armed armed =
          FaultPoints.arm(
              "forward.open",
              () -> {
                opens.countDown();
                await(lost);
              })) {
        threads.submit(() -> ForwardedClients.ready(client, THERE_IS_BETTER, THERE));
        opens.await();
        relay.silence();
        cluster.declareDead(HERE);
        while (sessions.has(HERE)) {
          assertFalse(Thread.interrupted());
          Thread.yield();
        }
        lost.countDown();
        while (relay.ended() == 0) {
          assertFalse(Thread.interrupted(), "the session goes on");
          Thread.yield();
        }
      } finally {
        lost.countDown();
      }
      cluster.end(HERE);
    }
  }
}
