package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.flush;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** LISTEN, NOTIFY and UNLISTEN. */
abstract class NotificationsContract extends WireContract {
  private WireClient client;
  private WireClient other;

  @BeforeEach
  void startSessions() throws IOException {
    client = start();
    other = start();
  }

  private static String by(WireClient sender, String channel, String payload) {
    return "NotificationResponse " + channel + " by " + sender.processId() + ": " + payload;
  }

  private String channels() throws IOException {
    return client
        .query("SELECT * FROM pg_listening_channels() ORDER BY 1")
        .replaceAll("(?m)^[^D].*\n?", "")
        .replace("DataRow ", "")
        .replace("\n", " ")
        .strip();
  }

  // ---------------------------------------------------------------- when

  @Test
  void theOwnNotificationsComeBeforeReadyForQuery() throws IOException {
    assertAnswer("CommandComplete LISTEN\nReadyForQuery I", client.query("LISTEN a"));
    assertAnswer(
        """
        CommandComplete NOTIFY
        NotificationResponse a by itself:\s
        ReadyForQuery I
        """,
        client.query("NOTIFY a"));
    assertAnswer(
        """
        RowDescription pg_notify:2278
        DataRow\s
        CommandComplete SELECT 1
        NotificationResponse a by itself: x
        ReadyForQuery I
        """,
        client.query("SELECT pg_notify('a', 'x')"));
  }

  @Test
  void notificationsReachASessionThatWaitsForItsClient() throws IOException {
    client.query("LISTEN a");
    other.query("NOTIFY a, 'x'");
    assertEquals(by(other, "a", "x"), client.read(1));
    other.query("NOTIFY b");
    other.query("NOTIFY a, 'y'");
    assertEquals(by(other, "a", "y"), client.read(1));
  }

  @Test
  void notificationsTakeEffectWithTheCommit() throws IOException {
    client.query("LISTEN a");
    other.query("BEGIN");
    other.query("NOTIFY a, 'rolled back'");
    other.query("ROLLBACK");
    other.query("BEGIN");
    other.query("NOTIFY a, 'committed'");
    assertAnswer("EmptyQueryResponse\nReadyForQuery I", client.query(""));
    other.query("COMMIT");
    assertEquals(by(other, "a", "committed"), client.read(1));
  }

  @Test
  void failedTransactionsNotifyNobody() throws IOException {
    client.query("LISTEN a");
    other.query("BEGIN");
    other.query("NOTIFY a, 'failed'");
    other.query("SELECT 1/0");
    other.query("COMMIT");
    other.query("SELECT pg_notify('a', 'failed'), 1/0");
    other.query("NOTIFY a, 'failed'; SELECT 1/0");
    other.query("NOTIFY a, 'last'");
    assertEquals(by(other, "a", "last"), client.read(1));
  }

  @Test
  void notificationsWaitForTheEndOfABlock() throws IOException {
    client.query("LISTEN a");
    client.query("BEGIN");
    other.query("NOTIFY a, 'x'");
    assertAnswer(
        """
        RowDescription ?column?:23
        DataRow 1
        CommandComplete SELECT 1
        ReadyForQuery T
        """,
        client.query("SELECT 1"));
    assertAnswer(
        "CommandComplete COMMIT\n" + by(other, "a", "x") + "\nReadyForQuery I",
        client.query("COMMIT"));
  }

  @Test
  void notificationsWaitForTheEndOfAFailedBlock() throws IOException {
    client.query("LISTEN a");
    client.query("BEGIN");
    client.query("SELECT 1/0");
    other.query("NOTIFY a, 'x'");
    assertAnswer("EmptyQueryResponse\nReadyForQuery E", client.query(""));
    assertAnswer(
        "CommandComplete ROLLBACK\n" + by(other, "a", "x") + "\nReadyForQuery I",
        client.query("ROLLBACK"));
  }

  @Test
  void notificationsWaitForSync() throws IOException {
    client.query("LISTEN a");
    client.send(parse("", "SELECT 1"), bind("", ""), execute("", 0), flush());
    client.read(4);
    other.query("NOTIFY a, 'x'");
    assertAnswer(by(other, "a", "x") + "\nReadyForQuery I", client.ask(sync()));
  }

