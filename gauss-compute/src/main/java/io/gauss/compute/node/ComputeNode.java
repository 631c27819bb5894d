package io.gauss.compute.node;

import io.gauss.common.runtime.Environment;
import io.gauss.common.task.CloseStack;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.tcp.NodesOfProcess;
import io.gauss.compute.buffer.CoherentPages;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.pgwire.AnswerGate;
import io.gauss.compute.pgwire.PgServer;
import io.gauss.compute.pgwire.Reroutes;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.session.SessionFactory;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.compute.txn.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A compute node: engine, transactions, catalog, SQL and the port for clients, assembled in
 * {@linkplain Phase phases}. Each phase gets the results of those before it; their resources are
 * closed in reverse order, even when a later phase fails. Only one thread may start and close it.
 */
public final class ComputeNode implements AutoCloseable {
  /** Beginning of the state of a node that takes clients. */
  static final String SERVING = "UP";

  private static final Logger LOG = LoggerFactory.getLogger(ComputeNode.class);
  private static final String DRAINING = "DRAINING";
  private static final String JOINING = "JOINING";
  private static final Instant EPOCH_2000 = Instant.parse("2000-01-01T00:00:00Z");

  private final Foundations foundations;
  private final SqlLayer sql;
  private final Serving serving;
  private final CloseStack opened;

  /** The phases of a start, in their order. */
  enum Phase {
    /** {@link Foundations}: a place in the cluster, the engine, transactions. */
    FOUNDATIONS,
    /** {@link Recovery}: undo and the catalog. */
    RECOVERY,
    /** {@link SqlLayer}: planning, the state that sessions share, background tasks. */
    SQL,
    /** {@link Serving}: clients and other nodes get answers. */
    SERVING
  }

  /**
   * Opens the data directory, recovers it, and listens.
   *
   * @throws io.gauss.common.error.GaussException 55006 the directory is in use, XX001 it is
   *     damaged, 58030 no port
   */
  public static ComputeNode start(NodeSettings settings, MeterRegistry registry) {
    return start(settings, registry, (NodesOfProcess) null);
  }

  /**
   * The same in a process with others.
   *
   * @param process nodes that are reached within the JVM; null = none
   */
  public static ComputeNode start(
      NodeSettings settings, MeterRegistry registry, NodesOfProcess process) {
    return start(settings, registry, Membership.Transports.tcp(settings, process));
  }

  /**
   * The same with another way to reach the cluster's other nodes.
   *
   * @param transports not used by a single node
   */
  static ComputeNode start(
      NodeSettings settings, MeterRegistry registry, Membership.Transports transports) {
    return start(settings, registry, transports, phase -> LOG.debug("{} is complete", phase));
  }

  /**
   * The same, observed by tests.
   *
   * @param completed called for each phase when it is complete; the start fails if the call does
   */
  static ComputeNode start(
      NodeSettings settings,
      MeterRegistry registry,
      Membership.Transports transports,
      Consumer<Phase> completed) {
    return start(
        settings,
        registry,
        transports,
        completed,
        (foundations, sql, opened) -> Serving.open(settings, foundations, sql, opened));
  }

  /**
   * The same without a port for clients: the process that embeds the node {@linkplain #sessions
   * opens sessions} itself, and asks {@link #gate} before it tells anybody what they answer.
   *
   * @param settings whose port the cluster is told
   * @param transports opens the transport to the cluster's other nodes
   */
  public static ComputeNode startWithoutPort(
      NodeSettings settings,
      MeterRegistry registry,
      Function<TransportConfig, Transport> transports) {
    return start(
        settings,
        registry,
        transports::apply,
        phase -> LOG.debug("{} is complete", phase),
        (foundations, sql, opened) -> Serving.openWithoutPort(settings, foundations, sql));
  }

  /** The last phase of a start. */
  @FunctionalInterface
  private interface LastPhase {
    Serving open(Foundations foundations, SqlLayer sql, CloseStack opened);
  }

