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

class BrokenInvariantsTest {
  @Test
  void aBrokenInvariantEndsTheProcessAndTheNextOneRecoversWhatWasAcknowledged(
      @TempDir Path directory) throws Exception {
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    Path trigger = directory.resolve("break");
    List<String> main = List.of(BreakingNode.class.getName(), trigger.toString());
    try (ServerProcess server = new ServerProcess(data, main)) {
      server.start();
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE t (a int PRIMARY KEY)");
        statement.execute("INSERT INTO t VALUES (1)");
        Files.createFile(trigger);
        assertThrows(SQLException.class, () -> statement.execute("INSERT INTO t VALUES (2)"));
      }
      assertEquals(70, server.awaitEnd());
      String log = Files.readString(server.log());
      assertTrue(log.contains("exit code 70: " + BreakingNode.MESSAGE), log);
      assertTrue(log.contains("at io.gauss.compute.log.LogSender"), log);
      assertTrue(log.contains("all threads then:"), log);

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
}
