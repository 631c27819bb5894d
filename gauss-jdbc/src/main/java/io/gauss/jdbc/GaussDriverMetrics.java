package io.gauss.jdbc;

import io.gauss.jdbc.cluster.DriverStatistics;
import io.gauss.jdbc.cluster.NodeRoutes;
import io.gauss.jdbc.routing.Decision.Cause;
import io.gauss.jdbc.routing.RouterReport;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * The driver's figures as meters of Micrometer, for all of its current and future connections in
 * this process. Applications that have Micrometer bind it to their registry: {@code new
 * GaussDriverMetrics().bindTo(registry)}, or declare it as a bean in Spring Boot, which binds it
 * automatically. The only class of the driver that names Micrometer's types. Thread-safe; binding
 * it to the same registry again has no effect.
 */
public final class GaussDriverMetrics implements MeterBinder {
  private static final String PREFIX = "gauss.driver.";
  private static final Set<MeterRegistry> BOUND = ConcurrentHashMap.newKeySet();

  @Override
  public void bindTo(MeterRegistry registry) {
    if (BOUND.add(registry)) {
      DriverStatistics.observe(new Meters(registry));
    }
  }

  private static final class Meters implements DriverStatistics.Observer {
    private final MeterRegistry registry;
    private final Map<DriverStatistics, Timer> decisions = new ConcurrentHashMap<>();

    Meters(MeterRegistry registry) {
      this.registry = registry;
    }

    private static Tags tags(DriverStatistics of) {
      return Tags.of("cluster", of.cluster(), "mode", of.mode().text());
    }

    @Override
    public void cluster(DriverStatistics of) {
      Tags tags = tags(of);
      decisions.put(
          of,
          Timer.builder(PREFIX + "decisions")
              .description("Time that the choice of a node takes, per transaction")
              .tags(tags)
              .serviceLevelObjectives(
                  Duration.ofNanos(2_000), Duration.ofNanos(30_000), Duration.ofNanos(300_000))
              .register(registry));
      counter(of, "failovers", tags, DriverStatistics::failovers)
          .description("Sessions that continued with another node since theirs was lost or drained")
          .register(registry);
      counter(of, "losses", tags, DriverStatistics::losses)
          .description("Connections that broke under a statement or in a transaction")
          .register(registry);
      counter(of, "retries", tags, DriverStatistics::retries)
          .description("Statements repeated after 40001 or 40P01 (retry.attempts)")
          .register(registry);
      router(of, "cache.gets", tags.and("result", "hit"), RouterReport::cached)
          .description("Answers of the model that were cached, and that were not")
          .register(registry);
      router(of, "cache.gets", tags.and("result", "miss"), RouterReport::computed)
          .register(registry);
      router(of, "engine.failures", tags, RouterReport::failures)
          .description("Calls of the model's engine that failed")
          .register(registry);
      router(of, "publications", tags.and("result", "taken"), RouterReport::taken)
          .description("Models or tables that came into use, and that could not be used")
          .register(registry);
      router(of, "publications", tags.and("result", "refused"), RouterReport::refused)
          .register(registry);
      Gauge.builder(PREFIX + "publication.version", of, s -> report(s, RouterReport::version))
          .description("Version of what is routed by; 0 = nothing was published")
          .tags(tags)
          .register(registry);
      Gauge.builder(PREFIX + "pages.here", of, DriverStatistics::here)
          .description(
              "Share of the pages of sampled transactions that their node had, as one node tells")
          .tags(tags)
          .register(registry);
    }

    private static FunctionCounter.Builder<DriverStatistics> counter(
        DriverStatistics of, String name, Tags tags, ToLongFunction<DriverStatistics> value) {
      return FunctionCounter.builder(PREFIX + name, of, s -> value.applyAsLong(s)).tags(tags);
    }

    private static FunctionCounter.Builder<DriverStatistics> router(
        DriverStatistics of, String name, Tags tags, ToLongFunction<RouterReport> value) {
      return counter(of, name, tags, s -> report(s, value));
    }

    private static long report(DriverStatistics of, ToLongFunction<RouterReport> value) {
      RouterReport report = of.router();
      return report == null ? 0 : value.applyAsLong(report);
    }

    @Override
    public void node(DriverStatistics of, String address, NodeRoutes routes) {
      for (Cause cause : Cause.values()) {
        FunctionCounter.builder(PREFIX + "transactions", routes, r -> r.of(cause))
            .description("Transactions by node and by who chose it")
            .tags(tags(of).and("node", address, "reason", cause.label()))
            .register(registry);
      }
    }

    @Override
    public void decided(DriverStatistics of, long nanos) {
      Timer timer = decisions.get(of);
      if (timer != null) {
        timer.record(nanos, TimeUnit.NANOSECONDS);
      }
    }
  }
}
