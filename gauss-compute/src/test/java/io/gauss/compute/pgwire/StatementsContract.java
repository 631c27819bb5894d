package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.close;
import static io.gauss.compute.pgwire.WireMessages.cstring;
import static io.gauss.compute.pgwire.WireMessages.describe;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.flush;
import static io.gauss.compute.pgwire.WireMessages.message;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queries by both protocols, and what goes wrong in them. */
abstract class StatementsContract extends WireContract {
  private WireClient client;

  @BeforeEach
  void startSession() throws IOException {
    client = start();
    client.query("DROP TABLE IF EXISTS t");
    client.query("CREATE TABLE t (id int PRIMARY KEY, v text)");
  }

  private String rows() throws IOException {
    return client.query("SELECT id FROM t ORDER BY id").replaceAll("(?m)^[^D].*\n?", "").strip();
  }

  // ---------------------------------------------------------------- timeouts

  /** As drivers prepare a statement for later, on a connection that then waits in its pool. */
  @Test
  void theTimeOfAParseIsOverWithItsSync() throws IOException {
    client.query("SET statement_timeout = '100ms'");
    assertAnswer(
        """
        ParseComplete
        ReadyForQuery I
        """,
        client.ask(parse("slow", "SELECT pg_sleep(5)"), sync()));
    start().query("SELECT pg_sleep(0.5)"); // meanwhile
    assertAnswer(
        """
        BindComplete
        ERROR 57014 canceling statement due to statement timeout
        ReadyForQuery I
        """,
        client.ask(bind("", "slow"), execute("", 0), sync()));
  }

  // ---------------------------------------------------------------- simple queries

  @Test
  void anEmptyQueryHasAnAnswerOfItsOwn() throws IOException {
    assertAnswer("EmptyQueryResponse\nReadyForQuery I", client.query(""));
    assertAnswer("EmptyQueryResponse\nReadyForQuery I", client.query(" ; ; -- nothing\n"));
  }

