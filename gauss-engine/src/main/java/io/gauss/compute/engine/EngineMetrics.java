package io.gauss.compute.engine;

import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.wait.WaitCounter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Registers the engine's counters: buffer pool, log, checkpoints. They are read on request; nothing
 * is sampled.
 */
public final class EngineMetrics implements MeterBinder {
  private final Engine engine;

  public EngineMetrics(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    pool(registry, engine.pool());
    log(registry, engine.log());
    health(registry, engine.health());
    engine.storage().bindTo(registry);
  }

  private static void pool(MeterRegistry registry, BufferPool pool) {
    count(
        registry, "gauss.buffer.hits", "Page accesses that found the page", pool, BufferPool::hits);
    count(registry, "gauss.buffer.misses", "Pages loaded from storage", pool, BufferPool::misses);
    count(
        registry,
        "gauss.buffer.evictions",
        "Pages dropped for others",
        pool,
        BufferPool::evictions);
    count(
        registry,
        "gauss.buffer.away",
        "Changes of several pages started over, since a page had gone to another node",
        pool,
        BufferPool::pagesAway);
    waits(registry, "latch", pool.latchWaits());
    waits(registry, "frame", pool.frameWaits());
    waits(registry, "page", pool.loadWaits());
    Gauge.builder("gauss.buffer.frames", pool, BufferPool::frameCount)
        .description("Pages that the buffer pool can hold")
        .register(registry);
  }

  private static void log(MeterRegistry registry, LogBuffer log) {
    count(registry, "gauss.log.bytes", "Redo bytes made durable", log, LogBuffer::appendedBytes);
    count(registry, "gauss.log.appends", "Appends to the log stream", log, LogBuffer::appends);
    waits(registry, "broadcast", log.advanceWaits());
    waits(registry, "log space", log.creditWaits());
    waits(registry, "log", log.durableWaits());
    Gauge.builder("gauss.log.undurable", log, l -> l.reservedOffset() - l.durableOffset())
        .description("Redo bytes that are not durable yet")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("gauss.log.apply.lag", log, LogBuffer::applyLag)
        .description("Durable redo bytes that the page store has not got yet")
        .baseUnit("bytes")
        .register(registry);
  }

  private static void health(MeterRegistry registry, Health health) {
    Gauge.builder("gauss.health.problems", health, h -> h.problems().size())
        .description("Things that keep parts of the node from their work now; 0 when all is well")
        .register(registry);
  }

  private static void waits(MeterRegistry registry, String cause, WaitCounter counter) {
    FunctionTimer.builder(
            "gauss.waits",
            counter,
            WaitCounter::count,
            WaitCounter::totalNanos,
            TimeUnit.NANOSECONDS)
        .tag("cause", cause)
        .description("Waits by cause")
        .register(registry);
  }

  private static <T> void count(
      MeterRegistry registry,
      String name,
      String description,
      T object,
      ToDoubleFunction<T> value) {
    FunctionCounter.builder(name, object, value).description(description).register(registry);
  }
}