  @Test
  void theExtendedProtocolNotifies() throws IOException {
    client.query("LISTEN a");
    assertAnswer(
        """
        ParseComplete
        BindComplete
        CommandComplete NOTIFY
        NotificationResponse a by itself: x
        ReadyForQuery I
        """,
        client.ask(parse("", "NOTIFY a, 'x'"), bind("", ""), execute("", 0), sync()));
  }

  // ---------------------------------------------------------------- which

  @Test
  void equalNotificationsOfATransactionComeOnce() throws IOException {
    client.query("LISTEN a");
    client.query("LISTEN b");
    other.query("BEGIN");
    other.query("NOTIFY a, 'x'");
    other.query("NOTIFY b, 'x'");
    other.query("NOTIFY a, 'y'");
    other.query("SELECT pg_notify('a', 'x'), pg_notify('b', 'x')");
    other.query("COMMIT");
    other.query("NOTIFY a, 'x'");
    assertEquals(
        by(other, "a", "x")
            + "\n"
            + by(other, "b", "x")
            + "\n"
            + by(other, "a", "y")
            + "\n"
            + by(other, "a", "x"),
        client.read(4));
  }

  @Test
  void savepointsTakeTheirNotificationsBack() throws IOException {
    client.query("LISTEN a");
    other.query("BEGIN");
    other.query("NOTIFY a, '1'");
    other.query("SAVEPOINT s");
    other.query("NOTIFY a, '1'");
    other.query("NOTIFY a, '2'");
    other.query("ROLLBACK TO s");
    other.query("NOTIFY a, '3'");
    other.query("SAVEPOINT t");
    other.query("NOTIFY a, '2'");
    other.query("RELEASE t");
    other.query("SAVEPOINT u");
    other.query("NOTIFY a, '4'");
    other.query("SELECT 1/0");
    other.query("ROLLBACK TO u");
    other.query("COMMIT");
    assertEquals(
        by(other, "a", "1") + "\n" + by(other, "a", "3") + "\n" + by(other, "a", "2"),
        client.read(3));
    assertAnswer("EmptyQueryResponse\nReadyForQuery I", client.query(""));
  }

  @Test
  void aTransactionThatListensHearsItself() throws IOException {
    assertAnswer(
        """
        CommandComplete BEGIN
        CommandComplete NOTIFY
        CommandComplete LISTEN
        CommandComplete COMMIT
        NotificationResponse a by itself: x
        ReadyForQuery I
        """,
        client.query("BEGIN; NOTIFY a, 'x'; LISTEN a; COMMIT"));
  }

  @Test
  void channelsAreNames() throws IOException {
    client.query("LISTEN \"Two Words\"");
    client.query("LISTEN Lower");
    assertEquals("Two Words lower", channels());
    other.query("NOTIFY \"Two Words\", 'x'");
    assertEquals(by(other, "Two Words", "x"), client.read(1));
    other.query("SELECT pg_notify('LOWER', 'no'), pg_notify('lower', 'ä€')");
    assertEquals(by(other, "lower", "ä€"), client.read(1));
  }

  // ---------------------------------------------------------------- who listens

  @Test
  void listeningBeginsAndEndsWithTheCommit() throws IOException {
    client.query("BEGIN");
    client.query("LISTEN a");
    assertEquals("", channels());
    client.query("ROLLBACK");
    assertEquals("", channels());
    client.query("BEGIN");
    client.query("LISTEN a");
    client.query("SAVEPOINT s");
    client.query("LISTEN b");
    client.query("ROLLBACK TO s");
    client.query("LISTEN c");
    client.query("COMMIT");
    assertEquals("a c", channels());
    client.query("BEGIN");
    client.query("UNLISTEN a");
    assertEquals("a c", channels());
    client.query("ROLLBACK");
    assertEquals("a c", channels());
    client.query("BEGIN; UNLISTEN *; LISTEN d; UNLISTEN c; COMMIT");
    assertEquals("d", channels());
  }

