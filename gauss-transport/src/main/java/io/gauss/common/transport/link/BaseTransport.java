package io.gauss.common.transport.link;

import io.gauss.common.transport.ConnectionListener;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;

/**
 * The common part of all transports: keeps their peers and connections, and closes them.
 * Thread-safe.
 */
public abstract class BaseTransport implements Transport {
  private final LinkEnvironment environment;
  // In the order in which they came, so that they end in the same one whenever a seed is run.
  private final Queue<ReconnectingPeer> peers = new ConcurrentLinkedQueue<>();
  private final Queue<ServerLink> accepted = new ConcurrentLinkedQueue<>();
  private volatile boolean closed; // written under the monitor

  protected BaseTransport(LinkEnvironment environment) {
    this.environment = environment;
  }

  /** The loop of the next peer. */
  protected abstract Loop nextLoop();

  protected abstract Dialer dialer();

  protected abstract NodeAddress bind(NodeAddress address, Handlers handlers);

  /** Frees the addresses, so that no new connections arrive. */
  protected abstract void stopListening();

  /** Runs the tasks submitted to the loops, then ends the loops. */
  protected abstract void stopLoops();

  protected final LinkEnvironment environment() {
    return environment;
  }

  @Override
  public final NodeIdentity self() {
    return environment.config().self();
  }

  @Override
  public final ByteBufAllocator allocator() {
    return PooledByteBufAllocator.DEFAULT;
  }

  @Override
  public final void addListener(ConnectionListener listener) {
    environment.addListener(listener);
  }

  @Override
  public final synchronized NodeAddress listen(NodeAddress address, Handlers handlers) {
    checkOpen();
    return bind(address, handlers);
  }

  @Override
  public final synchronized Peer connect(NodeAddress address, int expectedNode) {
    checkOpen();
    ReconnectingPeer peer =
        new ReconnectingPeer(
            environment, nextLoop(), dialer(), address, expectedNode, peers::remove);
    peers.add(peer);
    peer.start();
    return peer;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the transport of " + self() + " is closed");
    }
  }

  /**
   * The serving side of a new wire. On the wire's loop, and perhaps for one that was on its way
   * when this was closed: the other side is told.
   */
  protected final WireHandler accept(Wire wire, Handlers handlers) {
    ServerLink link = new ServerLink(environment, wire, handlers, accepted::remove);
    accepted.add(link);
    if (closed) { // seen by whoever has added it too late for close() to find it
      shutDown(link);
    }
    return link;
  }

  private void shutDown(ServerLink link) {
    try {
      link.wire.loop().execute(() -> link.shutDown(self() + " stops"));
    } catch (RejectedExecutionException e) {
      Link.LOG.warn("the loop of {} has ended before its transport", link.wire.remoteAddress());
    }
  }

  @Override
  public final void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    stopListening();
    peers.forEach(Peer::close);
    accepted.forEach(this::shutDown);
    stopLoops();
  }
}
