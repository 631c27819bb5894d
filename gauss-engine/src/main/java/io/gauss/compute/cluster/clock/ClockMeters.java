package io.gauss.compute.cluster.clock;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Registers the meters of clock leases. The transport measures how long calls take, under the type
 * clock.advance.
 */
public final class ClockMeters implements MeterBinder {
  private final CommitBroadcast broadcast;

  public ClockMeters(CommitBroadcast broadcast) {
    this.broadcast = broadcast;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("gauss.clock.peers", broadcast, CommitBroadcast::peers)
        .description("Compute nodes that are told of commits")
        .register(registry);
    Gauge.builder("gauss.clock.silent", broadcast, CommitBroadcast::silentPeers)
        .description("Compute nodes that do not answer")
        .register(registry);
    FunctionCounter.builder("gauss.clock.lapses", broadcast, CommitBroadcast::lapses)
        .description("Times that this node could take no snapshots because others did not answer")
        .register(registry);
  }
}
