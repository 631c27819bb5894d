package io.gauss.compute.session;

import io.gauss.common.error.SqlState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Sessions, statements by kind with latencies, and failures by SQLSTATE. Thread-safe. */
public final class SessionMetrics {
  /** Statements of one kind: for metrics, which forget, and for views, which do not. */
  private record Statements(Timer timer, StatementLatency latency) {}

  private final MeterRegistry registry;
  private final AtomicInteger open = new AtomicInteger();
  private final ConcurrentHashMap<String, Statements> statements = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<SqlState, Counter> failures = new ConcurrentHashMap<>();

  public SessionMetrics(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder("gauss.sessions.open", open, AtomicInteger::get)
        .description("Client sessions that are open")
        .register(registry);
  }

  void opened() {
    open.incrementAndGet();
  }

  void closed() {
    open.decrementAndGet();
  }

  void ran(String kind, long nanos) {
    Statements ofKind = statements.get(kind);
    if (ofKind == null) {
      ofKind =
          statements.computeIfAbsent(
              kind, k -> new Statements(newTimer(k), new StatementLatency()));
    }
    ofKind.timer.record(nanos, TimeUnit.NANOSECONDS);
    ofKind.latency.record(nanos);
  }

  /** Latencies by kind of statement, in order of kind. */
  SortedMap<String, StatementLatency> latencies() {
    SortedMap<String, StatementLatency> latencies = new TreeMap<>();
    statements.forEach((kind, ofKind) -> latencies.put(kind, ofKind.latency));
    return latencies;
  }

  private Timer newTimer(String kind) {
    return Timer.builder("gauss.statements")
        .description("Statements that succeeded, without the wait for the log")
        .tag("kind", kind)
        .publishPercentiles(0.5, 0.95, 0.99)
        .register(registry);
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
