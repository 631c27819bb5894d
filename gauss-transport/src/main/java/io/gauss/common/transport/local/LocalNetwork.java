package io.gauss.common.transport.local;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.link.LinkEnvironment;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.NettyLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;

/** The nodes within one JVM that can reach each other. Thread-safe. */
public final class LocalNetwork {
  private static final int FIRST_CHOSEN_PORT = 32_768;

  private final LoopFactory loops;
  private final Carrier carrier;
  private final DoubleSupplier jitter;
  private final Map<NodeAddress, LocalTransport.Listener> listeners = new ConcurrentHashMap<>();
  private final AtomicInteger nextPort = new AtomicInteger(FIRST_CHOSEN_PORT);

  /** Creates the loop of a node. */
  @FunctionalInterface
  public interface LoopFactory {
    StoppableLoop open(int node);
  }

  /**
   * A loop and the action to stop it.
   *
   * @param stop runs the loop's submitted tasks, then ends it
   */
  public record StoppableLoop(Loop loop, Runnable stop) {}

  /** A network of threads: one event loop per node, delivery at once. */
  public LocalNetwork() {
    this(LocalNetwork::threadLoop, new DirectCarrier(), () -> Environment.random().nextDouble());
  }

  /**
   * A network with external control of time and delivery, for tests.
   *
   * @param jitter random numbers from 0 to 1
   */
  public LocalNetwork(LoopFactory loops, Carrier carrier, DoubleSupplier jitter) {
    this.loops = loops;
    this.carrier = carrier;
    this.jitter = jitter;
  }

  private static StoppableLoop threadLoop(int node) {
    LocalEventLoop loop = new LocalEventLoop("gauss-local-" + node);
    return new StoppableLoop(
        new NettyLoop(loop),
        () -> loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly());
  }

  /** A node of this network. */
  public Transport transport(TransportConfig config) {
    return new LocalTransport(
        this, new LinkEnvironment(config, jitter), loops.open(config.self().node()));
  }

  Carrier carrier() {
    return carrier;
  }

  NodeAddress bind(NodeAddress wanted, LocalTransport.Listener listener) {
    NodeAddress address =
        wanted.port() != 0 ? wanted : new NodeAddress(wanted.host(), nextPort.getAndIncrement());
    if (listeners.putIfAbsent(address, listener) != null) {
      throw new GaussException(
          SqlState.IO_ERROR, "could not listen on " + address + ": address already in use");
    }
    return address;
  }

  void unbind(LocalTransport.Listener listener) {
    listeners.values().remove(listener);
  }

  /** The node's process is gone without a word: its addresses refuse connections. */
  public void forget(int node) {
    listeners.values().removeIf(listener -> listener.node() == node);
  }

  /** Whether a node listens there. */
  public boolean listens(NodeAddress address) {
    return listeners.containsKey(address);
  }

  /** Null when no node listens there. */
  LocalTransport.Listener find(NodeAddress address) {
    return listeners.get(address);
  }
}
