package io.gauss.compute.sql.state;

import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.routing.PlacementCounts;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.routing.RoutingCounts;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.data.RoutingMode;
import io.gauss.compute.routing.data.RoutingParts;
import io.gauss.compute.sql.copy.CopyProgress;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.wait.CurrentWait;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The data for the rows of system tables: the session's view of the node. Calls do not wait, except
 * {@link #checkStore}, {@link #cluster} and {@link #await}.
 */
public interface SystemState {
  /** The catalog with the transaction's own changes. */
  CatalogSnapshot catalog();

  /** Name of a type of CREATE TYPE as the session writes it; null when there is none. */
  String typeName(int oid);

  /** All settings, in order of name. */
  List<Setting> settings();

  /** Sessions of the node, including this one. */
  List<SessionRow> sessions();

  /** Running COPY statements. */
  List<CopyRow> copies();

  /**
   * Sessions and transactions of all compute nodes, by slot, this one's first. Waits up to a second
   * for other nodes.
   *
   * @throws io.gauss.compute.wait.WouldBlockException where waiting is not allowed
   */
  List<NodeActivity> cluster();

  /**
   * The activity of a compute node.
   *
   * @param node its slot
   * @param answers false when it has not answered in time; then the rest is empty
   * @param transactions open ones, and those that are being rolled back in the background
   * @param advisory locks that sessions have
   * @param notifications null when it has not answered
   */
  record NodeActivity(
      int node,
      boolean answers,
      List<SessionRow> sessions,
      List<TransactionRow> transactions,
      List<AdvisoryRow> advisory,
      NotifyRow notifications) {}

  /**
   * The notifications of a node.
   *
   * @param sessions that listen
   * @param channels to which any of them listens
   * @param queueBytes what waits takes of the queue
   * @param mostBytes size of the queue
   * @param undecided transactions in the queue whose outcome is awaited
   * @param sent transactions of the node that have notified
   * @param delivered notifications that were sent to clients, each once for each of them
   * @param refused transactions of the node that a full queue has aborted
   */
  record NotifyRow(
      int sessions,
      int channels,
      long queueBytes,
      long mostBytes,
      int undecided,
      long sent,
      long delivered,
      long refused) {}

  /**
   * An advisory lock that a session has, in a transaction or not.
   *
   * @param pid the session's number
   */
  record AdvisoryRow(int pid, LockName name, LockMode mode) {}

  /** Statements by kind since the start. */
  List<StatementRow> statements();

  /** The session's cursors and named portals. */
  default List<CursorRow> cursors() {
    return List.of();
  }

  /**
   * @param createdMicros µs since 2000-01-01 UTC
   */
  record CursorRow(
      String name, String text, boolean holdable, boolean scrollable, long createdMicros) {}

  /** The session's prepared statements but for the unnamed one. */
  default List<PreparedRow> prepared() {
    return List.of();
  }

  /**
   * @param types oids of the parameters' types
   * @param bySql whether PREPARE made it, and not a message of the protocol
   */
  @SuppressWarnings("ArrayRecordComponent") // rows are not compared
  record PreparedRow(String name, String text, int[] types, boolean bySql) {}

  /** This node's counters of transactions, by how clients choose nodes. */
  List<RoutingRow> routing();

  /**
   * Samples of transactions, oldest first; texts and values are null unless the session may see the
   * statements of others.
   */
  List<AccessSample> samples();

  /** The data by which drivers route, as far as this node knows it. */
  PublishedRouting publishedRouting();

  /**
   * The same with those values that the session may see: of tables that it can read, if it has the
   * right to see any; null = none.
   */
  PublishedRouting readableRouting();

  /** What each part of {@link #publishedRouting} is worth; known where learning is done. */
  RoutingParts routingParts();

  /** What this node has done to move pages to the right nodes. */
  PlacementRow placement();

  /**
   * Explains to which compute node transactions that begin with a statement go, and why: lines for
   * people.
   *
   * @param text of the statement
   * @param values of its parameters, as samples have them
   */
  List<String> explainRoute(String text, List<Object> values);

  /** The load of a compute node; null when it is unknown. */
  NodeLoad load(int slot);

  /**
   * @param node its slot
   */
  record RoutingRow(int node, RoutingMode mode, RoutingCounts counts) {}

  /**
   * @param node its slot
   */
  record PlacementRow(int node, PlacementCounts counts) {}

  /** Transactions that went to better nodes. */
  RerouteRows reroutes();

  /**
   * @param node slot of this node
   */
  record RerouteRows(int node, RerouteCounts counts) {}

  /** The node below its sessions. */
  NodeState node();

  /** The wall clock, µs since 2000-01-01 UTC. */
  long nowMicros();

  /**
   * Waits for a requested result; an interrupt of the session ends the wait.
   *
   * @throws io.gauss.compute.wait.WouldBlockException where waiting is not allowed
   */
  <T> T await(CompletableFuture<T> answer);

  /**
   * Runs all checkers. Waits for writers and excludes them until the transaction ends.
   *
   * @throws io.gauss.compute.wait.WouldBlockException where waiting is not allowed
   */
  List<CheckRow> checkStore();

  /**
   * @param pid of the session; null for a transaction without one
   * @param state active, idle, waiting or rolling back
   * @param startedMicros µs since 2000-01-01 UTC, null when unknown
   * @param nowMicros the same for now
   */
  record TransactionRow(
      Integer pid, String state, Long startedMicros, long nowMicros, TransactionActivity activity) {
    public Double ageSeconds() {
      return startedMicros == null ? null : Math.max(0, nowMicros - startedMicros) / 1e6;
    }
  }

  /**
   * @param bucketEndNanos upper ends of the histogram's buckets
   * @param bucketCounts statements in each
   */
  record StatementRow(
      String kind,
      long calls,
      long totalNanos,
      long p50Nanos,
      long p95Nanos,
      long p99Nanos,
      long maxNanos,
      long[] bucketEndNanos,
      long[] bucketCounts) {}

  /**
   * @param pid of the session
   */
  record CopyRow(int pid, CopyProgress progress) {}

  /**
   * @param problem null when all is well
   */
  record CheckRow(String name, String problem, long nanos) {}

  /** Counters of the node since it started. */
  Counters counters();

  /** Counters of writes to a user table. */
  Writes writes(TableDef table);

  /**
   * @param commits transactions that wrote; the same for rollbacks
   * @param checkpointMillis ms that checkpoints took
   */
  record Counters(
      long commits,
      long rollbacks,
      long deadlocks,
      long pagesHit,
      long pagesRead,
      long pagesEvicted,
      long checkpoints,
      double checkpointMillis) {}

  /**
   * Rows by kind of change since the node started, including work that was undone.
   *
   * @param rows estimated rows of the table now
   * @param sinceAnalyze rows changed since the table's last ANALYZE
   */
  record Writes(long inserted, long updated, long deleted, long rows, long sinceAnalyze) {}

  /**
   * @param kind bool, integer, string or enum
   * @param unit null for none
   */
  record Setting(
      String name,
      String value,
      String unit,
      String description,
      String kind,
      String defaultValue) {}

  /**
   * @param client address and port, null when unknown
   * @param state active, idle, idle in transaction, ...; null when unknown
   * @param waiting cause of its wait, except for locks; null = none, or it must not be shown
   */
  record SessionRow(
      int pid,
      String user,
      String application,
      String client,
      String state,
      String query,
      CurrentWait waiting) {}
}
