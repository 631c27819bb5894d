package io.gauss.compute.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.CloseStack;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogStore;
import io.gauss.compute.catalog.SequenceChecker;
import io.gauss.compute.catalog.Sequences;
import io.gauss.compute.catalog.statistics.AutoAnalyze;
import io.gauss.compute.catalog.statistics.ModificationCounters;
import io.gauss.compute.ddl.BackgroundAnalyzer;
import io.gauss.compute.ddl.CatalogLoader;
import io.gauss.compute.ddl.DdlServices;
import io.gauss.compute.ddl.IndexChecker;
import io.gauss.compute.ddl.TableHandles;
import io.gauss.compute.ddl.TemporarySchemas;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.EngineMetrics;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.library.BuiltinLibraries;
import io.gauss.compute.keys.KeyOwners;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.notify.Notifications;
import io.gauss.compute.routing.AccessSampling;
import io.gauss.compute.routing.PagePlacement;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.session.OldSnapshots;
import io.gauss.compute.session.OpenSessions;
import io.gauss.compute.session.PublicationReaders;
import io.gauss.compute.session.SessionMetrics;
import io.gauss.compute.session.SessionServices;
import io.gauss.compute.sql.exec.spill.TemporaryFiles;
import io.gauss.compute.sql.plan.PlanCache;
import io.gauss.compute.sql.plan.Planner;
import io.gauss.compute.sql.plan.PlannerWarmup;
import io.gauss.compute.sql.plan.TableExpressions;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.StoreChecker;
import io.gauss.compute.txn.TransactionMeters;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.UndoChecker;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Third phase of a compute node's start: the catalog and the services that change it, planning, the
 * state that sessions share, and the tasks in the background. No client can connect yet.
 *
 * @param clients where they are told to connect; port 0 while there is none
 */
