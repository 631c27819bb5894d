package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.close;
import static io.gauss.compute.pgwire.WireMessages.describe;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.SessionFaults;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A block is lost with the node that had it, while its client has nothing to wait for. */
@Timeout(300)
class LostBlockTest {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  private WireClient client;

  @BeforeEach
  void connect() throws IOException {
    client = WireClient.started(NODE.port(), "gauss");
    client.ask(parse("commit", "COMMIT"), parse("select", "SELECT 1"), sync());
    client.query("BEGIN");
    SessionFaults.loseBlock(
        NODE.node().sessions(),
        client.processId(),
        new GaussException(SqlState.SERIALIZATION_FAILURE, "its node is lost"));
  }

  @AfterEach
  void disconnect() throws IOException {
    client.close();
  }

  private static byte[] extended(String text) {
    return WireMessages.join(parse("", text), bind("", ""), execute("", 0), sync());
  }

  private void assertEnded(String answer) throws IOException {
    assertTrue(answer.contains("40001") && answer.endsWith("ReadyForQuery I"), answer);
    assertTrue(client.query("SELECT 1").endsWith("CommandComplete SELECT 1\nReadyForQuery I"));
  }

  private void assertFailed(String answer) throws IOException {
    assertTrue(answer.contains("40001") && answer.endsWith("ReadyForQuery E"), answer);
    assertTrue(client.query("SELECT 1").contains("25P02"));
    assertTrue(client.query("ROLLBACK").endsWith("CommandComplete ROLLBACK\nReadyForQuery I"));
  }

  /** As a COMMIT that fails for another reason, and unlike that of a block that has failed. */
  @Test
  void aCommitFailsAndEndsIt() throws IOException {
    assertEnded(client.query("COMMIT WORK"));
  }

  @Test
  void soDoesACommitOfTheExtendedProtocol() throws IOException {
    assertEnded(client.ask(extended("END")));
  }

  /** What comes behind it belongs to the block that its client believes to be in. */
  @Test
  void aCommitThatIsOnlyPreparedEndsNothing() throws IOException {
    String prepared = client.ask(parse("c", "COMMIT"), describe('S', "c"), bind("p", "c"), sync());
    assertTrue(prepared.endsWith("BindComplete\nReadyForQuery E"), prepared);
    assertEnded(client.ask(execute("p", 0), sync()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1",
        "COMMIT AND CHAIN",
        "COMMIT; BEGIN",
        "UPDATE t SET v = 2; COMMIT",
        "UPDATE t SET v = 2; ROLLBACK",
        "ROLLBACK AND CHAIN",
        "ROLLBACK TO a"
      })
  void whatDoesNotEndItIsToldAndItHasFailed(String text) throws IOException {
    assertFailed(client.query(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"SELECT 1", "ROLLBACK AND CHAIN"})
  void soIsWhatDoesNotEndItInTheExtendedProtocol(String text) throws IOException {
    assertFailed(client.ask(extended(text)));
  }

  @Test
  void soIsAStatementThatWasPreparedBefore() throws IOException {
    assertFailed(client.ask(bind("", "select"), execute("", 0), sync()));
  }

  @Test
  void aRollbackSucceeds() throws IOException {
    assertEquals("CommandComplete ROLLBACK\nReadyForQuery I", client.query("ROLLBACK"));
  }

  /** Whatever a driver sends along with it. */
  @Test
  void aRollbackSucceedsWithWhatComesBeforeIt() throws IOException {
    assertEquals("ReadyForQuery E", client.ask(sync()));
    assertEquals(
        """
        CloseComplete
        CloseComplete
        ParseComplete
        BindComplete
        NoData
        CommandComplete ROLLBACK
        ReadyForQuery I\
        """,
        client.ask(
            close('S', "select"),
            close('P', ""),
            parse("", "ROLLBACK"),
            bind("", ""),
            describe('P', ""),
            execute("", 0),
            sync()));
  }
}
