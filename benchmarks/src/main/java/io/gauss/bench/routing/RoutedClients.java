package io.gauss.bench.routing;

import io.gauss.bench.WorkloadLoader;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The clients of one way to choose nodes. They stay connected from one run to the next, so that
 * statements stay prepared. For one thread; during a run the clients have their own threads.
 */
final class RoutedClients implements AutoCloseable {
  /** Numbers of nodes are below this. */
  static final int MOST_NODES = 1024;

  private final List<RoutedClient> clients = new ArrayList<>();
  private final AtomicLongArray byNode = new AtomicLongArray(MOST_NODES);
  private volatile boolean measuring;
  private volatile boolean stopped;

  /** An action that is performed while the clients run. */
  @FunctionalInterface
  interface During<T> {
    /**
     * @param run of the clients
     */
    T run(Run run) throws SQLException, InterruptedException;
  }

  /** A run, as seen by the measuring thread. */
  final class Run {
    private final List<Future<?>> running;

    private Run(List<Future<?>> running) {
      this.running = running;
    }

    /**
     * Waits.
     *
     * @throws SQLException when a client has failed
     */
    void pass(long millis) throws SQLException, InterruptedException {
      java.util.concurrent.TimeUnit.MILLISECONDS.sleep(millis);
      for (Future<?> each : running) {
        if (each.isDone()) {
          WorkloadLoader.await(each);
        }
      }
    }

    /** Sets whether the clients' transactions count from now on. */
    void measure(boolean now) {
      measuring = now;
    }

    /** Transactions so far by number of the node. */
    long transactions(int node) {
      return byNode.get(node);
    }
  }

  /**
   * @param oracle for hints, or null
   * @param survive whether clients go on when nodes are lost
   */
  RoutedClients(
      RoutedWorkload workload,
      RoutingMode mode,
      RoutingOptions options,
      SplittableRandom seeds,
      Oracle oracle,
      boolean survive)
      throws SQLException {
    try {
      for (int i = 0; i < options.clients(); i++) {
        String url = options.url(mode, i);
        clients.add(
            new RoutedClient(
                workload,
                DriverManager.getConnection(url, options.user(), options.password()),
                i,
                seeds.split(),
                oracle,
                survive));
      }
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  /** Has all clients run during an action, and then waits for them. */
  <T> T run(During<T> during) throws SQLException, InterruptedException {
    stopped = false;
    measuring = false;
    List<Future<?>> running = new ArrayList<>();
    T result;
    try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
      try {
        for (RoutedClient client : clients) {
          running.add(
              threads.submit(
                  () -> {
                    runTransactions(client);
                    return null;
                  }));
        }
        result = during.run(new Run(running));
      } finally {
        measuring = false;
        stopped = true;
      }
    }
    for (Future<?> each : running) {
      WorkloadLoader.await(each);
    }
    return result;
  }

  private void runTransactions(RoutedClient client) throws SQLException {
    while (!stopped) {
      int node = client.runOne(() -> measuring, () -> stopped);
      if (node > 0 && node < MOST_NODES) {
        byNode.incrementAndGet(node);
      }
    }
  }

  /** The sum of the clients' counts since the last call; not to be called during a run. */
  RoutedClient.Tally takeTally() {
    RoutedClient.Tally all = new RoutedClient.Tally();
    clients.forEach(client -> all.add(client.takeTally()));
    return all;
  }

  @Override
  public void close() throws SQLException {
    SQLException failure = null;
    for (RoutedClient client : clients) {
      try {
        client.close();
      } catch (SQLException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
