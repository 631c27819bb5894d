package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.log.CommitAdvance;
import io.gauss.compute.log.LogBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
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
@Timeout(120)
class CommitWaitTest {
  @TempDir private Path directory;
  private final ExecutorService clients = Executors.newCachedThreadPool();
  private final AtomicLong through = new AtomicLong(CommitAdvance.EVERYTHING);
  private OneNode node;
  private LogBuffer log;

  @BeforeEach
  void start() throws SQLException {
    node = new OneNode(directory);
    node.execute("CREATE TABLE t (id int PRIMARY KEY)");
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
    Callable<Void> statement =
        () -> {
          node.execute("INSERT INTO t VALUES (" + id + ")");
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
