package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.cancelRequest;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static io.gauss.compute.pgwire.WireMessages.terminate;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that are cancelled or time out, and sessions that end. */
abstract class SessionEndsContract extends WireContract {
  private static final String UPDATE = "UPDATE t SET v = v + 1 WHERE id = 1";
  private static final String UPDATED = "CommandComplete UPDATE 1\nReadyForQuery ";
  private static final String CANCELLED =
      "ERROR 57014 canceling statement due to user request\nReadyForQuery ";
  private WireClient client;

  @BeforeEach
  void startSession() throws IOException {
    client = start();
    client.query("DROP TABLE IF EXISTS t");
    client.query("CREATE TABLE t (id int PRIMARY KEY, v int)");
    client.query("INSERT INTO t SELECT i, 0 FROM generate_series(1, 1000) i");
  }

  /** Sends a request to cancel what a session runs, and waits until the server has taken it. */
  void cancel(WireClient session, int secret) throws IOException {
    try (WireClient canceller = new WireClient(port())) {
      canceller.send(cancelRequest(session.processId(), secret));
      assertEquals(WireClient.CLOSED, canceller.readUntilClosed());
    }
  }

  // ---------------------------------------------------------------- cancelling

  @Test
  void aWaitForALockIsCancelledByWhoKnowsTheKey() throws IOException {
    WireClient holder = start();
    holder.query("BEGIN");
    holder.query(UPDATE);
    client.query("BEGIN");
    client.send(query(UPDATE));
    awaitWaiting(1);
    cancel(client, client.secret() + 1);
    cancel(client, client.secret());
    assertAnswer(CANCELLED + "E", client.readUntilReady());
    assertAnswer("CommandComplete ROLLBACK\nReadyForQuery I", client.query("ROLLBACK"));
    commit(holder);
    assertAnswer(UPDATED + "I", client.query(UPDATE));
  }

  private static void commit(WireClient session) throws IOException {
    assertAnswer("CommandComplete COMMIT\nReadyForQuery I", session.query("COMMIT"));
  }

