package io.gauss.compute.engine;

import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.log.LogSettings;
import java.time.Duration;

/**
 * How an engine is built.
 *
 * @param node number of this compute node, from 1; also the number of its stream
 * @param pool the buffer pool
 * @param log the log buffer
 * @param checkpointBytes log bytes after which a checkpoint is made
 * @param checkpointInterval time after which one is made if anything was written
 * @param applyLagBytes how far the page store may be behind the durable log before writers are
 *     slowed
 * @param redoMemoryBytes memory for records that wait in the page store; the more memory, the more
 *     records are applied to a page at once
 * @param pageWriteBytesPerSecond upper bound of what the page store writes to disk in a second
 */
public record EngineSettings(
    int node,
    PoolSettings pool,
    LogSettings log,
    long checkpointBytes,
    Duration checkpointInterval,
    long applyLagBytes,
    long redoMemoryBytes,
    long pageWriteBytesPerSecond) {

  /** Defaults with a buffer pool of that size. */
  public static EngineSettings ofPoolBytes(long bytes) {
    return new EngineSettings(
        1,
        PoolSettings.ofBytes(bytes),
        LogSettings.defaults(),
        1L << 30,
        Duration.ofSeconds(300),
        256L << 20,
        128L << 20,
        256L << 20);
  }
}
