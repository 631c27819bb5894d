package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A simple query of several statements: they are one transaction, in which settings last and fail
 * like rows, but no block that has to be ended.
 */
abstract class SeveralStatementsContract extends WireContract {
  private WireClient client;

  @BeforeEach
  void startSession() throws IOException {
    client = start();
    client.query("DROP TABLE IF EXISTS t");
    client.query("CREATE TABLE t (id int PRIMARY KEY)");
  }

  /** Values, warnings and errors of an answer, separated by semicolons. */
  private String brief(String query) throws IOException {
    return brief(client.query(query), ";");
  }

  private static String brief(String answer, String separator) {
    StringBuilder brief = new StringBuilder();
    for (String line : answer.split("\n")) {
      if (line.matches("(DataRow|NOTICE|WARNING|ERROR).*")) {
        brief.append(brief.isEmpty() ? "" : separator).append(line.replace("DataRow ", ""));
      }
    }
    return brief.toString();
  }

  private static final String SHOW = "SHOW statement_timeout";

  @Test
  void setLocalLastsForTheStatementsAfterIt() throws IOException {
    assertEquals("5s", brief("SET LOCAL statement_timeout = 5000; " + SHOW));
    assertEquals("0", brief(SHOW));
    assertEquals("1;5s", brief("SELECT 1; SET LOCAL statement_timeout = 5000; " + SHOW));
    assertEquals(
        "5s;0",
        brief("SET LOCAL statement_timeout = 5000; BEGIN; %1$s; COMMIT; %1$s".formatted(SHOW)));
    assertEquals(
        "5s;0",
        brief("SET LOCAL statement_timeout = 5000; BEGIN; %1$s; ROLLBACK; %1$s".formatted(SHOW)));
    assertEquals("", brief(";;SET statement_timeout = 7000;;"));
    assertEquals("0", brief("SET LOCAL statement_timeout TO DEFAULT; " + SHOW));
    assertEquals("7s", brief(SHOW));
  }

  @Test
  void oneStatementIsNoBlock() throws IOException {
    String warning = "WARNING 25P01 SET LOCAL can only be used in transaction blocks";
    assertEquals(warning, brief("SET LOCAL statement_timeout = 5000"));
    assertEquals(warning, brief(" ; SET LOCAL statement_timeout = 5000; ; "));
    assertEquals(
        "WARNING 25P01 SET TRANSACTION can only be used in transaction blocks",
        brief("SET TRANSACTION READ ONLY;"));
    assertEquals(
        "ERROR 25P01 LOCK TABLE can only be used in transaction blocks", brief("LOCK TABLE t;"));
  }

  @Test
  void setTransactionIsForTheStatementsAfterIt() throws IOException {
    assertEquals(
        "repeatable read",
        brief("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SHOW transaction_isolation"));
    assertEquals("read committed", brief("SHOW transaction_isolation"));
    assertEquals(
        "ERROR 25006 cannot execute INSERT in a read-only transaction",
        brief("SET TRANSACTION READ ONLY; INSERT INTO t VALUES (1)"));
    assertEquals("", brief("INSERT INTO t VALUES (1); SET TRANSACTION READ ONLY"));
    assertEquals(
        "1;ERROR 25001 SET TRANSACTION ISOLATION LEVEL must be called before any query",
        brief("SELECT id FROM t; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"));
  }

  @Test
  void anErrorUndoesSettings() throws IOException {
    assertEquals(
        "ERROR 22012 division by zero", brief("SET statement_timeout = 9000; SELECT 1 / 0"));
    assertEquals("0", brief(SHOW));
    brief("SET statement_timeout = 9000");
    assertEquals(
        "0;ERROR 22012 division by zero",
        brief("RESET statement_timeout; %s; SELECT 1 / 0".formatted(SHOW)));
    assertEquals("9s", brief(SHOW));
    assertEquals(
        "ERROR 22012 division by zero",
        brief("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; SELECT 1 / 0"));
    assertEquals("off", brief("SHOW default_transaction_read_only"));
  }

  @Test
  void locksAndCursorsLastToTheEnd() throws IOException {
    assertEquals("", brief("LOCK TABLE t; INSERT INTO t VALUES (1)"));
    assertEquals("1", brief("DECLARE c CURSOR FOR SELECT id FROM t; FETCH ALL FROM c"));
    assertEquals("ERROR 34000 cursor \"c\" does not exist", brief("FETCH ALL FROM c"));
  }

  @Test
  void whatCannotBeUndoneIsRefused() throws IOException {
    assertEquals(
        "ERROR 25001 VACUUM cannot run inside a transaction block", brief("VACUUM t; SELECT 1"));
    assertEquals(
        "ERROR 25001 DISCARD ALL cannot run inside a transaction block",
        brief("DISCARD ALL; SELECT 1"));
    assertEquals(
        "ERROR 25P01 SAVEPOINT can only be used in transaction blocks",
        brief("SAVEPOINT s; SELECT 1"));
  }

  @Test
  void anErrorEndsIt() throws IOException {
    brief("SELECT 1; SELECT 1 / 0; SELECT 2");
    assertEquals(
        "WARNING 25P01 SET LOCAL can only be used in transaction blocks",
        brief("SET LOCAL statement_timeout = 1000"));
  }

  @Test
  void messagesOfTheExtendedQueryAreNoBlock() throws IOException {
    client.send(
        parse("", "SET LOCAL statement_timeout = 5000"),
        bind("", ""),
        execute("", 0),
        parse("", "DECLARE c CURSOR FOR SELECT 1"),
        bind("", ""),
        execute("", 0),
        sync());
    assertEquals(
        "WARNING 25P01 SET LOCAL can only be used in transaction blocks\n"
            + "ERROR 25P01 DECLARE CURSOR can only be used in transaction blocks",
        brief(client.readUntilReady(), "\n"));
    assertEquals("0", brief(SHOW));
  }
}
