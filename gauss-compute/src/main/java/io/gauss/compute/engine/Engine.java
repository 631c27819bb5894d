package io.gauss.compute.engine;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.health.Problem;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.space.Spaces;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.local.LocalLogStream;
import io.gauss.storage.local.LocalPageStore;
import io.gauss.storage.local.PageStoreSettings;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine below transactions: clock, log buffer, buffer pool and spaces over a log stream and a
 * page store, and the order in which they start and stop.
 *
 * <p>Start: the clock begins above the stream's last LSN (rule 5); the page store takes the redo
 * from its checkpoint to the stream's end, then follows the stream; the log buffer opens at the
 * end; spaces are read, or made in a new database. What comes above (undo of unfinished
 * transactions, catalog) is run by {@link #step}, which logs how long it took.
 *
 * <p>Stop: background tasks, log, the page store's last records, a checkpoint, then stream and
 * store. A process that is killed instead loses nothing but this time at the next start.
 *
 * <p>Thread-safe once open.
 */
public final class Engine implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
  private static final int EPOCH = 1;
  private static final long CLOSE_WAIT_NANOS = 60_000_000_000L;

  private final LogStream stream;
  private final PageStore store;
  private final List<AutoCloseable> below;
  private final LamportClock clock;
  private final LogBuffer log;
  private final BufferPool pool;
  private final Spaces spaces;
  private final AutoCloseable tail;
  private final Checkpointer checkpointer;
  private final BackgroundTasks tasks = new BackgroundTasks();
  private final Health health = new Health();
  private volatile Problem tailProblem;
  private final List<Checker> checkers = new CopyOnWriteArrayList<>();
  private boolean closed;

  /**
   * Opens or creates a database of a single process: log and pages in a directory of their own.
   *
   * @throws GaussException 55006 when another process has the directory, XX001 when it is damaged
   */
  public static Engine openLocal(Path directory, EngineSettings settings) {
    long start = System.nanoTime();
    List<AutoCloseable> opened = new ArrayList<>();
    try {
      opened.add(DataDirectory.take(directory));
      LogStream stream =
          LocalLogStream.open(
              directory.resolve("log"),
              settings.node(),
              io.gauss.storage.local.LogSettings.defaults());
      opened.add(stream);
      PageStore store =
          LocalPageStore.open(
              directory.resolve("pages"),
              PageStoreSettings.defaults()
                  .withPendingLimit(settings.redoMemoryBytes())
                  .withWriteBytesPerSecond(settings.pageWriteBytesPerSecond()));
      opened.add(store);
      LOG.info("opened log and page store in {} ms", millisSince(start));
      return new Engine(settings, stream, store, opened);
    } catch (RuntimeException | Error e) {
      closeAll(opened, e);
      throw e;
    }
  }

  /**
   * Starts an engine.
   *
   * @param stream this node's stream; closed with the engine
   * @param store closed with the engine
   * @param below what to close after these, last first
   */
  public static Engine open(
      EngineSettings settings, LogStream stream, PageStore store, AutoCloseable... below) {
    List<AutoCloseable> resources = new ArrayList<>(List.of(below));
    resources.add(stream);
    resources.add(store);
    try {
      return new Engine(settings, stream, store, resources);
    } catch (RuntimeException | Error e) {
      closeAll(resources, e);
      throw e;
    }
  }

  private static void closeAll(List<AutoCloseable> resources, Throwable cause) {
    for (AutoCloseable resource : resources.reversed()) {
      try {
        resource.close();
      } catch (Exception e) {
        cause.addSuppressed(e);
      }
    }
  }

  private Engine(
      EngineSettings settings, LogStream stream, PageStore store, List<AutoCloseable> below) {
    this.stream = stream;
    this.store = store;
    this.below = below;
    this.clock = new LamportClock(settings.node(), stream.lastLsn());
    long start = System.nanoTime();
    long redone = redo();
    long end = stream.endOffset();
    LOG.info(
        "redo: {} KB of log up to offset {} (LSN {}) in {} ms",
        redone >> 10,
        end,
        Lsn.toString(stream.lastLsn()),
        millisSince(start));
    this.log = new LogBuffer(settings.log(), clock, stream, EPOCH);
    log.limitApplyLag(settings.applyLagBytes());
    this.tail = stream.tail(end, new Apply());
    this.pool = new BufferPool(settings.pool(), store, log);
    store.standIn(pool::copyDurable);
    this.spaces = new Spaces(pool, settings.node());
    this.checkpointer =
        new Checkpointer(stream, store, settings.checkpointBytes(), settings.checkpointInterval());
    step("spaces", spaces::open);
    checkers.add(new StoreEqualsBufferChecker(pool, store, log));
    tasks.every("checkpoint", Duration.ofSeconds(1), checkpointer::runIfDue);
    health.add(this::problems);
    tasks.every("health", Duration.ofSeconds(1), health::look);
  }

  /** Gives the page store what it has not got of the stream; returns the number of bytes. */
  private long redo() {
    int id = stream.streamId();
    long from = store.checkpointOffset(id);
    if (from < stream.startOffset() || from > stream.endOffset()) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "the page store's checkpoint is at log offset "
              + from
              + ", but stream "
              + id
              + " holds "
              + stream.startOffset()
              + " to "
              + stream.endOffset());
    }
    long bytes = 0;
    try (LogStream.LogReader reader = stream.read(from)) {
      while (reader.next()) {
        FaultPoints.hit("redo.batch");
        bytes += reader.bytes().remaining();
        store.apply(id, reader.offset(), reader.bytes());
      }
    }
    return bytes;
  }

  /** Hands the durable log to the page store; when that ends, nothing can be written any more. */
  private final class Apply implements LogStream.TailListener {
    @Override
    public void batch(int streamId, long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
      int length = bytes.remaining();
      store.apply(streamId, offset, bytes);
      log.applied(offset + length);
    }

    @Override
    public void stopped(long offset, Throwable cause) {
      // Pages that are evicted from now on could not be read back.
      LOG.error("the page store cannot take the log from offset {} on", offset, cause);
      tailProblem =
          new Problem("the page store does not follow the log since offset " + offset, "" + cause);
      log.fail(cause);
    }
  }

  /** Runs a step of starting or recovering on a fresh context and logs how long it took. */
  public void step(String name, Consumer<EngineContext> action) {
    long start = System.nanoTime();
    action.accept(newContext());
    LOG.info("{}: {} ms", name, millisSince(start));
  }

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  public EngineContext newContext() {
    return new EngineContext(log);
  }

  public LamportClock clock() {
    return clock;
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

  public LogStream stream() {
    return stream;
  }

  public PageStore store() {
    return store;
  }

  public Checkpointer checkpointer() {
    return checkpointer;
  }

  /** For tasks of the layers above; they end before the log is closed. */
  public BackgroundTasks tasks() {
    return tasks;
  }

  /** What is wrong now, with this engine and the layers above. */
  public Health health() {
    return health;
  }

  private List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    if (tailProblem != null) {
      problems.add(tailProblem);
    }
    GaussException refusal = log.refusal();
    if (refusal != null) {
      problems.add(new Problem("writes are refused", refusal.getMessage()));
    }
    problems.addAll(stream.problems());
    problems.addAll(store.problems());
    if (checkpointer.problem() != null) {
      problems.add(checkpointer.problem());
    }
    problems.addAll(tasks.problems());
    return problems;
  }

  /** Stops in order. The layers above have ended their sessions. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    long start = System.nanoTime();
    checkpointer.hurry();
    tasks.close();
    log.close();
    List<Exception> failures = new ArrayList<>();
    attempt(failures, this::lastCheckpoint);
    attempt(failures, tail::close);
    for (AutoCloseable resource : below.reversed()) {
      attempt(failures, resource::close);
    }
    failures.forEach(e -> LOG.warn("while closing the engine", e));
    LOG.info("engine closed in {} ms", millisSince(start));
  }

  /** So that the next start has no redo to do; without it, it has some. */
  private void lastCheckpoint() {
    if (log.hasFailed()) {
      return;
    }
    if (!awaitApplied(CLOSE_WAIT_NANOS)) {
      LOG.warn("the page store is still behind; the next start has redo to do");
    } else if (checkpointer.bytesSince() > 0) {
      checkpointer.run();
    }
  }

  /**
   * Waits until the page store has got everything that is durable now; false when the time is up.
   */
  public boolean awaitApplied(long nanos) {
    long end = log.durableOffset();
    long start = System.nanoTime();
    while (store.appliedOffset(stream.streamId()) < end) {
      if (System.nanoTime() - start > nanos) {
        return false;
      }
      LockSupport.parkNanos(200_000);
    }
    return true;
  }

  private static void attempt(List<Exception> failures, Closing action) {
    try {
      action.run();
    } catch (Exception e) {
      failures.add(e);
    }
  }

  /** A step of closing, which may fail without keeping the others from being tried. */
  @FunctionalInterface
  private interface Closing {
    void run() throws Exception;
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
