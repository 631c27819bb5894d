package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.catalog.Sequences;
import io.gauss.compute.log.CommitAdvance;
import io.gauss.compute.log.LogBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What clients see while other nodes have not heard of a commit (rule 4). */
@Timeout(300)
class CommitWaitTest {
  @TempDir private Path directory;
  private final ExecutorService clients = Executors.newCachedThreadPool();
  private final AtomicLong through = new AtomicLong(CommitAdvance.EVERYTHING);
  private OneNode node;
  private LogBuffer log;

  @BeforeEach
  void start() throws SQLException {
    node = new OneNode(directory);
    node.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE SEQUENCE s", "CREATE ROLE r LOGIN");
    log = node.node.engine().log();
    log.advance(
        new CommitAdvance() {
          @Override
          public void sending(long lsn) {
            // The others are as far as the test says.
          }

          @Override
          public long through() {
            return through.get();
          }
        });
  }

  @AfterEach
  void stop() {
    clients.shutdownNow();
    node.node.close();
  }

  private void othersHearNothing() {
    through.set(0);
  }

  private void othersHearEverything() {
    through.set(CommitAdvance.EVERYTHING);
    log.advanced();
  }

  /** Returns when so many wait for the others, the client of this answer among them. */
  private void assertUnanswered(Future<?> answer, int waiting) {
    while (log.waitingForOthers() < waiting && !answer.isDone()) {
      Thread.onSpinWait();
    }
    assertFalse(answer.isDone(), "the others have not heard of it");
  }

  private Future<Void> insert(int id) {
    return run("INSERT INTO t VALUES (" + id + ")");
  }

  private Future<Void> run(String text) {
    Callable<Void> statement =
        () -> {
          node.execute(text);
          return null;
        };
    return clients.submit(statement);
  }

  @Test
  void aCommitIsAnsweredWhenTheOthersHaveHeardOfIt() throws Exception {
    othersHearNothing();
    Future<Void> commit = insert(1);
    assertUnanswered(commit, 1);
    othersHearEverything();
    commit.get(60, TimeUnit.SECONDS);
  }

  @Test
  void whoeverReadsACommitIsAnsweredWhenTheOthersHaveHeardOfIt() throws Exception {
    othersHearNothing();
    Future<Void> commit = insert(1);
    assertUnanswered(commit, 1);
    Future<List<String>> read = clients.submit(() -> node.query("SELECT id FROM t"));
    assertUnanswered(read, 2);
    othersHearEverything();
    assertEquals(List.of("1"), read.get(60, TimeUnit.SECONDS));
    commit.get(60, TimeUnit.SECONDS);
  }

  /** What the node that dies now has answered, the next one would answer again. */
  @Test
  void aValueOfASequenceIsAnsweredWhenItsRangeIsSafe() throws Exception {
    othersHearNothing();
    Future<List<String>> first = clients.submit(() -> node.query("SELECT nextval('s')"));
    assertUnanswered(first, 1);
    Future<List<String>> second = clients.submit(() -> node.query("SELECT nextval('s')"));
    assertUnanswered(second, 2);
    othersHearEverything();
    Set<List<String>> values = Set.of(first.get(60, TimeUnit.SECONDS), second.get());
    assertEquals(Set.of(List.of("1"), List.of("2")), values);
  }

  @Test
  void otherValuesOfTheRangeWaitForNothing() throws Exception {
    assertEquals(List.of("1"), node.query("SELECT nextval('s')"));
    othersHearNothing();
    for (int i = 2; i <= Sequences.RANGE; i++) {
      assertEquals(List.of("" + i), node.query("SELECT nextval('s')"));
    }
    Future<List<String>> next = clients.submit(() -> node.query("SELECT nextval('s')"));
    assertUnanswered(next, 1);
    othersHearEverything();
    assertEquals(List.of("" + (Sequences.RANGE + 1)), next.get(60, TimeUnit.SECONDS));
  }

