package io.gauss.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that run one transaction after the other, each on its own thread, from the constructor to
 * {@link #stop}. For one thread.
 */
final class ClientThreads implements AutoCloseable {
  private final List<Future<?>> running = new ArrayList<>();
  private final CountDownLatch ready;
  private final CountDownLatch start = new CountDownLatch(1);
  private final AtomicLong finished = new AtomicLong();
  private final ExecutorService threads;
  private volatile boolean measuring;
  private volatile boolean stopped;

  /** What a client does before its first transaction. */
  @FunctionalInterface
  interface Preparation {
    void prepare(Client client) throws SQLException;
  }

  /** Begins with the preparations, and waits for all of them before the first transaction. */
  ClientThreads(List<Client> clients, Preparation first) throws InterruptedException {
    ready = new CountDownLatch(clients.size());
    threads = Executors.newFixedThreadPool(clients.size());
    for (Client client : clients) {
      running.add(
          threads.submit(
              () -> {
                run(client, first);
                return null;
              }));
    }
    try {
      ready.await();
    } catch (InterruptedException e) {
      close();
      throw e;
    }
    start.countDown();
  }

  private void run(Client client, Preparation first) throws SQLException, InterruptedException {
    try {
      first.prepare(client);
      ready.countDown();
      start.await();
      while (!stopped) {
        if (client.runOne(() -> measuring, () -> stopped) && measuring) {
          finished.incrementAndGet();
        }
      }
    } finally {
      ready.countDown();
    }
  }

  /** Sets whether transactions that end from now on count. */
  void measure(boolean now) {
    measuring = now;
  }

  /** Transactions that have counted. */
  long finished() {
    return finished.get();
  }

  /**
   * Waits.
   *
   * @throws SQLException when a client has failed
   */
  void pass(long millis) throws SQLException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
    for (Future<?> each : running) {
      if (each.isDone()) {
        WorkloadLoader.await(each);
      }
    }
  }

  /**
   * Lets each client finish its transaction.
   *
   * @throws SQLException when a client has failed
   */
  void stop() throws SQLException, InterruptedException {
    measuring = false;
    stopped = true;
    for (Future<?> each : running) {
      WorkloadLoader.await(each);
    }
  }

  /** Waits for the threads, whether anything has failed or not. */
  @Override
  public void close() {
    measuring = false;
    stopped = true;
    start.countDown();
    threads.close();
  }
}
