package io.gauss.common.transport.link;

import io.gauss.common.transport.TransportException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of a transport; listed in docs/operations.md. Thread-safe. */
final class LinkMeters {
  private final MeterRegistry registry;
  private final LongAdder bytesSent = new LongAdder();
  private final LongAdder bytesReceived = new LongAdder();
  private final AtomicInteger connections = new AtomicInteger();
  private final Counter reconnects;
  private final Map<Integer, OfType> types = new ConcurrentHashMap<>();
  private final Map<TransportException.Reason, Counter> failures = new ConcurrentHashMap<>();

  /** Metrics of one message type; looked up once per connection. */
  record OfType(Counter sent, Counter received, Timer calls) {}

  LinkMeters(MeterRegistry registry) {
    this.registry = registry;
    this.reconnects = registry.counter("gauss.transport.reconnects");
    io.micrometer.core.instrument.FunctionCounter.builder(
            "gauss.transport.bytes", bytesSent, LongAdder::sum)
        .tag("direction", "sent")
        .register(registry);
    io.micrometer.core.instrument.FunctionCounter.builder(
            "gauss.transport.bytes", bytesReceived, LongAdder::sum)
        .tag("direction", "received")
        .register(registry);
    Gauge.builder("gauss.transport.connections", connections, AtomicInteger::get)
        .register(registry);
  }

  OfType of(int type, String name) {
    return types.computeIfAbsent(
        type,
        t ->
            new OfType(
                registry.counter("gauss.transport.messages", "direction", "sent", "type", name),
                registry.counter("gauss.transport.messages", "direction", "received", "type", name),
                registry.timer("gauss.transport.call", "type", name)));
  }

  void failed(TransportException.Reason reason) {
    failures
        .computeIfAbsent(
            reason, r -> registry.counter("gauss.transport.failures", "reason", r.name()))
        .increment();
  }

  void sent(long bytes) {
    bytesSent.add(bytes);
  }

  void received(long bytes) {
    bytesReceived.add(bytes);
  }

  void opened() {
    connections.incrementAndGet();
  }

  void closed() {
    connections.decrementAndGet();
  }

  void reconnected() {
    reconnects.increment();
  }
}
