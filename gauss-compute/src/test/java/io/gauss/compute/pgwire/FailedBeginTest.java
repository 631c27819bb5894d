package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.bind;
import static io.gauss.compute.pgwire.WireMessages.execute;
import static io.gauss.compute.pgwire.WireMessages.parse;
import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.sync;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogSharing;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.session.SessionFaults;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * pgjdbc and Npgsql send BEGIN as a simple query and the first statement behind it, without waiting
 * for an answer. If BEGIN failed and left no block, that statement would commit by itself, and its
 * client would be told that nothing had happened.
 */
@Timeout(300)
class FailedBeginTest {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  private WireClient client;

  @BeforeEach
  void connect() throws IOException {
    client = WireClient.started(NODE.port(), "gauss");
    client.query("CREATE TABLE t (n int)");
    client.query("INSERT INTO t VALUES (0)");
    client.ask(parse("increase", "UPDATE t SET n = n + 1"), sync());
  }

  @AfterEach
  void close() throws IOException {
    client.query("ROLLBACK");
    client.query("DROP TABLE t");
    client.close();
  }

  private void sendWithBegin(byte[] begin) throws IOException {
    client.send(begin, bind("", "increase"), execute("", 0), sync());
  }

  private void assertNothingHappened() throws IOException {
    client.query("ROLLBACK");
    assertTrue(client.query("SELECT n FROM t").contains("0"), "n is 0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "BEGIN",
        "begin isolation level repeatable read",
        " /* as\nsome send it */ -- so\n START TRANSACTION",
        "BEGIN; UPDATE t SET n = n + 10"
      })
  void nothingBehindABeginThatFailsRunsByItself(String begin) throws IOException {
    SessionFaults.failNext(
        NODE.node().sessions(),
        client.processId(),
        new GaussException(SqlState.CONNECTION_FAILURE, "as if another node were lost"));
    sendWithBegin(query(begin));
    String first = client.readUntilReady();
    assertTrue(first.contains("08006"), first);
    String second = client.readUntilReady();
    assertTrue(second.contains("25P02"), second);
    assertNothingHappened();
  }

  @Test
  void soItIsWhenBeginHasASyncOfItsOwn() throws IOException {
    client.ask(parse("begin", "BEGIN"), sync());
    SessionFaults.failNext(
        NODE.node().sessions(),
        client.processId(),
        new GaussException(SqlState.CONNECTION_FAILURE, "as if another node were lost"));
    sendWithBegin(WireMessages.join(parse("", "BEGIN"), bind("", ""), execute("", 0), sync()));
    assertTrue(client.readUntilReady().contains("08006"));
    assertTrue(client.readUntilReady().contains("25P02"));
    assertNothingHappened();
  }

  @Test
  void soItIsWhenBeginWasPreparedBefore() throws IOException {
    client.ask(parse("begin", "BEGIN"), sync());
    SessionFaults.failNext(
        NODE.node().sessions(),
        client.processId(),
        new GaussException(SqlState.CONNECTION_FAILURE, "as if another node were lost"));
    sendWithBegin(WireMessages.join(bind("", "begin"), execute("", 0), sync()));
    assertTrue(client.readUntilReady().contains("08006"));
    String second = client.readUntilReady();
    assertTrue(second.contains("25P02"), second);
    assertNothingHappened();
  }

  /** A mode that Gauss does not have: the client believes that it works in it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "BEGIN ISOLATION LEVEL SERIALIZABLE",
        "START TRANSACTION READ WRITE, ISOLATION LEVEL SERIALIZABLE"
      })
  void nothingBehindABeginWithAnUnknownModeRunsByItself(String begin) throws IOException {
    sendWithBegin(query(begin));
    String first = client.readUntilReady();
    assertTrue(first.contains("0A000") && first.endsWith("ReadyForQuery E"), first);
    String second = client.readUntilReady();
    assertTrue(second.contains("25P02"), second);
    assertNothingHappened();
    sendWithBegin(WireMessages.join(parse("", begin), bind("", ""), execute("", 0), sync()));
    assertTrue(client.readUntilReady().contains("0A000"));
    assertTrue(client.readUntilReady().contains("25P02"));
    assertNothingHappened();
  }

  @Test
  void aTextThatIsNoStatementBeginsNothing() throws IOException {
    sendWithBegin(query("BEGIN OR NOT"));
    assertTrue(client.readUntilReady().contains("42601"));
    String second = client.readUntilReady();
    assertTrue(second.contains("UPDATE 1"), second);
  }

  @Test
  void whatFailsBehindABeginThatWasNotRunBeginsNothing() throws IOException {
    client.ask(parse("begin", "BEGIN"), bind("", "begin"), sync());
    String other = client.ask(bind("", "other"), execute("", 0), sync());
    assertTrue(other.contains("26000") && other.endsWith("ReadyForQuery I"), other);
    client.ask(parse("", "BEGIN"), sync());
    String portal = client.ask(execute("none", 0), sync());
    assertTrue(portal.contains("34000") && portal.endsWith("ReadyForQuery I"), portal);
  }

  /** Messages that the session is not asked for: what was prepared before is not what fails. */
  @Test
  void whatFailsBehindABeginThatWasOnlyPreparedBeginsNothing() throws IOException {
    byte[] call = WireMessages.message('F', out -> out.writeLong(42));
    client.send(parse("", "BEGIN"), call);
    String called = client.readUntilReady();
    assertTrue(called.contains("0A000") && called.endsWith("ReadyForQuery I"), called);
    byte[] describe = WireMessages.message('D', out -> out.writeBytes("X\0"));
    String described = client.ask(parse("", "BEGIN"), describe, sync());
    assertTrue(described.contains("08P01") && described.endsWith("ReadyForQuery I"), described);
  }

  /** The catalog could not be loaded, and could a moment later. */
  @Test
  void beginNeedsNoCatalog() throws IOException {
    Catalog catalog = SessionFaults.catalog(NODE.node().sessions());
    CatalogSharing before = catalog.sharing();
    OnceUnreadable sharing = new OnceUnreadable();
    catalog.share(sharing);
    try {
      client.query("BEGIN");
      assertTrue(sharing.isStale.get(), "nothing was loaded");
      String answer = client.ask(bind("", "increase"), execute("", 0), sync());
      assertTrue(answer.contains("57P03"), answer);
      assertTrue(client.query("SELECT 1").contains("25P02"));
      assertNothingHappened();
    } finally {
      catalog.share(before);
    }
    assertEquals(before, catalog.sharing());
  }

  private static final class OnceUnreadable implements CatalogSharing {
    private final AtomicBoolean isStale = new AtomicBoolean(true);

    @Override
    public long committing() {
      return 0;
    }

    @Override
    public void committed(long begun, long csn) {
      // There is no other node.
    }

    @Override
    public long heard() {
      return isStale.get() ? Long.MAX_VALUE : 0;
    }

    @Override
    public void load(EngineContext caller) {
      caller.waits().beforeWait();
      if (isStale.getAndSet(false)) {
        throw new GaussException(SqlState.CANNOT_CONNECT_NOW, "no node answers");
      }
    }
  }
}