  @Test
  void whoListensNoMoreHearsNothing() throws IOException {
    client.query("LISTEN a");
    client.query("LISTEN b");
    assertAnswer("CommandComplete UNLISTEN\nReadyForQuery I", client.query("UNLISTEN a"));
    other.query("NOTIFY a");
    other.query("NOTIFY b");
    assertEquals(by(other, "b", ""), client.read(1));
    assertAnswer("CommandComplete UNLISTEN\nReadyForQuery I", client.query("UNLISTEN *"));
    assertEquals("", channels());
  }

  @Test
  void whatWaitsForAChannelThatIsGivenUpIsDropped() throws IOException {
    client.query("LISTEN a");
    client.query("LISTEN b");
    client.query("BEGIN");
    client.query("UNLISTEN a");
    other.query("NOTIFY a");
    other.query("NOTIFY b");
    assertAnswer(
        "CommandComplete COMMIT\n" + by(other, "b", "") + "\nReadyForQuery I",
        client.query("COMMIT"));
  }

  @Test
  void discardAllEndsListening() throws IOException {
    client.query("LISTEN a");
    assertAnswer("CommandComplete DISCARD ALL\nReadyForQuery I", client.query("DISCARD ALL"));
    assertEquals("", channels());
  }

  @Test
  void listeningTwiceIsOnce() throws IOException {
    client.query("LISTEN a");
    client.query("LISTEN a");
    assertEquals("a", channels());
    other.query("NOTIFY a");
    other.query("NOTIFY a, 'next'");
    assertEquals(by(other, "a", "") + "\n" + by(other, "a", "next"), client.read(2));
  }

  // ---------------------------------------------------------------- what is refused

  @Test
  void channelsAndPayloadsAreBounded() throws IOException {
    client.query("LISTEN " + "c".repeat(63));
    assertAnswer(
        "ERROR 22023 channel name cannot be empty\nReadyForQuery I",
        last(other.query("SELECT pg_notify('', 'x')"), 2));
    assertAnswer(
        "ERROR 22023 channel name cannot be empty\nReadyForQuery I",
        last(other.query("SELECT pg_notify(NULL, 'x')"), 2));
    assertAnswer(
        "ERROR 22023 channel name too long\nReadyForQuery I",
        last(other.query("SELECT pg_notify(repeat('c', 64), 'x')"), 2));
    assertAnswer(
        "ERROR 22023 payload string too long\nReadyForQuery I",
        last(other.query("SELECT pg_notify('a', repeat('x', 8000))"), 2));
    assertAnswer(
        "ERROR 22023 payload string too long\nReadyForQuery I",
        last(other.query("NOTIFY a, '" + "€".repeat(2667) + "'"), 2));
    other.query("SELECT pg_notify(repeat('c', 63), repeat('x', 7999))");
    assertEquals(by(other, "c".repeat(63), "x".repeat(7999)), client.read(1));
    other.query("SELECT pg_notify(repeat('c', 63), NULL)");
    assertEquals(by(other, "c".repeat(63), ""), client.read(1));
  }

  private static String last(String answer, int count) {
    String[] lines = answer.split("\n");
    StringBuilder last = new StringBuilder();
    for (int i = lines.length - count; i < lines.length; i++) {
      last.append(lines[i]).append('\n');
    }
    return last.toString().strip();
  }

  @Test
  void readOnlyTransactionsMayNotifyAndListen() throws IOException {
    client.query("BEGIN READ ONLY");
    assertAnswer("CommandComplete LISTEN\nReadyForQuery T", client.query("LISTEN a"));
    assertAnswer("CommandComplete NOTIFY\nReadyForQuery T", client.query("NOTIFY a"));
    client.query("COMMIT");
    assertEquals("a", channels());
  }

  @Test
  void theQueueIsEmptyWhenAllHaveTakenTheirs() throws IOException {
    assertAnswer(
        """
        RowDescription pg_notification_queue_usage:701
        DataRow 0
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.query("SELECT pg_notification_queue_usage()"));
  }
}
