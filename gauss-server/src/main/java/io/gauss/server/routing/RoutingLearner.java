package io.gauss.server.routing;

import io.gauss.common.error.GaussException;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.routing.AccessSample;
import io.gauss.compute.routing.GroupOwners;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.router.train.RouterTrainer;
import io.gauss.router.train.RoutingPublication;
import io.gauss.router.train.TrainerSettings;
import io.gauss.router.train.TransactionSample;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns on a thread of its own where transactions belong, while this node is the one that does and
 * there are others to choose from: takes samples, runs rounds of the trainer when there is
 * something new, and publishes what they give. A node that is alone learns nothing.
 *
 * <p>Start and close are for one thread.
 */
public final class RoutingLearner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RoutingLearner.class);

  private static final long PAUSE_MILLIS = 2_000;
  private static final int BATCH = 8192;
  private static final long END_SECONDS = 10;

  private final RoutingExchange routing;
  private final Supplier<Map<Integer, Integer>> numbers;
  private final SampleReader reader = new SampleReader();
  private final RouterTrainer trainer;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  private RoutingLearner(RoutingExchange routing, Supplier<Map<Integer, Integer>> numbers) {
    this.routing = routing;
    this.numbers = numbers;
    this.trainer =
        new RouterTrainer(
            TrainerSettings.DEFAULT, this::publish, System::nanoTime, routing::nextVersion);
    this.thread = Thread.ofPlatform().daemon().name("gauss-router-train").unstarted(this::run);
  }

  /**
   * Begins to learn for a node.
   *
   * @param libraries directory for what DJL unpacks when it trains for the first time
   */
  public static RoutingLearner start(ComputeNode node, Path libraries) {
    configure("DJL_CACHE_DIR", libraries.toString());
    configure("ai.djl.offline", "true");
    configure("ai.djl.pytorch.num_threads", "1");
    configure("ai.djl.pytorch.num_interop_threads", "1");
    RoutingLearner learner = new RoutingLearner(node.routing(), node::computeNodes);
    learner.thread.start();
    return learner;
  }

  /** DJL is told by properties of the process, which whoever starts it may have set. */
  private static void configure(String name, String value) {
    if (System.getProperty(name) == null) {
      System.setProperty(name, value);
    }
  }

  private void run() {
    long pause = PAUSE_MILLIS;
    try {
      while (!closed.await(pause, TimeUnit.MILLISECONDS)) {
        pause = Math.max(PAUSE_MILLIS, turn());
      }
    } catch (InterruptedException e) {
      LOG.debug("learning was interrupted", e);
    }
  }

  /** Returns the ms until the next turn. */
  private long turn() {
    try {
      Map<Integer, Integer> nodes = numbers.get();
      int samples = 0;
      for (AccessSample sample : routing.takeSamples(BATCH)) {
        Optional<TransactionSample> read = reader.read(sample, nodes);
        if (read.isPresent() && nodes.size() > 1) {
          trainer.accept(read.get());
          samples++;
        }
      }
      return samples == 0 || !routing.isTrainer()
          ? PAUSE_MILLIS
          : trainer.round(nodes.values().stream().sorted().toList());
    } catch (RuntimeException e) {
      // What drivers have goes on to serve them.
      LOG.warn("a round of learning where transactions belong has failed", e);
      return PAUSE_MILLIS;
    }
  }

  private void publish(RoutingPublication publication) {
    try {
      routing.publish(
          publication.version(), publication.model(), publication.table(), owners(publication));
      LOG.debug("published {}: {}", publication.version(), publication.report());
    } catch (GaussException e) {
      LOG.warn("what was learned of routing is not published: {}", e.getMessage());
    }
  }

  /** Owners by slot, as compute nodes know each other. */
  private GroupOwners owners(RoutingPublication publication) {
    Map<Integer, Integer> slots = new HashMap<>();
    numbers.get().forEach((slot, number) -> slots.put(number, slot));
    Map<Long, Integer> owners = new HashMap<>();
    publication
        .owners()
        .forEach(
            (group, number) -> {
              Integer slot = slots.get(number);
              if (slot != null) {
                owners.put(group, slot);
              }
            });
    return GroupOwners.of(owners);
  }

  /** Ends the thread, after the round that runs. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
