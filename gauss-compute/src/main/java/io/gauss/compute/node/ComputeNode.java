package io.gauss.compute.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.buffer.CoherentPages;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogStore;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SequenceChecker;
import io.gauss.compute.catalog.Sequences;
import io.gauss.compute.catalog.statistics.AutoAnalyze;
import io.gauss.compute.catalog.statistics.ModificationCounters;
import io.gauss.compute.ddl.BackgroundAnalyzer;
import io.gauss.compute.ddl.CatalogLoader;
import io.gauss.compute.ddl.DdlServices;
import io.gauss.compute.ddl.FirstPassword;
import io.gauss.compute.ddl.ForgottenTrees;
import io.gauss.compute.ddl.IndexChecker;
import io.gauss.compute.ddl.TableHandles;
import io.gauss.compute.ddl.TemporarySchemas;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.engine.EngineMetrics;
import io.gauss.compute.expr.FunctionRegistry;
import io.gauss.compute.pgwire.Credentials;
import io.gauss.compute.pgwire.PgServer;
import io.gauss.compute.pgwire.Reroutes;
import io.gauss.compute.pgwire.Tls;
import io.gauss.compute.routing.AccessSampling;
import io.gauss.compute.routing.NodeLoad;
import io.gauss.compute.routing.PagePlacement;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.session.SessionFactory;
import io.gauss.compute.session.SessionMetrics;
import io.gauss.compute.session.SessionServices;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.sql.exec.NodeState;
import io.gauss.compute.sql.exec.SystemState;
import io.gauss.compute.sql.exec.TemporaryFiles;
import io.gauss.compute.sql.plan.PlanCache;
import io.gauss.compute.sql.plan.Planner;
import io.gauss.compute.sql.plan.PlannerWarmup;
import io.gauss.compute.sql.plan.TableExpressions;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.StoreChecker;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.TransactionMeters;
import io.gauss.compute.txn.TransactionMetrics;
import io.gauss.compute.txn.TransactionSettings;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.UndoChecker;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A compute node: engine, transactions, catalog, SQL and the port for clients, wired together.
 * Start and close are for one thread.
 */
