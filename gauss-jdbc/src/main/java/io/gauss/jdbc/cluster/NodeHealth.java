package io.gauss.jdbc.cluster;

import java.util.concurrent.TimeUnit;

/**
 * What this process has found out about a node by itself, beside what the cluster says about it.
 * One broken socket proves nothing about a node, so it is condemned only by a probe: a login and a
 * query that fail. Immutable; every event makes the next one, and time is given.
 *
 * <pre>
 *              connected        broke      refused   probe failed
 * UNPROVEN     UP               UNPROVEN   FULL      DOWN
 * UP           UP               SUSPECT    FULL      DOWN
 * SUSPECT      UP               SUSPECT    FULL      DOWN
 * FULL         UP               SUSPECT    FULL      DOWN
 * DOWN         UP               DOWN       FULL      DOWN
 * </pre>
 *
 * @param state what is known
 * @param untilNanos of FULL: when the node is asked again, by {@link System#nanoTime}
 * @param refusals of FULL: how often it has refused in a row
 */
record NodeHealth(State state, long untilNanos, int refusals) {
  /** What is known of a node. */
  enum State {
    /** Never reached from here: not used. */
    UNPROVEN,
    /** Used. */
    UP,
    /** Something broke. Connections that work are used, no new ones are opened, it is probed. */
    SUSPECT,
    /** It answers that it takes no new connections for now. Those that it has are used. */
    FULL,
    /** It did not answer a probe: not used. */
    DOWN
  }

  static final NodeHealth UNPROVEN = new NodeHealth(State.UNPROVEN, 0, 0);
  static final NodeHealth UP = new NodeHealth(State.UP, 0, 0);
  private static final NodeHealth SUSPECT = new NodeHealth(State.SUSPECT, 0, 0);
  private static final NodeHealth DOWN = new NodeHealth(State.DOWN, 0, 0);

  private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MOST_DOUBLINGS = 6; // 32 s

  /** A connection was opened, by a probe or for an application. */
  NodeHealth connected() {
    return UP;
  }

  /**
   * A login that began when this was known has succeeded: that proves nothing about what broke
   * meanwhile.
   */
  NodeHealth connectedSince(NodeHealth begun) {
    return isSuspect() && !begun.isSuspect() ? this : connected();
  }

  /** A connection to it broke, or could not be opened. */
  NodeHealth broke() {
    return state == State.UP || state == State.FULL ? SUSPECT : this;
  }

  /** It has answered that it takes no connection: it has too many, or is starting or stopping. */
  NodeHealth refused(long nowNanos) {
    boolean isAgain = state == State.FULL;
    if (isAgain && isWaiting(nowNanos)) {
      return this; // others were refused at the same time
    }
    int count = isAgain ? Math.min(refusals + 1, MOST_DOUBLINGS + 1) : 1;
    return new NodeHealth(State.FULL, nowNanos + (FIRST_WAIT_NANOS << (count - 1)), count);
  }

  NodeHealth probeFailed() {
    return DOWN;
  }

  /** Whether transactions may go there on connections that exist. */
  boolean isUsed() {
    return state != State.UNPROVEN && state != State.DOWN;
  }

  /** Whether connections may be opened; when not, other nodes come first. */
  boolean takesNew() {
    return state == State.UP;
  }

  /** Whether connections that exist may be broken, and nobody has noticed yet. */
  boolean isSuspect() {
    return state == State.SUSPECT || state == State.DOWN;
  }

  boolean wantsProbe(long nowNanos) {
    return state != State.UP && !(state == State.FULL && isWaiting(nowNanos));
  }

  private boolean isWaiting(long nowNanos) {
    return nowNanos - untilNanos < 0;
  }
}
