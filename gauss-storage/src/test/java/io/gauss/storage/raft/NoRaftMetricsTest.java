package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.junit.jupiter.api.Test;

/** Ratis finds the registries that keep nothing. */
class NoRaftMetricsTest {
  @Test
  void ratisCountsAndTimesNothing() {
    MetricRegistries global = MetricRegistries.global();
    assertInstanceOf(NoRaftMetrics.class, global);
    RatisMetricRegistry registry =
        global.create(new MetricRegistryInfo("prefix", "ratis", "component", "description"));
    registry.counter("entries").inc();
    assertEquals(0, registry.counter("entries").getCount());
    assertEquals(0, registry.timer("force").time().stop());
  }
}
