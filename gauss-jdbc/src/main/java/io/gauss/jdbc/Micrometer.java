package io.gauss.jdbc;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;

/** Micrometer, for classes that must load without it. */
final class Micrometer {
  private static final String MISSING = "io.micrometer:micrometer-core is not on the class path";

  private Micrometer() {}

  /**
   * Binds the driver's meters to Micrometer's global registry.
   *
   * @throws IllegalArgumentException when Micrometer is not there
   */
  static void bindToGlobalRegistry() {
    try {
      Binding.bind(Metrics.globalRegistry);
    } catch (LinkageError e) {
      throw new IllegalArgumentException(MISSING, e);
    }
  }

  /**
   * @param registry a registry of Micrometer
   * @throws IllegalArgumentException when it is something else, or Micrometer is not there
   */
  static void bindTo(Object registry) {
    try {
      if (!Binding.isRegistry(registry)) {
        throw new IllegalArgumentException(registry + " is not a registry of Micrometer");
      }
      Binding.bind(registry);
    } catch (LinkageError e) {
      throw new IllegalArgumentException(MISSING, e);
    }
  }

  /** Names Micrometer's types, so it is loaded only when they are needed. */
  private static final class Binding {
    static boolean isRegistry(Object registry) {
      return registry instanceof MeterRegistry;
    }

    static void bind(Object registry) {
      new GaussDriverMetrics().bindTo((MeterRegistry) registry);
    }
  }
}
