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
import io.gauss.compute.sql.copy.CopyProgress;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.wait.CurrentWait;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What the rows of system tables are made of: the session's view of the node. Calls do not wait,
 * save {@link #checkStore}, {@link #cluster} and {@link #await}.
 */
public interface SystemState {
  /** The catalog with the transaction's own changes. */
  CatalogSnapshot catalog();

  /** All settings, in order of name. */
  List<Setting> settings();

  /** Sessions of the node, the own among them. */
  List<SessionRow> sessions();

  /** COPY statements that run. */
  List<CopyRow> copies();

  /**
   * Sessions and transactions of all compute nodes, by slot, this one's first. Waits up to a second
   * for other nodes.
   *
   * @throws io.gauss.compute.wait.WouldBlockException where waiting is not allowed
   */
  List<NodeActivity> cluster();

  /**
   * What happens on a compute node.
   *
   * @param node its slot
   * @param answers false when it has not answered in time; then the rest is empty
   * @param transactions that are open, and those that are rolled back in the background
   */
  record NodeActivity(
      int node, boolean answers, List<SessionRow> sessions, List<TransactionRow> transactions) {}

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

  /** What this node counts of transactions by how clients choose nodes. */
  List<RoutingRow> routing();

  /**
   * Samples of transactions, oldest first; texts and values are null unless the session may see
   * what others run.
   */
  List<AccessSample> samples();

  /** What drivers are to route by, as far as this node knows. */
  PublishedRouting publishedRouting();

  /** What this node has done to have pages where they should be. */
  PlacementRow placement();

  /**
   * Why transactions that begin with a statement go to which compute node: lines for people.
   *
   * @param text of the statement
   * @param values of its parameters, as samples have them
   */
  List<String> explainRoute(String text, List<Object> values);

  /** How busy a compute node is; null when that is not known. */
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
   * Waits for what was asked for; an interrupt of the session ends the wait.
   *
   * @throws io.gauss.compute.wait.WouldBlockException where waiting is not allowed
   */
  <T> T await(CompletableFuture<T> answer);

  /**
   * Runs all checkers. Waits for writers and keeps them out until the transaction ends.
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

  /** What the node has counted since it started. */
  Counters counters();

  /** What has been written to a user table. */
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
   * Rows by what was done to them since the node started, undone work too.
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
   * @param waiting what it waits for, locks apart; null = nothing, or it is not to be shown
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