  @Test
  void aWrongKeyCancelsNothing() throws IOException {
    WireClient holder = start();
    holder.query("BEGIN");
    holder.query(UPDATE);
    client.send(query(UPDATE));
    awaitWaiting(1);
    cancel(client, client.secret() + 1);
    commit(holder);
    assertAnswer(UPDATED + "I", client.readUntilReady());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT count(*) FROM t a, t b, t c, t d",
        "SELECT a.id FROM t a, t b, t c ORDER BY a.v, b.v + c.v, c.id, b.id",
        "SELECT a.v, count(DISTINCT b.id + c.id * 1000) FROM t a, t b, t c GROUP BY a.v, a.id",
        "SELECT count(*) FROM generate_series(1, 100000000000)",
        "UPDATE t SET v = (SELECT count(*) FROM t a, t b, t c WHERE a.id > t.id)",
      })
  void whateverRunsIsCancelled(String sql) throws Exception {
    client.send(query(sql));
    // The request may come before the statement has begun, and is lost then: ask again.
    AtomicBoolean answered = new AtomicBoolean();
    Thread canceller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    while (!answered.get()) {
                      cancel(client, client.secret());
                    }
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    String answer = client.readUntilReady(line -> !line.matches("(RowDescription|DataRow) .*"));
    answered.set(true);
    canceller.join();
    assertAnswer(CANCELLED + "I", answer);
  }

  @Test
  void anAnswerThatNobodyReadsIsCancelled() throws IOException {
    client.send(query("SELECT i, repeat('x', 1000) FROM generate_series(1, 1000000) i"));
    assertTrue(client.read(2).startsWith("RowDescription"));
    cancel(client, client.secret());
    assertAnswer(CANCELLED + "I", client.readUntilReady(line -> !line.startsWith("DataRow")));
  }

  // ---------------------------------------------------------------- timeouts

  @Test
  void aStatementThatRunsTooLongIsCancelled() throws IOException {
    client.query("SET statement_timeout = '30ms'");
    String timedOut = "ERROR 57014 canceling statement due to statement timeout\nReadyForQuery I";
    assertAnswer(
        timedOut,
        client
            .query("SELECT count(*) AS n FROM t a, t b, t c, t d")
            .replace("RowDescription n:20\n", ""));
    assertAnswer(
        "ParseComplete\nBindComplete\n" + timedOut,
        client.ask(
            parse("", "SELECT count(*) FROM t a, t b, t c, t d"),
            bind("", ""),
            execute("", 0),
            sync()));
    client.query("SET statement_timeout = 0");
    assertAnswer(UPDATED + "I", client.query(UPDATE));
  }

  @Test
  void aWaitForALockCountsForTheStatementTimeout() throws IOException {
    WireClient holder = start();
    holder.query("BEGIN");
    holder.query(UPDATE);
    client.query("BEGIN");
    client.query("SET statement_timeout = '30ms'"); // last: it is for all that follows
    assertAnswer(
        "ERROR 57014 canceling statement due to statement timeout\nReadyForQuery E",
        client.query(UPDATE));
  }

  @Test
  void aWaitForARowLockIsBoundedByLockTimeout() throws IOException {
    WireClient holder = start();
    holder.query("BEGIN");
    holder.query(UPDATE);
    client.query("SET lock_timeout = '30ms'");
    assertAnswer(
        "ERROR 55P03 canceling statement due to lock timeout\nReadyForQuery I",
        client.query(UPDATE));
  }

  @Test
  void aWaitForATableLockIsBoundedByLockTimeout() throws IOException {
    WireClient holder = start();
    holder.query("BEGIN");
    holder.query(UPDATE);
    client.query("SET lock_timeout = '30ms'");
    assertAnswer(
        "ERROR 55P03 canceling statement due to lock timeout\nReadyForQuery I",
        client.query("DROP TABLE t"));
    client.query("SET lock_timeout = 0"); // others that look at the table may have it for a moment
    commit(holder);
    assertAnswer("CommandComplete DROP TABLE\nReadyForQuery I", client.query("DROP TABLE t"));
  }

  @Test
  void aSessionThatStaysIdleInATransactionIsEndedAndItsLocksAreFree() throws IOException {
    WireClient idle = start();
    idle.query("SET idle_in_transaction_session_timeout = '30ms'");
    idle.query("SELECT 'outside a transaction it may idle'");
    idle.send(query("BEGIN; " + UPDATE));
    assertAnswer(
        """
        CommandComplete BEGIN
        CommandComplete UPDATE 1
        ReadyForQuery T
        FATAL 25P03 terminating connection due to idle-in-transaction timeout
        closed
        """,
        idle.readUntilClosed());
    assertAnswer(UPDATED + "I", client.query(UPDATE));
    assertAnswer(
        "RowDescription v:23\nDataRow 1\nCommandComplete SELECT 1\nReadyForQuery I",
        client.query("SELECT v FROM t WHERE id = 1"));
  }

  @Test
  void aFailedTransactionIsIdleToo() throws IOException {
    client.query("SET idle_in_transaction_session_timeout = '30ms'");
    client.send(query("BEGIN; SELECT 1/0"));
    assertAnswer(
        """
        CommandComplete BEGIN
        ERROR 22012 division by zero
        ReadyForQuery E
        FATAL 25P03 terminating connection due to idle-in-transaction timeout
        closed
        """,
        client.readUntilClosed());
  }

  // ---------------------------------------------------------------- the end

  @Test
  void terminateInATransactionRollsBackAndFreesItsLocks() throws IOException {
    WireClient other = start();
    other.query("BEGIN");
    other.query(UPDATE);
    other.send(terminate());
    assertAnswer("closed", other.readUntilClosed());
    assertAnswer(UPDATED + "I", client.query(UPDATE));
    assertAnswer(
        "RowDescription v:23\nDataRow 1\nCommandComplete SELECT 1\nReadyForQuery I",
        client.query("SELECT v FROM t WHERE id = 1"));
  }

  @Test
  void whatFollowsTerminateIsNotRun() throws IOException {
    WireClient other = start();
    other.send(query("INSERT INTO t VALUES (-1, 0)"), terminate(), query("DELETE FROM t"));
    assertAnswer("CommandComplete INSERT 0 1\nReadyForQuery I\nclosed", other.readUntilClosed());
    assertAnswer(
        "RowDescription count:20\nDataRow 1001\nCommandComplete SELECT 1\nReadyForQuery I",
        client.query("SELECT count(*) FROM t"));
  }

  @Test
  void aClientThatGoesAwayInATransactionIsRolledBack() throws IOException {
    WireClient other = start();
    other.query("BEGIN");
    other.query("DELETE FROM t");
    other.close();
    assertAnswer(UPDATED + "I", client.query(UPDATE));
  }

  @Test
  void aClientThatGoesAwayInTheMiddleOfAMessageIsRolledBack() throws IOException {
    WireClient other = start();
    other.query("BEGIN");
    other.query("DELETE FROM t");
    byte[] message = query("COMMIT");
    other.send(Arrays.copyOf(message, message.length - 1));
    other.close();
    assertAnswer(UPDATED + "I", client.query(UPDATE));
  }

  @Test
  void aClientThatGoesAwayBeforeSyncIsRolledBack() throws IOException {
    WireClient other = start();
    other.send(parse("", "DELETE FROM t"), bind("", ""), execute("", 0), WireMessages.flush());
    assertAnswer("ParseComplete\nBindComplete\nCommandComplete DELETE 1000", other.read(3));
    other.close();
    assertAnswer(UPDATED + "I", client.query(UPDATE));
  }
}