public final class ComputeNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ComputeNode.class);

  private static final Duration ANALYZE_INTERVAL = Duration.ofSeconds(10);

  /** Number of the lock under which the trees of the catalog are made; of no table. */
  private static final int CATALOG_TREES = Integer.MIN_VALUE | SystemSpaces.CATALOG;

  private static final long PLAN_CACHE_BYTES = 64L << 20;
  private static final String DRAINING = "DRAINING";
  private static final String JOINING = "JOINING";
  private static final String SERVING = "UP";
  private static final Instant EPOCH_2000 = Instant.parse("2000-01-01T00:00:00Z");

  private final Engine engine;
  private final NodeEngine opened;
  private final Transactions transactions;
  private final Store store;
  private DdlServices ddl;
  private NodeState inspection;
  private volatile int clientPort;
  private final SessionServices services;
  private final SessionFactory sessions;
  private final PgServer server;
  private final BackgroundAnalyzer analyzer;
  private final RoutingExchange routing;
  private final Reroutes reroutes;
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final ModificationCounters modifications = new ModificationCounters();
  private final ConcurrentLinkedQueue<Integer> droppedSpaces = new ConcurrentLinkedQueue<>();

  /**
   * Opens the data directory, recovers it, and listens.
   *
   * @throws io.gauss.common.error.GaussException 55006 the directory is in use, XX001 it is
   *     damaged, 58030 no port
   */
  public static ComputeNode start(NodeSettings settings, MeterRegistry registry) {
    return start(settings, registry, Membership.Transports.tcp(settings));
  }

  /**
   * The same with another way to reach the cluster's other nodes.
   *
   * @param transports of no use to a node that is alone
   */
  static ComputeNode start(
      NodeSettings settings, MeterRegistry registry, Membership.Transports transports) {
    return new ComputeNode(settings, registry, transports);
  }

  private ComputeNode(
      NodeSettings settings, MeterRegistry registry, Membership.Transports transports) {
    long start = System.nanoTime();
    opened = NodeEngine.open(settings, registry, transports);
    engine = opened.engine();
    boolean started = false;
    try {
      transactions =
          new Transactions(
              engine.clock(),
              engine.log(),
              engine.pool(),
              engine.spaces(),
              TransactionSettings.DEFAULT,
              System::nanoTime,
              opened.peers(),
              opened::deadlockHost);
      opened.join(transactions, registry);
      store = new Store(engine.pool(), engine.spaces(), transactions);
      engine.step("catalog trees", this::ensureCatalogTrees);
      engine.step("own undo segments", ctx -> opened.awaitOwnSlot());
      engine.step(
          "undo",
          ctx -> {
            int active = transactions.recover(ctx);
            LOG.info("{} transactions were active at the end of the log", active);
          });
      opened.answer(transactions);
      opened.recover(transactions);
      routing =
          new RoutingExchange(
              new AccessSampling(
                  engine.clock()::node,
                  settings.samplesPerSecond(),
                  System::nanoTime,
                  ComputeNode::microsSince2000,
                  System.nanoTime()),
              opened.peers(),
              opened::deadlockHost,
              this::load,
              new PagePlacement(
                  engine.pool().moves(),
                  opened.peers(),
                  engine.clock()::now,
                  System::nanoTime,
                  settings.placedPerSecond()));
      Catalog catalog = loadCatalog();
      engine.step("forgotten trees", ctx -> dropForgotten(ctx, catalog));
      services = openServices(settings, registry, catalog);
      transactions.start();
      engine.step("temporary schemas", ctx -> dropTemporary(ctx, transactions.node()));
      engine.health().add(transactions::problems);
      analyzer = new BackgroundAnalyzer(ddl, transactions, engine::newContext);
      engine
          .tasks()
          .every(
              "analyze",
              ANALYZE_INTERVAL,
              whenWritable(new AutoAnalyze(modifications, catalog::current, analyzer)));
      engine.tasks().every("drop-trees", Duration.ofSeconds(1), whenWritable(this::dropTrees));
      engine.tasks().every("routing", Duration.ofSeconds(1), routing::turn);
      startPlacement();
      new RoutingMeters(routing).bindTo(registry);
      new EngineMetrics(engine).bindTo(registry);
      new TransactionMeters(transactions).bindTo(registry);
      FunctionCounter.builder("gauss.pages.crowded", store, Store::crowdedLeaves)
          .description("Leaves to be cut since rows of other nodes made them go to and fro")
          .register(registry);
      sessions = new SessionFactory(services, settings.slowStatementMillis());
      reroutes =
          settings.reroutes()
              ? new Reroutes(sessions.passed(), this::hostOf, routing.reroutes())
              : null;
      setFirstPassword(settings);
      Tls tls = tls(settings);
      server =
          new PgServer(
              new PgServer.Settings(
                  listenAddress(settings, catalog),
                  settings.port(),
                  settings.maxConnections(),
                  settings.eventLoops(),
                  settings.authenticationTimeoutSeconds()),
              sessions,
              engine.log(),
              new Credentials(
                  catalog,
                  settings.trustLoopback(),
                  NodeSecret.of(settings.data()),
                  ComputeNode::microsSince2000),
              tls,
              opened.gate(),
              reroutes);
      clientPort = server.port();
      opened.answer(services.cluster());
      sessions.passed().open(clientPort, tls == null ? new byte[0] : tls.certificateHash());
      opened.answer(routing);
      opened.draining().thenRun(() -> drain(settings.drainGrace()));
      opened.serves(leftovers());
      started = true;
    } finally {
      if (!started) {
        engine.close();
      }
    }
    LOG.info("up in {} ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
  }

  private void startPlacement() {
    if (engine.pool().isShared()) {
      PagePlacement placement = routing.placement();
      engine.tasks().every("offer-pages", Duration.ofSeconds(1), placement::offer);
      Duration turn = Duration.ofSeconds(1).dividedBy(PagePlacement.TURNS_PER_SECOND);
      engine.tasks().every("ask-for-pages", turn, placement::ask);
    }
  }

  /**
   * Off this machine nobody is let in without a password, so listening there is of use, and meant,
   * only once there is one.
   */
  private static InetAddress listenAddress(NodeSettings settings, Catalog catalog) {
    InetAddress address;
    try {
      address = InetAddress.getByName(settings.listenAddress());
    } catch (UnknownHostException e) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "setting listen.address = \"%s\" is no address of this machine"
              .formatted(settings.listenAddress()),
          e);
    }
    RoleDef first = catalog.current().role(RoleDef.BOOTSTRAP.oid());
    if (!address.isLoopbackAddress() && first.verifier() == null) {
      throw new GaussException(
          SqlState.INVALID_PASSWORD,
          "listen.address = %s: role \"%s\" has no password yet; set one with ALTER ROLE %s"
                  .formatted(settings.listenAddress(), first.name(), first.name())
              + " PASSWORD '...' while the node listens on 127.0.0.1");
    }
    return address;
  }

  private void setFirstPassword(NodeSettings settings) {
    Path file = settings.passwordFile();
    if (file != null
        && FirstPassword.setIfMissing(
            ddl,
            new TableHandles(ddl),
            transactions,
            engine.newContext(),
            () -> PasswordFile.read(file))) {
      LOG.info("role \"{}\" has got its first password from {}", RoleDef.BOOTSTRAP.name(), file);
    }
  }

  private static Tls tls(NodeSettings settings) {
    NodeSettings.TlsFiles files = settings.tls();
    if (files == null) {
      return null;
    }
    if (files.generate()) {
      SelfSigned.ensure(files.certificate(), files.key());
    }
    return Tls.of(files.certificate(), files.key());
  }

  private Catalog loadCatalog() {
    Transaction reader = transactions.session(engine.newContext());
    reader.begin(IsolationLevel.READ_COMMITTED);
    try {
      return new Catalog(new CatalogStore(store).load(reader));
    } finally {
      reader.rollback();
      reader.close();
    }
  }

  /**
   * Of several nodes that start at once in a new cluster one makes the trees. Afterwards no lock is
   * wanted for it: those of dead nodes are had by others only when they are recovered, which nodes
   * may have to do that are about to start.
   */
  private void ensureCatalogTrees(EngineContext ctx) {
    if (store.isThere(ctx, SystemSpaces.CATALOG) && store.isThere(ctx, SystemSpaces.CATALOG + 1)) {
      return;
    }
    Transaction maker = transactions.session(ctx);
    maker.begin(IsolationLevel.READ_COMMITTED);
    try {
      maker.lockTable(CATALOG_TREES, TableLockMode.ACCESS_EXCLUSIVE);
      store.ensure(ctx, SystemSpaces.CATALOG);
      store.ensure(ctx, SystemSpaces.CATALOG + 1);
    } finally {
      maker.rollback();
      maker.close();
    }
  }

  /**
   * Drops trees that no table has: those that this node may know to be forgotten as it starts, when
   * it makes none.
   */
  private void dropForgotten(EngineContext ctx, Catalog catalog) {
    List<Integer> trees = store.settledTrees(ctx);
    // Found before that: who joins later makes others.
    boolean isAlone = opened.isOnlyComputeNode();
    int self = transactions.node();
    IntPredicate makers = isAlone ? ForgottenTrees.ALL : maker -> maker == self;
    ForgottenTrees.drop(ctx, store, trees, catalog, makers);
  }

  private Leftovers leftovers() {
    return new Leftovers() {
      @Override
      public void ofSlot(int slot) {
        EngineContext ctx = engine.newContext();
        dropTemporary(ctx, slot);
        drop(ctx, slot);
        int extents = engine.spaces().adopt(ctx, slot);
        int pages = transactions.adoptPurgeList(ctx, slot);
        LOG.info(
            "{} extents of slot {} are this node's now, and {} pages to give back",
            extents,
            slot,
            pages);
      }

      @Override
      public void ofOwn() {
        drop(engine.newContext(), transactions.node());
      }

      private void drop(EngineContext ctx, int slot) {
        List<Integer> trees = store.settledTrees(ctx);
        ForgottenTrees.drop(ctx, store, trees, ddl.catalog(), maker -> maker == slot);
      }
    };
  }

  /** Drops what sessions of a node have left that has died. */
  private void dropTemporary(EngineContext ctx, int slot) {
    TemporarySchemas.dropAll(ddl, new TableHandles(ddl), transactions, ctx, slot);
  }

  private SessionServices openServices(
      NodeSettings settings, MeterRegistry registry, Catalog catalog) {
    FunctionRegistry functions = FunctionRegistry.create();
    ddl =
        new DdlServices(
            catalog,
            new CatalogStore(store),
            new Sequences(store, () -> transactions.session(engine.newContext())),
            store,
            engine.clock(),
            new TableExpressions(functions),
            droppedSpaces);
    TableHandles handles = new TableHandles(ddl);
    opened.share(
        catalog, new CatalogLoader(ddl, handles, transactions.session(engine.newContext())));
    engine.addChecker(new StoreChecker(store));
    engine.addChecker(new IndexChecker(ddl, handles, transactions));
    engine.addChecker(new UndoChecker(transactions));
    engine.addChecker(new SequenceChecker(catalog, ddl.sequences(), transactions));
    Planner planner = new Planner(functions, modifications::rows);
    // The first plan of a process takes most of a second; nobody should wait for it.
    Thread.ofPlatform().daemon().name("planner-warm-up").start(() -> PlannerWarmup.run(planner));
    inspection =
        new NodeInspection(
            engine,
            transactions,
            () -> clientPort,
            engine.health()::state,
            microsSince2000(),
            opened::nodes,
            opened.memory());
    return new SessionServices(
        engine::newContext,
        transactions,
        engine.log(),
        ddl,
        handles,
        new PlanCache(planner, PLAN_CACHE_BYTES),
        new TemporaryFiles(settings.data().resolve("tmp")),
        new SessionMetrics(registry),
        modifications,
        inspection,
        ComputeNode::microsSince2000,
        this::counters,
        routing,
        opened.peers());
  }

  private NodeLoad load() {
    return services.load();
  }

  /** What pg_stat_database and its kin show. */
  private SystemState.Counters counters() {
    TransactionMetrics metrics = transactions.metrics();
    return new SystemState.Counters(
        metrics.commits(),
        metrics.rollbacks(),
        metrics.deadlocks(),
        engine.pool().hits(),
        engine.pool().misses(),
        engine.pool().evictions(),
        engine.storage().checkpoints().count(),
        engine.storage().checkpoints().nanos() / 1e6);
  }

  private static long microsSince2000() {
    return java.time.temporal.ChronoUnit.MICROS.between(EPOCH_2000, Instant.now());
  }

  /** Leaves a turn out while the log refuses writers. */
  private Runnable whenWritable(Runnable task) {
    return () -> {
      if (engine.log().refusal() == null) {
        task.run();
      }
    };
  }

  /** Gives back what committed DDL has dropped. */
  private void dropTrees() {
    EngineContext ctx = null;
    for (Integer space = droppedSpaces.poll(); space != null; space = droppedSpaces.poll()) {
      if (ctx == null) {
        ctx = engine.newContext();
      }
      store.drop(ctx, space);
    }
  }

  public int port() {
    return server.port();
  }

  /**
   * Completes with the reason when the node must end because the cluster has given it up; never for
   * a node that is alone. It answers nobody any more by then.
   */
  public CompletableFuture<String> lost() {
    return opened.lost();
  }

  /** The cluster wants the node to go. On a thread of the cluster map's client: does not wait. */
  void drain(Duration grace) {
    LOG.info(
        "drained: takes no more connections; transactions may go on for {} s", grace.toSeconds());
    server
        .drain(grace)
        .thenRun(
            () -> {
              LOG.info("drained: no session is left");
              drained.complete(null);
            });
  }

  /** Whether clients may connect now and are answered. */
  public boolean takesClients() {
    return opened.gate().isOpen() && !opened.draining().isDone();
  }

  /** Completes when the cluster wanted the node to go, and it has no session any more. */
  public CompletableFuture<Void> drained() {
    return drained;
  }

  /** The pages that it shares with others; null when it has no memory nodes. */
  CoherentPages pages() {
    return opened.memory() == null ? null : opened.memory().pages();
  }

  /** Opens sessions without a connection: for whoever embeds a node, and for benchmarks. */
  public SessionFactory sessions() {
    return sessions;
  }

  /** How transactions go to better nodes; null when they do not. */
  public Reroutes reroutes() {
    return reroutes;
  }

  /** Where the node of a slot takes clients; null when it does not serve. */
  private String hostOf(int slot) {
    for (NodeState.Node node : inspection.nodes()) {
      if (node.slot() == slot) {
        return node.state().startsWith(SERVING) ? node.host() : null;
      }
    }
    return null;
  }

  /** What is sampled of transactions, and where what was learned from it is published. */
  public RoutingExchange routing() {
    return routing;
  }

  /** The cluster's nodes of all roles, as far as this one knows. */
  public List<NodeState.Node> nodes() {
    return inspection.nodes();
  }

  /** By slot, the numbers in the cluster of the compute nodes that take transactions now. */
  public Map<Integer, Integer> computeNodes() {
    return inspection.nodes().stream()
        .filter(node -> node.slot() != 0)
        .filter(node -> !node.state().startsWith(DRAINING) && !node.state().startsWith(JOINING))
        .collect(Collectors.toMap(NodeState.Node::slot, NodeState.Node::id));
  }

  public Engine engine() {
    return engine;
  }

  public Transactions transactions() {
    return transactions;
  }

  /** Ends sessions with 57P01, then everything below. */
  @Override
  public void close() {
    server.close();
    services.close();
    analyzer.close();
    opened.stopServingOthers();
    transactions.stop();
    engine.close();
  }
}
