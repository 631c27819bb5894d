package io.gauss.compute.node;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.buffer.PageTransfers;
import io.gauss.compute.buffer.SpaceTransfers;
import io.gauss.compute.buffer.SpaceTransfers.Count;
import io.gauss.compute.buffer.TransferCause;
import io.gauss.compute.buffer.TransferPhase;
import io.gauss.compute.wait.Latencies;
import io.gauss.compute.wait.RecentLatency;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Registers how many pages come from other compute nodes and go there, and how long that takes. */
final class TransferMeters implements MeterBinder {
  private static final double[] PERCENTILES = {0.5, 0.99};

  private final SpaceTransfers all;

  TransferMeters(PageTransfers transfers) {
    this.all = transfers.all();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (TransferPhase phase : TransferPhase.values()) {
      bind(registry, phase);
    }
    count(registry, "in", "copy", Count.COPY_IN);
    count(registry, "in", "owned", Count.OWNED_IN);
    count(registry, "out", "copy", Count.COPY_OUT);
    count(registry, "out", "owned", Count.OWNED_OUT);
    for (TransferCause cause : TransferCause.values()) {
      FunctionCounter.builder("gauss.pages.transfers.cause", all, a -> a.count(cause))
          .tag("cause", cause.name().toLowerCase(Locale.ROOT))
          .description("Leaves that came from other compute nodes for a row to be written")
          .register(registry);
    }
  }

  private void bind(MeterRegistry registry, TransferPhase phase) {
    Latencies times = all.phase(phase);
    FunctionTimer.builder(
            "gauss.pages.transfers.time",
            times,
            Latencies::count,
            Latencies::totalNanos,
            TimeUnit.NANOSECONDS)
        .tag("phase", phase.label())
        .description("Parts of the time that pages take between compute nodes")
        .register(registry);
    RecentLatency recent = new RecentLatency(times, Environment::nanoTime);
    for (double share : PERCENTILES) {
      TimeGauge.builder(
              "gauss.pages.transfers.percentile",
              recent,
              TimeUnit.NANOSECONDS,
              r -> r.percentile(share))
          .tag("phase", phase.label())
          .tag("phi", Double.toString(share))
          .description("Time that this share of the transfers of the last minutes kept to")
          .strongReference(true)
          .register(registry);
    }
  }

  private void count(MeterRegistry registry, String direction, String what, Count count) {
    FunctionCounter.builder("gauss.pages.transfers", all, a -> a.count(count))
        .tag("direction", direction)
        .tag("what", what)
        .description("Pages that came from other compute nodes or went there")
        .register(registry);
  }
}
