package io.gauss.compute.sql.state;

import io.gauss.compute.buffer.PageTransfers;
import io.gauss.compute.buffer.SharedPages;
import io.gauss.compute.cluster.memory.PageOwners;
import io.gauss.compute.engine.Checker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The node's state below its sessions, as system tables show it. Thread-safe; calls do not wait.
 */
public interface NodeState {
  /** The nodes of the cluster, including this one. */
  List<Node> nodes();

  List<Stream> streams();

  /** Waits by cause since the start. */
  List<Wait> waits();

  /** Ids of the pages in the buffer pool. */
  long[] residentPages();

  /** Pages that came from other nodes and went there; null when this node owns all pages. */
  PageTransfers transfers();

  /**
   * Asks the memory nodes which nodes have which pages; nothing when there are none. Never fails.
   */
  CompletableFuture<PageOwners.Answer> pageOwners();

  /** Asks for this node's pages of which others have copies, by space and reader. Never fails. */
  CompletableFuture<Map<SharedPages.Key, Long>> sharers();

  /** Pages that the buffer pool can hold. */
  int frames();

  /** Checkers of all of the node's invariants. */
  List<Checker> checkers();

  /**
   * A node of the cluster.
   *
   * @param id its number in the cluster
   * @param host address of a compute node for clients, and of other nodes for nodes
   * @param port likewise; 0 for a compute node that does not take clients yet
   * @param own state that only the node itself knows; null for other nodes
   * @param state as in the cluster map, but JOINING while a compute node does not accept clients;
   *     for this node UP, or "degraded: ..." with the reasons
   * @param slot of a compute node, which LSNs and transactions carry; 0 for others
   * @param epoch its current epoch; 0 without a cluster
   * @param buckets of pages and locks, whose home a memory node is; 0 for others
   */
  record Node(
      int id,
      String role,
      String host,
      int port,
      Own own,
      String state,
      int slot,
      int epoch,
      int buckets) {}

  /**
   * State that only the node itself knows.
   *
   * @param startedMicros µs since 2000-01-01 UTC
   */
  record Own(long pid, String version, long startedMicros) {}

  /**
   * A redo stream; all but the LSN are offsets in bytes.
   *
   * @param start first offset that is kept
   * @param reserved end of the written bytes, durable or not
   * @param applied end of the bytes that the page store has taken
   * @param checkpoint offset from which a restart reads
   * @param state ok, or the reason why it accepts nothing
   */
  record Stream(
      int id,
      long start,
      long durable,
      long reserved,
      long applied,
      long checkpoint,
      long lastLsn,
      String state) {}

  /** Waits for one cause. */
  record Wait(String cause, long count, long nanos) {}
}
