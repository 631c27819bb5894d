package io.gauss.compute.pgwire;

import java.util.concurrent.TimeUnit;

/**
 * Whether connections to a node should be attempted. Of a node that has not been reached yet, or
 * not since the last failure, only one attempt is made at a time: it shows for all sessions whether
 * the node is there. After a failure the node is left alone, for twice as long each time.
 * Thread-safe.
 *
 * <pre>
 *   UNKNOWN --mayTry--> TRYING --succeeded--> WELL (any number of attempts)
 *      ^                  |                     |
 *      +--pause is over   +------failed---------+--> RESTING
 * </pre>
 */
final class NodeBreaker {
  static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private enum State {
    UNKNOWN,
    TRYING,
    WELL,
    RESTING
  }

  private State state = State.UNKNOWN;
  private long pauseNanos = FIRST_PAUSE_NANOS;
  private long restsUntil;

  /**
   * Whether to attempt it now. The caller then reports how the attempt has ended.
   *
   * @param now monotonic clock, ns
   */
  synchronized boolean mayTry(long now) {
    if (state == State.RESTING && now - restsUntil >= 0) {
      state = State.UNKNOWN;
    }
    if (state == State.UNKNOWN) {
      state = State.TRYING;
      return true;
    }
    return state == State.WELL;
  }

  synchronized boolean isTrying() {
    return state == State.TRYING;
  }

  synchronized void succeeded() {
    state = State.WELL;
    pauseNanos = FIRST_PAUSE_NANOS;
  }

  /**
   * Returns how long the node is left alone, in ns; 0 when that was known already, by another
   * attempt of the same time.
   */
  synchronized long failed(long now) {
    if (state == State.RESTING) {
      return 0;
    }
    long pause = pauseNanos;
    state = State.RESTING;
    restsUntil = now + pause;
    pauseNanos = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    return pause;
  }

  /** The attempt has ended and shows nothing. */
  synchronized void givenUp() {
    if (state == State.TRYING) {
      state = State.UNKNOWN;
    }
  }

  /** Another node has the slot, or the same one again. */
  synchronized void replaced() {
    state = State.UNKNOWN;
    pauseNanos = FIRST_PAUSE_NANOS;
  }
}
