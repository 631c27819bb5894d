package io.gauss.compute.session;

import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.wait.Latencies;
import io.gauss.compute.wait.RecentLatency;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Sessions, statements by kind with latencies, and failures by SQLSTATE. Thread-safe. */
public final class SessionMetrics {
  private static final double[] PERCENTILES = {0.5, 0.95, 0.99};

  private final MeterRegistry registry;
  private final AtomicInteger open = new AtomicInteger();
  private final Counter loginsRefused;
  private final Counter cancelsIgnored;
  private final ConcurrentHashMap<String, Latencies> statements = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<SqlState, Counter> failures = new ConcurrentHashMap<>();

  public SessionMetrics(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder("gauss.sessions.open", open, AtomicInteger::get)
        .description("Client sessions that are open")
        .register(registry);
    loginsRefused =
        Counter.builder("gauss.logins.refused")
            .description("Clients that were not allowed to log in")
            .register(registry);
    cancelsIgnored =
        Counter.builder("gauss.cancels.ignored")
            .description("Requests to cancel with a wrong number or secret, or too many at once")
            .register(registry);
  }

  void opened() {
    open.incrementAndGet();
  }

  void closed() {
    open.decrementAndGet();
  }

  void loginRefused() {
    loginsRefused.increment();
  }

  void cancelIgnored() {
    cancelsIgnored.increment();
  }

  void ran(String kind, long nanos) {
    Latencies latency = statements.get(kind);
    if (latency == null) {
      latency = statements.computeIfAbsent(kind, this::newLatency);
    }
    latency.record(nanos);
  }

  /** Latencies by kind of statement, in order of kind. */
  SortedMap<String, Latencies> latencies() {
    return new TreeMap<>(statements);
  }

  /**
   * The registry reads it only when metrics are collected; a Micrometer timer would have a cost for
   * every statement.
   */
  private Latencies newLatency(String kind) {
    Latencies latency = new Latencies();
    FunctionTimer.builder(
            "gauss.statements",
            latency,
            Latencies::count,
            Latencies::totalNanos,
            TimeUnit.NANOSECONDS)
        .description("Statements that succeeded, without the wait for the log")
        .tag("kind", kind)
        .register(registry);
    RecentLatency recent = new RecentLatency(latency, Environment::nanoTime);
    for (double share : PERCENTILES) {
      TimeGauge.builder(
              "gauss.statements.percentile", recent, TimeUnit.NANOSECONDS, r -> r.percentile(share))
          .description("Latency that this share of the statements of the last minutes kept to")
          .tag("kind", kind)
          .tag("phi", Double.toString(share))
          .strongReference(true)
          .register(registry);
    }
    return latency;
  }

  void failed(SqlState state) {
    failures
        .computeIfAbsent(
            state,
            s ->
                Counter.builder("gauss.statements.failed")
                    .description("Statements that failed")
                    .tag("sqlstate", s.code())
                    .register(registry))
        .increment();
  }
}