  @Test
  void aValueInsideATransactionIsNotAnsweredEither() throws Exception {
    try (Connection connection = node.connect()) {
      connection.setAutoCommit(false);
      assertEquals(List.of("1"), OneNode.query(connection, "SELECT 1"));
      othersHearNothing();
      Future<List<String>> value =
          clients.submit(() -> OneNode.query(connection, "SELECT nextval('s')"));
      assertUnanswered(value, 1);
      othersHearEverything();
      assertEquals(List.of("1"), value.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void setvalIsAnsweredWhenItIsSafe() throws Exception {
    othersHearNothing();
    Future<List<String>> value = clients.submit(() -> node.query("SELECT setval('s', 100)"));
    assertUnanswered(value, 1);
    othersHearEverything();
    assertEquals(List.of("100"), value.get(60, TimeUnit.SECONDS));
  }

  @Test
  void whoeverUsesADefinitionIsAnsweredWhenTheOthersHaveHeardOfIt() throws Exception {
    // Connected before: a log-in waits, too.
    try (Connection one = node.connect();
        Connection two = node.connect();
        Connection three = node.connect()) {
      othersHearNothing();
      Future<Void> created = run("CREATE ROLE q");
      assertUnanswered(created, 1);
      String question = "SELECT rolname FROM pg_roles WHERE rolname = 'q'";
      Future<List<String>> read = clients.submit(() -> OneNode.query(one, question));
      assertUnanswered(read, 2);
      Future<Boolean> used = clients.submit(() -> two.createStatement().execute("SET ROLE q"));
      assertUnanswered(used, 3);
      Future<List<String>> refused =
          clients.submit(() -> OneNode.query(three, "SELECT 1 FROM nothing"));
      assertUnanswered(refused, 4);
      othersHearEverything();
      assertEquals(List.of("q"), read.get(60, TimeUnit.SECONDS));
      created.get(60, TimeUnit.SECONDS);
      used.get(60, TimeUnit.SECONDS);
      assertEquals("42P01", state(refused));
    }
  }

  @Test
  void aRoleIsAdmittedOrRefusedWhenTheOthersHaveHeardWhy() throws Exception {
    othersHearNothing();
    Future<Void> revoked = run("ALTER ROLE r NOLOGIN");
    assertUnanswered(revoked, 1);
    String url = "jdbc:postgresql://127.0.0.1:%d/gauss?user=r".formatted(node.node.port());
    Future<Void> login =
        clients.submit(
            () -> {
              DriverManager.getConnection(url).close();
              return null;
            });
    assertUnanswered(login, 2);
    othersHearEverything();
    revoked.get(60, TimeUnit.SECONDS);
    assertEquals("28000", state(login));
  }

  /** An answer may also say that something was not done because of what a commit has written. */
  @Test
  void whatActsOnACommitThatItDoesNotSeeWaitsForItToo() throws Exception {
    node.execute("INSERT INTO t VALUES (1)");
    try (Connection connection = node.connect()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertEquals(List.of("1"), OneNode.query(connection, "SELECT id FROM t"));
      othersHearNothing();
      Future<Void> commit = run("INSERT INTO t VALUES (2)");
      assertUnanswered(commit, 1);
      Future<Void> changed = run("UPDATE t SET id = 3 WHERE id = 1");
      assertUnanswered(changed, 2);
      Future<Void> refused = run("INSERT INTO t VALUES (2)");
      assertUnanswered(refused, 3);
      Future<Void> nothing = run("INSERT INTO t VALUES (2) ON CONFLICT DO NOTHING");
      assertUnanswered(nothing, 4);
      Future<List<String>> late =
          clients.submit(
              () -> OneNode.query(connection, "SELECT id FROM t WHERE id > 0 FOR UPDATE"));
      assertUnanswered(late, 5);
      othersHearEverything();
      commit.get(60, TimeUnit.SECONDS);
      changed.get(60, TimeUnit.SECONDS);
      nothing.get(60, TimeUnit.SECONDS);
      assertEquals("23505", state(refused));
      assertEquals("40001", state(late));
    }
  }

  /** The lock's transaction is active, and tells nothing of who wrote the row. */
  @Test
  void whatActsOnARowThatAnActiveTransactionHasLockedWaitsForItsWriter() throws Exception {
    node.execute("CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES t)");
    try (Connection locker = node.connect();
        Connection writer = node.connect()) {
      locker.setAutoCommit(false);
      writer.setAutoCommit(false);
      othersHearNothing();
      Future<Void> commit = run("INSERT INTO t VALUES (2)");
      assertUnanswered(commit, 1);
      Future<List<String>> locked =
          clients.submit(() -> OneNode.query(locker, "SELECT id FROM t WHERE id = 2 FOR UPDATE"));
      assertUnanswered(locked, 2);
      Future<Void> refused = run("INSERT INTO t VALUES (2)");
      assertUnanswered(refused, 3);
      Future<Integer> referred =
          clients.submit(
              () -> writer.createStatement().executeUpdate("INSERT INTO child VALUES (1, 2)"));
      assertUnanswered(referred, 4);
      othersHearEverything();
      commit.get(60, TimeUnit.SECONDS);
      assertEquals(List.of("2"), locked.get(60, TimeUnit.SECONDS));
      assertEquals("23505", state(refused));
      assertEquals(1, referred.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void thatASequenceHasRunOutIsAnsweredWhenItsLastRangeIsSafe() throws Exception {
    node.execute("CREATE SEQUENCE last MAXVALUE 2", "CREATE SEQUENCE set MAXVALUE 9");
    othersHearNothing();
    Future<List<String>> all =
        clients.submit(() -> node.query("SELECT nextval('last'), nextval('last')"));
    assertUnanswered(all, 1);
    Future<List<String>> none = clients.submit(() -> node.query("SELECT nextval('last')"));
    assertUnanswered(none, 2);
    Future<List<String>> set = clients.submit(() -> node.query("SELECT setval('set', 9)"));
    assertUnanswered(set, 3);
    Future<List<String>> behind = clients.submit(() -> node.query("SELECT nextval('set')"));
    assertUnanswered(behind, 4);
    othersHearEverything();
    assertEquals(List.of("1|2"), all.get(60, TimeUnit.SECONDS));
    assertEquals("2200H", state(none));
    assertEquals(List.of("9"), set.get(60, TimeUnit.SECONDS));
    assertEquals("2200H", state(behind));
  }

  private static String state(Future<?> failed) {
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> failed.get(60, TimeUnit.SECONDS));
    return ((SQLException) e.getCause()).getSQLState();
  }

  @Test
  void withCommitWaitLocalOnlyTheOwnClientHearsOfItOnceItIsDurable() throws Exception {
    othersHearNothing();
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET gauss.commit_wait = local");
      statement.execute("INSERT INTO t VALUES (1)");
      assertTrue(log.visibleLsn() < log.durableLsn());
      Future<List<String>> read = clients.submit(() -> node.query("SELECT id FROM t"));
      assertUnanswered(read, 1);
      othersHearEverything();
      assertEquals(List.of("1"), read.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void theHorizonStaysBelowWhatIsNotVisible() throws Exception {
    othersHearNothing();
    Future<Void> commit = insert(1);
    assertUnanswered(commit, 1);
    long visible = log.visibleLsn();
    node.node.transactions().refreshHorizon();
    assertTrue(node.node.transactions().horizon().lsn() <= visible);
    othersHearEverything();
    commit.get(60, TimeUnit.SECONDS);
    node.node.transactions().refreshHorizon();
    assertTrue(node.node.transactions().horizon().lsn() > visible);
  }
}
