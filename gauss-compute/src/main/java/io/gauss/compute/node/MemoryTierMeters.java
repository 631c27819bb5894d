package io.gauss.compute.node;

import io.gauss.compute.cluster.memory.MemoryLinks;
import io.gauss.compute.wait.WaitCounter;
import io.gauss.memory.holder.PageFrames.Source;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Registers the meters of a compute node's use of the memory tier. */
final class MemoryTierMeters implements MeterBinder {
  private final MemoryTier tier;

  MemoryTierMeters(MemoryTier tier) {
    this.tier = tier;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (Source source : Source.values()) {
      FunctionTimer.builder(
              "gauss.pages.gets",
              tier.pages().gets(source),
              WaitCounter::count,
              WaitCounter::totalNanos,
              TimeUnit.NANOSECONDS)
          .tag("source", source.name().toLowerCase(Locale.ROOT))
          .description("Pages, or rights to them, that came because they were wanted")
          .register(registry);
    }
    MemoryLinks links = tier.links();
    FunctionCounter.builder("gauss.pages.messages", links, MemoryLinks::messages)
        .description("Messages about pages to memory nodes and from them")
        .register(registry);
    Gauge.builder("gauss.pages.messages.waiting", links, MemoryLinks::waitingMessages)
        .description("Frames of messages that memory nodes have not acknowledged")
        .register(registry);
    Gauge.builder("gauss.pages.memory.nodes", links, MemoryLinks::nodes)
        .description("Memory nodes that this node is linked to")
        .register(registry);
    FunctionCounter.builder("gauss.pages.homes.moved", links, MemoryLinks::movedHomes)
        .description("Buckets whose home became another memory node")
        .register(registry);
  }
}