  @Test
  void rowsMayHaveNoColumns() throws IOException {
    client.query("INSERT INTO t VALUES (1), (2)");
    assertAnswer(
        """
        RowDescription
        DataRow\s
        DataRow\s
        CommandComplete SELECT 2
        ReadyForQuery I
        """,
        client.query("SELECT FROM t"));
    assertAnswer(
        """
        RowDescription
        DataRow\s
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.query("WITH d AS (DELETE FROM t) SELECT"));
    assertEquals("", rows());
  }

  @Test
  void aSimpleQueryHasNoParameters() throws IOException {
    for (String query :
        List.of(
            "INSERT INTO t VALUES (1, $1)",
            "SELECT $1, (SELECT max(id) FROM t) FROM t WHERE id < 12",
            "UPDATE t SET id = 7 RETURNING $1",
            "WITH d AS (DELETE FROM t) SELECT $1")) {
      assertAnswer(
          """
          ERROR 42P02 there is no parameter $1 at %d
          ReadyForQuery I
          """
              .formatted(query.indexOf("$1") + 1),
          client.query(query));
    }
  }

  @Test
  void manyStatementsOfOneQueryAreAnsweredOneByOne() throws IOException {
    assertAnswer(
        """
        CommandComplete INSERT 0 1
        RowDescription id:23 v:25
        DataRow 1|NULL
        CommandComplete SELECT 1
        CommandComplete DELETE 1
        ReadyForQuery I
        """,
        client.query("INSERT INTO t VALUES (1); SELECT * FROM t;; DELETE FROM t;"));
  }

  @Test
  void anErrorUndoesTheStatementsBeforeItInTheSameQuery() throws IOException {
    assertAnswer(
        """
        CommandComplete INSERT 0 1
        ERROR 22012 division by zero
        ReadyForQuery I
        """,
        client.query("INSERT INTO t VALUES (1); SELECT 1/0; INSERT INTO t VALUES (2)"));
    assertAnswer("", rows());
  }

  @Test
  void aSyntaxErrorAnywhereKeepsTheWholeQueryFromRunning() throws IOException {
    assertAnswer(
        """
        ERROR 42601 syntax error at or near "SELEC" at 28
        ReadyForQuery I
        """,
        client.query("INSERT INTO t VALUES (1);  SELEC 1"));
    assertAnswer("", rows());
  }

  @Test
  void whatIsSyntaxAndNoFunctionHasErrorsOfSyntax() throws IOException {
    for (String call : new String[] {"COALESCE()", "GREATEST()", "LEAST()", "NULLIF(1)"}) {
      String statement = "SELECT " + call;
      assertAnswer(
          """
          ERROR 42601 syntax error at or near ")" at %d
          ReadyForQuery I
          """
              .formatted(statement.length()),
          client.query(statement));
    }
  }

  @Test
  void aBlockWithinAQueryStaysOpen() throws IOException {
    assertAnswer(
        """
        CommandComplete INSERT 0 1
        CommandComplete BEGIN
        CommandComplete INSERT 0 1
        ReadyForQuery T
        """,
        client.query("INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2)"));
    assertAnswer("CommandComplete ROLLBACK\nReadyForQuery I", client.query("ROLLBACK"));
    assertAnswer("", rows());
  }

  @Test
  void aCommitWithinAQueryKeepsWhatWasBeforeIt() throws IOException {
    assertAnswer(
        """
        CommandComplete BEGIN
        CommandComplete INSERT 0 1
        CommandComplete COMMIT
        CommandComplete INSERT 0 1
        ERROR 22012 division by zero
        ReadyForQuery I
        """,
        client.query(
            "BEGIN; INSERT INTO t VALUES (1); COMMIT; INSERT INTO t VALUES (2); SELECT 1/0"));
    assertAnswer("DataRow 1", rows());
  }

  @Test
  void aFailedBlockTakesItsEndOnly() throws IOException {
    client.query("BEGIN");
    assertAnswer(
        "ERROR 22012 division by zero\nReadyForQuery E", client.query("SELECT 1/0; SELECT 1"));
    String aborted =
        """
        ERROR 25P02 current transaction is aborted, commands ignored until end of transaction block
        ReadyForQuery E
        """;
    assertAnswer(aborted, client.query("SELECT 1"));
    assertAnswer(aborted, client.ask(parse("", "SELECT 1"), sync()));
    assertAnswer(
        "ParseComplete\nBindComplete\nCommandComplete ROLLBACK\nReadyForQuery I",
        client.ask(parse("", "COMMIT"), bind("", ""), execute("", 0), sync()));
  }

  @Test
  void manyQueriesInOnePacketAreAnsweredInOrder() throws IOException {
    byte[][] queries = new byte[200][];
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < queries.length; i++) {
      queries[i] = query("INSERT INTO t VALUES (" + i + ") RETURNING id");
      expected.append("RowDescription id:23\nDataRow ").append(i);
      expected.append("\nCommandComplete INSERT 0 1\nReadyForQuery I\n");
    }
    client.send(queries);
    StringBuilder actual = new StringBuilder();
    for (int i = 0; i < queries.length; i++) {
      actual.append(client.readUntilReady()).append('\n');
    }
    assertAnswer(expected.toString(), actual.toString().strip());
  }

  @Test
  void messagesMayComeByteByByte() throws IOException {
    client.sendByteByByte(
        parse("", "SELECT $1::int + 1"), bind("", "", "41"), execute("", 0), sync());
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 42
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.readUntilReady());
  }

  // ---------------------------------------------------------------- extended queries

  /** The client was told, and sends values of it. */
  @Test
  void aParameterKeepsItsTypeWhenItsColumnGetsAnother() throws IOException {
    client.ask(parse("s", "INSERT INTO t (id) VALUES ($1)"), describe('S', "s"), sync());
    client.query("ALTER TABLE t ALTER COLUMN id TYPE bigint");
    byte[][] value = {{0, 0, 0, 7}};
    assertAnswer(
        """
        ParameterDescription 23
        NoData
        BindComplete
        CommandComplete INSERT 0 1
        ReadyForQuery I
        """,
        client.ask(
            describe('S', "s"),
            bind("", "s", new int[] {1}, value, new int[0]),
            execute("", 0),
            sync()));
  }

  @Test
  void aStatementIsParsedDescribedBoundAndExecuted() throws IOException {
    assertAnswer(
        """
        ParseComplete
        ParameterDescription 23 25
        NoData
        BindComplete
        NoData
        CommandComplete INSERT 0 1
        ReadyForQuery I
        """,
        client.ask(
            parse("", "INSERT INTO t VALUES ($1, $2)"),
            describe('S', ""),
            bind("", "", "1", null),
            describe('P', ""),
            execute("", 0),
            sync()));
    assertAnswer(
        """
        ParseComplete
        ParameterDescription 20
        RowDescription id:23 v:25
        BindComplete
        RowDescription id:23 v:25
        DataRow 1|NULL
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT * FROM t WHERE id = $1", 20),
            describe('S', ""),
            bind("", "", "1"),
            describe('P', ""),
            execute("", 0),
            sync()));
  }

  @Test
  void afterAnErrorEverythingUpToSyncIsSkipped() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        CommandComplete INSERT 0 1
        ParseComplete
        BindComplete
        ERROR 22012 division by zero
        ReadyForQuery I
        """,
        client.ask(
            parse("", "INSERT INTO t VALUES (1)"),
            bind("", ""),
            execute("", 0),
            parse("", "SELECT 1/(id - $1) FROM t"),
            bind("", "", "1"),
            execute("", 0),
            parse("", "INSERT INTO t VALUES (2)"),
            bind("", ""),
            execute("", 0),
            query("SELECT 'skipped as well'"),
            describe('S', "nothing"),
            sync()));
    assertAnswer("", rows());
  }

  @Test
  void eachSyncEndsAnImplicitTransaction() throws IOException {
    client.send(
        parse("", "INSERT INTO t VALUES ($1)"),
        bind("", "", "1"),
        execute("", 0),
        sync(),
        bind("", "", "2"),
        execute("", 0),
        bind("", "", "1"),
        execute("", 0),
        sync(),
        bind("", "", "3"),
        execute("", 0),
        sync());
    assertAnswer(
        """
        ParseComplete
        BindComplete
        CommandComplete INSERT 0 1
        ReadyForQuery I
        BindComplete
        CommandComplete INSERT 0 1
        BindComplete
        ERROR 23505 duplicate key value violates unique constraint "t_pkey"
        ReadyForQuery I
        BindComplete
        CommandComplete INSERT 0 1
        ReadyForQuery I
        """,
        client.readUntilReady() + "\n" + client.readUntilReady() + "\n" + client.readUntilReady());
    assertAnswer("DataRow 1\nDataRow 3", rows());
  }

  @Test
  void aSyncWithNothingBeforeItIsAnswered() throws IOException {
    assertAnswer("ReadyForQuery I", client.ask(sync()));
    client.send(sync(), sync());
    assertAnswer("ReadyForQuery I", client.readUntilReady());
    assertAnswer("ReadyForQuery I", client.readUntilReady());
  }

  @Test
  void flushSendsWhatIsAnsweredWithoutEndingTheTransaction() throws IOException {
    client.send(parse("", "SELECT 1 AS a"), describe('S', ""), flush());
    assertAnswer("ParseComplete\nParameterDescription\nRowDescription a:23", client.read(3));
    client.send(bind("", ""), execute("", 0), flush());
    assertAnswer("BindComplete\nDataRow 1\nCommandComplete SELECT 1", client.read(3));
    client.send(execute("nowhere", 0), flush());
    assertAnswer("ERROR 34000 portal \"nowhere\" does not exist", client.read(1));
    client.send(flush());
    assertAnswer("ReadyForQuery I", client.ask(sync()));
  }

  @Test
  void anEmptyStatementHasNoDataAndAnAnswerOfItsOwn() throws IOException {
    assertAnswer(
        """
        ParseComplete
        ParameterDescription
        NoData
        BindComplete
        NoData
        EmptyQueryResponse
        ReadyForQuery I
        """,
        client.ask(
            parse("", ""),
            describe('S', ""),
            bind("", ""),
            describe('P', ""),
            execute("", 0),
            sync()));
  }

  @Test
  void aNamedStatementStaysAndTheUnnamedOneIsReplaced() throws IOException {
    client.ask(parse("s", "SELECT 1"), parse("", "SELECT 2"), sync());
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 3
        CommandComplete SELECT 1
        BindComplete
        DataRow 1
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT 3"),
            bind("", ""),
            execute("", 0),
            bind("", "s"),
            execute("", 0),
            sync()));
    assertAnswer(
        "ERROR 42P05 prepared statement \"s\" already exists\nReadyForQuery I",
        client.ask(parse("s", "SELECT 4"), sync()));
    assertAnswer(
        "CloseComplete\nParseComplete\nReadyForQuery I",
        client.ask(close('S', "s"), parse("s", "SELECT 4"), sync()));
  }

  @Test
  void aSimpleQueryDropsTheUnnamedStatement() throws IOException {
    client.ask(parse("", "SELECT 1"), parse("s", "SELECT 2"), sync());
    client.query("SELECT 1");
    assertAnswer(
        "ERROR 26000 unnamed prepared statement does not exist\nReadyForQuery I",
        client.ask(bind("", ""), sync()));
    assertAnswer("BindComplete\nReadyForQuery I", client.ask(bind("", "s"), sync()));
  }

  @Test
  void namedStatementsOutliveARollback() throws IOException {
    client.query("BEGIN");
    client.ask(parse("s", "SELECT 7"), sync());
    client.query("ROLLBACK");
    assertAnswer(
        "BindComplete\nDataRow 7\nCommandComplete SELECT 1\nReadyForQuery I",
        client.ask(bind("", "s"), execute("", 0), sync()));
  }

  @Test
  void whatDoesNotExistIsRefusedAndMayBeClosed() throws IOException {
    assertAnswer(
        "ERROR 26000 prepared statement \"s\" does not exist\nReadyForQuery I",
        client.ask(bind("", "s"), sync()));
    assertAnswer(
        "ERROR 26000 prepared statement \"s\" does not exist\nReadyForQuery I",
        client.ask(describe('S', "s"), sync()));
    assertAnswer(
        "ERROR 26000 unnamed prepared statement does not exist\nReadyForQuery I",
        client.ask(describe('S', ""), sync()));
    assertAnswer(
        "ERROR 34000 portal \"p\" does not exist\nReadyForQuery I",
        client.ask(describe('P', "p"), sync()));
    assertAnswer(
        "ERROR 34000 portal \"p\" does not exist\nReadyForQuery I",
        client.ask(execute("p", 0), sync()));
    assertAnswer(
        "ERROR 34000 portal \"\" does not exist\nReadyForQuery I",
        client.ask(execute("", 0), sync()));
    assertAnswer(
        "CloseComplete\nCloseComplete\nCloseComplete\nReadyForQuery I",
        client.ask(close('S', "s"), close('P', "p"), close('S', ""), sync()));
  }

  @Test
  void aStatementIsOneCommand() throws IOException {
    assertAnswer(
        """
        ERROR 42601 cannot insert multiple commands into a prepared statement
        ReadyForQuery I
        """,
        client.ask(parse("", "SELECT 1; SELECT 2"), sync()));
  }

  @Test
  void theNumberOfParametersHasToFit() throws IOException {
    assertAnswer(
        """
        ParseComplete
        ERROR 08P01 bind message supplies 1 parameters, but prepared statement "" requires 2
        ReadyForQuery I
        """,
        client.ask(parse("", "SELECT $1::int + $2::int"), bind("", "", "1"), sync()));
    assertAnswer(
        """
        ParseComplete
        ERROR 08P01 bind message supplies 1 parameters, but prepared statement "s" requires 0
        ReadyForQuery I
        """,
        client.ask(parse("s", "SELECT 1"), bind("", "s", "1"), sync()));
  }

  @Test
  void theNumberOfFormatsHasToFit() throws IOException {
    byte[] one = "1".getBytes(StandardCharsets.UTF_8);
    assertAnswer(
        """
        ParseComplete
        ERROR 08P01 bind message has 2 parameter formats but 1 parameters
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT $1::int"),
            bind("", "", new int[] {0, 0}, new byte[][] {one}, new int[0]),
            sync()));
    assertAnswer(
        """
        ParseComplete
        ERROR 08P01 bind message has 2 result formats but query has 1 columns
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT 1"),
            bind("", "", new int[0], new byte[0][], new int[] {0, 0}),
            sync()));
    assertAnswer(
        """
        ParseComplete
        ERROR 22023 unsupported format code: 2
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT $1::int"),
            bind("", "", new int[] {2}, new byte[][] {one}, new int[0]),
            sync()));
  }

  @Test
  void theTypeOfAParameterHasToBeKnown() throws IOException {
    assertAnswer(
        """
        ERROR 42P18 could not determine data type of parameter $1 at 8
        ReadyForQuery I
        """
            .replace(" at 8", ""),
        client.ask(parse("", "SELECT $2::int"), sync()));
    assertAnswer(
        """
        ParseComplete
        ParameterDescription 25
        RowDescription ?column?:25
        ReadyForQuery I
        """,
        client.ask(parse("", "SELECT $1"), describe('S', ""), sync()));
  }

  @Test
  void kindsOfDescribeAndCloseAreChecked() throws IOException {
    assertAnswer(
        "ERROR 08P01 invalid DESCRIBE message subtype 88\nReadyForQuery I",
        client.ask(describe('X', ""), sync()));
    assertAnswer(
        "ERROR 08P01 invalid CLOSE message subtype 88\nReadyForQuery I",
        client.ask(close('X', ""), sync()));
  }

  // ---------------------------------------------------------------- broken messages

  @Test
  void aMessageThatEndsTooEarlyIsAnError() throws IOException {
    assertAnswer(
        "ERROR 08P01 insufficient data left in message\nReadyForQuery I",
        client.ask(
            message(
                'E',
                out -> {
                  cstring(out, "");
                  out.writeShort(1);
                }),
            sync()));
    assertAnswer(
        "ERROR 08P01 invalid string in message\nReadyForQuery I",
        client.ask(message('D', out -> out.writeBytes("Sname")), sync()));
  }

  @Test
  void aMessageThatEndsTooLateIsAnError() throws IOException {
    assertAnswer(
        "ERROR 08P01 invalid message format\nReadyForQuery I",
        client.ask(
            message(
                'E',
                out -> {
                  cstring(out, "");
                  out.writeInt(0);
                  out.writeByte(1);
                }),
            sync()));
    assertAnswer(
        "ERROR 08P01 invalid message format\nReadyForQuery I",
        client.ask(
            message(
                'Q',
                out -> {
                  cstring(out, "SELECT 1");
                  cstring(out, "SELECT 2");
                })));
    assertAnswer(
        "ERROR 08P01 invalid message format\nReadyForQuery I",
        client.ask(
            message(
                'D',
                out -> {
                  out.writeByte('S');
                  cstring(out, "");
                  out.writeByte(1);
                }),
            sync()));
  }

  @Test
  void textThatIsNotUtf8IsRefused() throws IOException {
    byte[] broken = {'S', 'E', 'L', 'E', 'C', 'T', ' ', '\'', (byte) 0xC3, (byte) 0x28, '\'', 0};
    assertAnswer(
        """
        ERROR 22021 invalid byte sequence for encoding "UTF8": 0xc3 0x28
        ReadyForQuery I
        """,
        client.ask(message('Q', out -> out.write(broken))));
    assertAnswer(
        """
        ERROR 22021 invalid byte sequence for encoding "UTF8": 0xc3 0x28
        ReadyForQuery I
        """,
        client.ask(
            message(
                'P',
                out -> {
                  out.writeByte(0);
                  out.write(broken);
                  out.writeShort(0);
                }),
            sync()));
    byte[] value = {'a', (byte) 0xFF};
    assertAnswer(
        """
        ParseComplete
        ERROR 22021 invalid byte sequence for encoding "UTF8": 0xff
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT $1::text"),
            bind("", "", new int[0], new byte[][] {value}, new int[0]),
            sync()));
    byte[] zero = {'a', 0};
    assertAnswer(
        """
        ParseComplete
        ERROR 22021 invalid byte sequence for encoding "UTF8": 0x00
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT $1::text"),
            bind("", "", new int[] {1}, new byte[][] {zero}, new int[0]),
            sync()));
  }

  @Test
  void anUnknownKindOfMessageEndsTheConnection() throws IOException {
    client.send(message('z', out -> {}));
    assertAnswer("FATAL 08P01 invalid frontend message type 122\nclosed", client.readUntilClosed());
  }

  @Test
  void anUnknownKindOfMessageEndsTheConnectionBeforeItsLengthIsBelieved() throws IOException {
    client.send(
        WireMessages.bytes(
            out -> {
              out.writeByte(200);
              out.writeInt(Integer.MAX_VALUE);
            }));
    assertAnswer("FATAL 08P01 invalid frontend message type 200\nclosed", client.readUntilClosed());
  }

  @Test
  void anUnknownKindOfMessageIsNotSkippedAfterAnError() throws IOException {
    client.send(execute("nowhere", 0), message('z', out -> {}));
    assertAnswer(
        """
        ERROR 34000 portal "nowhere" does not exist
        FATAL 08P01 invalid frontend message type 122
        closed
        """,
        client.readUntilClosed());
  }

  @Test
  void messagesOfACopyThatIsOverAreIgnored() throws IOException {
    assertAnswer(
        "ReadyForQuery I",
        client.ask(
            message('d', out -> out.writeInt(7)),
            message('c', out -> {}),
            message('f', out -> cstring(out, "no")),
            sync()));
  }
}
