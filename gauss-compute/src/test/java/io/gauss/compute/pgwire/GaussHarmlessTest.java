package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.cancelRequest;
import static io.gauss.compute.pgwire.WireMessages.describe;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.request;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that behave badly, and others that do not notice. */
class GaussHarmlessTest extends WireContract {
  private static final int COLUMNS = 1_500;

  @RegisterExtension static final GaussNode NODE = new GaussNode();

  /** Its clients have a second to start, which a busy machine may take from any of them. */
  @RegisterExtension
  static final GaussNode IMPATIENT = new GaussNode(Map.of("auth.timeout", "1", "tls", "generate"));

  @Override
  WireServer server() {
    return NODE;
  }

  /** A client with a statement whose description is long and asked for by a few bytes. */
  private WireClient describer() throws IOException {
    StringJoiner columns = new StringJoiner(", ", "SELECT ", "");
    for (int i = 0; i < COLUMNS; i++) {
      columns.add("1 AS a_name_that_is_rather_long_" + i);
    }
    WireClient client = start();
    assertAnswer(
        "ParseComplete\nReadyForQuery I", client.ask(parse("s", columns.toString()), sync()));
    return client;
  }

  private static byte[] descriptions(int count) {
    byte[][] messages = new byte[count][];
    Arrays.fill(messages, describe('S', "s"));
    return WireMessages.join(messages);
  }

  /** The answers are 700 MB. */
  @Test
  void tenThousandStatementsWithoutReadingTheirAnswersTakeNoMemory() throws IOException {
    WireClient client = describer();
    client.send(descriptions(10_000), sync());
    assertTrue(start().query("SELECT 1").contains("DataRow 1"));
    assertAnswer(
        "ReadyForQuery I",
        client.readUntilReady(line -> !line.matches("(?s)(ParameterD|RowD)escription.*")));
    assertTrue(client.query("SELECT 1").contains("DataRow 1"));
  }

  /** A client that does not read cannot be told why, but its locks do not wait for that. */
  @Test
  void aClientThatReadsNothingLosesItsLocksWhenItsTimeIsUp() throws IOException {
    WireClient other = start();
    other.query("CREATE TABLE IF NOT EXISTS held (id int)");
    WireClient client = describer();
    client.query("SET idle_in_transaction_session_timeout = '50ms'");
    client.send(query("BEGIN; LOCK TABLE held"), descriptions(10_000));
    assertTrue(client.read(2).startsWith("CommandComplete BEGIN\nCommandComplete LOCK TABLE"));
    assertAnswer("CommandComplete DROP TABLE\nReadyForQuery I", other.query("DROP TABLE held"));
  }

  @Test
  void statementsThatOnlyComputeLetOthersHaveTheirTurn() throws IOException {
    List<WireClient> busy = new ArrayList<>();
    for (int i = 4 * Runtime.getRuntime().availableProcessors(); i > 0; i--) {
      WireClient client = start();
      client.send(
          query(
              "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b"
                  + " WHERE a + b = -"
                  + i));
      busy.add(client);
    }
    // Texts that nobody has sent before: they are planned, which event loops do not do.
    WireClient client = start();
    for (int i = 0; i < 5; i++) {
      assertTrue(
          client.query("SELECT count(*) + 1 AS n" + i + " FROM pg_class").contains("SELECT 1"));
    }
    for (WireClient each : busy) {
      WireClient canceller = connect();
      canceller.send(cancelRequest(each.processId(), each.secret()));
      assertAnswer("closed", canceller.readUntilClosed());
    }
    for (WireClient each : busy) {
      assertTrue(each.readUntilReady().contains("ERROR 57014"));
    }
  }

