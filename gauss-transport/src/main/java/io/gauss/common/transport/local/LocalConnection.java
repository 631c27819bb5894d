package io.gauss.common.transport.local;

import io.gauss.common.transport.link.Dialer;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.Wire;
import io.gauss.common.transport.link.WireHandler;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/** Makes connections within the JVM. */
public final class LocalConnection {
  private LocalConnection() {}

  /**
   * One end of a connection.
   *
   * @param node whose end it is
   * @param loop to which it is confined
   * @param seenAs display text for the other end's {@link Wire#remoteAddress}
   */
  public record End(int node, Loop loop, String seenAs) {}

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

  /**
   * Connects at once.
   *
   * @param from the dialing end; the caller is on its loop
   * @param accept makes the serving side of the wire, on that end's loop
   */
  public static void dial(
      End from, End to, Function<Wire, WireHandler> accept, Dialer.Outcome outcome) {
    dial(from, to, new DirectCarrier(), accept, outcome);
  }

  /** The same by another carrier. */
  static void dial(
      End from,
      End to,
      Carrier carrier,
      Function<Wire, WireHandler> accept,
      Dialer.Outcome outcome) {
    LocalWire client = new LocalWire(from.loop(), to.seenAs());
    LocalWire server = new LocalWire(to.loop(), from.seenAs());
    Carrier.Path out = carrier.open(from.node(), to.node(), from.loop(), to.loop(), client::reset);
    Carrier.Path back = carrier.open(to.node(), from.node(), to.loop(), from.loop(), server::reset);
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
                  server.handler(accept.apply(server));
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
