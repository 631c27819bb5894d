package io.gauss.server;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.jmx.JmxConfig;
import io.micrometer.jmx.JmxMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/**
 * The outputs of a node's metrics: MBeans in the domain {@code gauss}, and the Prometheus text
 * format.
 */
final class NodeMetrics {
  private final CompositeMeterRegistry all = new CompositeMeterRegistry();
  private final PrometheusMeterRegistry prometheus =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  NodeMetrics() {
    all.add(
        new JmxMeterRegistry(
            new JmxConfig() {
              @Override
              public String get(String key) {
                return null;
              }

              @Override
              public String domain() {
                return "gauss";
              }
            },
            Clock.SYSTEM));
    all.add(prometheus);
  }

  /** Where a node registers its meters. */
  MeterRegistry registry() {
    return all;
  }

  /** The same for one of several roles in this process: its meters have the tag {@code role}. */
  MeterRegistry registry(String role) {
    CompositeMeterRegistry own = new CompositeMeterRegistry();
    own.config().commonTags("role", role);
    own.add(all);
    return own;
  }

  PrometheusMeterRegistry prometheus() {
    return prometheus;
  }
}
