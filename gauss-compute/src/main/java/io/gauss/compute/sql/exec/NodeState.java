package io.gauss.compute.sql.exec;

import io.gauss.compute.engine.Checker;
import java.util.List;

/** What system tables show of the node below its sessions. Thread-safe; calls do not wait. */
public interface NodeState {
  Node node();

  List<Stream> streams();

  /** Waits by cause since the start. */
  List<Wait> waits();

  /** Ids of the pages in the buffer pool. */
  long[] residentPages();

  /** Pages that the buffer pool can hold. */
  int frames();

  /** Checkers of all of the node's invariants. */
  List<Checker> checkers();

  /**
   * @param startedMicros µs since 2000-01-01 UTC
   * @param state UP, or "degraded: ..." with the reasons
   */
  record Node(
      int id,
      String role,
      String host,
      int port,
      long pid,
      String version,
      long startedMicros,
      String state) {}

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
