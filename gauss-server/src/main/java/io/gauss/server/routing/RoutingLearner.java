package io.gauss.server.routing;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.data.RoutingParts;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.router.network.PlainTraining;
import io.gauss.router.process.ProcessTraining;
import io.gauss.router.process.TrainingCommand;
import io.gauss.router.train.GroupPlace;
import io.gauss.router.train.ModelSink;
import io.gauss.router.train.RouterTrainer;
import io.gauss.router.train.RoutingPublication;
import io.gauss.router.train.TrainerSettings;
import io.gauss.router.train.TransactionSample;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns on a separate thread where transactions belong, while this is the learning node and there
 * are other nodes to choose from: takes samples, runs rounds of the trainer when there is something
 * new, and publishes their results; at once when a node has come or gone, so that a new one soon
 * gets its share. One that is only away for a while keeps its own ({@link KeptNodes}). A single
 * node learns nothing. The network is trained by another process, which is there while this node
 * learns.
 *
 * <p>Only one thread may start and close it.
 */
public final class RoutingLearner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RoutingLearner.class);

  private static final long TURN_MILLIS = 500;
  private static final int BATCH = 8192;
  private static final long END_SECONDS = 10;

  private final RoutingExchange routing;
  private final Supplier<Map<Integer, Integer>> numbers;
  private final SampleReader reader;
  private final NodeCosts costs = new NodeCosts();
  private final TransferRate transfers = new TransferRate();
  private final RouterTrainer trainer;
  private final ProcessTraining training;
  private final RoundSchedule schedule = new RoundSchedule(Environment.nanoTime());
  private final RoundOutcomes rounds = new RoundOutcomes();
  private int samples; // that no round has seen
  private long continued; // version of the publication that the trainer continues from
  private boolean isRefusalTold; // that something could not be published
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  private RoutingLearner(
      RoutingExchange routing,
      Supplier<Map<Integer, Integer>> numbers,
      SampleReader reader,
      ProcessTraining training,
      TrainerSettings settings) {
    this.reader = reader;
    this.routing = routing;
    this.numbers = numbers;
    this.training = training;
    this.trainer =
        new RouterTrainer(
            settings, new Sink(), training, Environment::nanoTime, routing::nextVersion);
    this.thread = Environment.thread("gauss-router-train", this::run);
  }

  /**
   * Begins to learn for a node.
   *
   * @param libraries directory to which DJL unpacks its libraries when it trains for the first time
   * @param excluded tables whose values are not learned from, with commas between them; null = none
   * @param registry gets the meters of learning
   */
  public static RoutingLearner start(
      ComputeNode node, Path libraries, String excluded, MeterRegistry registry) {
    RoutingLearner learner = start(node, libraries, excluded, TrainerSettings.DEFAULT);
    new LearningMeters(learner.rounds, learner.training).bindTo(registry);
    return learner;
  }

  /** The same within other bounds. */
  static RoutingLearner start(
      ComputeNode node, Path libraries, String excluded, TrainerSettings settings) {
    return start(node, libraries, excluded, settings, Environment::nanoTime);
  }

  /**
   * The same with a time of its own for nodes that are away.
   *
   * @param nanos monotonic clock
   */
  static RoutingLearner start(
      ComputeNode node,
      Path libraries,
      String excluded,
      TrainerSettings settings,
      LongSupplier nanos) {
    RoutingLearner learner =
        new RoutingLearner(
            node.routing(),
            new KeptNodes(
                node::computeNodes,
                node::notLeft,
                slot -> node.routing().published().owners().count(slot) > 0,
                nanos),
            new SampleReader(excluded, node::keyGroup, new NamedTables(node)),
            new ProcessTraining(
                TrainingCommand.in(libraries), new PlainTraining(Environment::nanoTime)),
            settings);
    learner.thread.start();
    return learner;
  }

  private void run() {
    try {
      while (!closed.await(TURN_MILLIS, TimeUnit.MILLISECONDS)) {
        turn();
      }
    } catch (InterruptedException e) {
      LOG.debug("learning was interrupted", e);
    }
  }

  private void turn() {
    try {
      take(numbers.get());
      List<Integer> nodes = nodes();
      boolean learns = routing.learns();
      if (learns) {
        continueFromPublished();
      }
      keepProcess(learns && nodes.size() > 1);
      if (learns && schedule.isDue(nodes, samples, transfers.mean(), Environment.nanoTime())) {
        samples = 0;
        boolean isHurried = schedule.begins(nodes, Environment.nanoTime());
        long before = continued;
        long pause =
            rounds.run(() -> trainer.round(nodes, () -> isClosed() || !nodes().equals(nodes)));
        if (rounds.failedInARow() > 0) {
          schedule.fails(pause, Environment.nanoTime());
        } else {
          schedule.ends(pause, continued != before, transfers.mean(), Environment.nanoTime());
        }
        if (isHurried && rounds.failedInARow() == 0) {
          LOG.info("a round of learning for other nodes than before, {}, is over", nodes);
        }
      }
    } catch (RuntimeException | Error e) {
      // Only of what is around rounds: what they throw is counted and told by their outcomes.
      LOG.warn("samples of transactions could not be taken to learn from", e);
    }
  }

  /** The process that trains is there while there is something to train. */
  private void keepProcess(boolean learns) {
    if (!learns) {
      training.end();
    } else if (samples > 0) {
      training.prepare();
    } else {
      training.endIfIdle();
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  /**
   * What another node has published meanwhile, or this one before it was restarted, is where
   * learning continues.
   */
  private void continueFromPublished() {
    PublishedRouting published = routing.published();
    if (published.version() == continued) {
      return;
    }
    continued = published.version();
    RoutingModel model = null;
    RoutingTable table = null;
    PublicationSources sources = PublicationSources.NONE;
    try {
      if (published.table() != null) {
        table = Publication.readTable(published.table(), PublishedRouting.MOST_BYTES);
      }
      if (published.model() != null) {
        model = Publication.readModel(published.model(), PublishedRouting.MOST_BYTES);
      }
      if (published.sources() != null) {
        sources = PublicationSources.read(published.sources(), PublishedRouting.MOST_BYTES);
      }
    } catch (PublicationException e) {
      LOG.warn("what is published cannot be used for learning: {}", e.getMessage());
    }
    Map<Integer, Integer> numbersBySlot = numbers.get();
    Map<Long, GroupPlace> places = new HashMap<>();
    published
        .owners()
        .places()
        .forEach(
            (group, place) -> {
              // 0 for a node that has gone for good: no node has that, its groups need another one.
              int number = numbersBySlot.getOrDefault(place.slot(), 0);
              places.put(group, new GroupPlace(number, place.unit(), place.weight()));
            });
    long ageMillis = (routing.nowMicros() - published.publishedMicros()) / 1000;
    trainer.resume(published.version(), model, table, sources, places, ageMillis);
    samples = 0;
    LOG.info("learning continues from version {}: {} groups", published.version(), places.size());
  }

  private List<Integer> nodes() {
    return numbers.get().values().stream().sorted().toList();
  }

  private void take(Map<Integer, Integer> numbersBySlot) {
    Map<Integer, Double> loads = new HashMap<>();
    numbersBySlot.forEach(
        (slot, number) -> {
          NodeLoad load = routing.load(slot);
          if (load != null && load.cpu() >= 0) {
            loads.put(number, load.cpu());
          }
        });
    costs.turn(loads);
    transfers.turn();
    for (AccessSample sample : routing.takeSamples(BATCH)) {
      Integer number = numbersBySlot.get(sample.node());
      if (number != null) {
        costs.add(number, sample.weight() * sample.accesses());
        transfers.add(sample.weight(), sample.transfers());
      }
      Optional<TransactionSample> read = reader.read(sample, numbersBySlot, costs::of);
      if (read.isPresent() && numbersBySlot.size() > 1) {
        trainer.accept(read.get());
        samples++;
      }
    }
  }

  /** Of the trainer, on this thread. */
  private final class Sink implements ModelSink {
    @Override
    public boolean publish(RoutingPublication publication) {
      return RoutingLearner.this.publish(publication);
    }

    @Override
    public void judged(int judgedBy, Map<String, Double> away) {
      routing.judged(new RoutingParts(routing.nowMicros(), judgedBy, away));
    }
  }

  /** Whether it is published: not when another node has just published something newer. */
  private boolean publish(RoutingPublication publication) {
    try {
      routing.publish(
          publication.version(),
          publication.model(),
          publication.table(),
          publication.sources(),
          owners(publication));
    } catch (GaussException e) {
      if (!isRefusalTold) {
        isRefusalTold = true;
        LOG.warn(
            "what was learned of routing is not published: {}; this is not told again before"
                + " something is",
            e.getMessage());
      }
      return false;
    }
    isRefusalTold = false;
    continued = publication.version();
    rounds.published();
    if (publication.report() == null) {
      LOG.info(
          "the last publication has caused more transfers: the one before is published again, as"
              + " {}",
          publication.version());
    }
    LOG.debug("published {}: {}", publication.version(), publication.report());
    return true;
  }

  /** Owners by slot, as compute nodes know each other. */
  private GroupOwners owners(RoutingPublication publication) {
    Map<Integer, Integer> slots = new HashMap<>();
    numbers.get().forEach((slot, number) -> slots.put(number, slot));
    Map<Long, GroupOwners.Place> owners = new HashMap<>();
    publication
        .places()
        .forEach(
            (group, place) -> {
              Integer slot = slots.get(place.node());
              if (slot != null) {
                owners.put(group, new GroupOwners.Place(slot, place.unit(), place.weight()));
              }
            });
    return GroupOwners.of(owners);
  }

  /**
   * Ends the thread and the process that trains; a round under way ends soon, mostly without a
   * publication.
   */
  @Override
  public void close() {
    closed.countDown();
    training.close();
    Environment.join(thread, TimeUnit.SECONDS.toNanos(END_SECONDS));
  }
}
