package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.cancelRequest;
import static io.gauss.compute.pgwire.WireMessages.copyData;
import static io.gauss.compute.pgwire.WireMessages.copyDone;
import static io.gauss.compute.pgwire.WireMessages.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How a COPY ends before its data does, and what it holds until then. */
class GaussCopyEndsTest {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  private WireClient client;
  private WireClient other;

  @BeforeEach
  void startSessions() throws IOException {
    client = WireClient.started(NODE.port(), "gauss");
    other = WireClient.started(NODE.port(), "gauss");
    other.query("DROP TABLE IF EXISTS t");
    other.query("CREATE TABLE t (id int PRIMARY KEY, v text)");
  }

  @AfterEach
  void closeSessions() throws IOException {
    client.close();
    other.close();
  }

  private String progress() throws IOException {
    return other.query(
        "SELECT pid = "
            + client.processId()
            + ", relid = 't'::regclass, command, type,"
            + " bytes_processed, tuples_processed, tuples_excluded FROM pg_stat_progress_copy");
  }

  /** Sends five rows, of which WHERE leaves out one, and waits until they are in the table. */
  private void copyFiveRows() throws IOException {
    client.send(
        query("COPY t FROM STDIN WHERE id <> 3"), copyData("1\ta\n2\tb\n3\tc\n4\td\n5\te\n6"));
    assertEquals("CopyInResponse 0 0 0", client.read(1));
    while (!progress().contains("DataRow t|t|COPY FROM|PIPE|21|4|1")) {
      Thread.onSpinWait();
    }
  }

  private String countOfRows() throws IOException {
    return other.query("SELECT count(*) FROM t").lines().skip(1).findFirst().orElseThrow();
  }

  @Test
  void itsProgressCanBeSeen() throws IOException {
    copyFiveRows();
    assertEquals("DataRow 0", countOfRows());
    assertEquals(
        "CommandComplete COPY 5\nReadyForQuery I", client.ask(copyData("\tf\n"), copyDone()));
    assertEquals("DataRow 5", countOfRows());
    assertTrue(progress().contains("SELECT 0"));
  }

  @Test
  void aCancelledCopyLeavesNothingAndTheSessionGoesOn() throws IOException {
    copyFiveRows();
    try (WireClient canceller = new WireClient(NODE.port())) {
      canceller.send(cancelRequest(client.processId(), client.secret()));
    }
    assertEquals(
        "ERROR 57014 canceling statement due to user request (COPY t, line 6)\nReadyForQuery I",
        client.readUntilReady());
    client.send(copyData("7\tx\n"), copyDone());
    assertEquals(
        "RowDescription ?column?:23\nDataRow 1\nCommandComplete SELECT 1\nReadyForQuery I",
        client.query("SELECT 1"));
    assertEquals("DataRow 0", countOfRows());
    assertTrue(other.query("TRUNCATE t").startsWith("CommandComplete"));
  }

  @Test
  void aClientThatGoesAwayLeavesNothing() throws IOException {
    copyFiveRows();
    client.close();
    // Waits until the lock on the table is free.
    assertTrue(other.query("TRUNCATE t").startsWith("CommandComplete"));
    assertEquals("DataRow 0", countOfRows());
  }

  @Test
  void anotherStatementInTheMiddleOfTheDataEndsTheSession() throws IOException {
    copyFiveRows();
    client.send(query("SELECT 1"));
    assertEquals(
        "FATAL 08P01 unexpected message type 0x51 during COPY from stdin\nclosed",
        client.readUntilClosed());
    assertTrue(other.query("TRUNCATE t").startsWith("CommandComplete"));
  }

  @Test
  void aMessageLongerThanTheMemoryIsReadAsItComes() throws IOException {
    int rows = 200_000;
    byte[] row =
        "%08d\tsome text that is not too short\n".formatted(0).getBytes(StandardCharsets.US_ASCII);
    client.send(query("COPY t FROM STDIN"));
    ByteBuffer header = ByteBuffer.allocate(5).put((byte) 'd').putInt(4 + rows * row.length);
    client.send(header.array());
    byte[] chunk = new byte[1000 * row.length];
    for (int i = 0; i < rows; i += 1000) {
      for (int k = 0; k < 1000; k++) {
        byte[] id = "%08d".formatted(i + k).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(row, 0, chunk, k * row.length, row.length);
        System.arraycopy(id, 0, chunk, k * row.length, id.length);
      }
      client.send(chunk);
    }
    client.send(copyDone());
    assertEquals(
        "CopyInResponse 0 0 0\nCommandComplete COPY " + rows + "\nReadyForQuery I",
        client.readUntilReady());
    assertEquals("DataRow " + rows, countOfRows());
  }

  @Test
  void aRowThatIsTooLongIsRefusedAndTheRestSkipped() throws IOException {
    client.send(query("COPY t FROM STDIN"), copyData("1\t"));
    byte[] chunk = copyData("x".repeat(4 << 20));
    for (int i = 0; i < 20; i++) {
      client.send(chunk);
    }
    client.send(copyDone());
    String answer = client.readUntilReady();
    assertTrue(answer.contains("ERROR 54000 out of memory (COPY t, line 1)"), answer);
    assertEquals("DataRow 0", countOfRows());
  }

  @Test
  void manyRowsGoOutToASlowClient() throws IOException {
    other.query("INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(1, 50000) i");
    client.send(query("COPY t TO STDOUT"));
    int[] rows = new int[1];
    String rest =
        client.readUntilReady(
            line -> {
              boolean isRow = line.startsWith("CopyData");
              rows[0] += isRow ? 1 : 0;
              return !isRow;
            });
    assertEquals(50_000, rows[0]);
    assertEquals(
        "CopyOutResponse 0 0 0\nCopyDone\nCommandComplete COPY 50000\nReadyForQuery I", rest);
  }
}
