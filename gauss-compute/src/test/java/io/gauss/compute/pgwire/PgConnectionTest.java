package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.startup;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Connections whose event loop, clock and threads the test turns by hand, in front of the sessions
 * of a real node: what happens in which order is up to the test.
 */
@Timeout(300)
class PgConnectionTest {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  /** Does not run on an event loop. */
  private static final String LONG = "SELECT count(*) FROM generate_series(1, 10) i";

  private final ArrayDeque<Runnable> threads = new ArrayDeque<>();
  private boolean hasThreads = true;
  private PgConnection connection;
  private Client client;

  /** A channel on this machine. */
  private static final class Client extends EmbeddedChannel {
    private boolean isAlone;

    Client(PgConnection connection) {
      super(connection);
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), 5432);
    }

    void sends(byte[]... parts) {
      alone(() -> writeInbound(Unpooled.wrappedBuffer(WireMessages.join(parts))));
    }

    void goesAway() {
      alone(this::close);
    }

    void passesSeconds(long seconds) {
      advanceTimeBy(seconds, TimeUnit.SECONDS);
      alone(this::runScheduledPendingTasks);
    }

    /** Tasks come after what made them, as on a real event loop, and never within it. */
    private void alone(Runnable action) {
      boolean wasAlone = isAlone;
      isAlone = true;
      try {
        action.run();
      } finally {
        isAlone = wasAlone;
      }
      runPendingTasks();
    }

    @Override
    public void runPendingTasks() {
      if (!isAlone) {
        isAlone = true;
        try {
          super.runPendingTasks();
        } finally {
          isAlone = false;
        }
      }
    }

    /** The types of the messages that have come since the last time. */
    String takes() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (ByteBuf part = readOutbound(); part != null; part = readOutbound()) {
        while (part.isReadable()) {
          bytes.write(part.readByte());
        }
        part.release();
      }
      StringBuilder types = new StringBuilder();
      ByteBuf all = Unpooled.wrappedBuffer(bytes.toByteArray());
      while (all.isReadable()) {
        types.append((char) all.readByte());
        all.skipBytes(all.readInt() - PgProtocol.LENGTH_BYTES);
      }
      return types.toString();
    }

    void isSlow(boolean slow) {
      unsafe().outboundBuffer().setUserDefinedWritability(1, !slow);
      runPendingTasks();
    }

    boolean hasTimers() {
      return runScheduledPendingTasks() >= 0;
    }
  }

  @BeforeEach
  void connect() {
    Thread test = Thread.currentThread();
    NODE.server()
        .threads(
            (name, task) -> {
              if (Thread.currentThread() != test) {
                SessionThreads.VIRTUAL.start(name, task); // of another client
              } else if (hasThreads) {
                threads.add(task);
              } else {
                throw new OutOfMemoryError("no threads left");
              }
            });
    connection = new PgConnection(NODE.server());
    client = new Client(connection);
  }

  @AfterEach
  void giveThreadsBack() {
    hasThreads = true;
    client.goesAway();
    runThreads();
    NODE.server().threads(SessionThreads.VIRTUAL);
  }

  private void start() {
    client.sends(startup(PgProtocol.PROTOCOL_3_0, "user", "gauss", "database", "gauss"));
    assertTrue(client.takes().endsWith("Z"));
    assertEquals(ConnectionState.IDLE, connection.state());
  }

  private void runThreads() {
    while (!threads.isEmpty()) {
      threads.remove().run();
      client.runPendingTasks();
    }
  }

  /** What a statement is answered, wherever it runs. */
  private String answer(String sql) {
    client.sends(query(sql));
    runThreads();
    return client.takes();
  }

  private static long sessions(int processId) throws IOException {
    try (WireClient watcher = WireClient.started(NODE.port(), "gauss")) {
      return watcher
          .query("SELECT 1 FROM pg_stat_activity WHERE pid = " + processId)
          .lines()
          .filter(line -> line.startsWith("DataRow"))
          .count();
    }
  }

  // ---------------------------------------------------------------- timers

  @Test
  void aConnectionThatHasClosedLeavesNoTimerBehind() {
    assertTrue(client.hasTimers());
    client.goesAway();
    assertEquals(ConnectionState.CLOSED, connection.state());
    assertFalse(client.hasTimers());
  }

  @Test
  void aSessionThatHasStartedLeavesNoTimerBehind() {
    start();
    assertFalse(client.hasTimers());
  }

  @Test
  void aClientThatSaysNothingIsPutOut() {
    client.passesSeconds(3600);
    assertEquals(ConnectionState.CLOSED, connection.state());
  }

  // ---------------------------------------------------------------- threads

  @Test
  void withoutAThreadTheConnectionEndsWithAnError() throws IOException {
    start();
    int processId = connection.session().processId();
    hasThreads = false;
    client.sends(query(LONG));
    client.runPendingTasks();
    assertEquals("E", client.takes());
    assertEquals(ConnectionState.CLOSED, connection.state());
    assertEquals(0, sessions(processId));
  }

  @Test
  void aSessionThatCannotBeRolledBackForWantOfAThreadIsRolledBackLater() throws IOException {
    start();
    int processId = connection.session().processId();
    answer("BEGIN");
    hasThreads = false;
    client.goesAway();
    assertEquals(1, sessions(processId));
    hasThreads = true;
    client.passesSeconds(2);
    runThreads();
    assertEquals(0, sessions(processId));
  }

  @Test
  void whatComesWhileAThreadRunsIsHandledAfterIt() {
    start();
    client.sends(query(LONG));
    assertEquals(ConnectionState.ON_THREAD, connection.state());
    client.sends(query("SELECT 1"), query("SELECT 2"));
    assertEquals("", client.takes());
    runThreads();
    assertEquals("TDCZTDCZTDCZ", client.takes());
    assertEquals(ConnectionState.IDLE, connection.state());
  }

  @Test
  void aSessionWhoseClientIsGoneEndsWithItsThread() throws IOException {
    start();
    int processId = connection.session().processId();
    client.sends(query(LONG), query(LONG));
    client.goesAway();
    assertEquals(ConnectionState.THREAD_ORPHANED, connection.state());
    assertEquals(1, sessions(processId));
    runThreads();
    assertEquals(ConnectionState.CLOSED, connection.state());
    assertEquals(0, sessions(processId));
  }

  @Test
  void whoIsTerminatedBetweenStatementsOfAThreadHearsWhy() {
    start();
    client.sends(query(LONG), query(LONG));
    connection.terminate();
    connection.terminate();
    client.runPendingTasks();
    assertEquals(ConnectionState.THREAD_ENDS, connection.state());
    runThreads();
    assertEquals("E", client.takes());
    assertEquals(ConnectionState.CLOSED, connection.state());
  }

  /** The client meant a transaction on another node, which has come back in the meantime. */
  @Test
  void aCancelThatFindsTheTransactionAtHomeStopsWhatRunsHere() {
    start();
    client.sends(query(LONG));
    connection.post(ConnectionEvent.CANCEL);
    client.runPendingTasks();
    runThreads();
    assertEquals("EZ", client.takes());
    assertEquals("TDCZ", answer("SELECT 1"));
  }

  @Test
  void whatIsDrainedOnItsThreadEndsAfterItsAnswer() {
    start();
    client.sends(query(LONG));
    connection.retire();
    client.runPendingTasks();
    runThreads();
    assertEquals("TDCZE", client.takes());
    assertEquals(ConnectionState.CLOSED, connection.state());
  }

  // ---------------------------------------------------------------- defects

  /** Also not the process: a test in whose time an invariant breaks fails. */
  @Test
  void anEventThatCannotHappenClosesThisConnectionAndNothingElse() throws IOException {
    start();
    int processId = connection.session().processId();
    answer("BEGIN");
    connection.post(ConnectionEvent.OPENED);
    client.runPendingTasks();
    runThreads();
    assertEquals(ConnectionState.CLOSED, connection.state());
    assertEquals(0, sessions(processId));
  }

  @Test
  void suchAnEventLetsAThreadComeToItsEnd() throws IOException {
    start();
    int processId = connection.session().processId();
    client.sends(query(LONG), query(LONG));
    connection.post(ConnectionEvent.OPENED);
    client.runPendingTasks();
    assertEquals(1, threads.size());
    assertEquals(1, sessions(processId));
    runThreads();
    assertEquals(ConnectionState.CLOSED, connection.state());
    assertEquals(0, sessions(processId));
  }

  // ---------------------------------------------------------------- answers

  @Test
  void theLogMayAnswerWhenTheClientHasGone() {
    start();
    client.goesAway();
    connection.logged(null);
    connection.logged(new GaussException(SqlState.IO_ERROR, "no log"));
    client.runPendingTasks();
    assertEquals(ConnectionState.CLOSED, connection.state());
  }

  @Test
  void anErrorThatEndsTheConnectionReplacesWhatIsIncomplete() {
    start();
    connection.output().raw(PgProtocol.DATA_ROW);
    connection.terminate();
    client.runPendingTasks();
    assertEquals("E", client.takes());
  }

  @Test
  void aClientThatDoesNotReadIsNotServedAndThenIs() {
    start();
    client.isSlow(true);
    assertEquals("TDCZ", answer("SELECT 1"));
    assertEquals(ConnectionState.SLOW, connection.state());
    assertEquals("", answer("SELECT 2"));
    client.isSlow(false);
    runThreads();
    assertEquals("TDCZ", client.takes());
    assertEquals(ConnectionState.IDLE, connection.state());
  }

  @Test
  void aClientThatDoesNotReadIsTerminated() throws IOException {
    start();
    int processId = connection.session().processId();
    client.isSlow(true);
    answer("SELECT 1");
    connection.terminate();
    client.runPendingTasks();
    assertEquals(0, sessions(processId));
    assertEquals(ConnectionState.CLOSED, connection.state());
  }

  @Test
  void aDrainedClientInATransactionIsEndedAfterIt() {
    start();
    assertEquals("CZ", answer("BEGIN"));
    connection.retire();
    client.runPendingTasks();
    assertEquals("TDCZ", answer("SELECT 1"));
    assertEquals("CZE", answer("ROLLBACK"));
    assertEquals(ConnectionState.CLOSED, connection.state());
  }
}
