package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.TwoNodes.HERE;
import static io.gauss.compute.pgwire.TwoNodes.THERE;
import static io.gauss.compute.pgwire.TwoNodes.THERE_IS_BETTER;
import static io.gauss.compute.pgwire.TwoNodes.failure;
import static io.gauss.compute.pgwire.TwoNodes.inBlock;
import static io.gauss.compute.pgwire.TwoNodes.run;
import static io.gauss.compute.pgwire.TwoNodes.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.compute.node.ForwardedClients;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.SessionFaults;
import io.gauss.compute.session.wire.ForwardLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/**
 * Sessions at better nodes end with their clients', and only with them, while both nodes are there.
 * What becomes of them when one of the nodes is lost is in {@link ForwardedLossTest}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class ForwardedSessionEndsTest {
  private TwoNodes nodes;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    nodes = new TwoNodes(directory);
  }

  @BeforeEach
  void reset() throws SQLException {
    nodes.reset();
  }

  @AfterAll
  void stop() {
    nodes.close();
  }

  /** Only that role's sessions cannot go there. */
  @Test
  void aRoleThatANodeDoesNotKnowKeepsNobodyElseFromIt() throws Exception {
    try (Connection here = nodes.connect(HERE);
        Connection there = nodes.connect(THERE)) {
      run(here, "CREATE ROLE clerk LOGIN");
      try (Connection clerk =
          DriverManager.getConnection(
              nodes.cluster().url(HERE).replace("user=gauss", "user=clerk"))) {
        run(here, "DROP ROLE clerk");
        assertEquals("0", value(there, "SELECT count(*) FROM pg_roles WHERE rolname = 'clerk'"));
        long unreachable = nodes.counts().stayed(RerouteCounts.Reason.UNREACHABLE);
        long opening = nodes.counts().stayed(RerouteCounts.Reason.OPENING);
        while (nodes.counts().stayed(RerouteCounts.Reason.OPENING) < opening + 5) {
          assertEquals("1", value(clerk, THERE_IS_BETTER + "SELECT 1"));
        }
        while (nodes.reroutes(HERE).isTried(THERE)) {
          Thread.onSpinWait();
        }
        TwoNodes.ready(here);
        assertEquals(unreachable, nodes.counts().stayed(RerouteCounts.Reason.UNREACHABLE));
      }
    }
  }

  /** What the other node lacks, this one may have. */
  @Test
  void whatTheOtherNodeCannotRunRunsHere() throws Exception {
    try (Connection client = nodes.ready()) {
      int number = Integer.parseInt(value(client, "SELECT pg_backend_pid()"));
      String update = THERE_IS_BETTER + "UPDATE t SET v = v + 1";
      final long repeated = nodes.counts().stayed(RerouteCounts.Reason.REPEATED);
      final long unreachable = nodes.counts().stayed(RerouteCounts.Reason.UNREACHABLE);
      failThere(number, SqlState.OUT_OF_MEMORY);
      run(client, update);
      TwoNodes.ready(client);
      assertEquals(
          unreachable,
          nodes.counts().stayed(RerouteCounts.Reason.UNREACHABLE),
          "one statement keeps nobody from the node");
      failThere(number, SqlState.CANNOT_CONNECT_NOW);
      client.setAutoCommit(false);
      run(client, update);
      assertEquals("1", value(client, "SELECT " + ForwardedClients.NODE));
      client.commit();
      assertEquals("3", value(client, "SELECT v FROM t"));
      assertEquals(repeated + 2, nodes.counts().stayed(RerouteCounts.Reason.REPEATED));
    }
  }

  private void failThere(int number, SqlState with) {
    SessionFaults.failForwarded(
        nodes.cluster().node(THERE).sessions(), number, new GaussException(with, "it has none"));
  }

  /** The node that has the transaction waits for the client. */
  @Test
  void aClientThatIsIdleForTooLongInATransactionEnds() throws Exception {
    try (WireClient client = nodes.wireClient();
        Connection other = nodes.connect(HERE)) {
      inBlock(client, 1);
      client.query(
          "SET idle_in_transaction_session_timeout = 100"); // now: pauses end no block here
      String end = client.readUntilClosed();
      assertTrue(end.contains("FATAL 25P03"), end);
      run(other, "UPDATE t SET v = v + 10");
      assertEquals("11", value(other, "SELECT v FROM t"));
    }
  }

  /**
   * Only the connection between the nodes is lost, and the other node does not know it: what begins
   * again here must not wait for the locks of its first attempt.
   */
  @Test
  void whatBeginsAgainDoesNotWaitForItself() throws Exception {
    try (Relay relay = nodes.relay();
        Connection client = nodes.ready()) {
      run(client, "SET lock_timeout = '20s'"); // instead of for ever
      client.setAutoCommit(false);
      final long repeated = nodes.counts().stayed(RerouteCounts.Reason.REPEATED);
      relay.mute();
      final Future<Void> update =
          nodes.silently(
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
      assertEquals(repeated + 1, nodes.counts().stayed(RerouteCounts.Reason.REPEATED));
    }
  }

  /**
   * The other node says why it ends the session, or that it cannot go on, before the session has
   * ended: until then that has its locks.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatOnlyTriesToGetALockIsNotDeniedItByItself(boolean ends) throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (Connection holder = nodes.connect(HERE);
        WireClient client = nodes.wireClient();
        FaultPoints.Armed question = FaultPoints.arm("forward.end", asked::countDown);
        FaultPoints.Armed end = FaultPoints.arm("session.end", () -> await(asked))) {
      run(holder, "DROP TABLE IF EXISTS u", "CREATE TABLE u (id int PRIMARY KEY)");
      run(holder, "INSERT INTO u VALUES (7)");
      holder.setAutoCommit(false);
      run(holder, "SELECT id FROM u FOR UPDATE");
      final long repeated = nodes.counts().stayed(RerouteCounts.Reason.REPEATED);
      client.send(
          statement(THERE_IS_BETTER + "SELECT pg_try_advisory_lock(5)"),
          statement("SELECT id FROM u FOR UPDATE"),
          statement("SELECT " + ForwardedClients.NODE),
          WireMessages.sync());
      while (nodes.cluster().node(THERE).transactions().waiting() == 0) {
        Thread.yield();
      }
      GaussException why = new GaussException(SqlState.OUT_OF_MEMORY, "it has none");
      if (ends) {
        SessionFaults.endForwarded(nodes.cluster().node(THERE).sessions(), client.processId(), why);
      } else {
        failThere(client.processId(), why.state());
      }
      holder.commit();
      String answer = client.readUntilReady();
      assertTrue(answer.contains("DataRow t\n"), answer);
      assertTrue(answer.contains("DataRow 1\n"), answer);
      assertEquals(repeated + 1, nodes.counts().stayed(RerouteCounts.Reason.REPEATED));
      holder.setAutoCommit(true);
      run(holder, "DROP TABLE u");
    } finally {
      asked.countDown();
    }
  }

  /**
   * Only the connection between the nodes is lost. Who hears that the transaction is rolled back
   * repeats it at once, on its own node.
   */
  @Test
  void whoIsToldThatATransactionIsRolledBackIsNotDeniedItsLocks() throws Exception {
    CountDownLatch asked = new CountDownLatch(3); // in vain
    AtomicBoolean isHeld = new AtomicBoolean(true);
    try (Relay relay = nodes.relay();
        Connection client = nodes.ready();
        FaultPoints.Armed armed =
            FaultPoints.arm(
                "forward.end",
                () -> {
                  asked.countDown();
                  if (isHeld.get()) {
                    throw new GaussException(SqlState.CANNOT_CONNECT_NOW, "it cannot tell now");
                  }
                })) {
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "SELECT id FROM t FOR UPDATE");
      relay.hangUp();
      final Future<SQLException> next = nodes.begin(() -> failure(client, "SELECT 2"));
      asked.await();
      assertFalse(next.isDone(), "its first attempt has the lock");
      isHeld.set(false);
      assertEquals("40001", next.get().getSQLState());
      client.rollback();
      assertEquals("1", value(client, "SELECT id FROM t FOR UPDATE NOWAIT"));
      client.commit();
    }
  }

  /** Its node has died and is back, and what its life before has locked is not rolled back yet. */
  @Test
  void whoIsToldThatATransactionIsRolledBackHasWaitedForTheDeadLifeOfANodeThatIsBack()
      throws Exception {
    int looks = 4;
    AtomicInteger looked = new AtomicInteger();
    try (Relay relay = nodes.relay();
        Connection client = nodes.ready()) {
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "SELECT id FROM t FOR UPDATE");
      nodes.reroutes(HERE).unrecovered(slot -> looked.incrementAndGet() < looks);
      relay.hangUp();
      assertEquals("40001", failure(client, "SELECT 2").getSQLState());
      assertTrue(looked.get() >= looks, "it was not waited for");
      client.rollback();
    }
  }

  /** The other session rests, and its end takes time: the lock that is lost is there until then. */
  @Test
  void whoIsToldThatItsLocksAreLostIsNotDeniedThem() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    AtomicBoolean isHeld = new AtomicBoolean(true);
    try (Relay relay = nodes.relay();
        WireClient client = nodes.wireClient();
        FaultPoints.Armed armed =
            FaultPoints.arm(
                "forward.end",
                () -> {
                  asked.incrementAndGet();
                  if (isHeld.get()) {
                    throw new GaussException(SqlState.CANNOT_CONNECT_NOW, "it cannot tell now");
                  }
                })) {
      client.query(THERE_IS_BETTER + "SELECT pg_advisory_lock(9) FROM t");
      relay.hangUp();
      final Future<String> next = nodes.begin(() -> client.query("SELECT 2"));
      while (asked.get() < 4) { // in vain
        assertFalse(next.isDone(), "its session has the lock");
        Thread.yield();
      }
      assertFalse(next.isDone(), "its session has the lock");
      isHeld.set(false);
      assertTrue(next.get().contains("08006"), next.get());
      assertTrue(client.query("SELECT pg_try_advisory_lock(9)").contains("DataRow t\n"));
    }
  }

  /** No text of what begins again shows that it tries to get a lock. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatAViewOnlyTriesToGetIsNotDeniedByItself(boolean inBlock) throws Exception {
    int key = inBlock ? 11 : 12;
    AtomicBoolean isHeld = new AtomicBoolean(true);
    try (Relay relay = nodes.relay();
        Connection other = nodes.connect(HERE);
        Connection client = nodes.connect(HERE);
        FaultPoints.Armed armed =
            FaultPoints.arm(
                "forward.end",
                () -> {
                  if (isHeld.get()) {
                    throw new GaussException(SqlState.CANNOT_CONNECT_NOW, "it cannot tell now");
                  }
                })) {
      run(client, "CREATE VIEW tries AS SELECT pg_try_advisory_lock(" + key + ") AS v");
      TwoNodes.ready(client);
      client.setAutoCommit(!inBlock);
      relay.mute();
      String query = THERE_IS_BETTER + "SELECT v FROM tries";
      final Future<SQLException> denied = nodes.silently(relay, () -> failure(client, query));
      relay.hangUp();
      assertEquals("40001", denied.get().getSQLState());
      if (inBlock) {
        client.rollback();
        client.setAutoCommit(true);
      }
      isHeld.set(false);
      run(other, "SET lock_timeout = '20s'"); // instead of for ever
      run(other, "SELECT pg_advisory_lock(" + key + ")"); // its first attempt is over
      assertEquals("f", value(client, "SELECT v FROM tries"), "others may deny it later");
      run(other, "DROP VIEW tries");
    }
  }

  private static byte[] statement(String text) {
    return WireMessages.join(
        WireMessages.parse("", text), WireMessages.bind("", ""), WireMessages.execute("", 0));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Nor does who wants to cancel it. */
  @Test
  void aRequestToCancelDoesNotWaitForTheEndOfTheOtherSession() throws Exception {
    CountDownLatch asked = new CountDownLatch(2); // not only at once, but also later
    try (Relay relay = nodes.relay();
        Connection other = nodes.connect(HERE);
        Connection client = nodes.ready()) {
      int number = Integer.parseInt(value(client, "SELECT pg_backend_pid()"));
      client.setAutoCommit(false);
      relay.mute();
      final Future<SQLException> update =
          nodes.silently(relay, () -> failure(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1"));
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
        assertTrue(SessionFaults.isServed(nodes.cluster().node(THERE).sessions(), number));
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
    try (Relay relay = nodes.relay();
        Connection other = nodes.connect(HERE)) {
      try (Connection client = nodes.ready()) {
        client.setAutoCommit(false);
        run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
        relay.silence();
      }
      run(other, "SET lock_timeout = '20s'"); // instead of for ever
      run(other, "UPDATE t SET v = v + 10");
      assertEquals("11", value(other, "SELECT v FROM t"));
    }
  }

  /** Its commit is on its way to a node that nothing reaches any more, nor the end behind it. */
  @Test
  void aClientThatIsGoneWhileItCommitsKeepsNoLocksElsewhere() throws Exception {
    try (Relay relay = nodes.relay();
        Connection other = nodes.connect(HERE)) {
      try (WireClient client = nodes.wireClient()) {
        inBlock(client, 1);
        relay.silence();
        TwoNodes.sendSilently(relay, client, WireMessages.query("COMMIT"));
      }
      run(other, "SET lock_timeout = '20s'"); // instead of for ever
      run(other, "UPDATE t SET v = v + 10");
      assertEquals("11", value(other, "SELECT v FROM t"));
    }
  }

  /** The other session rests, and nothing tells it that its client has gone or was given up. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLostConnectionKeepsNoAdvisoryLockElsewhere(boolean leaves) throws Exception {
    int key = leaves ? 7 : 8;
    try (Relay relay = nodes.relay();
        Connection other = nodes.connect(HERE);
        Connection client = nodes.ready()) {
      run(client, THERE_IS_BETTER + "SELECT pg_advisory_lock(" + key + ") FROM t");
      assertEquals("f", value(other, "SELECT pg_try_advisory_lock(" + key + ")"));
      relay.silence();
      if (leaves) {
        client.close();
      } else {
        relay.hangUp();
      }
      run(other, "SET lock_timeout = '20s'"); // instead of for ever
      run(other, "SELECT pg_advisory_lock(" + key + ")");
    }
  }

  /** As on the client's node. */
  @Test
  void whatAClientSendsBeforeItLeavesRunsToItsEnd() throws Exception {
    try (Connection holder = nodes.connect(HERE);
        Connection other = nodes.connect(HERE);
        WireClient client = nodes.wireClient()) {
      holder.setAutoCommit(false);
      run(holder, "UPDATE t SET v = v + 10");
      client.send(
          WireMessages.query(THERE_IS_BETTER + "UPDATE t SET v = v + 1"), WireMessages.terminate());
      while (nodes.cluster().node(THERE).transactions().waiting() == 0) {
        Thread.onSpinWait();
      }
      holder.commit();
      while (!value(other, "SELECT v FROM t").equals("12")) {
        Thread.onSpinWait();
      }
    }
  }

  /** The one before would be found by nobody, and keep what it has when the client's node dies. */
  @Test
  void aSessionThatIsReplacedEnds() throws Exception {
    try (Relay relay = nodes.relay();
        Connection client = nodes.ready()) {
      int number = Integer.parseInt(value(client, "SELECT pg_backend_pid()"));
      ForwardLayout.Answer ticket =
          SessionFaults.ticket(nodes.cluster().node(THERE).sessions(), number);
      try (WireClient another = new WireClient(nodes.cluster().port(THERE))) {
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
    try (Connection client = nodes.connect(HERE)) {
      int number = Integer.parseInt(value(client, "SELECT pg_backend_pid()"));
      final ForwardLayout.Answer older =
          SessionFaults.ticket(nodes.cluster().node(THERE).sessions(), number);
      TwoNodes.ready(client);
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
      try (WireClient late = new WireClient(nodes.cluster().port(THERE))) {
        redeem(older, late);
        String answer = late.readUntilClosed();
        assertTrue(answer.contains("08006"), answer);
      }
      assertEquals("2", value(client, "SELECT v FROM t"));
      client.commit();
      assertEquals("2", value(client, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
    }
  }

  @Test
  void aSessionThatIsEndedWhileItsCommitIsOnItsWayIsToldThatTheOutcomeIsUnknown() throws Exception {
    try (Relay relay = nodes.relay();
        Connection client = nodes.ready();
        Connection other = nodes.connect(HERE)) {
      String pid = value(client, "SELECT pg_backend_pid()");
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
      relay.silence();
      Future<SQLException> answer =
          nodes.silently(relay, () -> assertThrows(SQLException.class, client::commit));
      assertEquals("t", value(other, "SELECT pg_terminate_backend(" + pid + ")"));
      assertEquals("08007", answer.get().getSQLState());
    }
  }
}
