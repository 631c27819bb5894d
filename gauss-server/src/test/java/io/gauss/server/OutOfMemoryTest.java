package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.disk.PrivateFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever thread gets an OutOfMemoryError: a process that went on might have lost any of them. */
class OutOfMemoryTest {
  /** The JVM's exit code for {@code ExitOnOutOfMemoryError}. */
  private static final int EXIT_CODE = 3;

  @Test
  void aFullHeapEndsTheProcessAndTheNextOneRecoversWhatWasAcknowledged(@TempDir Path directory)
      throws Exception {
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    Path trigger = directory.resolve("fill");
    List<String> main = List.of(FullHeapNode.class.getName(), trigger.toString());
    List<String> options = LauncherOptions.of(directory.resolve("launcher"), "256m");
    try (ServerProcess server = new ServerProcess(data, options, main)) {
      server.start();
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE t (a int PRIMARY KEY)");
        statement.execute("INSERT INTO t VALUES (1)");
        Files.createFile(trigger);
        assertThrows(SQLException.class, () -> statement.execute("INSERT INTO t VALUES (2)"));
      }
      assertEquals(EXIT_CODE, server.awaitEnd());
      String log = Files.readString(server.log());
      assertTrue(log.contains("java.lang.OutOfMemoryError"), log);

      Files.delete(trigger);
      server.start();
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT count(*) FROM t WHERE a = 1")) {
        assertTrue(rows.next());
        assertEquals(1, rows.getInt(1));
      }
    }
  }

  @Test
  void aThreadThatEndsForWantOfAnotherEndsTheProcess(@TempDir Path directory) throws Exception {
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    Path trigger = directory.resolve("none");
    List<String> main = List.of(NoThreadsNode.class.getName(), trigger.toString());
    List<String> options = LauncherOptions.of(directory.resolve("launcher"), "256m");
    try (ServerProcess server = new ServerProcess(data, options, main)) {
      server.start();
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        Files.createFile(trigger);
        try {
          statement.execute("CREATE TABLE t (a int PRIMARY KEY)");
        } catch (SQLException e) {
          // The process may end before it answers.
        }
      }
      assertEquals(BrokenInvariants.EXIT_CODE, server.awaitEnd());
    }
  }
}
