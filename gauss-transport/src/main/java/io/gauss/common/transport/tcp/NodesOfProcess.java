package io.gauss.common.transport.tcp;

import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.Wire;
import io.gauss.common.transport.link.WireHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The nodes of this process that reach each other without the network, although they listen on TCP
 * for all others: roles of one machine, each of which is a node for the cluster. Who dials one of
 * them at the address at which it listens is connected within the JVM, with the same hello, epochs
 * and messages. Thread-safe.
 */
public final class NodesOfProcess {
  private final Map<InetSocketAddress, Listener> listeners = new ConcurrentHashMap<>();
  private final AtomicLong connections = new AtomicLong();

  /**
   * A node that listens.
   *
   * @param loop of the next connection
   * @param accept makes the serving side of a wire, on the wire's loop
   */
  record Listener(int node, Supplier<Loop> loop, Function<Wire, WireHandler> accept) {}

  /** Connections that were made within the JVM so far. */
  public long connections() {
    return connections.get();
  }

  void add(InetSocketAddress bound, Listener listener) {
    listeners.put(bound, listener);
  }

  void remove(InetSocketAddress bound) {
    listeners.remove(bound);
  }

  /**
   * Who listens at an address; null when no node of this process does.
   *
   * @param dialed resolved
   */
  Listener find(InetSocketAddress dialed) {
    Listener exact = listeners.get(dialed);
    if (exact != null || listeners.isEmpty()) {
      return exact;
    }
    for (Map.Entry<InetSocketAddress, Listener> each : listeners.entrySet()) {
      InetSocketAddress bound = each.getKey();
      if (bound.getPort() == dialed.getPort()
          && bound.getAddress().isAnyLocalAddress()
          && isOfThisMachine(dialed.getAddress())) {
        return each.getValue();
      }
    }
    return null;
  }

  private static boolean isOfThisMachine(InetAddress address) {
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (IOException e) {
      return false; // then it is reached by TCP
    }
  }

  void connected() {
    connections.incrementAndGet();
  }
}
