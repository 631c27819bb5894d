package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.Sequences;
import io.gauss.compute.catalog.statistics.ModificationCounters;
import io.gauss.compute.ddl.DdlServices;
import io.gauss.compute.ddl.TableHandles;
import io.gauss.compute.keys.KeyOwners;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.notify.Notifications;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.session.prepared.StatementParser;
import io.gauss.compute.session.wire.ActivityLayout.Activity;
import io.gauss.compute.sql.exec.spill.StatementMemory;
import io.gauss.compute.sql.exec.spill.TemporaryFiles;
import io.gauss.compute.sql.plan.PlanCache;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.txn.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The services that all sessions of a node share. Thread-safe. */
public final class SessionServices implements AutoCloseable {
  /** Of the heap, for the rows of all statements that run or have an open portal. */
  private static final int SHARE_OF_STATEMENTS = 4;

  private final Data data;
  private final Schema schema;
  private final Observed observed;
  private final RoutingExchange routing;
  private final KeyOwners keyOwners;
  private final StatementParser parser = new StatementParser();
  private final ClientMemory memory = ClientMemory.ofHeap(Runtime.getRuntime().maxMemory());
  private final StatementMemory statementMemory =
      new StatementMemory(Runtime.getRuntime().maxMemory() / SHARE_OF_STATEMENTS);
  private final SharedQueries.Refused refusedQueries = new SharedQueries.Refused();
  private final Deadlines deadlines = new Deadlines();
  private final OpenSessions sessions;
  private final Notifications notifications;
  private final ClusterSessions cluster;

  /**
   * Access to data for sessions.
   *
   * @param contexts makes a context for each
   */
  public record Data(
      Supplier<EngineContext> contexts,
      Transactions transactions,
      LogBuffer log,
      TemporaryFiles temporaryFiles) {}

  /** The tables, the code that changes them, and plans for statements on them. */
  public record Schema(DdlServices ddl, TableHandles tableHandles, PlanCache plans) {}

  /**
   * Counters of sessions, and the state that is shown to them.
   *
   * @param modifications counts changed rows, for automatic ANALYZE
   * @param node the node's state below sessions, for system tables
   * @param clock wall clock for now(), µs since 2000-01-01 UTC
   * @param counters reads the node's counters
   */
  public record Observed(
      SessionMetrics metrics,
      ModificationCounters modifications,
      NodeState node,
      LongSupplier clock,
      Supplier<SystemState.Counters> counters) {}

  /**
   * The node's sessions among those of all compute nodes.
   *
   * @param sessions receives opened sessions
   * @param peers the other compute nodes
   * @param notifications of all nodes
   * @param routing samples of transactions and the results of learning from them
   * @param keyOwners tells which nodes have the rows of keys
   */
  public record Cluster(
      OpenSessions sessions,
      PeerNodes peers,
      Notifications notifications,
      RoutingExchange routing,
      KeyOwners keyOwners) {}

  /** Services shared by sessions. */
  public SessionServices(Data data, Schema schema, Observed observed, Cluster cluster) {
    this.data = data;
    this.schema = schema;
    this.observed = observed;
    this.routing = cluster.routing();
    this.keyOwners = cluster.keyOwners();
    this.sessions = cluster.sessions();
    this.notifications = cluster.notifications();
    this.cluster = new ClusterSessions(this, cluster.peers());
  }

  EngineContext newContext() {
    return data.contexts().get();
  }

  Transactions transactions() {
    return data.transactions();
  }

  LogBuffer log() {
    return data.log();
  }

  DdlServices ddl() {
    return schema.ddl();
  }

  Catalog catalog() {
    return schema.ddl().catalog();
  }

  Sequences sequences() {
    return schema.ddl().sequences();
  }

  TableHandles tableHandles() {
    return schema.tableHandles();
  }

  PlanCache plans() {
    return schema.plans();
  }

  TemporaryFiles temporaryFiles() {
    return data.temporaryFiles();
  }

  SessionMetrics metrics() {
    return observed.metrics();
  }

  ModificationCounters modifications() {
    return observed.modifications();
  }

  NodeState node() {
    return observed.node();
  }

  /** Counters of the whole node, for pg_stat_database and similar views. */
  Supplier<SystemState.Counters> counters() {
    return observed.counters();
  }

  /** Samples of transactions, and the results of learning from them. */
  RoutingExchange routing() {
    return routing;
  }

  /** Notifications between the sessions of all nodes. */
  Notifications notifications() {
    return notifications;
  }

  /** Tells which nodes have the rows of keys. */
  KeyOwners keyOwners() {
    return keyOwners;
  }

  LongSupplier clock() {
    return observed.clock();
  }

  StatementParser parser() {
    return parser;
  }

  /** What statements may take while they run. */
  StatementMemory statementMemory() {
    return statementMemory;
  }

  /** The memory that clients take, of which each session has a part. */
  ClientMemory memory() {
    return memory;
  }

  SharedQueries.Refused refusedQueries() {
    return refusedQueries;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  /** Sessions of all compute nodes. */
  public ClusterSessions cluster() {
    return cluster;
  }

  /**
   * The activity of this node's sessions.
   *
   * @param asking the requesting session, which is active; null when it is none of these
   */
  Activity activity(SessionState asking) {
    long now = observed.clock().getAsLong();
    List<SystemState.SessionRow> rows = new ArrayList<>();
    List<SystemState.TransactionRow> open = new ArrayList<>();
    List<SystemState.AdvisoryRow> advisory = new ArrayList<>();
    for (Session session : sessions()) {
      advisory.addAll(session.activity().advisoryLocks());
      rows.add(session.activity().session());
      SystemState.TransactionRow row =
          session.activity().transaction(now, session.state() == asking);
      if (row != null) {
        open.add(row);
      }
    }
    for (long xid : data.transactions().orphans()) {
      open.add(
          new SystemState.TransactionRow(
              null,
              "rolling back",
              null,
              now,
              new TransactionActivity(xid, null, 0, List.of(), null)));
    }
    Notifications.State its = notifications.state();
    return new Activity(
        rows,
        open,
        advisory,
        new SystemState.NotifyRow(
            its.sessions(),
            its.channels(),
            its.queueBytes(),
            its.mostBytes(),
            its.undecided(),
            its.sent(),
            its.delivered(),
            its.refused()));
  }

  /**
   * The currently open sessions; for a client whose transaction is on another node, the session
   * there is shown.
   */
  Iterable<Session> sessions() {
    return () -> sessions.stream().filter(session -> session.moves().isShown()).iterator();
  }

  /**
   * Sessions that open at the same moment may not see each other and exceed the limit.
   *
   * @throws GaussException 53300 when the role has reached its limit of sessions
   */
  void checkConnectionLimit(RoleDef role) {
    if (role.connectionLimit() < 0 || role.superuser()) {
      return;
    }
    long open =
        sessions.stream()
            .filter(session -> !session.moves().servesOther())
            .filter(session -> session.state().roles().authenticatedOid() == role.oid())
            .count();
    if (open >= role.connectionLimit()) {
      throw new GaussException(
          SqlState.TOO_MANY_CONNECTIONS,
          "too many connections for role \"%s\"".formatted(role.name()));
    }
  }

  void sessionOpened(Session session) {
    sessions.add(session);
    observed.metrics().opened();
  }

  void sessionClosed(Session session) {
    if (sessions.remove(session)) {
      observed.metrics().closed();
      if (session.moves().servesOther()) {
        cluster.forwarded().closed(session.processId(), session);
      } else {
        cluster.keys().remove(session.processId());
      }
    }
  }

  @Override
  public void close() {
    deadlines.close();
  }
}
