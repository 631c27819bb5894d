package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.TwoNodes.HERE;
import static io.gauss.compute.pgwire.TwoNodes.THERE;
import static io.gauss.compute.pgwire.TwoNodes.THERE_IS_BETTER;
import static io.gauss.compute.pgwire.TwoNodes.failure;
import static io.gauss.compute.pgwire.TwoNodes.inBlock;
import static io.gauss.compute.pgwire.TwoNodes.run;
import static io.gauss.compute.pgwire.TwoNodes.sendSilently;
import static io.gauss.compute.pgwire.TwoNodes.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import io.gauss.compute.node.CheckedNode;
import io.gauss.compute.node.ForwardedClients;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.ForwardedSessions;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** What clients of forwarded transactions are told when one of the nodes is lost. */
@Timeout(300)
class ForwardedLossTest {
  @TempDir Path directory;

  @Test
  void aTransactionIsLostWhenItsNodeIsTakenForDeadThoughItsConnectionIsNotClosed()
      throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay relay = nodes.relay();
        Connection client = nodes.ready();
        Connection idle = nodes.ready()) {
      PGConnection told = client.unwrap(PGConnection.class);
      String zone = told.getParameterStatus("TimeZone");
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1", "SET TimeZone = 'Asia/Tokyo'");
      assertEquals("Asia/Tokyo", told.getParameterStatus("TimeZone"));
      relay.silence();
      Future<SQLException> answer =
          nodes.silently(relay, () -> assertThrows(SQLException.class, client::commit));
      nodes.cluster().declareDead(THERE);
      assertEquals("08007", answer.get().getSQLState());
      assertEquals(zone, told.getParameterStatus("TimeZone"));
      client.rollback();
      assertEquals("1", value(idle, THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE));
      assertEquals("1", value(client, "SELECT v FROM t"));
      nodes.cluster().end(THERE);
    }
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
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay relay = nodes.relay()) {
      try (Connection query = nodes.ready(properties);
          Connection begun = nodes.ready(properties);
          Connection update = nodes.ready(properties);
          Connection answered = nodes.ready(properties);
          Connection idle = nodes.ready(properties);
          Connection rolledBack = nodes.ready(properties);
          Connection sequence = nodes.ready(properties);
          Connection canceled = nodes.ready(properties);
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
        final Future<String> queried =
            nodes.silently(relay, () -> value(query, THERE_IS_BETTER + count));
        final Future<SQLException> updated = nodes.silently(relay, () -> failure(update, set));
        final Future<SQLException> late = nodes.silently(relay, () -> failure(answered, set));
        final Future<String> begunThere =
            nodes.silently(
                relay,
                () -> {
                  run(begun, set);
                  return value(begun, "SELECT current_setting('transaction_isolation')");
                });
        final Future<SQLException> setThere =
            nodes.silently(
                relay, () -> failure(sequence, THERE_IS_BETTER + "SELECT setval('s', 9)"));
        final Future<SQLException> ended =
            nodes.silently(
                relay,
                () ->
                    assertThrows(
                        SQLException.class, () -> toCancel.execute(THERE_IS_BETTER + count)));
        toCancel.cancel();
        nodes.cluster().declareDead(THERE);
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
        assertEquals(3, nodes.counts().stayed(RerouteCounts.Reason.REPEATED));
        assertEquals(5, nodes.counts().lost(THERE));
      }
      nodes.cluster().end(THERE);
    }
  }

  /** What a block's client asks for last decides what it hears, and whether the block is open. */
  @Test
  void theEndOfABlockThatIsLostOnItsWayEndsIt() throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay relay = nodes.relay();
        Connection here = nodes.connect(HERE)) {
      run(here, "INSERT INTO t SELECT i, 1 FROM generate_series(2, 9) i");
      try (WireClient rollback = inBlock(nodes.wireClient(), 1);
          WireClient extended = inBlock(nodes.wireClient(), 2);
          WireClient commit = inBlock(nodes.wireClient(), 3);
          WireClient chain = inBlock(nodes.wireClient(), 4);
          WireClient chainBack = inBlock(nodes.wireClient(), 5);
          WireClient select = inBlock(nodes.wireClient(), 6)) {
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
        nodes.cluster().declareDead(THERE);
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
      nodes.cluster().end(THERE);
    }
  }

  private static void assertEnds(WireClient client, String state, char block) throws IOException {
    String answer = client.readUntilReady();
    assertTrue(answer.contains(state) && answer.endsWith("ReadyForQuery " + block), answer);
  }

  /** No text of what runs again shows that it sets a sequence. */
  @Test
  void aSequenceThatAViewSetsIsNotSetTwice() throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay relay = nodes.relay();
        Connection query = nodes.connect(HERE);
        Connection block = nodes.connect(HERE)) {
      run(query, "CREATE SEQUENCE s", "CREATE VIEW sets AS SELECT setval('s', 9) AS v");
      TwoNodes.ready(query);
      TwoNodes.ready(block);
      block.setAutoCommit(false);
      String set = THERE_IS_BETTER + "SELECT v FROM sets";
      relay.silence();
      final Future<SQLException> alone = nodes.silently(relay, () -> failure(query, set));
      final Future<SQLException> inBlock = nodes.silently(relay, () -> failure(block, set));
      nodes.cluster().declareDead(THERE);
      assertEquals("08007", alone.get().getSQLState());
      assertEquals("40001", inBlock.get().getSQLState());
      block.rollback();
      assertEquals("9", value(query, set), "it may be set again by what comes later");
      nodes.cluster().end(THERE);
    }
  }

  /**
   * Its locks outlive the node (rule 12), and a client that hears of it may only try to get one.
   */
  @Test
  void aTransactionThatIsLostIsToldWhenItsNodeIsRecovered() throws Exception {
    CountDownLatch recovers = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay relay = nodes.relay();
        Connection client = nodes.ready();
        Connection reader = nodes.ready();
        FaultPoints.Armed armed =
            FaultPoints.arm(
                "takeover.leftovers",
                () -> {
                  recovers.countDown();
                  await(mayEnd);
                })) {
      client.setAutoCommit(false);
      reader.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "SELECT id FROM t FOR UPDATE");
      run(reader, THERE_IS_BETTER + "SELECT id FROM t");
      relay.silence();
      final Future<SQLException> next = nodes.begin(() -> failure(client, "SELECT 2"));
      Future<Void> dead =
          nodes.begin(
              () -> {
                nodes.cluster().declareDead(THERE);
                return null;
              });
      recovers.await();
      assertEquals("40001", failure(reader, "SELECT 2").getSQLState(), "at once: it has no lock");
      assertFalse(next.isDone());
      mayEnd.countDown();
      assertEquals("40001", next.get().getSQLState());
      client.rollback();
      assertEquals("1", value(client, "SELECT id FROM t FOR UPDATE NOWAIT"));
      client.commit();
      dead.get();
      nodes.cluster().end(THERE);
    } finally {
      mayEnd.countDown();
    }
  }

  /** As one that has its lock here: it may finish what it does under it. */
  @Test
  void aClientWithAnAdvisoryLockElsewhereIsNotEndedWhileItsNodeIsDrained() throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory);
        WireClient client = nodes.wireClient();
        WireClient idle = nodes.wireClient()) {
      client.query(THERE_IS_BETTER + "SELECT pg_advisory_lock(3) FROM t");
      Future<Void> drained =
          CheckedNode.server(nodes.cluster().node(HERE)).drain(Duration.ofSeconds(60));
      assertTrue(idle.readUntilClosed().contains("FATAL 57P01"));
      assertTrue(client.query("SELECT " + ForwardedClients.NODE).contains("DataRow " + THERE));
      client.send(WireMessages.query("SELECT pg_advisory_unlock(3)"));
      String last = client.readUntilClosed();
      assertTrue(last.contains("DataRow t\n") && last.contains("FATAL 57P01"), last);
      drained.get();
    }
  }

  /** Rule 40, where BEGIN is forwarded: the session has a temporary table at the other node. */
  @Test
  void nothingBehindABeginThatIsLostWithItsNodeRunsByItself() throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay relay = nodes.relay();
        WireClient client = nodes.wireClient();
        Connection other = nodes.connect(HERE)) {
      client.query("BEGIN");
      client.query(THERE_IS_BETTER + "SELECT 1");
      client.query("CREATE TEMP TABLE mine (v int)");
      client.query("COMMIT");
      client.ask(WireMessages.parse("increase", "UPDATE t SET v = v + 1"), WireMessages.sync());
      relay.silence();
      sendSilently(
          relay,
          client,
          WireMessages.query("BEGIN"),
          WireMessages.bind("", "increase"),
          WireMessages.execute("", 0),
          WireMessages.sync());
      nodes.cluster().declareDead(THERE);
      String first = client.readUntilReady();
      assertTrue(first.contains("08006") && first.endsWith("ReadyForQuery E"), first);
      String second = client.readUntilReady();
      assertTrue(second.contains("25P02"), second);
      client.query("ROLLBACK");
      assertEquals("1", value(other, "SELECT v FROM t"));
      nodes.cluster().end(THERE);
    }
  }

  @Test
  void aTransactionIsRolledBackWhenItsClientsNodeIsTakenForDeadThoughNothingIsClosed()
      throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay relay = nodes.relay();
        Connection client = nodes.ready();
        Connection other = nodes.connect(THERE)) {
      client.setAutoCommit(false);
      run(client, THERE_IS_BETTER + "UPDATE t SET v = v + 1");
      relay.silence();
      nodes.cluster().declareDead(HERE);
      run(other, "UPDATE t SET v = v + 10");
      assertEquals("11", value(other, "SELECT v FROM t"));
      nodes.cluster().end(HERE);
    }
  }

  /** It is no session yet when the node is lost, and no ticket any more. */
  @Test
  @Timeout(120)
  void aSessionThatOpensWhileItsClientsNodeIsLostEnds() throws Exception {
    CountDownLatch opens = new CountDownLatch(1);
    CountDownLatch lost = new CountDownLatch(1);
    try (TwoNodes nodes = new TwoNodes(directory);
        Relay relay = nodes.relay();
        Connection client = nodes.connect(HERE)) {
      ForwardedSessions sessions = nodes.reroutes(THERE).forwarded();
      try (FaultPoints.Armed armed =
          FaultPoints.arm(
              "forward.open",
              () -> {
                opens.countDown();
                await(lost);
              })) {
        nodes.begin(() -> TwoNodes.ready(client));
        opens.await();
        relay.silence();
        nodes.cluster().declareDead(HERE);
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
      nodes.cluster().end(HERE);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
