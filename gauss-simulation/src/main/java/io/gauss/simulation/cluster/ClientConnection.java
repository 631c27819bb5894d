package io.gauss.simulation.cluster;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.common.runtime.InOrder;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.session.FatalSessionException;
import io.gauss.compute.session.Session;
import io.gauss.simulation.Simulation;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A client's connection to a compute node: the session runs on a thread of the node's process, the
 * client waits for its answers on a thread of its own. It breaks when the process ends. One query
 * at a time.
 */
final class ClientConnection {
  private static final long GATE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final Map<String, String> PARAMETERS =
      InOrder.copyOf(new TreeMap<>(Map.of("user", "gauss", "database", "gauss")));

  private static final char IDLE = 'I';
  private static final long MAX_LEAVE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ClusterProcess process;
  private final ComputeNode node;
  private final RowCollector out = new RowCollector();
  private final ArrayDeque<String> queries = new ArrayDeque<>();
  private final Thread server;
  private Thread client;
  private Answer answer;
  private boolean broken;
  private boolean closed;
  private boolean inBlock;
  private Session session;

  /**
   * Connects.
   *
   * @param process of a compute node that runs
   */
  ClientConnection(Simulation simulation, ClusterProcess process, ComputeNode node) {
    this.process = process;
    this.node = node;
    this.server = process.node().start("session", this::serve);
  }

  /** Runs a query, and waits for its answer. */
  Answer query(String text) {
    if (isBroken()) {
      return Answer.LOST;
    }
    answer = null;
    client = Thread.currentThread();
    queries.add(text);
    LockSupport.unpark(server);
    while (answer == null && !isBroken()) {
      // The end of a process is noticed as an end of its connections is: a little later.
      Environment.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(5));
    }
    client = null;
    Answer heard = answer == null ? Answer.LOST : answer;
    broken |= !heard.connected();
    return heard;
  }

  /** Payloads of the notifications that have come with answers since the last call. */
  List<String> takeTold() {
    return isBroken() ? List.of() : out.takeTold();
  }

  boolean isBroken() {
    return broken || process.node().isDead();
  }

  /** Whether the session is in a block of a transaction, as of the last answer. */
  boolean inBlock() {
    return inBlock;
  }

  /** Number of the node to which it is connected. */
  int number() {
    return process.number();
  }

  /** Sends a query, and leaves without waiting for the answer. */
  void abandon(String text) {
    if (!isBroken()) {
      queries.add(text);
      LockSupport.unpark(server);
      Environment.parkNanos(this, 1 + Environment.random().nextLong(MAX_LEAVE_NANOS));
      if (session != null && !isBroken()) {
        session.interrupt(SqlState.CONNECTION_FAILURE, "connection to client lost");
      }
    }
    close();
  }

  /** The client ends; its session ends a little later. */
  void close() {
    broken = true;
    closed = true;
    LockSupport.unpark(server);
  }

  private void serve() {
    try {
      session = node.sessions().open(PARAMETERS, out);
      session.mayBlock(true);
    } catch (GaussException e) {
      tell(Answer.failed(e.state(), e.getMessage(), false));
      return;
    }
    boolean open = true;
    while (open && !(closed && queries.isEmpty())) {
      String text = queries.poll();
      if (text == null) {
        LockSupport.park(this);
      } else {
        Answer told = answer(text);
        open = told.connected();
        tell(told);
      }
    }
    try {
      session.close();
    } catch (GaussException e) {
      // Its transaction could not be rolled back: others do that when the node is gone.
      process.note("a session's end failed: " + e.state());
    }
  }

  private void tell(Answer told) {
    answer = told;
    broken |= !told.connected();
    LockSupport.unpark(client); // null when it has left
  }

  private Answer answer(String text) {
    out.clear();
    try {
      session.clearInterrupt();
      Answer told = run(text);
      awaitLog();
      awaitGate();
      if (session.hasNotifications()) {
        session.writeNotifications();
      }
      inBlock = session.transactionStatus() != IDLE;
      return told;
    } catch (FatalSessionException e) {
      return fatal(e.error());
    } catch (GaussException e) {
      return fatal(e);
    }
  }

  private Answer run(String text) {
    try {
      session.startQuery(text);
      session.runQuery();
      out.requireVisible(session.dependency());
      return Answer.of(out.rows(), out.tag());
    } catch (GaussException e) {
      session.statementFailed(e);
      out.requireVisible(session.dependency());
      return Answer.failed(e.state(), e.getMessage(), true);
    }
  }

  private static Answer fatal(GaussException e) {
    return Answer.failed(e.state(), e.getMessage(), false);
  }

  private void awaitLog() {
    if (out.visibleGate() != 0) {
      session.awaitVisible(out.visibleGate());
    }
    if (out.durableGate() != 0) {
      session.awaitDurable(out.durableGate());
    }
  }

  /** Law 10: no lease, no answer. */
  private void awaitGate() {
    long start = Environment.nanoTime();
    while (!node.gate().isOpen()) {
      if (Environment.nanoTime() - start >= node.gate().patienceNanos()) {
        throw new FatalSessionException(node.gate().why());
      }
      Environment.parkNanos(this, GATE_LOOK_NANOS);
    }
  }
}
