package io.gauss.memory.node;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/** The metrics of a memory node, over all its event loops. */
final class MemoryMeters {
  private final MeterRegistry registry;
  private final List<BucketServer> servers;

  private MemoryMeters(MeterRegistry registry, List<BucketServer> servers) {
    this.registry = registry;
    this.servers = servers;
  }

  /**
   * Meters of a node.
   *
   * @param servers the node's own list: meters hold no strong references to the objects they read
   */
  static void bind(MeterRegistry registry, List<BucketServer> servers) {
    MemoryMeters meters = new MemoryMeters(registry, servers);
    meters.gauge("gauss.memory.buckets", "Buckets whose home this is", BucketServer::served);
    meters.gauge(
        "gauss.memory.buckets.closed",
        "Buckets that came here and wait for what nodes report",
        BucketServer::closed);
    FunctionTimer.builder(
            "gauss.memory.buckets.rebuilt",
            servers,
            all -> all.stream().mapToLong(BucketServer::rebuilt).sum(),
            all -> all.stream().mapToLong(BucketServer::rebuildNanos).sum(),
            TimeUnit.NANOSECONDS)
        .description("Buckets that came here, and for how long they were not served")
        .register(registry);
    meters.gauge(
        "gauss.memory.directory.entries",
        "Pages that the directory knows",
        s -> s.pages().directory().size());
    meters.gauge(
        "gauss.memory.directory.capacity",
        "Pages that it has room for",
        s -> s.pages().directory().capacity());
    meters.gauge(
        "gauss.memory.directory.bytes",
        "Off-heap bytes reserved for it",
        s -> s.pages().directory().bytes());
    meters.gauge("gauss.memory.cache.pages", "Pages kept", s -> s.pages().cache().size());
    meters.gauge("gauss.memory.cache.bytes", "Bytes of the slabs", s -> s.pages().cache().bytes());
    meters.gauge("gauss.memory.locks", "Global locks had or wanted", s -> s.locks().size());
    meters.gauge(
        "gauss.memory.queue", "Tasks that wait for their event loop", s -> s.loop().waiting());
    meters.counter(
        "gauss.memory.messages",
        "Messages about pages and locks from compute nodes",
        BucketServer::messages);
    meters.counter(
        "gauss.memory.refused",
        "Requests refused: not the home, or too much to do",
        BucketServer::refused);
    meters.counter(
        "gauss.memory.cache.hits",
        "Pages that were kept when wanted",
        s -> s.pages().cache().hits());
    meters.counter(
        "gauss.memory.cache.misses",
        "Pages that were not kept when wanted",
        s -> s.pages().cache().misses());
    meters.counter(
        "gauss.memory.cache.evictions",
        "Pages pushed out or not let in",
        s -> s.pages().cache().evictions());
  }

  private void gauge(String name, String description, ToLongFunction<BucketServer> value) {
    Gauge.builder(name, servers, all -> all.stream().mapToLong(value).sum())
        .description(description)
        .register(registry);
  }

  private void counter(String name, String description, ToLongFunction<BucketServer> value) {
    FunctionCounter.builder(name, servers, all -> all.stream().mapToLong(value).sum())
        .description(description)
        .register(registry);
  }
}