  private static ComputeNode start(
      NodeSettings settings,
      MeterRegistry registry,
      Membership.Transports transports,
      Consumer<Phase> completed,
      LastPhase last) {
    long start = Environment.nanoTime();
    CloseStack opened = new CloseStack("compute node");
    try {
      Foundations foundations = Foundations.open(settings, registry, transports, opened);
      completed.accept(Phase.FOUNDATIONS);
      Catalog catalog = Recovery.run(foundations, opened);
      completed.accept(Phase.RECOVERY);
      SqlLayer sql = SqlLayer.open(settings, registry, foundations, catalog, opened);
      completed.accept(Phase.SQL);
      Serving serving = last.open(foundations, sql, opened);
      completed.accept(Phase.SERVING);
      LOG.info("up in {} ms", TimeUnit.NANOSECONDS.toMillis(Environment.nanoTime() - start));
      return new ComputeNode(foundations, sql, serving, opened);
    } catch (RuntimeException | Error e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private ComputeNode(Foundations foundations, SqlLayer sql, Serving serving, CloseStack opened) {
    this.foundations = foundations;
    this.sql = sql;
    this.serving = serving;
    this.opened = opened;
  }

  /** The wall clock, for users and SQL: µs since 2000-01-01 UTC. */
  static long microsSince2000() {
    return ChronoUnit.MICROS.between(EPOCH_2000, Environment.now());
  }

  /** Where clients connect. */
  public int port() {
    return serving.server().port();
  }

  /** Whether clients may be answered now (law 10, no lease, no answer). */
  public AnswerGate gate() {
    return foundations.node().gate();
  }

  /**
   * Completes with the reason when the node must end because the cluster has given it up; never for
   * a single node. It no longer answers any client by then.
   */
  public CompletableFuture<String> lost() {
    return foundations.node().lost();
  }

  /** The cluster asks the node to leave. Does not wait. */
  void drain(Duration grace) {
    serving.drain(grace);
  }

  /** Whether clients may connect now and are answered. */
  public boolean takesClients() {
    NodeEngine node = foundations.node();
    return node.gate().isOpen() && !node.draining().isDone();
  }

  /** Completes when the cluster has asked the node to leave, and it has no session any more. */
  public CompletableFuture<Void> drained() {
    return serving.drained();
  }

  /** The pages that it shares with other nodes; null when there are no memory nodes. */
  CoherentPages pages() {
    MemoryTier memory = foundations.node().memory();
    return memory == null ? null : memory.pages();
  }

  /**
   * Opens sessions without a connection: for applications that embed a node, and for benchmarks.
   */
  public SessionFactory sessions() {
    return serving.sessions();
  }

  /** Forwards transactions to better nodes; null when they are not forwarded. */
  public Reroutes reroutes() {
    return serving.reroutes();
  }

  /** The samples of transactions, and the place where the results of learning are published. */
  public RoutingExchange routing() {
    return sql.routing();
  }

  /** Whether there may be other compute nodes. */
  public boolean isInCluster() {
    return foundations.node().isInCluster();
  }

  /** The cluster's nodes of all roles, as far as this one knows. */
  public List<NodeState.Node> nodes() {
    return sql.inspection().nodes();
  }

  /** By slot, the numbers in the cluster of the compute nodes that take transactions now. */
  public Map<Integer, Integer> computeNodes() {
    return computeNodes(nodes());
  }

  static Map<Integer, Integer> computeNodes(List<NodeState.Node> nodes) {
    return nodes.stream()
        .filter(node -> node.slot() != 0)
        .filter(node -> !node.state().startsWith(DRAINING) && !node.state().startsWith(JOINING))
        .collect(Collectors.toMap(NodeState.Node::slot, NodeState.Node::id));
  }

  /**
   * By slot, the numbers in the cluster of the compute nodes that have neither left nor been asked
   * to: besides those of {@link #computeNodes()} those that start, and those that have died and may
   * come back.
   */
  public Map<Integer, Integer> notLeft() {
    return foundations.node().notLeft();
  }

  /**
   * Which nodes have the rows of keys, as {@code gauss_key_owners} tells it, but whoever asks: for
   * the node's own decisions.
   *
   * @param table name in double quotes, without a schema
   * @return null when the column's values do not tell, or there are several such tables
   */
  public String keyOwners(String table, String column, String value) {
    return sql.ownKeys().owners(table, column, value);
  }

  /**
   * The page group of the rows with a value of a column; 0 when that is not known.
   *
   * @param table name without a schema
   */
  public long keyGroup(String table, String column, String value) {
    return sql.ownKeys().group(table, column, value);
  }

  /**
   * Whether a name as statements have it, table and column with a dot between them, is of a column
   * of a table, or of its first one: {@code t.#1}.
   */
  public boolean isColumn(int tableOid, String name) {
    return sql.ownKeys().isColumn(tableOid, name);
  }

  /** The name of a table, without its schema; null = there is none. */
  public String tableName(int oid) {
    return sql.ownKeys().tableName(oid);
  }

  public Engine engine() {
    return foundations.node().engine();
  }

  public Transactions transactions() {
    return foundations.transactions();
  }

  /** Where clients connect. */
  PgServer server() {
    return serving.server();
  }

  /** Ends sessions with 57P01, then everything below. A second call has no effect. */
  @Override
  public void close() {
    opened.close();
  }
}
