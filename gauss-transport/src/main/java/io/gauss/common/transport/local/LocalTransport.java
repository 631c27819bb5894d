package io.gauss.common.transport.local;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.link.BaseTransport;
import io.gauss.common.transport.link.Dialer;
import io.gauss.common.transport.link.LinkEnvironment;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.Wire;
import io.gauss.common.transport.link.WireHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A node of a {@link LocalNetwork}; all its connections are confined to one loop. Thread-safe. */
final class LocalTransport extends BaseTransport {
  private final LocalNetwork network;
  private final LocalNetwork.StoppableLoop loop;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  /** An address at which this node listens. */
  final class Listener {
    private final Handlers handlers;

    private Listener(Handlers handlers) {
      this.handlers = handlers;
    }

    int node() {
      return self().node();
    }

    Loop loop() {
      return loop.loop();
    }

    /** On this node's loop. */
    WireHandler accept(Wire wire) {
      return LocalTransport.this.accept(wire, handlers);
    }
  }

  LocalTransport(
      LocalNetwork network, LinkEnvironment environment, LocalNetwork.StoppableLoop loop) {
    super(environment);
    this.network = network;
    this.loop = loop;
  }

  @Override
  protected Loop nextLoop() {
    return loop.loop();
  }

  @Override
  protected Dialer dialer() {
    return this::dial;
  }

  @Override
  protected NodeAddress bind(NodeAddress address, Handlers handlers) {
    Listener listener = new Listener(handlers);
    NodeAddress bound = network.bind(address, listener);
    listeners.add(listener);
    return bound;
  }

  @Override
  protected void stopListening() {
    listeners.forEach(network::unbind);
  }

  @Override
  protected void stopLoops() {
    loop.stop().run();
  }

  private void dial(Loop here, NodeAddress address, Dialer.Outcome outcome) {
    Listener listener = network.find(address);
    if (listener == null) {
      outcome.failed("connection refused");
      return;
    }
    LocalConnection.dial(
        new LocalConnection.End(self().node(), here, "node " + self().node() + " in this process"),
        new LocalConnection.End(listener.node(), listener.loop(), address.toString()),
        network.carrier(),
        listener::accept,
        outcome);
  }
}
