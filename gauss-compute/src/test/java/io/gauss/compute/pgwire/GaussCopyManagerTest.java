package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;

/** COPY through pgjdbc's CopyManager. */
class GaussCopyManagerTest {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  private Connection connection;
  private Statement statement;
  private CopyManager copies;

  @BeforeEach
  void connect() throws SQLException {
    connection =
        DriverManager.getConnection(
            "jdbc:postgresql://127.0.0.1:" + NODE.port() + "/gauss?user=gauss");
    statement = connection.createStatement();
    statement.execute("DROP TABLE IF EXISTS t");
    statement.execute("CREATE TABLE t (id int PRIMARY KEY, v text)");
    copies = connection.unwrap(PGConnection.class).getCopyAPI();
  }

  @AfterEach
  void disconnect() throws SQLException {
    connection.close();
  }

  private long rows() throws SQLException {
    try (ResultSet result = statement.executeQuery("SELECT count(*) FROM t")) {
      result.next();
      return result.getLong(1);
    }
  }

  @Test
  void whatGoesInComesOut() throws SQLException, IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      text.append(i).append(",\"value, ").append(i).append("\"\n");
    }
    byte[] data = text.toString().getBytes(StandardCharsets.UTF_8);
    assertEquals(20_000, copies.copyIn("COPY t FROM STDIN CSV", new ByteArrayInputStream(data)));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(20_000, copies.copyOut("COPY (SELECT * FROM t ORDER BY id) TO STDOUT CSV", out));
    assertArrayEquals(data, out.toByteArray());
  }

  @Test
  void aCancelledCopyLeavesTheConnectionUsable() throws SQLException {
    CopyIn copy = copies.copyIn("COPY t FROM STDIN");
    byte[] row = "1\tx\n".getBytes(StandardCharsets.UTF_8);
    copy.writeToCopy(row, 0, row.length);
    copy.cancelCopy();
    assertEquals(0, rows());
  }

  @Test
  void anErrorTellsTheLine() throws SQLException {
    SQLException error =
        assertThrows(
            SQLException.class,
            () ->
                copies.copyIn(
                    "COPY t FROM STDIN",
                    new ByteArrayInputStream("1\tx\ny\tz\n".getBytes(StandardCharsets.UTF_8))));
    assertEquals("22P02", error.getSQLState());
    assertEquals(true, error.getMessage().contains("COPY t, line 2, column id: \"y\""));
    assertEquals(0, rows());
  }
}
