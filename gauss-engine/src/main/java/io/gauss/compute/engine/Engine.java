package io.gauss.compute.engine;

import io.gauss.common.error.GaussException;
import io.gauss.common.health.Problem;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.common.task.CloseStack;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.Spaces;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.Storage;
import io.gauss.storage.local.LocalStorage;
import io.gauss.storage.local.pages.PageStoreSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine below transactions: clock, log buffer, buffer pool and spaces over a log stream and a
 * page store, and the order in which they start and stop.
 *
 * <p>Start: the clock begins above the stream's last LSN (rule 5); the storage tier gives the pages
 * the redo up to the stream's end, then what becomes durable; the log buffer opens at the end;
 * spaces are read, or made in a new database. The steps of the layers above (undo of unfinished
 * transactions, catalog) are run by {@link #step}, which logs how long they took.
 *
 * <p>Stop: background tasks, log, the last records for the pages and a checkpoint, then the storage
 * tier. A process that is killed instead loses no data, only time at the next start.
 *
 * <p>Thread-safe once open.
 */
public final class Engine implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  private final Storage storage;
  private final LogBuffer log;
  private final BufferPool pool;
  private final Spaces spaces;
  private final BackgroundTasks tasks;
  private final Health health = new Health();
  private final List<Checker> checkers = new CopyOnWriteArrayList<>();
  private boolean closed;

  /**
   * Opens or creates a database of a single process: log and pages in a directory of their own.
   *
   * @throws GaussException 55006 when another process has the directory, XX001 when it is damaged
   */
  public static Engine openLocal(Path directory, EngineSettings settings) {
    return open(
        settings,
        LocalStorage.open(
            directory,
            settings.node(),
            PageStoreSettings.defaults()
                .withPendingLimit(settings.redoMemoryBytes())
                .withWriteBytesPerSecond(settings.pageWriteBytesPerSecond()),
            new LocalStorage.Settings(settings.checkpointBytes(), settings.checkpointInterval())));
  }

  /**
   * Starts an engine with a clock of its own; see {@link #open(EngineSettings, LamportClock,
   * Storage)}.
   */
  static Engine open(EngineSettings settings, Storage storage) {
    return open(settings, new LamportClock(settings.node(), Lsn.NONE), storage);
  }

  /**
   * Starts an engine.
   *
   * @param clock the node's, which other nodes may have raised already
   * @param storage closed with the engine, and when it cannot start
   */
  public static Engine open(EngineSettings settings, LamportClock clock, Storage storage) {
    return open(
        settings, clock, storage, (pool, log) -> new BufferPool(pool, storage.pages(), log));
  }

  /**
   * Starts an engine.
   *
   * @param clock the node's, which other nodes may have raised already
   * @param storage closed with the engine, and when it cannot start
   * @param pools makes its buffer pool
   */
  public static Engine open(
      EngineSettings settings, LamportClock clock, Storage storage, Pools pools) {
    CloseStack opened = new CloseStack("engine");
    opened.add(storage);
    try {
      recover(clock, storage);
      LogBuffer log =
          opened.add(new LogBuffer(settings.log(), clock, storage.stream(), storage.epoch()));
      log.limitApplyLag(settings.applyLagBytes());
      storage.follow(new Applied(log));
      BufferPool pool = pools.open(settings.pool(), log);
      storage.standIn(pool::copyDurable);
      Spaces spaces = new Spaces(pool, settings.node());
      step(log, "spaces", spaces::open);
      return new Engine(storage, log, pool, spaces, opened.add(new BackgroundTasks()));
    } catch (RuntimeException | Error e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private static void recover(LamportClock clock, Storage storage) {
    LogStream stream = storage.stream();
    clock.observe(stream.lastLsn());
    long start = Environment.nanoTime();
    long redone = storage.recover();
    LOG.info(
        "redo: {} KB of log up to offset {} (LSN {}) in {} ms",
        redone >> 10,
        stream.endOffset(),
        Lsn.toString(stream.lastLsn()),
        millisSince(start));
  }

  /** Makes the buffer pool of an engine. */
  @FunctionalInterface
  public interface Pools {
    BufferPool open(PoolSettings settings, LogBuffer log);
  }

  private Engine(
      Storage storage, LogBuffer log, BufferPool pool, Spaces spaces, BackgroundTasks tasks) {
    this.storage = storage;
    this.log = log;
    this.pool = pool;
    this.spaces = spaces;
    this.tasks = tasks;
    checkers.add(new StoreEqualsBufferChecker(pool, storage::replicas, log));
    tasks.every("log-watch", log.watchInterval(), log::watch);
    health.add(new EngineProblems(storage, log, tasks));
    tasks.every("health", Duration.ofSeconds(1), health::look);
  }

  /**
   * If the pages stop following the durable log, nothing can be written any more.
   *
   * @param log is notified
   */
  private record Applied(LogBuffer log) implements Storage.Listener {
    @Override
    public void applied(long offset) {
      log.applied(offset);
    }

    @Override
    public void stopped(long offset, Throwable cause) {
      // Pages that are evicted from now on could not be read back.
      log.fail(cause);
    }
  }

  /** Runs a step of starting or recovering on a fresh context and logs how long it took. */
  public void step(String name, Consumer<EngineContext> action) {
    step(log, name, action);
  }

  private static void step(LogBuffer log, String name, Consumer<EngineContext> action) {
    long start = Environment.nanoTime();
    action.accept(new EngineContext(log));
    LOG.info("{}: {} ms", name, millisSince(start));
  }

  private static long millisSince(long start) {
    return (Environment.nanoTime() - start) / 1_000_000;
  }

  public EngineContext newContext() {
    return new EngineContext(log);
  }

  public LamportClock clock() {
    return log.clock();
  }

  public LogBuffer log() {
    return log;
  }

  public BufferPool pool() {
    return pool;
  }

  public Spaces spaces() {
    return spaces;
  }

  public Storage storage() {
    return storage;
  }

  /** For tasks of the layers above; they end before the log is closed. */
  public BackgroundTasks tasks() {
    return tasks;
  }

  /** The problems that this engine and the layers above have now. */
  public Health health() {
    return health;
  }

  /** The problems of the engine itself. */
  private record EngineProblems(Storage storage, LogBuffer log, BackgroundTasks tasks)
      implements Supplier<List<Problem>> {
    @Override
    public List<Problem> get() {
      List<Problem> problems = new ArrayList<>();
      GaussException refusal = log.refusal();
      if (refusal != null) {
        problems.add(new Problem("writes are refused", refusal.getMessage()));
      }
      problems.addAll(storage.problems());
      problems.addAll(tasks.problems());
      return problems;
    }
  }

  /** Stops in order. The layers above have ended their sessions. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    long start = Environment.nanoTime();
    tasks.close();
    log.close();
    if (!log.hasFailed()) {
      settle();
    }
    storage.close();
    LOG.info("engine closed in {} ms", millisSince(start));
  }

  /** Makes sure that the next start has no redo to apply; it is not required for correctness. */
  private void settle() {
    try {
      if (!storage.settle()) {
        LOG.warn("the page store is still behind; the next start has redo to do");
      }
    } catch (RuntimeException e) {
      LOG.warn("no checkpoint could be made; the next start has redo to do", e);
    }
  }

  /** Adds a checker of a layer above; they run in the order in which they were added. */
  public void addChecker(Checker checker) {
    checkers.add(checker);
  }

  /** Checkers of all invariants: this engine's own, then those of the layers above. */
  public List<Checker> checkers() {
    return List.copyOf(checkers);
  }
}
