package io.gauss.server;

import io.gauss.common.runtime.Environment;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The load of a training run: what applications send all day, often enough for the JVM to compile
 * the code behind it with all optimisations. That matters: a later JVM leaves a method that it
 * knows from the training run, but not as compiled so, in slow code for up to 250 times as long as
 * one that it does not know at all.
 *
 * <p>A few clients on each node change rows of their own, and rows that all of them change. For one
 * thread.
 */
final class TrainingLoad {
  private static final int CLIENTS = 2;

  /** A machine that is too busy for the whole load does what it can. */
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final List<Integer> ports;
  private final Amount most;
  private final AtomicInteger begun = new AtomicInteger();

  /**
   * When a load has an end, whichever comes first.
   *
   * @param transactions of all clients together
   * @param cpuSeconds processor time of this process
   */
  record Amount(int transactions, int cpuSeconds) {}

  /**
   * @param ports of the compute nodes
   */
  TrainingLoad(List<Integer> ports, Amount most) {
    this.ports = ports;
    this.most = most;
  }

  /** Creates the tables, runs the transactions, and drops the tables. */
  void run() throws SQLException, InterruptedException {
    int clients = CLIENTS * ports.size();
    execute(TrainingClient.schema(clients));
    long start = Environment.nanoTime();
    long endCpu = Environment.processorNanos() + TimeUnit.SECONDS.toNanos(most.cpuSeconds());
    BooleanSupplier hasTime =
        () -> Environment.nanoTime() - start < MOST_NANOS && Environment.processorNanos() < endCpu;
    List<Future<?>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
      for (int i = 0; i < clients; i++) {
        int client = i;
        running.add(
            threads.submit(
                () -> {
                  serve(client, hasTime);
                  return null;
                }));
      }
    }
    for (Future<?> each : running) {
      await(each);
    }
    System.err.printf(
        "load of %d nodes: %d transactions in %d ms%n",
        ports.size(),
        Math.min(begun.get(), most.transactions()),
        TimeUnit.NANOSECONDS.toMillis(Environment.nanoTime() - start));
    execute(TrainingClient.DROP);
  }

  private void serve(int client, BooleanSupplier hasTime) throws Exception {
    int port = ports.get(client % ports.size());
    try (Connection connection = DriverManager.getConnection(url(port));
        TrainingClient transactionsOf = new TrainingClient(connection, client)) {
      for (int i = begun.getAndIncrement();
          i < most.transactions() && hasTime.getAsBoolean();
          i = begun.getAndIncrement()) {
        transactionsOf.run(i);
      }
    }
  }

  private static String url(int port) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/gauss?user=gauss";
  }

  private void execute(List<String> statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url(ports.getFirst()));
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }

  private static void await(Future<?> client) throws SQLException, InterruptedException {
    try {
      client.get();
    } catch (ExecutionException e) {
      throw new SQLException("a client failed", e.getCause());
    }
  }
}
