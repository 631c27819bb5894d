package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.cancelRequest;
import static io.gauss.compute.pgwire.WireMessages.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.compute.txn.Transactions;
import io.gauss.storage.node.StorageNodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What Gauss refuses or does otherwise than PostgreSQL, for a reason given with each. */
class GaussLimitsTest extends WireContract {
  private static final int CONNECTIONS = 60;
  private static final int RESERVED = 2;
  private static final int STARTING = 20;
  private static final int LONG_BYTES = 60 << 20;

  @RegisterExtension
  static final GaussNode NODE =
      new GaussNode(
          Map.of(
              "connections.max",
              Integer.toString(CONNECTIONS),
              "connections.reserved",
              Integer.toString(RESERVED),
              "connections.starting",
              Integer.toString(STARTING)));

  @Override
  WireServer server() {
    return NODE;
  }

  /** The places of the test before: its clients have closed, which the node may not have heard. */
  @BeforeEach
  void awaitFreePlaces() {
    StorageNodes.await("all places to be free", () -> NODE.server().connections() == 0);
  }

  /** PostgreSQL tells its log only. */
  @Test
  void aLengthThatNoMessageHasEndsTheConnection() throws IOException {
    for (int length : new int[] {Integer.MIN_VALUE, -1, 0, 3, (64 << 20) + 1, Integer.MAX_VALUE}) {
      assertLengthRefused('Q', length);
    }
    for (char type : "CDEHSXcf".toCharArray()) {
      assertLengthRefused(type, 10_001);
    }
  }

  private void assertLengthRefused(char type, int length) throws IOException {
    WireClient client = start();
    client.send(
        WireMessages.bytes(
            out -> {
              out.writeByte(type);
              out.writeInt(length);
            }));
    assertAnswer("FATAL 08P01 invalid message length\nclosed", client.readUntilClosed());
  }

  /** Together they ask for more memory than this JVM has. */
  @Test
  void roomForAMessageIsMadeAsItArrives() throws IOException {
    for (int i = 0; i < CONNECTIONS - 5; i++) {
      WireClient client = start();
      client.send(
          WireMessages.bytes(
              out -> {
                out.writeByte('Q');
                out.writeInt(64 << 20);
                out.writeBytes("SELECT 1");
              }));
    }
    assertTrue(start().query("SELECT 1").startsWith("RowDescription"));
  }

  @Test
  void anInputThatIsFasterThanItsStatementsIsNotReadAhead() throws Exception {
    WireClient holder = start();
    holder.query("CREATE TABLE ahead (id int)");
    holder.query("BEGIN");
    holder.query("INSERT INTO ahead VALUES (1)");
    WireClient client = start();
    int queries = 20_000;
    byte[] query = query("SELECT '" + "x".repeat(1000) + "'");
    byte[][] many = new byte[queries][];
    Arrays.fill(many, query);
    client.send(query("DROP TABLE ahead"));
    awaitWaiting(1);
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    client.send(many);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    holder.query("COMMIT");
    assertAnswer("CommandComplete DROP TABLE\nReadyForQuery I", client.readUntilReady());
    for (int i = 0; i < queries; i++) {
      assertTrue(client.readUntilReady().endsWith("CommandComplete SELECT 1\nReadyForQuery I"));
    }
    writer.join();
  }

  @Test
  void moreConnectionsThanTheSettingAllowsAreRefused() throws IOException {
    List<WireClient> clients = new ArrayList<>();
    String answer;
    do {
      WireClient client = connect();
      clients.add(client);
      answer = client.ask(startup(PgProtocol.PROTOCOL_3_0));
    } while (answer.endsWith("ReadyForQuery I"));
    assertAnswer("FATAL 53300 sorry, too many clients already\nclosed", answer);
    // A request to cancel needs no place.
    WireClient canceller = connect();
    canceller.send(cancelRequest(clients.getFirst().processId(), clients.getFirst().secret()));
    assertAnswer("closed", canceller.readUntilClosed());
    clients.getFirst().close();
    do {
      answer = connect().ask(startup(PgProtocol.PROTOCOL_3_0));
    } while (!answer.endsWith("ReadyForQuery I"));
  }

