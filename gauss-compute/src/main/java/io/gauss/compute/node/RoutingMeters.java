package io.gauss.compute.node;

import io.gauss.compute.routing.PlacementCounts;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.routing.data.PublishedRouting;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToLongFunction;

/**
 * Registers meters for the samples of transactions, and for the age of what was learned from them.
 */
final class RoutingMeters implements MeterBinder {
  private static final double MICROS_PER_SECOND = 1e6;

  private final RoutingExchange routing;

  RoutingMeters(RoutingExchange routing) {
    this.routing = routing;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    FunctionCounter.builder("gauss.routing.samples", routing, r -> r.sampling().sampled())
        .description("Transactions of this node that were sampled")
        .register(registry);
    FunctionCounter.builder("gauss.routing.samples.dropped", routing, RoutingExchange::dropped)
        .description("Samples that nobody took in time to learn from them")
        .register(registry);
    FunctionCounter.builder("gauss.routing.samples.arrived", routing, RoutingExchange::arrived)
        .description("Samples of all nodes that came here to be learned from")
        .register(registry);
    RerouteCounts reroutes = routing.reroutes();
    FunctionCounter.builder("gauss.reroutes.forwarded", reroutes, RerouteCounts::forwarded)
        .description("Transactions of this node's clients that went to a better node")
        .register(registry);
    FunctionCounter.builder("gauss.reroutes.served", reroutes, RerouteCounts::servedForOthers)
        .description("Transactions of other nodes' clients that came here")
        .register(registry);
    for (RerouteCounts.Reason reason : RerouteCounts.Reason.values()) {
      FunctionCounter.builder("gauss.reroutes.stayed", reroutes, r -> r.stayed(reason))
          .tag("reason", reason.label())
          .description("Transactions that were not forwarded to a better node")
          .register(registry);
    }
    Gauge.builder("gauss.routing.samples.interval", routing, r -> r.sampling().interval())
        .description("Transactions from one sample to the next")
        .register(registry);
    Gauge.builder("gauss.routing.model.version", routing, r -> r.published().version())
        .description("Version of what drivers route by; 0 = nothing was learned yet")
        .register(registry);
    Gauge.builder("gauss.routing.model.age", routing, RoutingMeters::age)
        .baseUnit("seconds")
        .description("Time since that was published")
        .register(registry);
    count(
        registry,
        routing,
        "gauss.pages.offered",
        PlacementCounts::offered,
        "Pages that other nodes are to own, and were offered by this one");
    count(
        registry,
        routing,
        "gauss.pages.placed",
        PlacementCounts::placed,
        "Pages that came before they were wanted, since this node is to own them");
    count(
        registry,
        routing,
        "gauss.pages.placement.refused",
        PlacementCounts::refused,
        "Pages that were offered to this node while it had no room for them");
    count(
        registry,
        routing,
        "gauss.pages.placement.failed",
        PlacementCounts::failed,
        "Pages that were offered to this node and did not come");
    Gauge.builder("gauss.pages.placement.hot", routing, r -> r.placement().counts().hot())
        .description("Pages that other nodes are to own, and stay while they are used here")
        .register(registry);
  }

  private static void count(
      MeterRegistry registry,
      RoutingExchange routing,
      String name,
      ToLongFunction<PlacementCounts> count,
      String description) {
    FunctionCounter.builder(name, routing, r -> count.applyAsLong(r.placement().counts()))
        .description(description)
        .register(registry);
  }

  private static double age(RoutingExchange routing) {
    PublishedRouting published = routing.published();
    return published.version() == 0
        ? Double.NaN
        : (routing.nowMicros() - published.publishedMicros()) / MICROS_PER_SECOND;
  }
}
