package io.gauss.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.gauss.jdbc.LogicalTransaction.Phase;
import io.gauss.jdbc.cluster.FakeNode;
import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.text.StatementText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The driver's state machine, without connections. */
class LogicalTransactionTest {
  private static final List<String> TEXTS =
      List.of(
          "BEGIN",
          "COMMIT",
          "ROLLBACK",
          "COMMIT AND CHAIN",
          "ROLLBACK AND CHAIN",
          "SAVEPOINT a",
          "SAVEPOINT b",
          "RELEASE a",
          "RELEASE b",
          "ROLLBACK TO a",
          "ROLLBACK TO b",
          "SELECT 1",
          "UPDATE t SET v = 1",
          "CREATE TEMP TABLE m (i int)",
          "DROP TABLE m");

  private final FakeNode server = new FakeNode();
  private final NodeConnection node;
  private final Trail trail = new Trail(new SessionSettings(() -> null), null);
  private final LogicalTransaction transaction = new LogicalTransaction(trail);

  LogicalTransactionTest() throws SQLException {
    node = server.connection();
  }

  private void answered(String sql, boolean wasOpen, boolean isOpen) {
    StatementText text = StatementText.of(sql);
    server.isOpen(isOpen);
    transaction.answered(text, wasOpen, false, text.tellsNothing(), node);
  }

  private void broke(String sql, boolean wasOpen) {
    transaction.broke(StatementText.of(sql), wasOpen);
  }

  /** A naive server: whole copies of what exists, for each savepoint. */
  private static final class Naive {
    boolean isOpen;
    boolean isPlain = true; // the open transaction has done nothing that cannot be repeated
    Set<String> committed = Set.of();
    Set<String> now = Set.of();
    final List<String> names = new ArrayList<>();
    final List<Set<String>> copies = new ArrayList<>();

    boolean takes(String sql) {
      String name = sql.substring(sql.lastIndexOf(' ') + 1);
      return switch (sql.substring(0, sql.indexOf(' ') < 0 ? sql.length() : sql.indexOf(' '))) {
        case "BEGIN" -> !isOpen;
        case "SAVEPOINT" -> isOpen;
        case "RELEASE" -> names.contains(name);
        case "ROLLBACK" -> sql.contains(" TO ") ? names.contains(name) : isOpen;
        case "COMMIT" -> isOpen;
        case "CREATE" -> now.isEmpty();
        case "DROP" -> !now.isEmpty();
        default -> true;
      };
    }

    void run(String sql) {
      String name = sql.substring(sql.lastIndexOf(' ') + 1);
      if (sql.equals("BEGIN")) {
        begin();
      } else if (sql.startsWith("SAVEPOINT")) {
        names.add(name);
        copies.add(now);
      } else if (sql.startsWith("RELEASE") || sql.contains(" TO ")) {
        int at = names.lastIndexOf(name);
        boolean isRelease = sql.startsWith("RELEASE");
        now = isRelease ? now : copies.get(at);
        names.subList(isRelease ? at : at + 1, names.size()).clear();
        copies.subList(isRelease ? at : at + 1, copies.size()).clear();
      } else if (sql.startsWith("COMMIT") || sql.startsWith("ROLLBACK")) {
        committed = sql.startsWith("COMMIT") ? now : committed;
        now = committed;
        isOpen = false;
        if (sql.endsWith("CHAIN")) {
          begin();
          isPlain = false; // it stays where the first one was
        }
      } else if (!sql.equals("SELECT 1")) {
        isPlain = false;
        now = sql.startsWith("CREATE") ? Set.of("m") : sql.startsWith("DROP") ? Set.of() : now;
      }
      if (!isOpen) {
        committed = now;
        names.clear();
        copies.clear();
      }
    }

    private void begin() {
      isOpen = true;
      isPlain = true;
      names.clear();
      copies.clear();
    }
  }

