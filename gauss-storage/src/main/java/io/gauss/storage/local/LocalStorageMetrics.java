package io.gauss.storage.local;

import io.gauss.storage.apply.Checkpointer;
import io.gauss.storage.local.log.LocalLogStream;
import io.gauss.storage.local.pages.LocalPageStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Meters of streams, page stores and checkpoints of this process. */
public final class LocalStorageMetrics {
  private LocalStorageMetrics() {}

  static void bind(MeterRegistry registry, LocalLogStream stream) {
    FunctionTimer.builder(
            "gauss.log.forces",
            stream,
            s -> s.stats().forces(),
            s -> s.stats().forceNanos(),
            TimeUnit.NANOSECONDS)
        .description("Forces of the log to disk")
        .register(registry);
  }

  public static void bind(MeterRegistry registry, Checkpointer checkpointer) {
    count(
        registry,
        "gauss.checkpoint.failures",
        "Checkpoints that failed",
        checkpointer,
        c -> c.stats().failures());
    FunctionTimer.builder(
            "gauss.checkpoint",
            checkpointer,
            c -> c.stats().count(),
            c -> c.stats().nanos(),
            TimeUnit.NANOSECONDS)
        .description("Checkpoints of the page store")
        .register(registry);
    Gauge.builder("gauss.checkpoint.age", checkpointer, Checkpointer::bytesSince)
        .description("Redo bytes that a restart would read")
        .baseUnit("bytes")
        .register(registry);
  }

  public static void bind(MeterRegistry registry, LocalPageStore store) {
    count(
        registry,
        "gauss.pages.folds",
        "Times that redo was folded into a page",
        store,
        s -> s.stats().folds());
    count(
        registry,
        "gauss.pages.loaded",
        "Pages read from disk",
        store,
        s -> s.stats().pagesLoaded());
    count(
        registry,
        "gauss.pages.written",
        "Pages written to disk",
        store,
        s -> s.stats().pagesWritten());
    count(
        registry,
        "gauss.pages.scrubbed",
        "Pages on disk that were looked at for damage",
        store,
        s -> s.stats().pagesScrubbed());
    count(
        registry,
        "gauss.pages.repaired",
        "Damaged pages replaced by a copy of another storage node",
        store,
        s -> s.stats().pagesRepaired());
    count(
        registry,
        "gauss.pages.spaces.deleted",
        "Dropped tables and indexes whose pages were deleted",
        store,
        s -> s.stats().spacesDeleted());
    FunctionCounter.builder("gauss.pages.reclaimed", store, s -> s.stats().reclaimedBytes())
        .description("Room on the disk that was given back for deleted pages")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("gauss.pages.damaged", store, LocalPageStore::damagedPages)
        .description("Pages that were found to be damaged")
        .register(registry);
    Gauge.builder("gauss.pages.pending", store, LocalPageStore::pendingBytes)
        .description("Redo bytes in memory that are not folded yet")
        .baseUnit("bytes")
        .register(registry);
  }

  private static <T> void count(
      MeterRegistry registry, String name, String description, T of, ToDoubleFunction<T> value) {
    FunctionCounter.builder(name, of, value).description(description).register(registry);
  }
}