  @Test
  void theLastConnectionsAreForSuperusers() throws IOException {
    start().query("CREATE ROLE plain LOGIN");
    byte[] plain =
        WireMessages.startup(PgProtocol.PROTOCOL_3_0, "user", "plain", "database", "gauss");
    List<WireClient> clients = new ArrayList<>();
    String answer;
    do {
      WireClient client = connect();
      clients.add(client);
      answer = client.ask(plain);
    } while (answer.endsWith("ReadyForQuery I"));
    assertAnswer(
        "FATAL 53300 remaining connection slots are reserved for non-replication superuser"
            + " connections\nclosed",
        answer);
    for (int i = 0; i < RESERVED; i++) {
      assertTrue(start().query("SELECT 1").endsWith("ReadyForQuery I"));
    }
    assertAnswer(
        "FATAL 53300 sorry, too many clients already\nclosed",
        connect().ask(startup(PgProtocol.PROTOCOL_3_0)));
    clients.getFirst().query("SELECT 1");
  }

  /** Those who are refused must not take the places of superusers even for a moment. */
  @Test
  void aSuperuserIsNotRefusedBecauseOthersAre() throws Exception {
    PgServer server = NODE.server();
    List<PgConnection> all = new ArrayList<>();
    while (isAdmitted(server, new PgConnection(server), false, all)) {
      // until only the reserved places are left
    }
    for (int i = 1; i < RESERVED; i++) {
      isAdmitted(server, new PgConnection(server), true, all);
    }
    AtomicBoolean isOver = new AtomicBoolean();
    List<Thread> crowd = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      crowd.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    PgConnection refused = new PgConnection(server);
                    while (!isOver.get()) {
                      isAdmitted(server, refused, false, null);
                    }
                  }));
    }
    try {
      PgConnection superuser = new PgConnection(server);
      for (int i = 0; i < 50_000; i++) {
        server.admit(superuser, true);
        server.connectionClosed(superuser);
      }
    } finally {
      isOver.set(true);
      for (Thread thread : crowd) {
        thread.join();
      }
      all.forEach(server::connectionClosed);
    }
  }

  private static boolean isAdmitted(
      PgServer server, PgConnection connection, boolean superuser, List<PgConnection> to) {
    try {
      server.admit(connection, superuser);
    } catch (GaussException e) {
      return false;
    }
    to.add(connection);
    return true;
  }

  @Test
  void whoeverDoesNotAuthenticateHoldsNoPlaceForLong() throws IOException {
    WireClient session = start();
    List<WireClient> silent = new ArrayList<>();
    for (int i = 0; i < STARTING; i++) {
      WireClient client = connect();
      client.send(WireMessages.request(PgProtocol.SSL_REQUEST));
      assertEquals('N', client.readByte());
      silent.add(client);
    }
    // One more costs the oldest of them its place, and no session.
    assertTrue(start().query("SELECT 1").endsWith("ReadyForQuery I"));
    assertAnswer("closed", silent.getFirst().readUntilClosed());
    assertTrue(session.query("SELECT 1").endsWith("ReadyForQuery I"));
  }

  /** What PostgreSQL answers as well; but the others on the same event loop must not wait. */
  @Test
  void megabytesOfDigitsAreNoNumber() throws IOException {
    byte[] digits = new byte[LONG_BYTES];
    Arrays.fill(digits, (byte) '9');
    WireClient client = start();
    assertAnswer(
        "ParseComplete\nERROR 22003 value overflows numeric format\nReadyForQuery I",
        client.ask(
            WireMessages.parse("", "SELECT $1::numeric"),
            WireMessages.bind("", "", new int[0], new byte[][] {digits}, new int[0]),
            WireMessages.sync()));
    assertAnswer(
        "ParseComplete\nBindComplete\nERROR 22003 value overflows numeric format\nReadyForQuery I",
        client.ask(
            WireMessages.parse("", "SELECT $1::text::numeric"),
            WireMessages.bind("", "", new int[0], new byte[][] {digits}, new int[0]),
            WireMessages.execute("", 0),
            WireMessages.sync()));
    assertTrue(
        client
            .query("SELECT " + "9".repeat(200_000))
            .startsWith("ERROR 22003 value overflows numeric format"));
    assertTrue(client.query("SELECT 1").endsWith("ReadyForQuery I"));
  }

  @Test
  void preparedStatementsTakeSoMuchMemoryAndNoMore() throws IOException {
    WireClient client = start();
    String text = "SELECT '" + "x".repeat(1 << 20) + "' AS ";
    String answer;
    int count = 0;
    do {
      answer =
          client.ask(WireMessages.parse("s" + count, text + "c" + count++), WireMessages.sync());
    } while (answer.equals("ParseComplete\nReadyForQuery I"));
    assertAnswer("ERROR 53200 out of memory\nReadyForQuery I", answer);
    assertTrue(count > 5, "" + count);
    assertAnswer("CommandComplete DEALLOCATE ALL\nReadyForQuery I", client.query("DEALLOCATE ALL"));
    assertAnswer(
        "ParseComplete\nReadyForQuery I",
        client.ask(WireMessages.parse("again", text + "d"), WireMessages.sync()));
  }

  @Test
  void portalsTakeSoMuchMemoryAndNoMore() throws IOException {
    WireClient client = start();
    byte[][] value = {new byte[4 << 20]};
    Arrays.fill(value[0], (byte) 'x');
    client.query("BEGIN");
    client.ask(WireMessages.parse("s", "SELECT $1::text"), WireMessages.sync());
    String answer;
    int count = 0;
    do {
      answer =
          client.ask(
              WireMessages.bind("p" + count++, "s", new int[0], value, new int[0]),
              WireMessages.sync());
    } while (answer.equals("BindComplete\nReadyForQuery T"));
    assertAnswer("ERROR 53200 out of memory\nReadyForQuery E", answer);
    client.query("ROLLBACK");
    assertAnswer(
        "BindComplete\nReadyForQuery I",
        client.ask(
            WireMessages.bind("p", "s", new int[0], value, new int[0]), WireMessages.sync()));
  }

  /** What is refused must not have been taken first. */
  @Test
  void theBytesOfABindAreCountedBeforeTheyAreRead() throws IOException {
    WireClient client = start();
    client.query("BEGIN");
    client.ask(WireMessages.parse("s", "SELECT $1::text, $2::int"), WireMessages.sync());
    byte[][] right = {text(4 << 20), text("1")};
    byte[][] wrong = {right[0], text("x")};
    for (int i = 0; i < 30; i++) {
      assertAnswer(
          "ERROR 22P02 invalid input syntax for type integer: \"x\"\nReadyForQuery E",
          client.ask(
              WireMessages.bind("p", "s", new int[0], wrong, new int[0]), WireMessages.sync()));
      client.query("ROLLBACK");
      client.query("BEGIN");
    }
    String answer;
    int count = 0;
    do {
      answer =
          client.ask(
              WireMessages.bind("p" + count++, "s", new int[0], right, new int[0]),
              WireMessages.sync());
    } while (answer.equals("BindComplete\nReadyForQuery T"));
    client.query("ROLLBACK");
    client.query("BEGIN");
    for (int i = 1; i < count; i++) {
      client.ask(
          WireMessages.bind("p" + i, "s", new int[0], right, new int[0]), WireMessages.sync());
    }
    assertAnswer(
        "ERROR 53200 out of memory\nReadyForQuery E",
        client.ask(WireMessages.bind("", "s", new int[0], wrong, new int[0]), WireMessages.sync()));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] text(int bytes) {
    byte[] text = new byte[bytes];
    Arrays.fill(text, (byte) 'x');
    return text;
  }

  @Test
  void aCursorThatIsRefusedKeepsNoSnapshot() throws IOException {
    Transactions transactions = NODE.node().transactions();
    WireClient client = start();
    client.query("BEGIN");
    int count = 0;
    for (int length = 1 << 20; length > 0; length /= 2) {
      String text = "SELECT '" + "x".repeat(length) + "' AS c";
      String answer;
      do {
        answer = client.ask(WireMessages.parse("s" + count++, text), WireMessages.sync());
        if (answer.startsWith("ERROR")) {
          client.query("ROLLBACK");
          client.query("BEGIN");
        }
      } while (!answer.startsWith("ERROR"));
    }
    assertAnswer(
        "ERROR 53200 out of memory\nReadyForQuery E",
        client.query("DECLARE c CURSOR FOR SELECT * FROM pg_class"));
    client.query("ROLLBACK");
    WireClient other = start();
    other.query("CREATE TABLE horizon ()");
    long after = NODE.node().engine().log().visibleLsn();
    other.query("DROP TABLE horizon");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    do {
      transactions.refreshHorizon();
      assertTrue(System.nanoTime() < deadline, "a snapshot holds the horizon back");
    } while (transactions.horizon().lsn() <= after);
  }

  /** In PostgreSQL a backend that waits for a lock does not notice by default. */
  @Test
  void aClientThatGoesAwayWhileItWaitsForALockFreesItsOwn() throws IOException {
    WireClient client = start();
    client.query("CREATE TABLE away (id int PRIMARY KEY, v int)");
    client.query("INSERT INTO away VALUES (1, 0), (2, 0)");
    client.query("BEGIN");
    client.query("UPDATE away SET v = 1 WHERE id = 1");
    WireClient waiter = start();
    waiter.query("BEGIN");
    waiter.query("UPDATE away SET v = 2 WHERE id = 2");
    waiter.send(query("UPDATE away SET v = 2 WHERE id = 1"));
    awaitWaiting(1);
    waiter.close();
    assertAnswer(
        "CommandComplete UPDATE 1\nReadyForQuery I",
        start().query("UPDATE away SET v = v + 5 WHERE id = 2"));
    client.query("COMMIT");
    assertAnswer(
        "RowDescription id:23 v:23\nDataRow 1|1\nDataRow 2|5\nCommandComplete SELECT 2\n"
            + "ReadyForQuery I",
        client.query("SELECT * FROM away ORDER BY id"));
  }

  /** PostgreSQL's signal may come late and hit the next statement. */
  @Test
  void aRequestToCancelNothingDoesNotCancelTheNextStatement() throws IOException {
    WireClient client = start();
    for (int i = 0; i < 100; i++) {
      WireClient canceller = connect();
      canceller.send(cancelRequest(client.processId(), client.secret()));
      assertAnswer("closed", canceller.readUntilClosed());
      assertAnswer(
          "RowDescription ?column?:20\nDataRow %d\nCommandComplete SELECT 1\nReadyForQuery I"
              .formatted(i + 1),
          client.query("SELECT count(*) + %d FROM generate_series(1, 1) i".formatted(i)));
    }
  }

  /** Gauss does not keep old entries for an index that is newer than the snapshot. */
  @Test
  void aSnapshotOlderThanAnIndexDoesNotReadThroughIt() throws IOException {
    WireClient reader = start();
    reader.query("CREATE TABLE old (id int PRIMARY KEY, v int)");
    reader.query("CREATE TABLE other (id int)");
    reader.query("INSERT INTO old VALUES (1, 1)");
    WireClient writer = start();
    reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    reader.query("SELECT * FROM other");
    writer.query("UPDATE old SET v = 2");
    writer.query("CREATE INDEX old_v ON old (v)");
    String refused =
        "ERROR 40001 could not serialize access due to concurrent creation of index \"old_v\"\n"
            + "ReadyForQuery E";
    String answer = reader.query("SELECT * FROM old WHERE v = 1");
    assertAnswer(refused, answer.replaceAll("RowDescription.*\n", ""));
    reader.query("ROLLBACK");
    reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assertAnswer(
        "RowDescription id:23 v:23\nDataRow 1|2\nCommandComplete SELECT 1\nReadyForQuery T",
        reader.query("SELECT * FROM old WHERE v = 2"));
  }

  /** Rows that were to be locked, and are not, would be changed by others meanwhile. */
  @Test
  void rowsThatCannotBeLockedWhereTheyAreReadAreRefused() throws IOException {
    WireClient client = start();
    client.query("CREATE TABLE locked (id int PRIMARY KEY)");
    for (String each :
        List.of(
            "SELECT * FROM (SELECT * FROM locked) s FOR UPDATE|FOR UPDATE of a sub-query",
            "SELECT * FROM locked l, (SELECT * FROM locked) s FOR SHARE OF s"
                + "|FOR SHARE of a sub-query",
            "SELECT * FROM locked o WHERE EXISTS"
                + " (SELECT 1 FROM locked i WHERE i.id = o.id FOR UPDATE)"
                + "|FOR UPDATE in a sub-query that refers to outer rows",
            "CREATE VIEW locking AS SELECT * FROM locked FOR SHARE|FOR SHARE in a view",
            "DECLARE c CURSOR WITH HOLD FOR WITH s AS (SELECT 1) SELECT * FROM locked FOR UPDATE"
                + "|DECLARE CURSOR ... FOR UPDATE")) {
      String[] parts = each.split("\\|");
      assertAnswer(
          "ERROR 0A000 " + parts[1] + " is not supported\nReadyForQuery I",
          client.query(parts[0]).replaceFirst(" at \\d+", ""));
    }
    for (String accepted :
        List.of(
            "SELECT * FROM locked l, (SELECT * FROM locked) s FOR UPDATE OF l",
            "SELECT * FROM locked l, (SELECT * FROM locked FOR UPDATE) s FOR UPDATE",
            "SELECT * FROM locked l, (SELECT 1) s (a) FOR UPDATE")) {
      assertTrue(client.query(accepted).contains("CommandComplete SELECT 0"), accepted);
    }
  }

  @Test
  void whatIsNotSupportedHasItsName() throws IOException {
    WireClient client = start();
    for (String each :
        List.of("CHECKPOINT|CHECKPOINT", "SELECT to_tsvector('a')|function to_tsvector")) {
      String[] parts = each.split("\\|");
      assertAnswer(
          "ERROR 0A000 " + parts[1] + " is not supported\nReadyForQuery I",
          client.query(parts[0]).replaceFirst(" at \\d+", ""));
    }
    String prepared =
        client.ask(WireMessages.parse("", "SELECT to_tsvector($1)"), WireMessages.sync());
    assertTrue(prepared.contains("0A000 function to_tsvector is not supported"), prepared);
  }

  @Test
  void aCallOfAFunctionByMessageIsNotSupported() throws IOException {
    WireClient client = start();
    assertAnswer(
        "ERROR 0A000 the function call message is not supported\nReadyForQuery I",
        client.ask(WireMessages.message('F', out -> out.writeInt(0))));
    assertTrue(client.query("SELECT 1").endsWith("ReadyForQuery I"));
  }

  /** An error of the framing in a transaction that has written is told once. */
  @Test
  void aBrokenMessageInATransactionIsToldOnce() throws IOException {
    WireClient client = start();
    client.query("CREATE TABLE broken (id int)");
    client.query("BEGIN");
    client.query("INSERT INTO broken VALUES (1)");
    assertAnswer(
        "ERROR 08P01 invalid message format\nReadyForQuery E",
        client.ask(WireMessages.message('H', out -> out.writeByte(1)), WireMessages.sync()));
    assertAnswer("CommandComplete ROLLBACK\nReadyForQuery I", client.query("ROLLBACK"));
    assertAnswer("ReadyForQuery I", client.ask(WireMessages.sync()));
  }
}
