package io.gauss.storage.remote;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

/** What is measured of each storage node; they come and go. */
final class StorageMeters {
  private static final String APPLIED = "gauss.storage.applied";
  private static final String PENDING = "gauss.storage.pending";
  private static final String TAG = "node";

  private StorageMeters() {}

  static void add(MeterRegistry registry, PagesWatch watch, int stream) {
    Gauge.builder(APPLIED, watch, w -> w.applied(stream))
        .description("Log offset up to which a storage node's pages have this node's redo")
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
    if (registry != null) {
      for (Meter meter : registry.find(APPLIED).tag(TAG, address(watch)).meters()) {
        registry.remove(meter);
      }
      for (Meter meter : registry.find(PENDING).tag(TAG, address(watch)).meters()) {
        registry.remove(meter);
      }
    }
  }

  private static String address(PagesWatch watch) {
    return watch.peer().address().toString();
  }
}
