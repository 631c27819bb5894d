package io.gauss.compute.routing;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.TransportException;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.data.RoutingParts;
import io.gauss.compute.routing.wire.RoutingLayout;
import io.gauss.compute.routing.wire.RoutingLayout.Question;
import io.gauss.compute.routing.wire.RoutingMessages;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routing among the compute nodes. Once a second each node reports its load to all others, and
 * sends its samples to the trainer. The receiver answers with the latest publication if the
 * sender's is older. So nothing is lost for long when a node dies, and a new node soon has what it
 * must send to drivers. A single node learns from its own samples.
 *
 * <p>Thread-safe; {@link #turn} by one thread. Nothing here waits.
 */
public final class RoutingExchange {
  private static final Logger LOG = LoggerFactory.getLogger(RoutingExchange.class);

  /** Samples of all nodes that are kept here for the trainer and for views. */
  private static final int ARRIVED = 8192;

  /** Samples in a message. */
  private static final int BATCH = 512;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long LOAD_LASTS_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long MICROS_PER_MS = 1000;

  /** Turns after which a node that does not answer keeps this one from learning no longer. */
  static final int MOST_TURNS = 10;

  private final AccessSampling sampling;
  private final PeerNodes peers;
  private final IntSupplier trainer;
  private final Supplier<NodeLoad> sessions;
  private final ProcessorShare processors;
  private final PagePlacement placement;
  private final SampleRing arrived = new SampleRing(ARRIVED);
  private final Map<Integer, Heard> loads = new ConcurrentHashMap<>();
  private final Map<Integer, Boolean> asked = new ConcurrentHashMap<>();
  private final AtomicReference<PublishedRouting> published =
      new AtomicReference<>(PublishedRouting.NONE);
  private final AtomicLong lost = new AtomicLong();
  private final RerouteCounts reroutes = new RerouteCounts();
  private final AtomicLong highest = new AtomicLong(); // known to any node
  private final Set<Integer> heard = ConcurrentHashMap.newKeySet(); // slots that have answered
  private volatile int turns; // up to MOST_TURNS
  private volatile boolean isInformed; // of what was published before this node began

  private volatile RouteExplainer explainer = RouteExplainer.NONE;
  private volatile RoutingParts parts = RoutingParts.NONE;
  private volatile PublicationFilter filter = PublicationFilter.NONE;

  private record Heard(NodeLoad load, long nanos) {}

  /**
   * @param trainer slot of the node that learns now
   * @param sessions counts of sessions; the processors' share is added here
   * @param placement is notified which node is to own which pages
   */
  public RoutingExchange(
      AccessSampling sampling,
      PeerNodes peers,
      IntSupplier trainer,
      Supplier<NodeLoad> sessions,
      PagePlacement placement) {
    this.sampling = sampling;
    this.peers = peers;
    this.trainer = trainer;
    this.sessions = sessions;
    this.placement = placement;
    this.processors = new ProcessorShare(sampling::nowNanos);
  }

  // ---------------------------------------------------------------- once a second

  /** Adapts the sampling to the load and talks to the other nodes. */
  public void turn() {
    sampling.adapt();
    turns = Math.min(turns + 1, MOST_TURNS); // one thread
    NodeLoad counted = sessions.get();
    NodeLoad load = new NodeLoad(counted.sessions(), counted.active(), processors.next());
    loads.put(self(), new Heard(load, sampling.nowNanos()));
    if (isTrainer()) {
      sampling.collect(BATCH).forEach(arrived::add);
    }
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (slot != peers.self() && peers.has(slot) && asked.putIfAbsent(slot, true) == null) {
        tell(slot, load);
      }
    }
  }

  private void tell(int slot, NodeLoad load) {
    List<AccessSample> batch = slot == trainer.getAsInt() ? sampling.collect(BATCH) : List.of();
    Question question = new Question(self(), published.get().version(), load, batch);
    peers
        .call(
            slot,
            RoutingMessages.EXCHANGE,
            RoutingLayout.writeQuestion(peers.allocator().buffer(), question),
            PATIENCE_NANOS)
        .thenAccept(answer -> answered(slot, answer))
        .whenComplete(
            (done, failure) -> {
              asked.remove(slot);
              if (failure != null) {
                lost.addAndGet(batch.size());
                if (!(failure.getCause() instanceof TransportException)) {
                  LOG.error("what slot {} says of routing cannot be used", slot, failure);
                }
              }
            });
  }

  private void answered(int slot, ByteBuf answer) {
    try {
      PublishedRouting newer = RoutingLayout.readAnswer(answer);
      if (newer != null) {
        accept(newer);
      }
      heard.add(slot);
    } finally {
      answer.release();
    }
  }

  private void accept(PublishedRouting newer) {
    PublishedRouting now =
        published.accumulateAndGet(newer, (a, b) -> b.version() > a.version() ? b : a);
    if (now == newer) {
      placement.published(newer.owners());
      LOG.debug("routing: version {} is published", newer.version());
    }
  }

  // ---------------------------------------------------------------- messages of other nodes

  /**
   * Answers other nodes that send messages before this node is ready. To be called before the node
   * listens.
   */
  public static void expect(Handlers handlers) {
    handlers.later(RoutingMessages.EXCHANGE);
    PagePlacement.expect(handlers);
  }

  /** Starts to answer other nodes. */
  public void register(Handlers handlers) {
    handlers.on(RoutingMessages.EXCHANGE, this::told);
    placement.register(handlers);
  }

  private void told(Request request) {
    Question question = RoutingLayout.readQuestion(request.payload());
    loads.put(question.node(), new Heard(question.load(), sampling.nowNanos()));
    question.samples().forEach(arrived::add);
    highest.accumulateAndGet(question.known(), Math::max);
    PublishedRouting mine = published.get();
    request.reply(
        RoutingLayout.writeAnswer(
            peers.allocator().buffer(), mine.version() > question.known() ? mine : null));
  }

  // ---------------------------------------------------------------- learning

  /** Whether this node is the trainer. */
  public boolean isTrainer() {
    return trainer.getAsInt() == self();
  }

  /**
   * Whether this node is to learn now: it is the trainer, and knows what was published before it
   * began, since all nodes that are there have told it. A trainer that was restarted, and begins
   * with the first samples before it has heard that, would learn everything anew and publish that:
   * who has which pages would be dealt out again.
   */
  public boolean learns() {
    if (!isInformed && hasHeard()) {
      isInformed = true; // a node that joins later knows nothing more
    }
    return isInformed && isTrainer();
  }

  private boolean hasHeard() {
    if (turns >= MOST_TURNS) {
      return true;
    }
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (slot != peers.self() && peers.has(slot) && !heard.contains(slot)) {
        return false;
      }
    }
    return true;
  }

  /** The oldest samples of all nodes that have not been taken yet. For the trainer. */
  public List<AccessSample> takeSamples(int most) {
    return arrived.take(most);
  }

  /**
   * A version for the next publication. It is higher than any that this node knows of; since it
   * follows the wall clock, it is very likely also higher than those that this node does not know.
   */
  public long nextVersion() {
    long last = Math.max(highest.get(), published.get().version());
    return Math.max(last + 1, sampling.nowMicros() / MICROS_PER_MS);
  }

  /**
   * Publishes a learned model for drivers: at once on this node, and on all nodes within a second
   * or two.
   *
   * @param model null = none
   * @param table null = none
   * @param sources of which tables their values are; null = for superusers only
   * @param owners which node is to own which pages
   * @throws GaussException 54000 when it is too large, 22023 when the version is not higher
   */
  public void publish(
      long version, byte[] model, byte[] table, byte[] sources, GroupOwners owners) {
    if (length(model) > PublishedRouting.MOST_BYTES
        || length(table) > PublishedRouting.MOST_BYTES
        || length(sources) > PublishedRouting.MOST_BYTES) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "a model of %d bytes and a table of %d: at most %d are published"
              .formatted(length(model), length(table), PublishedRouting.MOST_BYTES));
    }
    if (version <= published.get().version()) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "version %d is published already".formatted(published.get().version()));
    }
    accept(new PublishedRouting(version, sampling.nowMicros(), model, table, sources, owners));
  }

  private static int length(byte[] content) {
    return content == null ? 0 : content.length;
  }

  // ---------------------------------------------------------------- for views and meters

  /** Explains why transactions go to which node. */
  public RouteExplainer explainer() {
    return explainer;
  }

  /** Sets the explainer; called once, by the code that starts the node. */
  public void explainBy(RouteExplainer teller) {
    explainer = teller;
  }

  /** What each part of the publication was worth in the last round of learning on this node. */
  public RoutingParts parts() {
    return parts;
  }

  /** Takes the judgement of a round of learning. */
  public void judged(RoutingParts now) {
    parts = now;
  }

  /** What of publications others may see. */
  public PublicationFilter filter() {
    return filter;
  }

  /** Sets the filter; called once, by the code that starts the node. */
  public void filterBy(PublicationFilter values) {
    filter = values;
  }

  /** The latest publication that this node knows. */
  public PublishedRouting published() {
    return published.get();
  }

  /** The load that a node has reported in the last seconds; null when it is not known. */
  public NodeLoad load(int slot) {
    Heard heard = loads.get(slot);
    return heard == null || sampling.nowNanos() - heard.nanos() > LOAD_LASTS_NANOS
        ? null
        : heard.load();
  }

  /** Samples that are kept here: of this node, and of others if this node is the trainer. */
  public List<AccessSample> samples() {
    List<AccessSample> all = new ArrayList<>(sampling.samples());
    int self = self();
    arrived.all().stream().filter(sample -> sample.node() != self).forEach(all::add);
    return all;
  }

  /** Moves pages to the nodes that are to own them. */
  public PagePlacement placement() {
    return placement;
  }

  /** Transactions that went to better nodes. */
  public RerouteCounts reroutes() {
    return reroutes;
  }

  public AccessSampling sampling() {
    return sampling;
  }

  /** Samples that arrived here for the trainer. */
  public long arrived() {
    return arrived.added();
  }

  /** Samples of this node, or kept here for the trainer, that were not taken in time. */
  public long dropped() {
    return sampling.dropped() + lost.get() + arrived.dropped();
  }

  /** µs since 2000-01-01 UTC. */
  public long nowMicros() {
    return sampling.nowMicros();
  }

  /** Slot of this node. */
  public int self() {
    return sampling.self();
  }
}
