package io.gauss.storage.node;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.api.Storage;
import io.gauss.storage.apply.ApplyLag;
import io.gauss.storage.raft.stream.StreamService;
import io.gauss.storage.wire.LogHold;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Measures how far the pages here are behind one stream, and publishes it as metrics. It is
 * notified of both sides; a stopped follower is reported as a problem. Thread-safe.
 */
final class ReplicaLag implements Storage.Listener {
  private final int stream;
  private final StreamService streams;
  private final PageStore store;
  private final ApplyLag lag;
  private final List<Meter> meters = new ArrayList<>();
  private MeterRegistry registry;

  /**
   * Starts to measure.
   *
   * @param stream of which this node has a replica
   */
  ReplicaLag(int stream, StreamService streams, PageStore store) {
    this.stream = stream;
    this.streams = streams;
    this.store = store;
    this.lag = new ApplyLag(store.appliedOffset(stream), Environment::nanoTime);
    streams.onDurable(stream, lag::durable);
  }

  /** Taken records may still wait for another stream's records; only readable ones count. */
  @Override
  public void applied(long offset) {
    lag.applied(store.appliedOffset(stream));
  }

  @Override
  public void stopped(long offset, Throwable cause) {}

  /** See {@link ApplyLag#nanos}. */
  long nanos() {
    lag.applied(store.appliedOffset(stream));
    return lag.nanos();
  }

  long bytes() {
    return Math.max(0, durable() - store.appliedOffset(stream));
  }

  /** Of the log that somebody who has no replica of it needs. */
  long heldBytes() {
    return streams.holds(stream).stream().mapToLong(LogHold::bytes).max().orElse(0);
  }

  private long durable() {
    return streams.local(stream).end();
  }

  /** The registry does not keep a strong reference to this. */
  void bindTo(MeterRegistry to) {
    registry = to;
    gauge("gauss.stream.end", "Durable end of a stream, as known here", l -> l.durable());
    gauge(
        "gauss.stream.applied",
        "Offset up to which the pages here have a stream's redo",
        l -> l.store.appliedOffset(l.stream));
    gauge(
        "gauss.stream.lag",
        "Durable redo of a stream that the pages here have not got",
        ReplicaLag::bytes);
    gauge(
        "gauss.stream.held",
        "Log of a stream that is kept for storage nodes that have subscribed to it",
        ReplicaLag::heldBytes);
    meters.add(
        TimeGauge.builder("gauss.stream.lag.time", this, TimeUnit.NANOSECONDS, ReplicaLag::nanos)
            .description("How long the oldest of it has been durable here")
            .tag("stream", "" + stream)
            .register(registry));
  }

  /** Removes the metrics. */
  void unbind() {
    meters.forEach(registry::remove);
  }

  private void gauge(String name, String description, ToDoubleFunction<ReplicaLag> value) {
    meters.add(
        Gauge.builder(name, this, value)
            .description(description)
            .baseUnit("bytes")
            .tag("stream", "" + stream)
            .register(registry));
  }
}