  @Test
  void whatPinsIsWhatANaiveServerHas() throws SQLException {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int run = 0; run < 3000; run++) {
      LogicalTransactionTest fresh = new LogicalTransactionTest();
      Naive naive = new Naive();
      List<String> done = new ArrayList<>();
      for (int i = 0; i < 25; i++) {
        String sql = TEXTS.get(random.nextInt(TEXTS.size()));
        if (!naive.takes(sql)) {
          continue;
        }
        done.add(sql);
        boolean wasOpen = naive.isOpen;
        naive.run(sql);
        fresh.answered(sql, wasOpen, naive.isOpen);
        String what = done + ", seed " + seed;
        Set<String> pinning = new HashSet<>(naive.now);
        pinning.addAll(naive.committed); // a drop may still be rolled back
        assertEquals(!pinning.isEmpty(), fresh.trail.isPinned(), what);
        Phase phase = fresh.transaction.phase();
        assertEquals(naive.isOpen, fresh.transaction.isOpen(), what);
        if (naive.isOpen) {
          assertSame(naive.isPlain ? Phase.BEGUN : Phase.BOUND, phase, what);
        }
        if (phase == Phase.BEGUN) {
          Naive other = new Naive();
          fresh.transaction.prelude().forEach(other::run);
          assertEquals(naive.names, other.names, what);
          assertEquals(true, other.isOpen, what);
        }
      }
    }
  }

  @Test
  void aLostTransactionIsLostUntilItIsRolledBack() {
    answered("BEGIN", false, true);
    assertSame(Phase.BEGUN, transaction.phase());
    answered("UPDATE t SET v = 1", true, true);
    assertSame(Phase.BOUND, transaction.phase());
    broke("UPDATE t SET v = 2", true);
    assertSame(Phase.LOST, transaction.phase());
    transaction.rolledBack();
    assertSame(Phase.NONE, transaction.phase());
  }

  @Test
  void whatEndsATransactionLeavesNoneThatIsLost() {
    for (String sql : List.of("COMMIT", "ROLLBACK", "UPDATE t SET v = 1; COMMIT")) {
      answered("BEGIN; UPDATE t SET v = 1", false, true);
      broke(sql, true);
      assertSame(Phase.NONE, transaction.phase(), sql);
    }
    for (String sql : List.of("COMMIT; BEGIN", "COMMIT AND CHAIN", "ROLLBACK TO a", "SELECT 1")) {
      answered("BEGIN; UPDATE t SET v = 1", false, true);
      broke(sql, true);
      assertSame(Phase.LOST, transaction.phase(), sql);
      transaction.rolledBack();
    }
    broke("UPDATE t SET v = 1", false);
    assertSame(Phase.NONE, transaction.phase(), "in autocommit nothing is open");
  }

  @Test
  void aTransactionThatEndsUnseenLeavesWhatItMayHaveMade() {
    answered("BEGIN", false, true);
    answered("CREATE TEMP TABLE m (i int)", true, true);
    server.isOpen(false);
    transaction.look(node);
    assertSame(Phase.NONE, transaction.phase());
    assertEquals("temporary table m", trail.describe());
  }

  @Test
  void whatNoRollbackTakesBackPinsAlsoWhenTheTextFailsBehindIt() {
    transaction.failed(StatementText.of("PREPARE p AS SELECT nothing"), false, node);
    assertEquals("", trail.describe(), "it was not prepared");
    transaction.failed(StatementText.of("PREPARE p AS SELECT 1; SELECT 1 / 0"), false, node);
    assertEquals("prepared statement p", trail.describe());
    transaction.failed(StatementText.of("CREATE TEMP TABLE m (i int); SELECT 1 / 0"), false, node);
    assertEquals("prepared statement p", trail.describe(), "the table is gone");
  }

  /** Of everything that may have been sent, with and without the server's word. */
  @Test
  void inDoubtTheOutcomeIsOpen() {
    StatementText commit = StatementText.of("COMMIT; BEGIN");
    StatementText read = StatementText.of("SELECT v FROM t");
    StatementText write = StatementText.of("UPDATE t SET v = 1");
    StatementText both = StatementText.of("UPDATE t SET v = 1; COMMIT; SELECT 1");
    for (boolean isSilent : new boolean[] {true, false}) {
      assertSame(Loss.OUTCOME_OPEN, Loss.of(true, commit, isSilent, false));
      assertSame(Loss.OUTCOME_OPEN, Loss.of(false, both, isSilent, false));
      assertSame(Loss.OUTCOME_OPEN, Loss.of(false, StatementText.of("CALL p()"), isSilent, false));
      Loss nothing = isSilent ? Loss.NOTHING_HAPPENED : Loss.AS_THE_SERVER_SAYS;
      assertSame(nothing, Loss.of(true, write, isSilent, false));
      assertSame(nothing, Loss.of(false, read, isSilent, false));
    }
    assertSame(Loss.OUTCOME_OPEN, Loss.of(false, write, true, false));
    assertSame(Loss.AS_THE_SERVER_SAYS, Loss.of(false, write, false, false));
    assertSame(Loss.OUTCOME_OPEN, Loss.of(false, write, false, true), "the server says so");
  }

  /** Of a batch of a prepared statement, too, a part may be committed when a reason comes. */
  @Test
  void aReasonForTheEndTellsTheOutcomeOfASingleExecutionOnly() {
    StatementText one = StatementText.of("INSERT INTO t VALUES (?)");
    assertSame(Loss.AS_THE_SERVER_SAYS, Loss.of(false, one, false, false));
    StatementText batch = StatementText.ofBatch(List.of(one));
    assertSame(Loss.OUTCOME_OPEN, Loss.of(false, batch, false, false));
    assertSame(Loss.AS_THE_SERVER_SAYS, Loss.of(true, batch, false, false));
  }
}
