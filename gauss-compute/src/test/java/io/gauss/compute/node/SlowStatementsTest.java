package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What log_min_duration_statement logs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SlowStatementsTest {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
        }
      };
  private Logger logger;
  private OneNode node;

  @BeforeAll
  void start(@TempDir Path data) throws SQLException {
    node = new OneNode(data);
    node.execute("CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)");
    logger = (Logger) LoggerFactory.getLogger("io.gauss.compute.session.SlowStatements");
    logger.setLevel(ch.qos.logback.classic.Level.INFO);
    appender.start();
    logger.addAppender(appender);
  }

  @AfterAll
  void stop() {
    logger.detachAppender(appender);
    node.close();
  }

  @BeforeEach
  @AfterEach
  void forget() {
    lines.clear();
  }

  private List<String> linesOf(String text) {
    return lines.stream().filter(line -> line.endsWith(text)).toList();
  }

  /** Milliseconds behind a name in a line. */
  private static double millis(String line, String name) {
    int at = line.indexOf(name + " ") + name.length() + 1;
    return Double.parseDouble(line.substring(at).split("[ ,)]")[0]);
  }

  @Test
  void nothingIsLoggedUnlessAskedFor() throws SQLException {
    node.query("SELECT v FROM t WHERE id = 1");
    assertEquals(List.of(), lines);
  }

  @Test
  void statementsBelowTheThresholdAreNotLogged() throws SQLException {
    node.execute("SET log_min_duration_statement = '1h'", "SELECT v FROM t WHERE id = 1");
    assertEquals(List.of(), lines);
  }

  @Test
  void aCommitTellsItsWaitForTheLog() throws SQLException {
    String update = "UPDATE t SET v = v + 1 WHERE id = 1 AND v > -1";
    node.execute("SET log_min_duration_statement = 0", update, "SELECT 1");
    List<String> found = linesOf("UPDATE t SET v = v + ? WHERE id = ? AND v > -?");
    assertEquals(1, found.size(), lines.toString());
    assertTrue(millis(found.getFirst(), "log") > 0, found.toString());
    assertEquals(0, millis(found.getFirst(), "row lock"));
  }

  @Test
  void aWaitForARowIsToldApart() throws Exception {
    String update = "UPDATE t SET v = 7 WHERE id = 1";
    try (Connection holder = node.connect();
        Statement hold = holder.createStatement()) {
      holder.setAutoCommit(false);
      hold.execute("UPDATE t SET v = 6 WHERE id = 1");
      Thread waiting =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      node.execute("SET log_min_duration_statement = 0", update, "SELECT 1");
                    } catch (SQLException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      while (node.query("SELECT 1 FROM gauss.locks WHERE NOT granted").isEmpty()) {
        assertTrue(waiting.isAlive());
      }
      holder.commit();
      waiting.join();
    }
    List<String> found = linesOf("UPDATE t SET v = ? WHERE id = ?");
    assertEquals(1, found.size(), lines.toString());
    double row = millis(found.getFirst(), "row lock");
    assertTrue(row > 0 && row <= millis(found.getFirst(), "duration:"), found.toString());
  }
}
