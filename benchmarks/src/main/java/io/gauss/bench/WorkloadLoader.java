package io.gauss.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates and fills the tables of a workload, over one connection or several. */
public final class WorkloadLoader {
  private final Workload workload;
  private final Connections connections;
  private final int loaders;
  private final long seed;
  private final Progress progress;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();

  /** Opens a connection, which the loader closes. */
  @FunctionalInterface
  public interface Connections {
    Connection open() throws SQLException;
  }

  /** Gets the number of parts loaded so far, on any thread. */
  @FunctionalInterface
  public interface Progress {
    void loaded(int parts, int all);
  }

  /**
   * @param loaders connections that load at the same time; one loads in the order of keys
   */
  public WorkloadLoader(
      Workload workload, Connections connections, int loaders, long seed, Progress progress) {
    this.workload = workload;
    this.connections = connections;
    this.loaders = loaders;
    this.seed = seed;
    this.progress = progress;
  }

  /** Whether the tables exist already. */
  public boolean isLoaded() throws SQLException {
    try (Connection connection = connections.open()) {
      return workload.isLoaded(connection);
    }
  }

  /**
   * Creates the tables anew; to be called once.
   *
   * @return seconds that filling them took
   */
  public double load() throws SQLException, InterruptedException {
    try (Connection connection = connections.open()) {
      workload.createSchema(connection);
    }
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(loaders)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < loaders; i++) {
        all.add(
            threads.submit(
                () -> {
                  loadParts();
                  return null;
                }));
      }
      for (Future<?> each : all) {
        await(each);
      }
    }
    try (Connection connection = connections.open()) {
      workload.finishLoad(connection);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private void loadParts() throws SQLException {
    try (Connection connection = connections.open()) {
      connection.setAutoCommit(false);
      for (int part = next.getAndIncrement();
          part < workload.loadParts();
          part = next.getAndIncrement()) {
        workload.loadPart(connection, part, new SplittableRandom(seed + part));
        connection.commit();
        progress.loaded(done.incrementAndGet(), workload.loadParts());
      }
    }
  }

  /**
   * Waits for a task that was started.
   *
   * @throws SQLException the error with which it failed
   */
  public static void await(Future<?> future) throws SQLException, InterruptedException {
    try {
      future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
