package io.gauss.storage.node;

import io.gauss.storage.api.PageStore.Progress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides when watchers are told how far pages have followed, and when to look again.
 *
 * <p>Writers are slowed by how far pages are behind, which is hundreds of megabytes: a report is
 * due at once when a stream has moved by {@link #STEP_BYTES}, and otherwise no more often than
 * every {@link #RARE}. Every report costs each watcher a message, and there are as many watchers as
 * compute nodes. Confined to one thread at a time; knows no clock.
 */
final class ProgressPace {
  /** A stream that has moved by as much is reported without delay. */
  static final long STEP_BYTES = 1 << 20;

  /** Smaller changes wait for this long. */
  static final Duration RARE = Duration.ofMillis(250);

  /** Reported even if nothing has changed: a node that is silent for long counts as faulty. */
  static final Duration SILENT = Duration.ofSeconds(1);

  private static final Duration LOOK = Duration.ofMillis(25);
  private static final Duration QUIET_LOOK = RARE;

  private List<Progress> reported;
  private long reportedPending;
  private long reportedAt;
  private List<Progress> seen = List.of();
  private boolean moves;

  /** Somebody has had no report yet. */
  void askAnew() {
    reported = null;
  }

  /**
   * Takes what the pages say now.
   *
   * @param now monotonic nanoseconds
   * @return whether it is to be reported now, and then counts as reported
   */
  boolean isDue(List<Progress> streams, long pendingBytes, long now) {
    moves = !streams.equals(seen);
    seen = streams;
    long age = now - reportedAt;
    boolean changed = !streams.equals(reported) || pendingBytes != reportedPending;
    boolean due =
        reported == null
            || age >= SILENT.toNanos()
            || (changed && (age >= RARE.toNanos() || hasMovedFar(streams)));
    if (due) {
      reported = streams;
      reportedPending = pendingBytes;
      reportedAt = now;
    }
    return due;
  }

  private boolean hasMovedFar(List<Progress> streams) {
    Map<Integer, Progress> before = new HashMap<>();
    reported.forEach(stream -> before.put(stream.stream(), stream));
    for (Progress stream : streams) {
      Progress last = before.get(stream.stream());
      if (last == null || stream.applied() - last.applied() >= STEP_BYTES) {
        return true;
      }
    }
    return false;
  }

  /** How long to wait until the next look. */
  Duration pause() {
    return moves ? LOOK : QUIET_LOOK;
  }
}
