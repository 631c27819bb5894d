package io.gauss.common.transport.local;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.link.BaseTransport;
import io.gauss.common.transport.link.Dialer;
import io.gauss.common.transport.link.LinkEnvironment;
import io.gauss.common.transport.link.Loop;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;

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
    void accept(LocalWire wire) {
      wire.handler(LocalTransport.this.accept(wire, handlers));
    }
  }

  /** What a path carries while a connection is made; says what it is, for traces. */
  private record Named(String name, Runnable action) implements Runnable {
    @Override
    public void run() {
      action.run();
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }

    @Override
    public String toString() {
      return name;
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
    Loop there = listener.loop();
    LocalWire client = new LocalWire(here, address.toString());
    LocalWire server = new LocalWire(there, "node " + self().node() + " in this process");
    Carrier carrier = network.carrier();
    int from = self().node();
    Carrier.Path out = carrier.open(from, listener.node(), here, there, client::reset);
    Carrier.Path back = carrier.open(listener.node(), from, there, here, server::reset);
    client.join(server, out);
    server.join(client, back);
    try {
      out.carry(
          0,
          new Named(
              "dial",
              () -> {
                boolean isReset = server.isClosed();
                if (!isReset) {
                  listener.accept(server);
                }
                try {
                  back.carry(0, new Named("dialed", () -> answered(client, isReset, outcome)));
                } catch (RejectedExecutionException e) {
                  server.otherHasStopped();
                }
              }));
    } catch (RejectedExecutionException e) {
      outcome.failed("connection refused");
    }
  }

  /**
   * Reports the outcome of an attempt. A wire without a handler cannot report that it was reset.
   */
  private static void answered(LocalWire client, boolean isReset, Dialer.Outcome outcome) {
    if (isReset || client.isClosed()) {
      outcome.failed("connection reset");
    } else {
      client.handler(outcome.opened(client));
    }
  }
}
