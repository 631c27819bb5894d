package io.gauss.compute.sql.state;

import io.gauss.compute.buffer.PageTransfers;
import io.gauss.compute.buffer.SharedPages;
import io.gauss.compute.cluster.memory.PageOwners;
import io.gauss.compute.engine.Checker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What system tables show of the node below its sessions. Thread-safe; calls do not wait. */
public interface NodeState {
  /** The nodes of the cluster, this one among them. */
  List<Node> nodes();

  List<Stream> streams();

  /** Waits by cause since the start. */
  List<Wait> waits();

  /** Ids of the pages in the buffer pool. */
  long[] residentPages();

  /** Pages that came from other nodes and went there; null when all pages are this node's own. */
  PageTransfers transfers();

  /** Asks the memory nodes who has which pages; nothing when there are none. Never fails. */
  CompletableFuture<PageOwners.Answer> pageOwners();

  /**
   * Asks for the pages of this node of which others have copies, by space and reader. Never fails.
   */
  CompletableFuture<Map<SharedPages.Key, Long>> sharers();

  /** Pages that the buffer pool can hold. */
  int frames();

  /** Checkers of all of the node's invariants. */
  List<Checker> checkers();

  /**
   * A node of the cluster.
   *
   * @param id its number in the cluster
   * @param host where clients reach a compute node, and other nodes the others
   * @param port likewise; 0 for a compute node that does not take clients yet
   * @param own what only the node itself knows; null for other nodes
   * @param state as the cluster has it, but JOINING as long as a compute node does not take
   *     clients; of the own node UP, or "degraded: ..." with the reasons
   * @param slot of a compute node, which LSNs and transactions carry; 0 for others
   * @param epoch of its present life; 0 without a cluster
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
   * What a node knows of itself.
   *
   * @param startedMicros µs since 2000-01-01 UTC
   */
  record Own(long pid, String version, long startedMicros) {}

  /**
   * A redo stream; all but the LSN are offsets in bytes.
   *
   * @param start first offset that is kept
   * @param reserved end of what was written, durable or not
   * @param applied end of what the page store has taken
   * @param checkpoint where a restart begins to read
   * @param state ok, or why it accepts nothing
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
