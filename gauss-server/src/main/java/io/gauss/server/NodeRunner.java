package io.gauss.server;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.task.BackgroundTasks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node in this process, from its start to the signal that ends it: metrics, its line in {@code
 * nodes.json}, and an orderly stop.
 */
final class NodeRunner {
  private static final Logger LOG = LoggerFactory.getLogger(NodeRunner.class);

  /**
   * Exit code of a node that has lost its place in the cluster, or can continue only by a restart:
   * its supervisor should start it again. It is BSD's EX_TEMPFAIL.
   */
  static final int LOST = 75;

  private static final String STARTING = "STARTING";
  private static final String LOCALHOST = "127.0.0.1";

  /** Of a node that does not listen yet: nobody can connect to it. */
  private static final int NO_PORT = 0;

  private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);

  private final Path directory;
  private final int id;
  private final String role;
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** A node that was started. */
  interface Running extends AutoCloseable {
    String host();

    /** Port that shows, by answering, that the node is up. */
    int port();

    /** UP, or "degraded: ..." with the problems. */
    String state();

    /** What {@code nodes.json} tells of it: a line for each role. */
    default List<ClusterFile.Node> report(int id, String role) {
      return List.of(ClusterFile.thisProcess(id, role, host(), port()).withHealth(state()));
    }

    /** Whether it serves, even if degraded: not while it has no place in its cluster, or drains. */
    boolean isReady();

    /** Completes when the node has nothing to do any more, at the cluster's request. */
    default CompletableFuture<Void> drained() {
      return new CompletableFuture<>();
    }

    /** Completes with the reason when the node must end although it was not asked to. */
    default CompletableFuture<String> lost() {
      return new CompletableFuture<>();
    }

    @Override
    void close();
  }

  /**
   * @param directory where {@code nodes.json} is written
   */
  NodeRunner(Path directory, int id, String role) {
    this.directory = directory;
    this.id = id;
    this.role = role;
  }

  /**
   * Starts the node and returns when it has been stopped by a signal, or has lost its place in the
   * cluster, be it while it starts.
   *
   * @return the process's exit code: 0, or {@link #LOST}
   * @param metricsPort 0 = metrics are not served
   * @param announce called once it is up, with the metrics' port or 0
   */
  int run(
      String metricsAddress,
      int metricsPort,
      Function<NodeMetrics, Running> start,
      Announcement announce)
      throws IOException {
    NativeDirectory.use(directory);
    NodeMetrics metrics = new NodeMetrics();
    AtomicReference<Supplier<String>> state = new AtomicReference<>(() -> STARTING);
    AtomicReference<BooleanSupplier> serves = new AtomicReference<>(() -> false);
    try (MetricsServer server =
        metricsPort == 0
            ? null
            : new MetricsServer(
                new InetSocketAddress(metricsAddress, metricsPort),
                metrics.prometheus(),
                () -> state.get().get(),
                () -> serves.get().getAsBoolean())) {
      Running node;
      try {
        node = started(() -> start.apply(metrics));
      } catch (GaussException e) {
        if (e.state() == SqlState.ADMIN_SHUTDOWN) { // its epoch has ended before it served
          System.err.println("gauss: stopping: " + e.getMessage());
          return LOST;
        }
        throw e;
      }
      state.set(node::state);
      serves.set(() -> asked.getCount() > 0 && node.isReady());
      return serve(node, ready -> announce.up(ready, server == null ? 0 : server.port()));
    }
  }

  /**
   * Starts the node. Meanwhile {@code status} and {@code down} find this process, unless there is
   * another one, because of which the start will fail.
   */
  private Running started(Supplier<Running> start) throws IOException {
    boolean isAnother =
        ClusterFile.read(directory).stream()
            .flatMap(file -> file.nodes().stream())
            .anyMatch(node -> node.process().isPresent());
    if (isAnother) {
      return start.get();
    }
    tell(List.of(ClusterFile.thisProcess(id, role, LOCALHOST, NO_PORT).withHealth(STARTING)));
    boolean started = false;
    try {
      Running node = start.get();
      started = true;
      return node;
    } finally {
      if (!started) {
        tell(List.of());
      }
    }
  }

  /** Announces that the node is up. */
  @FunctionalInterface
  interface Announcement {
    void up(Running node, int metricsPort);
  }

  private int serve(Running node, Consumer<Running> announce) throws IOException {
    CompletableFuture<String> lost = node.lost();
    lost.thenAccept(why -> asked.countDown());
    node.drained().thenRun(asked::countDown);
    try (BackgroundTasks tasks = new BackgroundTasks()) {
      AtomicReference<List<ClusterFile.Node>> told = new AtomicReference<>(node.report(id, role));
      tell(told.get());
      RotatedLog log = new RotatedLog(directory);
      tasks.every(
          "state",
          LOOK_INTERVAL,
          () -> {
            log.rotateIfLarge();
            List<ClusterFile.Node> now = node.report(id, role);
            if (!now.equals(told.getAndSet(now))) {
              tell(now);
            }
          });
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    asked.countDown();
                    awaitUninterruptibly(ended);
                  },
                  "shutdown"));
      announce.accept(node);
      awaitUninterruptibly(asked);
      System.err.println("gauss: stopping" + (lost.isDone() ? ": " + lost.join() : ""));
      return lost.isDone() ? LOST : 0;
    } finally {
      try {
        node.close();
        new ClusterFile(List.of()).write(directory);
        System.err.println("gauss: stopped");
      } finally {
        ended.countDown(); // whatever failed: the process waits for this to end
      }
    }
  }

  private void tell(List<ClusterFile.Node> nodes) {
    try {
      new ClusterFile(nodes).write(directory);
    } catch (IOException e) {
      // The state may be that the disk is full; the view gauss.nodes also shows it.
      LOG.warn("the node's state cannot be written to {}: {}", directory, e.toString());
    }
  }

  static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
