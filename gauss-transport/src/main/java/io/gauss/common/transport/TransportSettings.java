package io.gauss.common.transport;

import java.time.Duration;

/**
 * Limits and times of connections. Immutable.
 *
 * @param maxPayloadBytes largest payload; a longer message is refused and ends the connection
 * @param maxOutstandingCalls calls under way per connection; further calls are OVERLOADED. The
 *     serving side stops reading when this many are unanswered
 * @param maxOutstandingBytes payload bytes under way per connection, likewise
 * @param connectTimeout for connecting and the hello together, unless keys are agreed on first: see
 *     {@link #helloTimeout}
 * @param minBackoff pause after the first failed attempt; doubled after each, with jitter
 * @param maxBackoff longest pause
 * @param pingInterval maximum silence before a ping is sent
 * @param pingTimeout maximum silence before the connection counts as dead
 * @param maxClockJump how far, in LSN counter steps, a message may raise the clock. A new node
 *     takes the cluster's clock from the authenticated hello, which this does not limit
 */
public record TransportSettings(
    int maxPayloadBytes,
    int maxOutstandingCalls,
    long maxOutstandingBytes,
    Duration connectTimeout,
    Duration minBackoff,
    Duration maxBackoff,
    Duration pingInterval,
    Duration pingTimeout,
    long maxClockJump) {
  public static final TransportSettings DEFAULTS =
      new TransportSettings(
          16 << 20,
          16_384,
          64L << 20,
          Duration.ofSeconds(3),
          Duration.ofMillis(20),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(3),
          1L << 40);

  public TransportSettings {
    if (maxPayloadBytes < 8192
        || maxPayloadBytes > 1 << 30
        || maxOutstandingCalls < 1
        || maxOutstandingBytes < maxPayloadBytes
        || connectTimeout.toNanos() <= 0
        || minBackoff.toNanos() <= 0
        || maxBackoff.compareTo(minBackoff) < 0
        || pingInterval.toNanos() <= 0
        || pingTimeout.compareTo(pingInterval) <= 0
        || maxClockJump < 1) {
      throw new IllegalArgumentException("settings of the transport are out of range");
    }
  }

  /**
   * How long the hello may take.
   *
   * @param encrypted whether keys have to be agreed on first. That takes longer than connecting: a
   *     node that has just started may have to compute the handshakes of all nodes at once. Giving
   *     up earlier would make it start one more handshake, again and again
   */
  public Duration helloTimeout(boolean encrypted) {
    return encrypted ? connectTimeout.multipliedBy(4) : connectTimeout;
  }

  public TransportSettings withLimits(int payloadBytes, int calls, long bytes) {
    return new TransportSettings(
        payloadBytes,
        calls,
        bytes,
        connectTimeout,
        minBackoff,
        maxBackoff,
        pingInterval,
        pingTimeout,
        maxClockJump);
  }

  public TransportSettings withPings(Duration interval, Duration timeout) {
    return new TransportSettings(
        maxPayloadBytes,
        maxOutstandingCalls,
        maxOutstandingBytes,
        connectTimeout,
        minBackoff,
        maxBackoff,
        interval,
        timeout,
        maxClockJump);
  }
}
