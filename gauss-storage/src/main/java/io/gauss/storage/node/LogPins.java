package io.gauss.storage.node;

import io.gauss.common.task.Later;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps streams' logs for replicas that are being rebuilt from this node: the log from where they
 * will continue, while their pages are being sent and somewhat longer. Otherwise a rebuild that
 * takes longer than writing {@code log.keep} bytes would have to restart for ever. Thread-safe.
 */
final class LogPins {
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Long, Map<Integer, Long>> pins = new ConcurrentHashMap<>();

  /** Keeps each stream's log from the offset given for it on. */
  long pin(Map<Integer, Long> offsets) {
    long number = numbers.incrementAndGet();
    pins.put(number, new TreeMap<>(offsets));
    return number;
  }

  /** Keeps it no longer than this from now on. */
  void release(long number, Duration after) {
    Later.run(after.toMillis(), TimeUnit.MILLISECONDS, () -> pins.remove(number));
  }

  /**
   * The lowest offset of a stream that is kept for a replica; {@link Long#MAX_VALUE} if none is.
   */
  long lowest(int stream) {
    long lowest = Long.MAX_VALUE;
    for (Map<Integer, Long> pin : pins.values()) {
      lowest = Math.min(lowest, pin.getOrDefault(stream, Long.MAX_VALUE));
    }
    return lowest;
  }
}
