package io.gauss.storage.remote;

import io.gauss.storage.api.LogStream;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Metrics of each storage node; nodes are added and removed. */
final class StorageMeters {
  private static final String APPLIED = "gauss.storage.applied";
  private static final String LAG = "gauss.storage.lag";
  private static final String LAG_TIME = "gauss.storage.lag.time";
  private static final String PENDING = "gauss.storage.pending";
  private static final List<String> ALL = List.of(APPLIED, LAG, LAG_TIME, PENDING);
  private static final String TAG = "node";

  private StorageMeters() {}

  static void add(MeterRegistry registry, PagesWatch watch, LogStream stream) {
    int id = stream.streamId();
    Gauge.builder(APPLIED, watch, w -> w.applied(id))
        .description("Log offset up to which a storage node's pages have this node's redo")
        .tag(TAG, address(watch))
        .register(registry);
    Gauge.builder(LAG, watch, w -> Math.max(0, stream.durableOffset() - w.applied(id)))
        .description("Durable redo of this node that a storage node's pages have not got")
        .baseUnit("bytes")
        .tag(TAG, address(watch))
        .register(registry);
    TimeGauge.builder(LAG_TIME, watch, TimeUnit.NANOSECONDS, w -> w.lagNanos(id))
        .description("How long the oldest of it has been durable there, as the node says")
        .tag(TAG, address(watch))
        .register(registry);
    Gauge.builder(PENDING, watch, w -> w.progress().pendingBytes())
        .description("Redo bytes in a storage node's memory that are not folded yet")
        .baseUnit("bytes")
        .tag(TAG, address(watch))
        .register(registry);
  }

  /**
   * @param registry null = there was none yet
   */
  static void remove(MeterRegistry registry, PagesWatch watch) {
    if (registry == null) {
      return;
    }
    for (String name : ALL) {
      for (Meter meter : registry.find(name).tag(TAG, address(watch)).meters()) {
        registry.remove(meter);
      }
    }
  }

  private static String address(PagesWatch watch) {
    return watch.peer().address().toString();
  }
}
