package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.sync;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the violation of a deferred constraint is answered, wherever the commit comes from. */
abstract class DeferredConstraintsContract extends WireContract {
  private static final String ERROR =
      "ERROR 23503 insert or update on table \"c\" violates foreign key constraint \"c_pid_fkey\"";
  private static final String WARNING =
      "WARNING 25P01 SET CONSTRAINTS can only be used in transaction blocks";

  private WireClient client;

  @BeforeEach
  void startSession() throws IOException {
    client = start();
    client.query("DROP TABLE IF EXISTS c, p");
    client.query("CREATE TABLE p (id int PRIMARY KEY)");
    client.query(
        "CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p DEFERRABLE INITIALLY DEFERRED)");
  }

  private void expect(String expected, String actual) {
    assertAnswer(expected.formatted(ERROR, WARNING), actual);
  }

  private void expectRows(int count) throws IOException {
    assertAnswer(
        "RowDescription count:20\nDataRow %d\nCommandComplete SELECT 1\nReadyForQuery I"
            .formatted(count),
        client.query("SELECT count(*) FROM c"));
  }

  @Test
  void theOnlyStatementHasNoTag() throws IOException {
    expect("%1$s\nReadyForQuery I", client.query("INSERT INTO c VALUES (1, 9)"));
    expect(
        """
        RowDescription id:23
        DataRow 1
        %1$s
        ReadyForQuery I
        """,
        client.query("INSERT INTO c VALUES (1, 9) RETURNING id;;"));
    expectRows(0);
  }

  @Test
  void statementsBeforeTheLastHaveTheirTags() throws IOException {
    expect(
        """
        CommandComplete INSERT 0 1
        CommandComplete INSERT 0 1
        RowDescription id:23
        DataRow 1
        %1$s
        ReadyForQuery I
        """,
        client.query("INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 9); SELECT id FROM c"));
    expect(
        """
        CommandComplete INSERT 0 1
        CommandComplete INSERT 0 1
        ReadyForQuery I
        """,
        client.query("INSERT INTO c VALUES (1, 9); INSERT INTO p VALUES (9)"));
    expectRows(1);
  }

  @Test
  void commitLeavesNoBlockBehind() throws IOException {
    expect(
        """
        CommandComplete BEGIN
        CommandComplete INSERT 0 1
        %1$s
        ReadyForQuery I
        """,
        client.query("BEGIN; INSERT INTO c VALUES (1, 9); COMMIT; SELECT 1"));
    client.query("BEGIN; INSERT INTO c VALUES (1, 9)");
    expect("%1$s\nReadyForQuery I", client.query("COMMIT AND CHAIN"));
    client.query("BEGIN; INSERT INTO c VALUES (1, 9)");
    expect(
        "ParseComplete\nBindComplete\n%1$s\nReadyForQuery I",
        client.ask(
            parse("", "COMMIT"), bind("", ""), execute("", 0), parse("", "SELECT 1"), sync()));
    expectRows(0);
  }

  @Test
  void syncCommitsAndAnswersOnce() throws IOException {
    expect(
        """
        ParseComplete
        BindComplete
        CommandComplete INSERT 0 1
        ParseComplete
        BindComplete
        CommandComplete INSERT 0 1
        %1$s
        ReadyForQuery I
        """,
        client.ask(
            parse("", "INSERT INTO c VALUES ($1, $2)"),
            bind("", "", "1", "9"),
            execute("", 0),
            parse("", "INSERT INTO p VALUES (1)"),
            bind("", ""),
            execute("", 0),
            sync()));
    expectRows(0);
    expect(
        """
        ParseComplete
        BindComplete
        CommandComplete INSERT 0 1
        ParseComplete
        BindComplete
        CommandComplete INSERT 0 1
        ReadyForQuery I
        """,
        client.ask(
            parse("", "INSERT INTO c VALUES ($1, $2)"),
            bind("", "", "1", "9"),
            execute("", 0),
            parse("", "INSERT INTO p VALUES (9)"),
            bind("", ""),
            execute("", 0),
            sync()));
    expectRows(1);
  }

  @Test
  void setConstraintsLastsForItsTransaction() throws IOException {
    expect(
        "%2$s\nCommandComplete SET CONSTRAINTS\nReadyForQuery I",
        client.query("SET CONSTRAINTS ALL IMMEDIATE"));
    expect("%1$s\nReadyForQuery I", client.query("INSERT INTO c VALUES (1, 9)"));
    expect(
        """
        CommandComplete SET CONSTRAINTS
        %1$s
        ReadyForQuery I
        """,
        client.query("SET CONSTRAINTS ALL IMMEDIATE; INSERT INTO c VALUES (1, 9); SELECT 1"));
    expect(
        """
        ParseComplete
        BindComplete
        %2$s
        CommandComplete SET CONSTRAINTS
        ParseComplete
        BindComplete
        %1$s
        ReadyForQuery I
        """,
        client.ask(
            parse("", "SET CONSTRAINTS c_pid_fkey IMMEDIATE"),
            bind("", ""),
            execute("", 0),
            parse("", "INSERT INTO c VALUES (1, 9)"),
            bind("", ""),
            execute("", 0),
            parse("", "INSERT INTO p VALUES (9)"),
            sync()));
    expect(
        """
        CommandComplete BEGIN
        CommandComplete INSERT 0 1
        %1$s
        ReadyForQuery E
        """,
        client.query("BEGIN; INSERT INTO c VALUES (1, 9); SET CONSTRAINTS ALL IMMEDIATE"));
    client.query("ROLLBACK");
    expectRows(0);
  }

  @Test
  void aSimpleQueryEndsWhatThePipelineBeforeItHasBegun() throws IOException {
    client.send(parse("", "INSERT INTO c VALUES (1, 9)"), bind("", ""), execute("", 0));
    expect(
        """
        ParseComplete
        BindComplete
        CommandComplete INSERT 0 1
        %1$s
        ReadyForQuery I
        """,
        client.query("INSERT INTO p VALUES (1)"));
    expectRows(0);
  }
}
