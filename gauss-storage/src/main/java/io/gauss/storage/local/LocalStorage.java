package io.gauss.storage.local;

import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.storage.api.DurableImages;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageReader;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.api.Storage;
import io.gauss.storage.apply.Checkpointer;
import io.gauss.storage.apply.StreamFollower;
import io.gauss.storage.disk.DataDirectory;
import io.gauss.storage.local.log.LocalLogStream;
import io.gauss.storage.local.log.LogSettings;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage tier of a single process: one stream, one page store that follows it, checkpoints.
 *
 * <p>A killed process loses no data; it only has to redo at the next start, which {@link #settle}
 * avoids.
 */
public final class LocalStorage implements Storage {
  private static final Logger LOG = LoggerFactory.getLogger(LocalStorage.class);

  /** No other process can write the stream of a locked directory. */
  private static final int EPOCH = 1;

  private static final long SETTLE_WAIT_NANOS = 60_000_000_000L;

  private final List<AutoCloseable> below;
  private final LogStream stream;
  private final PageStore store;
  private final StreamFollower follower;
  private final Checkpointer checkpointer;
  private final BackgroundTasks tasks = new BackgroundTasks();

  /**
   * @param checkpointBytes log bytes after which a checkpoint is made
   * @param checkpointInterval time after which one is made if anything was written
   */
  public record Settings(long checkpointBytes, Duration checkpointInterval) {}

  /**
   * Opens or creates log and pages in a directory of their own.
   *
   * @throws io.gauss.common.error.GaussException 55006 when another process has the directory,
   *     XX001 when it is damaged
   */
  public static LocalStorage open(
      Path directory, int streamId, PageStoreSettings pages, Settings settings) {
    long start = Environment.nanoTime();
    List<AutoCloseable> opened = new ArrayList<>();
    try {
      opened.add(DataDirectory.take(directory));
      LogStream stream =
          LocalLogStream.open(directory.resolve("log"), streamId, LogSettings.defaults());
      opened.add(stream);
      PageStore store = LocalPageStore.open(directory.resolve("pages"), pages);
      opened.add(store);
      LOG.info("opened log and page store in {} ms", (Environment.nanoTime() - start) / 1_000_000);
      return new LocalStorage(stream, store, settings, opened);
    } catch (RuntimeException | Error e) {
      closeAll(opened, e);
      throw e;
    }
  }

  /** Uses an open stream and an open store, which are closed with this. */
  public static LocalStorage of(LogStream stream, PageStore store, Settings settings) {
    return new LocalStorage(stream, store, settings, List.of(stream, store));
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

  private LocalStorage(
      LogStream stream, PageStore store, Settings settings, List<AutoCloseable> below) {
    this.stream = stream;
    this.store = store;
    this.below = List.copyOf(below);
    this.follower = new StreamFollower(stream, store);
    this.checkpointer =
        new Checkpointer(
            List.of(stream), store, settings.checkpointBytes(), settings.checkpointInterval());
  }

  @Override
  public LogStream stream() {
    return stream;
  }

  @Override
  public int epoch() {
    return EPOCH;
  }

  @Override
  public PageReader pages() {
    return store;
  }

  @Override
  public long recover() {
    return follower.recover();
  }

  @Override
  public void follow(Listener listener) {
    follower.follow(listener);
    tasks.every("checkpoint", Duration.ofSeconds(1), checkpointer::runIfDue);
  }

  @Override
  public void standIn(DurableImages images) {
    store.standIn(images);
  }

  @Override
  public long appliedOffset() {
    return store.appliedOffset(stream.streamId());
  }

  @Override
  public long checkpointOffset() {
    return store.checkpointOffset(stream.streamId());
  }

  @Override
  public CheckpointStats checkpoints() {
    return checkpointer.stats();
  }

  @Override
  public void checkpoint() {
    checkpointer.run();
  }

  @Override
  public boolean settle() {
    long end = stream.durableOffset();
    long start = Environment.nanoTime();
    while (appliedOffset() < end) {
      if (Environment.nanoTime() - start > SETTLE_WAIT_NANOS) {
        return false;
      }
      Environment.parkNanos(200_000);
    }
    if (checkpointer.bytesSince() > 0) {
      checkpointer.run();
    }
    return true;
  }

  @Override
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    if (follower.problem() != null) {
      problems.add(follower.problem());
    }
    problems.addAll(stream.problems());
    problems.addAll(store.problems());
    if (checkpointer.problem() != null) {
      problems.add(checkpointer.problem());
    }
    problems.addAll(tasks.problems());
    return problems;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    LocalStorageMetrics.bind(registry, checkpointer);
    if (stream instanceof LocalLogStream local) {
      LocalStorageMetrics.bind(registry, local);
    }
    if (store instanceof LocalPageStore local) {
      LocalStorageMetrics.bind(registry, local);
    }
  }

  /** Completes a checkpoint that is under way without pauses, then closes everything. */
  @Override
  public void close() {
    checkpointer.hurry();
    List<AutoCloseable> all = new ArrayList<>(below);
    all.add(follower);
    all.add(tasks);
    for (AutoCloseable resource : all.reversed()) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("while closing the storage", e);
      }
    }
  }
}
