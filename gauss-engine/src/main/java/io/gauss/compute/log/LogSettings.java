package io.gauss.compute.log;

import java.time.Duration;

/**
 * Sizes and times of the log buffer.
 *
 * @param ringBytes size of the ring, a power of two
 * @param batchBytes an append is sent at this size even if no thread waits for it
 * @param appendsInFlight appends under way at once
 * @param manyWaiters from this many waiters on, appends are {@code groupInterval} apart, so that
 *     each carries more commits
 * @param groupInterval time between appends when many threads wait
 * @param lazyInterval how long bytes that no thread waits for may stay in the ring
 * @param diskFullRetry how often a full disk is tried again
 * @param stallTimeout when an append has been under way for this long without an answer, writers
 *     and threads that wait for durability get 57P03, until the log makes progress again
 * @param waiterSends a thread that starts to wait hands the batch to the stream itself; otherwise
 *     the log's thread does. For streams whose append never forces on the caller's thread
 */
public record LogSettings(
    int ringBytes,
    int batchBytes,
    int appendsInFlight,
    int manyWaiters,
    Duration groupInterval,
    Duration lazyInterval,
    Duration diskFullRetry,
    Duration stallTimeout,
    boolean waiterSends) {

  public LogSettings {
    if (Integer.bitCount(ringBytes) != 1 || ringBytes < 1 << 16) {
      throw new IllegalArgumentException(
          "the log buffer's size must be a power of two from 64 KB on");
    }
    if (batchBytes > ringBytes / 4) {
      throw new IllegalArgumentException("a log append must fit into the ring four times");
    }
  }

  public static LogSettings defaults() {
    return ofRing(16 << 20);
  }

  public static LogSettings ofRing(int ringBytes) {
    return new LogSettings(
        ringBytes,
        Math.min(256 << 10, ringBytes / 4),
        1,
        32,
        Duration.ofNanos(500_000),
        Duration.ofMillis(20),
        Duration.ofMillis(200),
        Duration.ofSeconds(10),
        false);
  }

  public LogSettings withStallTimeout(Duration timeout) {
    return new LogSettings(
        ringBytes,
        batchBytes,
        appendsInFlight,
        manyWaiters,
        groupInterval,
        lazyInterval,
        diskFullRetry,
        timeout,
        waiterSends);
  }

  /** For a stream whose append only hands the bytes over. */
  public LogSettings sentByWaiters() {
    return new LogSettings(
        ringBytes,
        batchBytes,
        appendsInFlight,
        manyWaiters,
        groupInterval,
        lazyInterval,
        diskFullRetry,
        stallTimeout,
        true);
  }

  /** The largest MTR that fits. */
  int maxMtrBytes() {
    return Math.min(ringBytes / 4, 1 << 20);
  }
}
