package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.Sequences;
import io.gauss.compute.catalog.statistics.ModificationCounters;
import io.gauss.compute.ddl.DdlServices;
import io.gauss.compute.ddl.TableHandles;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.routing.NodeLoad;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.session.wire.ActivityLayout.Activity;
import io.gauss.compute.sql.exec.spill.TemporaryFiles;
import io.gauss.compute.sql.plan.PlanCache;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.txn.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What all sessions of a node share. Thread-safe. */
public final class SessionServices implements AutoCloseable {
  private final Supplier<EngineContext> contexts;
  private final Transactions transactions;
  private final LogBuffer log;
  private final DdlServices ddl;
  private final TableHandles tableHandles;
  private final PlanCache plans;
  private final TemporaryFiles temporaryFiles;
  private final SessionMetrics metrics;
  private final ModificationCounters modifications;
  private final NodeState node;
  private final LongSupplier clock;
  private final Supplier<SystemState.Counters> counters;
  private final RoutingExchange routing;
  private final StatementParser parser = new StatementParser();
  private final SharedQueries.Refused refusedQueries = new SharedQueries.Refused();
  private final Deadlines deadlines = new Deadlines();
  private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
  private final ClusterSessions cluster;

  /**
   * @param modifications counts changed rows, for automatic ANALYZE
   * @param node what system tables show of the node below sessions
   * @param clock wall clock for now(), µs since 2000-01-01 UTC
   * @param counters reads the node's counters
   * @param routing what is sampled of transactions and learned from that
   * @param peers the other compute nodes
   */
  public SessionServices(
      Supplier<EngineContext> contexts,
      Transactions transactions,
      LogBuffer log,
      DdlServices ddl,
      TableHandles tableHandles,
      PlanCache plans,
      TemporaryFiles temporaryFiles,
      SessionMetrics metrics,
      ModificationCounters modifications,
      NodeState node,
      LongSupplier clock,
      Supplier<SystemState.Counters> counters,
      RoutingExchange routing,
      PeerNodes peers) {
    this.contexts = contexts;
    this.transactions = transactions;
    this.log = log;
    this.ddl = ddl;
    this.tableHandles = tableHandles;
    this.plans = plans;
    this.temporaryFiles = temporaryFiles;
    this.metrics = metrics;
    this.modifications = modifications;
    this.node = node;
    this.clock = clock;
    this.counters = counters;
    this.routing = routing;
    this.cluster = new ClusterSessions(this, peers);
  }

  EngineContext newContext() {
    return contexts.get();
  }

  Transactions transactions() {
    return transactions;
  }

  LogBuffer log() {
    return log;
  }

  DdlServices ddl() {
    return ddl;
  }

  Catalog catalog() {
    return ddl.catalog();
  }

  Sequences sequences() {
    return ddl.sequences();
  }

  TableHandles tableHandles() {
    return tableHandles;
  }

  PlanCache plans() {
    return plans;
  }

  TemporaryFiles temporaryFiles() {
    return temporaryFiles;
  }

  SessionMetrics metrics() {
    return metrics;
  }

  ModificationCounters modifications() {
    return modifications;
  }

  NodeState node() {
    return node;
  }

  /** Counters of the whole node, for pg_stat_database and its kin. */
  Supplier<SystemState.Counters> counters() {
    return counters;
  }

  /** What is sampled of transactions, and learned from that. */
  RoutingExchange routing() {
    return routing;
  }

  /** How busy the node's sessions are; processors are not looked at. */
  public NodeLoad load() {
    int open = 0;
    int active = 0;
    for (Session session : sessions) {
      open++;
      active += session.isActive() ? 1 : 0;
    }
    return new NodeLoad(open, active, -1);
  }

  LongSupplier clock() {
    return clock;
  }

  StatementParser parser() {
    return parser;
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
   * What the sessions of this node do.
   *
   * @param asking the session that wants to know it, which is active; null when it is none of these
   */
  Activity activity(SessionState asking) {
    long now = clock.getAsLong();
    List<SystemState.SessionRow> rows = new ArrayList<>();
    List<SystemState.TransactionRow> open = new ArrayList<>();
    for (Session session : sessions()) {
      rows.add(session.activity());
      SystemState.TransactionRow row = session.transactionActivity(now, session.state() == asking);
      if (row != null) {
        open.add(row);
      }
    }
    for (long xid : transactions.orphans()) {
      open.add(
          new SystemState.TransactionRow(
              null,
              "rolling back",
              null,
              now,
              new TransactionActivity(xid, null, 0, List.of(), null)));
    }
    return new Activity(rows, open);
  }

  /**
   * Open sessions, as they come and go; of a client whose transaction is on another node that one's
   * session counts.
   */
  Iterable<Session> sessions() {
    return () -> sessions.stream().filter(session -> session.moves().isShown()).iterator();
  }

  /**
   * Sessions that open at the same moment may each not see the other; the limit is kept up to that.
   *
   * @throws GaussException 53300 when the role has as many sessions as it may have
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
    metrics.opened();
  }

  void sessionClosed(Session session) {
    if (sessions.remove(session)) {
      metrics.closed();
      if (session.moves().servesOther()) {
        cluster.passed().closed(session.processId(), session);
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