  @Test
  void aStatementThatComputesMuchLeavesItsEventLoop() throws IOException {
    WireClient client = start();
    String match = "SELECT $1::text ~ '(.*)(.*)(.*)(.*)b'";
    client.ask(parse("m", match), sync());
    byte[][] run = {
      WireMessages.bind("", "m", "a".repeat(20_000)), WireMessages.execute("", 0), sync()
    };
    client.ask(WireMessages.bind("", "m", "b"), WireMessages.execute("", 0), sync());
    client.send(run);
    // As many as there are event loops and more, so one shares the busy client's.
    for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
      assertTrue(start().query("SELECT 1").contains("DataRow 1"));
    }
    WireClient canceller = connect();
    canceller.send(cancelRequest(client.processId(), client.secret()));
    assertTrue(client.readUntilReady().contains("ERROR 57014"));
  }

  @Test
  void whoeverSaysNothingAtTheStartIsSentAway() throws IOException {
    try (WireClient started = startedInTime();
        WireClient silent = new WireClient(IMPATIENT.port());
        WireClient half = new WireClient(IMPATIENT.port());
        WireClient secret = new WireClient(IMPATIENT.port())) {
      half.send(Arrays.copyOf(startup(PgProtocol.PROTOCOL_3_0), 10));
      secret.send(request(PgProtocol.SSL_REQUEST));
      assertEquals('S', secret.readByte());
      for (WireClient client : List.of(silent, half, secret)) {
        assertAnswer("closed", client.readUntilClosed());
      }
      assertTrue(started.query("SELECT 1").contains("DataRow 1"));
    }
  }

  private static WireClient startedInTime() throws IOException {
    WireClient client = WireClient.started(IMPATIENT.port(), "gauss");
    while (client.processId() == 0) { // closed before it was served
      client.close();
      client = WireClient.started(IMPATIENT.port(), "gauss");
    }
    return client;
  }

  @Test
  void aThousandConnectionsComeAndGo() throws IOException {
    for (int i = 0; i < 1_000; i++) {
      WireClient client = new WireClient(NODE.port());
      if (i % 3 != 0) {
        client.send(startup(PgProtocol.PROTOCOL_3_0));
      }
      if (i % 3 == 1) {
        client.send(query("BEGIN; SELECT 1"));
      }
      client.close();
    }
    WireClient watcher = start();
    while (!watcher.query("SELECT count(*) FROM pg_stat_activity").contains("DataRow 1\n")) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aValueThatIsTooLongIsRefusedBeforeItIsMade() throws IOException {
    WireClient client = start();
    for (String value :
        new String[] {
          "repeat('x', 100000000)",
          "lpad('x', 100000000)",
          "format('%100000000s', 1)",
          "replace(repeat('x', 1000000), 'x', repeat('y', 100))"
        }) {
      String answer = client.query("SELECT length(" + value + ")");
      assertTrue(answer.contains("ERROR 54000"), value + " " + answer);
    }
    String joined =
        client.query(
            "SELECT length(string_agg(repeat('x', 1000000), '')) FROM generate_series(1, 100)");
    assertTrue(joined.contains("ERROR 54000"), joined);
  }

  @Test
  void thereMayBeAsManyParametersAsTheProtocolCanCount() throws IOException {
    int count = 65_535;
    StringJoiner list = new StringJoiner(", ", "SELECT 1 WHERE 65535 IN (", ")");
    String[] values = new String[count];
    for (int i = 1; i <= count; i++) {
      list.add("$" + i);
      values[i - 1] = Integer.toString(i);
    }
    WireClient client = start();
    assertAnswer(
        "ParseComplete\nBindComplete\nDataRow 1\nCommandComplete SELECT 1\nReadyForQuery I",
        client.ask(
            parse("", list.toString()),
            WireMessages.bind("", "", values),
            WireMessages.execute("", 0),
            sync()));
    assertAnswer(
        "ParseComplete\nERROR 08P01 bind message supplies 0 parameters, but prepared statement \"\""
            + " requires 65535\nReadyForQuery I",
        client.ask(parse("", list.toString()), WireMessages.bind("", ""), sync()));
  }

  @Test
  void whatIsNestedTooDeeplyIsRefused() throws IOException {
    WireClient client = start();
    int depth = 100_000;
    for (String[] pair :
        new String[][] {
          {"(", ")"},
          {"NOT ", ""},
          {"- ", ""},
          {"(SELECT ", ")"},
          {"CASE WHEN true THEN ", " END"},
          {"abs(", ")"},
          {"ARRAY[", "]"},
          {"1 + (", ")"}
        }) {
      String answer = client.query("SELECT " + pair[0].repeat(depth) + "1" + pair[1].repeat(depth));
      assertTrue(
          answer.matches("(?s)ERROR (54001|42804|42601|42883|0A000) .*ReadyForQuery I"), answer);
    }
    String name = "x".repeat(10_000);
    assertTrue(client.query("SELECT 1 AS " + name).contains("SELECT 1"));
    assertTrue(client.query("SELECT " + name).contains("ERROR 42703"));
    String many = "1" + ", 1".repeat(100_000);
    assertTrue(client.query("SELECT 1 WHERE 2 IN (" + many + ")").contains("SELECT 0"));
    assertTrue(client.query("SELECT 1" + " + 1".repeat(100_000)).contains("ERROR 54001"));
    assertTrue(client.query("SELECT " + "9".repeat(200_000)).contains("ERROR 22003"));
  }
}
