package io.gauss.common.transport.link;

import io.gauss.common.health.EventLimit;
import io.gauss.common.transport.ConnectionListener;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.TransportConfig;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shared context of all connections of one transport. Thread-safe. */
public final class LinkEnvironment {
  private static final Logger LOG = LoggerFactory.getLogger("io.gauss.common.transport");

  /** Lines of the log about connections that never had a hello: anybody can cause them. */
  private static final int REFUSALS_PER_MINUTE = 20;

  /** Characters of a reason in the log: the other side may have sent it. */
  private static final int MAX_REASON = 400;

  private final TransportConfig config;
  private final LinkMeters meters;
  private final DoubleSupplier jitter;
  private final int highestVersion;
  private final EventLimit refusals =
      new EventLimit(REFUSALS_PER_MINUTE, TimeUnit.MINUTES.toNanos(1));
  private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

  /**
   * @param jitter random numbers from 0 to 1, to spread attempts to reconnect
   */
  public LinkEnvironment(TransportConfig config, DoubleSupplier jitter) {
    this(config, jitter, MessageLayout.HIGHEST_VERSION);
  }

  /**
   * @param highestVersion of the protocol that this side offers; the lowest is the same or less
   */
  LinkEnvironment(TransportConfig config, DoubleSupplier jitter, int highestVersion) {
    this.config = config;
    this.meters = new LinkMeters(config.meters());
    this.jitter = jitter;
    this.highestVersion = highestVersion;
  }

  public TransportConfig config() {
    return config;
  }

  LinkMeters meters() {
    return meters;
  }

  /** Logs that somebody has connected who did not become a node. */
  void refused(String address, String reason, long nanoTime) {
    long leftOut = refusals.arrives(nanoTime);
    if (leftOut != EventLimit.TOO_MANY) {
      LOG.warn(
          "connection from {} failed: {}{}",
          address,
          reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) + "..." : reason,
          leftOut == 0 ? "" : "; so did " + leftOut + " others before it");
    }
  }

  void addListener(ConnectionListener listener) {
    listeners.add(listener);
  }

  double jitter() {
    return jitter.getAsDouble();
  }

  Handshake accepting(Wire wire) {
    return Handshake.accepting(
        config.self(), config.key(), config.guard(), lowestVersion(), highestVersion, wire);
  }

  Handshake connecting(Wire wire, int expectedNode) {
    return Handshake.connecting(
        config.self(),
        config.key(),
        config.guard(),
        lowestVersion(),
        highestVersion,
        expectedNode,
        wire);
  }

  private int lowestVersion() {
    return Math.max(MessageLayout.LOWEST_VERSION, highestVersion);
  }

  void connected(RemoteNode node, boolean outgoing) {
    for (ConnectionListener listener : listeners) {
      try {
        listener.connected(node, outgoing);
      } catch (RuntimeException e) {
        LOG.error("a listener failed on the connection with {}", node, e);
      }
    }
  }

  void disconnected(RemoteNode node, boolean outgoing, String reason) {
    for (ConnectionListener listener : listeners) {
      try {
        listener.disconnected(node, outgoing, reason);
      } catch (RuntimeException e) {
        LOG.error("a listener failed on the lost connection with {}", node, e);
      }
    }
  }
}
