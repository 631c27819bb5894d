package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.close;
import static io.gauss.compute.pgwire.WireMessages.describe;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.flush;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.sync;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Results fetched in portions, and the life of portals. */
abstract class PortalsContract extends WireContract {
  private static final String SELECT = "SELECT id FROM t ORDER BY id";
  private WireClient client;

  @BeforeEach
  void startSession() throws IOException {
    client = start();
    client.query("DROP TABLE IF EXISTS t");
    client.query("CREATE TABLE t (id int PRIMARY KEY)");
    client.query("INSERT INTO t VALUES (1), (2), (3), (4), (5)");
  }

  @Test
  void aPortalIsSuspendedAtItsRowLimitAndGoesOn() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 1
        DataRow 2
        PortalSuspended
        DataRow 3
        DataRow 4
        PortalSuspended
        DataRow 5
        CommandComplete SELECT 1
        ReadyForQuery I
        """,
        client.ask(
            parse("", SELECT),
            bind("", ""),
            execute("", 2),
            execute("", 2),
            execute("", 2),
            sync()));
  }

  /** As psycopg 3 does with its server-side cursors. */
  @Test
  void aCursorIsDeclaredWithParameters() throws IOException {
    client.query("BEGIN");
    assertAnswer(
        """
        ParseComplete
        ParameterDescription 23 25
        NoData
        BindComplete
        CommandComplete DECLARE CURSOR
        ReadyForQuery T
        """,
        client.ask(
            parse("d", "DECLARE c CURSOR FOR SELECT id, $2 || id FROM t WHERE id > $1 ORDER BY id"),
            describe('S', "d"),
            bind("", "d", "2", "x"),
            execute("", 0),
            sync()));
    client.ask(parse("", "SELECT $1::text"), bind("", "", "other"), execute("", 0), sync());
    assertAnswer(
        """
        RowDescription id:23 ?column?:25
        DataRow 3|x3
        DataRow 4|x4
        CommandComplete FETCH 2
        ReadyForQuery T
        """,
        client.query("FETCH 2 FROM c"));
    client.query("CLOSE c");
    client.ask(bind("", "d", "4", "y"), execute("", 0), sync());
    assertAnswer(
        "RowDescription id:23 ?column?:25\nDataRow 5|y5\nCommandComplete FETCH 1\nReadyForQuery T",
        client.query("FETCH ALL FROM c"));
    assertAnswer(
        "ERROR 42P02 there is no parameter $1 at 37\nReadyForQuery E",
        client.query("DECLARE d CURSOR FOR SELECT 1 WHERE $1"));
  }

  @Test
  void aLimitThatIsJustTheNumberOfRowsSuspendsAsWell() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 1
        DataRow 2
        DataRow 3
        DataRow 4
        DataRow 5
        PortalSuspended
        CommandComplete SELECT 0
        CommandComplete SELECT 0
        ReadyForQuery I
        """,
        client.ask(
            parse("", SELECT),
            bind("", ""),
            execute("", 5),
            execute("", 5),
            execute("", 0),
            sync()));
  }

  @Test
  void theRestMayBeFetchedWithoutLimit() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 1
        PortalSuspended
        DataRow 2
        DataRow 3
        DataRow 4
        DataRow 5
        CommandComplete SELECT 4
        ReadyForQuery I
        """,
        client.ask(parse("", SELECT), bind("", ""), execute("", 1), execute("", 0), sync()));
  }

  @Test
  void syncEndsThePortalsOfAnImplicitTransaction() throws IOException {
    client.send(parse("", SELECT), bind("p", ""), execute("p", 2), sync());
    client.readUntilReady();
    assertAnswer(
        "ERROR 34000 portal \"p\" does not exist\nReadyForQuery I",
        client.ask(execute("p", 2), sync()));
  }

  @Test
  void inABlockAPortalOutlivesSync() throws IOException {
    client.query("BEGIN");
    client.ask(parse("", SELECT), bind("p", ""), execute("p", 2), sync());
    client.query("DELETE FROM t WHERE id = 4");
    assertAnswer(
        """
        DataRow 3
        DataRow 4
        PortalSuspended
        ReadyForQuery T
        """,
        client.ask(execute("p", 2), sync()));
    client.query("COMMIT");
    assertAnswer(
        "ERROR 34000 portal \"p\" does not exist\nReadyForQuery I",
        client.ask(execute("p", 2), sync()));
  }

  @Test
  void portalsTakeTurns() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        BindComplete
        DataRow 1
        PortalSuspended
        DataRow 3
        DataRow 4
        PortalSuspended
        DataRow 2
        PortalSuspended
        DataRow 5
        CommandComplete SELECT 1
        CloseComplete
        ERROR 34000 portal "b" does not exist
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT id FROM t WHERE id >= $1 ORDER BY id"),
            bind("a", "", "1"),
            bind("b", "", "3"),
            execute("a", 1),
            execute("b", 2),
            execute("a", 1),
            execute("b", 2),
            close('P', "b"),
            execute("b", 1),
            sync()));
  }

  @Test
  void aPortalsNameIsTakenUntilItIsClosed() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        CloseComplete
        BindComplete
        ERROR 42P03 cursor "p" already exists
        ReadyForQuery I
        """,
        client.ask(
            parse("", SELECT),
            bind("p", ""),
            close('P', "p"),
            bind("p", ""),
            bind("p", ""),
            sync()));
  }

  @Test
  void theUnnamedPortalIsReplaced() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 1
        PortalSuspended
        BindComplete
        DataRow 1
        PortalSuspended
        ReadyForQuery I
        """,
        client.ask(
            parse("", SELECT), bind("", ""), execute("", 1), bind("", ""), execute("", 1), sync()));
  }

  @Test
  void closingAStatementClosesItsPortals() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 1
        PortalSuspended
        CloseComplete
        DataRow 2
        PortalSuspended
        ReadyForQuery I
        """,
        client.ask(
            parse("s", SELECT),
            bind("p", "s"),
            execute("p", 1),
            close('S', "s"),
            execute("p", 1),
            sync()));
  }

  @Test
  void aSelectThatIsDoneGivesNoMoreRows() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 1
        CommandComplete SELECT 1
        CommandComplete SELECT 0
        RowDescription id:23
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SELECT id FROM t WHERE id = 1"),
            bind("", ""),
            execute("", 0),
            execute("", 0),
            describe('P', ""),
            sync()));
  }

  @Test
  void aChangeRunsOnceWhateverTheLimit() throws IOException {
    assertAnswer(
        """
        ParseComplete
        BindComplete
        CommandComplete UPDATE 5
        ERROR 55000 portal "p" cannot be run
        ReadyForQuery I
        """,
        client.ask(
            parse("", "UPDATE t SET id = id + 10"),
            bind("p", ""),
            execute("p", 2),
            execute("p", 2),
            sync()));
  }

  @Test
  void changedRowsComeInPortionsButAreChangedAtOnce() throws IOException {
    client.query("BEGIN");
    assertAnswer(
        """
        ParseComplete
        BindComplete
        DataRow 1
        DataRow 2
        PortalSuspended
        ReadyForQuery T
        """,
        client.ask(
            parse("", "DELETE FROM t RETURNING id"), bind("p", ""), execute("p", 2), sync()));
    assertAnswer(
        """
        RowDescription count:20
        DataRow 0
        CommandComplete SELECT 1
        ReadyForQuery T
        """,
        client.query("SELECT count(*) FROM t"));
    assertAnswer(
        """
        DataRow 3
        DataRow 4
        DataRow 5
        CommandComplete DELETE 3
        ReadyForQuery T
        """,
        client.ask(execute("p", 0), sync()));
  }

  @Test
  void anErrorInALaterPortionFailsTheTransaction() throws IOException {
    client.query("BEGIN");
    assertAnswer(
        """
        ParseComplete
        BindComplete
        PortalSuspended
        ERROR 22012 division by zero
        ReadyForQuery E
        """,
        client
            .ask(
                parse("", "SELECT 1 / (10000 - i) FROM generate_series(1, 20000) i"),
                bind("", ""),
                execute("", 1),
                execute("", 0),
                sync())
            .replaceAll("DataRow.*\n", ""));
  }

  @Test
  void aPortalOfAFailedBlockIsGone() throws IOException {
    client.query("BEGIN");
    client.ask(parse("s", SELECT), bind("p", "s"), execute("p", 1), sync());
    client.query("SELECT 1/0");
    assertAnswer(
        """
        ERROR 25P02 current transaction is aborted, commands ignored until end of transaction block
        ReadyForQuery E
        """,
        client.ask(execute("p", 1), sync()));
    client.query("ROLLBACK");
    assertAnswer(
        "ERROR 34000 portal \"p\" does not exist\nReadyForQuery I",
        client.ask(execute("p", 1), sync()));
  }

  @Test
  void aPortalFromBeforeASavepointGoesOnAfterItsRollback() throws IOException {
    client.query("BEGIN");
    client.ask(parse("s", SELECT), bind("p", "s"), execute("p", 1), sync());
    client.query("SAVEPOINT a");
    client.query("DELETE FROM t");
    client.query("ROLLBACK TO a");
    assertAnswer(
        "DataRow 2\nPortalSuspended\nReadyForQuery T", client.ask(execute("p", 1), sync()));
  }

  @Test
  void aPortalFromWithinASavepointIsGoneAfterItsRollback() throws IOException {
    client.query("BEGIN");
    client.query("SAVEPOINT a");
    client.ask(parse("s", SELECT), bind("p", "s"), execute("p", 1), sync());
    client.query("ROLLBACK TO a");
    assertAnswer(
        "ERROR 34000 portal \"p\" does not exist\nReadyForQuery E",
        client.ask(execute("p", 1), sync()));
  }

  @Test
  void aPortalIsAnsweredAtFlushWhileItsTransactionIsOpen() throws IOException {
    client.send(parse("", SELECT), bind("", ""), execute("", 1), flush());
    assertAnswer("ParseComplete\nBindComplete\nDataRow 1\nPortalSuspended", client.read(4));
    client.send(execute("", 1), flush());
    assertAnswer("DataRow 2\nPortalSuspended", client.read(2));
    assertAnswer("ReadyForQuery I", client.ask(sync()));
  }

  @Test
  void settingsAreShownThroughPortals() throws IOException {
    assertAnswer(
        """
        ParseComplete
        ParameterDescription
        RowDescription lock_timeout:25
        BindComplete
        DataRow 0
        CommandComplete SHOW
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SHOW lock_timeout"),
            describe('S', ""),
            bind("", ""),
            execute("", 0),
            sync()));
  }
}