record SqlLayer(
    Catalog catalog,
    DdlServices ddl,
    SessionServices services,
    RoutingExchange routing,
    NodeInspection inspection,
    OwnKeys ownKeys,
    Planner planner,
    AtomicReference<ClientAddress> clients) {
  private static final Duration ANALYZE_INTERVAL = Duration.ofSeconds(10);
  private static final long PLAN_CACHE_BYTES = 64L << 20;

  /**
   * @param catalog as it was read after recovery
   * @param opened gets the resources to close
   */
  static SqlLayer open(
      NodeSettings settings,
      MeterRegistry registry,
      Foundations foundations,
      Catalog catalog,
      CloseStack opened) {
    NodeEngine node = foundations.node();
    Engine engine = node.engine();
    Transactions transactions = foundations.transactions();
    ModificationCounters modifications = new ModificationCounters();
    ConcurrentLinkedQueue<Integer> droppedSpaces = new ConcurrentLinkedQueue<>();
    FunctionRegistry functions = BuiltinLibraries.registry();
    DdlServices ddl = ddl(foundations, catalog, functions, droppedSpaces);
    TableHandles handles = new TableHandles(ddl);
    node.share(catalog, new CatalogLoader(ddl, handles, transactions.session(engine.newContext())));
    addCheckers(foundations, catalog, ddl, handles);
    Planner planner = new Planner(functions, modifications::rows);
    PlanCache plans = new PlanCache(planner, PLAN_CACHE_BYTES);
    AtomicReference<ClientAddress> clients =
        new AtomicReference<>(new ClientAddress(settings.clients().host(), 0));
    NodeInspection inspection =
        new NodeInspection(
            engine,
            transactions,
            clients::get,
            engine.health()::state,
            ComputeNode.microsSince2000(),
            node::nodes,
            node.memory());
    OpenSessions sessions = new OpenSessions();
    RoutingExchange routing = routing(settings, node, sessions);
    routing.sampling().seenBy(new PublicationReaders(catalog::current, Environment::nanoTime));
    KeyOwners keyOwners =
        new KeyOwners(
            engine.pool(),
            () -> routing.published().owners(),
            routing::self,
            () -> ComputeNode.computeNodes(inspection.nodes()));
    Notifications notifications = notifications(settings, foundations, registry, opened);
    SessionServices services =
        new SessionServices(
            new SessionServices.Data(
                engine::newContext, transactions, engine.log(), temporaryFiles(settings)),
            new SessionServices.Schema(ddl, handles, plans),
            new SessionServices.Observed(
                new SessionMetrics(registry),
                modifications,
                inspection,
                ComputeNode::microsSince2000,
                () -> counters(engine, transactions)),
            new SessionServices.Cluster(sessions, node.peers(), notifications, routing, keyOwners));
    opened.add(services);
    transactions.start();
    engine.step(
        "temporary schemas", ctx -> dropTemporary(foundations, ddl, ctx, transactions.node()));
    engine.health().add(transactions::problems);
    BackgroundAnalyzer analyzer = new BackgroundAnalyzer(ddl, transactions, engine::newContext);
    opened.add(analyzer);
    engine
        .tasks()
        .every(
            "analyze",
            ANALYZE_INTERVAL,
            whenWritable(engine, new AutoAnalyze(modifications, catalog::current, analyzer)));
    engine
        .tasks()
        .every(
            "drop-trees",
            Duration.ofSeconds(1),
            whenWritable(engine, () -> dropTrees(foundations, droppedSpaces)));
    engine.tasks().every("routing", Duration.ofSeconds(1), routing::turn);
    engine
        .tasks()
        .every(
            "old-snapshots",
            Duration.ofSeconds(1),
            new OldSnapshots(
                sessions,
                settings.get(NodeSettingTable.SNAPSHOT_MAX_AGE),
                Environment::nanoTime,
                registry));
    startPlacement(engine, routing.placement());
    bindMeters(registry, foundations, routing);
    return new SqlLayer(
        catalog,
        ddl,
        services,
        routing,
        inspection,
        new OwnKeys(catalog, keyOwners, engine.newContext()),
        planner,
        clients);
  }

  private static Notifications notifications(
      NodeSettings settings, Foundations foundations, MeterRegistry registry, CloseStack opened) {
    Engine engine = foundations.node().engine();
    Transactions transactions = foundations.transactions();
    Notifications notifications =
        foundations.node().notifications(settings.get(NodeSettingTable.NOTIFICATIONS_QUEUE));
    opened.add(notifications::stop);
    notifications.begin(
        new CommitNews(engine.log()), new CommitOutcomes(transactions, engine::newContext));
    engine.tasks().every("notifications", Duration.ofSeconds(1), notifications::turn);
    new NotifyMeters(notifications).bindTo(registry);
    return notifications;
  }

  private static DdlServices ddl(
      Foundations foundations,
      Catalog catalog,
      FunctionRegistry functions,
      ConcurrentLinkedQueue<Integer> droppedSpaces) {
    Engine engine = foundations.node().engine();
    Transactions transactions = foundations.transactions();
    Store store = foundations.store();
    return new DdlServices(
        catalog,
        new CatalogStore(store),
        new Sequences(store, () -> transactions.session(engine.newContext())),
        store,
        engine.clock(),
        new TableExpressions(functions),
        droppedSpaces);
  }

  private static void addCheckers(
      Foundations foundations, Catalog catalog, DdlServices ddl, TableHandles handles) {
    Engine engine = foundations.node().engine();
    Transactions transactions = foundations.transactions();
    engine.addChecker(new StoreChecker(foundations.store()));
    engine.addChecker(new IndexChecker(ddl, handles, transactions));
    engine.addChecker(new UndoChecker(transactions));
    engine.addChecker(new SequenceChecker(catalog, ddl.sequences(), transactions));
  }

  /** The first plan of a process takes most of a second; no client should have to wait for it. */
  void warmUp() {
    Environment.start("planner-warm-up", () -> PlannerWarmup.run(planner));
  }

  private static TemporaryFiles temporaryFiles(NodeSettings settings) {
    Path directory = settings.data().resolve("tmp");
    return new TemporaryFiles(directory);
  }

  private static RoutingExchange routing(
      NodeSettings settings, NodeEngine node, OpenSessions sessions) {
    Engine engine = node.engine();
    AccessSampling sampling =
        new AccessSampling(
            engine.clock()::node,
            settings.get(NodeSettingTable.ROUTING_SAMPLES),
            Environment::nanoTime,
            ComputeNode::microsSince2000,
            Environment.nanoTime());
    return new RoutingExchange(
        sampling,
        node.peers(),
        node::deadlockHost,
        sessions::load,
        new PagePlacement(
            engine.pool().moves(),
            node.peers(),
            sampling,
            engine.clock()::now,
            Environment::nanoTime,
            settings.get(NodeSettingTable.ROUTING_PLACEMENT)));
  }

  private static void startPlacement(Engine engine, PagePlacement placement) {
    if (engine.pool().isShared()) {
      engine.tasks().every("offer-pages", Duration.ofSeconds(1), placement::offer);
      Duration turn = Duration.ofSeconds(1).dividedBy(PagePlacement.TURNS_PER_SECOND);
      Duration idle = turn.multipliedBy(5);
      engine.tasks().paced("ask-for-pages", turn, () -> placement.ask() ? turn : idle);
    }
  }

  private static void bindMeters(
      MeterRegistry registry, Foundations foundations, RoutingExchange routing) {
    new RoutingMeters(routing).bindTo(registry);
    new EngineMetrics(foundations.node().engine()).bindTo(registry);
    new TransactionMeters(foundations.transactions()).bindTo(registry);
    FunctionCounter.builder("gauss.pages.contended", foundations.store(), Store::contendedLeaves)
        .description("Leaves to be cut since rows of other nodes made them go to and fro")
        .register(registry);
  }

  /** Drops what sessions of a dead node have left. */
  static void dropTemporary(Foundations foundations, DdlServices ddl, EngineContext ctx, int slot) {
    TemporarySchemas.dropAll(ddl, new TableHandles(ddl), foundations.transactions(), ctx, slot);
  }

  /** Skips a run while the log refuses writers. */
  private static Runnable whenWritable(Engine engine, Runnable task) {
    return () -> {
      if (engine.log().refusal() == null) {
        task.run();
      }
    };
  }

  /** Drops the trees that committed DDL has dropped, and gives back those that nobody uses. */
  private static void dropTrees(
      Foundations foundations, ConcurrentLinkedQueue<Integer> droppedSpaces) {
    EngineContext ctx = null;
    for (Integer space = droppedSpaces.poll(); space != null; space = droppedSpaces.poll()) {
      if (ctx == null) {
        ctx = foundations.node().engine().newContext();
      }
      foundations.store().drop(ctx, space);
    }
    if (foundations.store().keepsDropped()) {
      EngineContext any = ctx == null ? foundations.node().engine().newContext() : ctx;
      foundations.store().giveBackDropped(any);
    }
  }

  /** The counters in pg_stat_database and similar views. */
  private static SystemState.Counters counters(Engine engine, Transactions transactions) {
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
}
