package io.gauss.router.train;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import io.gauss.router.network.NetworkTraining;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * Learns in rounds. A round takes the samples that came since the last one into the affinity graph,
 * adjusts the placement of page groups, trains the model on the newest samples, builds the table,
 * and publishes all of it.
 *
 * <p>{@link #accept} may be called by any thread; rounds by one thread at a time, which they occupy
 * for up to some seconds.
 */
public final class RouterTrainer {
  /** One in this many samples is held back to measure how good the model is. */
  private static final int HELD_BACK = 10;

  /** Upper bound of the overhead of the values to look up in a model. */
  private static final int SECTION_BYTES = 1024;

  /** So many times the mean's work counts at most: few samples show such transactions. */
  private static final double MOST_WORK = 16;

  private final TrainerSettings settings;
  private final ModelSink sink;
  private final LongSupplier nanoClock;
  private final LongSupplier versions;
  private final SampleWindow window;
  private final AffinityGraph graph;
  private final Placement placement;
  private final UnitModel model;
  private final Judgement judgement = new Judgement();
  private List<TransactionSample> pending = List.of(); // that are not in the graph yet
  private Learned present; // what is published; null = nothing
  private List<Integer> lastNodes = List.of();
  private long version;
  private volatile long firstNanos; // time of the first sample
  private long lastRoundNanos;
  private boolean ran;

  /**
   * @param training by which the network is trained
   * @param nanoClock as {@link System#nanoTime}
   * @param versions as {@link System#currentTimeMillis}: versions of publications come from it, so
   *     that they increase even when another node continues learning
   */
  public RouterTrainer(
      TrainerSettings settings,
      ModelSink sink,
      NetworkTraining training,
      LongSupplier nanoClock,
      LongSupplier versions) {
    this.settings = settings;
    this.sink = sink;
    this.nanoClock = nanoClock;
    this.versions = versions;
    this.window = new SampleWindow(settings.samples());
    this.graph = new AffinityGraph(settings.maxGroups(), settings.maxEdges());
    this.placement =
        new Placement(
            new Placement.Limits(settings.slack(), settings.hysteresis(), settings.maxMoved()));
    this.model = new UnitModel(settings, training);
  }

  /** Takes a sample. Cheap: it is processed in the next round. */
  public void accept(TransactionSample sample) {
    if (sample.groups().length > 0) {
      if (window.add(sample) == 1) {
        firstNanos = nanoClock.getAsLong();
      }
    }
  }

  /**
   * Continues where another trainer, or this node before it was restarted, has stopped: with its
   * placement, units and network. Otherwise the first samples would decide anew which node gets
   * what, and the database would move. Samples taken before do not count any more.
   *
   * @param published version of its last publication
   * @param publishedModel null = there is none, or it cannot be read
   * @param publishedTable null = there is none, or it cannot be read
   * @param sources of which tables their values are
   * @param places of the page groups
   * @param ageMillis time since the publication
   */
  public synchronized void resume(
      long published,
      RoutingModel publishedModel,
      RoutingTable publishedTable,
      PublicationSources sources,
      Map<Long, GroupPlace> places,
      long ageMillis) {
    window.clear();
    pending = List.of();
    graph.clear();
    ran = false;
    version = Math.max(version, published);
    double faded = Math.pow(0.5, (double) Math.max(0, ageMillis) / settings.halfLifeMillis());
    Map<Long, Integer> owners = new TreeMap<>();
    Map<Long, Integer> units = new TreeMap<>();
    Map<Integer, List<Long>> byUnit = new TreeMap<>();
    new TreeMap<>(places)
        .forEach(
            (group, place) -> {
              owners.put(group, place.node());
              units.put(group, place.unit());
              byUnit.computeIfAbsent(place.unit(), u -> new ArrayList<>()).add(group);
            });
    byUnit
        .values()
        .forEach(
            groups ->
                graph.addUnit(
                    groups.stream().mapToLong(Long::longValue).toArray(),
                    groups.stream().mapToDouble(g -> places.get(g).weight() * faded).toArray()));
    placement.resume(owners);
    lastNodes = List.of();
    present = null;
    judgement.forget();
    if (publishedModel != null) {
      lastNodes = Learned.nodes(publishedModel);
      present = new Learned(publishedModel, publishedTable, Map.copyOf(places), lastNodes, sources);
      model.resume(publishedModel, sources.tables(), units);
    }
  }

  /** {@link #round(List, BooleanSupplier)} without interruption of training. */
  long round(List<Integer> nodes) {
    return round(nodes, () -> false);
  }

  /**
   * Runs a round and publishes its results; publishes nothing without samples, or before there are
   * enough for a first round. When the nodes have changed since the last round, it uses only the
   * newest samples and trains little: the network's knowledge of units is as good as before, and
   * drivers should soon learn which nodes have them.
   *
   * @param nodes numbers of the compute nodes that may own pages, ascending, at least one
   * @param isOutdated called from time to time; when the nodes have changed meanwhile, training
   *     ends and the results so far are published
   * @return ms to wait before the next round, so that learning keeps to its share of a processor
   * @throws IllegalStateException when training diverges; after this, as after whatever else
   *     training throws, the next round starts over
   */
  public synchronized long round(List<Integer> nodes, BooleanSupplier isOutdated) {
    long start = nanoClock.getAsLong();
    if (!ran && !hasEnough(start)) {
      return 0;
    }
    fade(start);
    List<TransactionSample> fresh = window.fresh();
    boolean isJudged = present != null && present.nodes().equals(nodes);
    addAllBut(isJudged ? heldBack(nodes) : 0, fresh);
    judgement.measure(fresh);
    if (graph.size() > 0 && window.count() > 0) {
      learn(List.copyOf(nodes), isOutdated, start);
    }
    long took = nanoClock.getAsLong() - start;
    return (long) (took / 1e6 * (1 / settings.duty() - 1));
  }

  /** Number of the newest samples by which is judged, and from which nothing is learned. */
  private int heldBack(List<Integer> nodes) {
    int most = isHurried(nodes) ? settings.hurriedSamples() : settings.samples();
    return (int) Math.min(most, window.count()) / HELD_BACK;
  }

  private boolean isHurried(List<Integer> nodes) {
    return !lastNodes.isEmpty() && !lastNodes.equals(nodes);
  }

  /**
   * Takes fresh samples into the graph, and those that were held back before. With the newest ones
   * in it, groups would be placed so that just these transactions have theirs together, and by them
   * whatever is learned from chance would be better than what is published.
   */
  private void addAllBut(int newest, List<TransactionSample> fresh) {
    List<TransactionSample> all = new ArrayList<>(pending);
    all.addAll(fresh);
    int known = Math.max(0, all.size() - newest);
    add(all.subList(0, known));
    pending = List.copyOf(all.subList(known, all.size()));
  }

  /**
   * Weights and work are relative to their means, so that a busier time does not outweigh the times
   * before.
   */
  private void add(List<TransactionSample> fresh) {
    double weight = fresh.stream().mapToDouble(TransactionSample::weight).average().orElse(1);
    double work = fresh.stream().mapToDouble(TransactionSample::work).average().orElse(1);
    for (TransactionSample s : fresh) {
      graph.add(s, s.weight() / weight, Math.min(s.work() / work, MOST_WORK));
    }
  }

  /** By few samples the placement would be chance, and drivers would know less than before. */
  private boolean hasEnough(long now) {
    long count = window.count();
    return count >= settings.leastSamples()
        || count > 0 && (now - firstNanos) / 1_000_000 >= settings.halfLifeMillis();
  }

  private void fade(long now) {
    if (ran) {
      double halfLives = (now - lastRoundNanos) / 1e6 / settings.halfLifeMillis();
      graph.fade(Math.pow(0.5, Math.max(0, halfLives)));
    }
    ran = true;
    lastRoundNanos = now;
  }

  private void learn(List<Integer> nodes, BooleanSupplier isOutdated, long start) {
    Map<Long, Integer> ownersBefore = placement.owners();
    List<Integer> nodesBefore = lastNodes;
    boolean isPublished = false;
    boolean isDone = false;
    try {
      isPublished = learnsMore(nodes, isOutdated, start);
      isDone = true;
    } finally {
      if (!isDone) {
        lastNodes = nodesBefore; // what was to be done in a hurry still is
      }
      if (!isPublished) {
        placement.revert(ownersBefore); // also after an error, or the next round would move more
      }
    }
  }

  /** Whether something was published. */
  private boolean learnsMore(List<Integer> nodes, BooleanSupplier isOutdated, long start) {
    boolean isHurried = isHurried(nodes);
    int judged = heldBack(nodes);
    lastNodes = nodes;
    long[] groups = graph.groups();
    Graph now = graph.snapshot(groups, nodes.size());
    double[] figures = placement.update(now, groups, nodes, settings.maxUnits(), settings.seed());
    List<TransactionSample> samples =
        ColumnTables.withoutRare(
            window.newest(isHurried ? settings.hurriedSamples() : settings.samples()));
    // By later ones is judged, as drivers will use it for later ones.
    List<TransactionSample> known = samples.subList(0, samples.size() - judged);
    List<TransactionSample> later = samples.subList(known.size(), samples.size());
    TransactionHomes homes = new TransactionHomes(known, placement.owners(), nodes);
    FeatureSpace space =
        isHurried && model.space() != null ? model.space() : FeatureSpace.of(known, homes);
    List<Integer> training = IntStream.range(0, known.size()).boxed().toList();
    Learned again = present == null ? null : judgement.better(present, later, nodes);
    if (!isHurried) {
      tellParts(present, nodes, later);
    }
    if (again != null) {
      return goesBack(again);
    }
    version = Math.max(version + 1, versions.getAsLong());
    RoutingTable table =
        TableBuilder.build(version, known, training, homes, space, RoutingTable.MAX_BYTES);
    model.prepare(space, groups, placement.units(), placement.unitCount());
    long mayTake = isHurried ? settings.hurriedMillis() : settings.trainingMillis();
    int steps = model.train(known, mayTake, isHurried, isOutdated, settings.seed() + version);
    RoutingModel network = model.publication(version, homes, nodes, placement.owners());
    KeyCorrections.Found keys = corrections(network, table, known, training, homes);
    RoutingModel published = network.with(keys.keys());
    TransactionHomes all = new TransactionHomes(samples, placement.owners(), nodes);
    List<Integer> heldBack = IntStream.range(known.size(), samples.size()).boxed().toList();
    RoundReport report;
    try (ModelSnapshot snapshot =
        new ModelSnapshot(published, new JavaEngine(published.layers()))) {
      report =
          new RoundReport(
              samples.size(),
              groups.length,
              graph.edges(),
              figures[0],
              figures[1],
              placement.moved(),
              steps,
              model.loss(published, later),
              hits(samples, heldBack, all, s -> UnitModel.node(snapshot, s)),
              hits(samples, heldBack, all, s -> table.node(s.template().id(), s.values())),
              (nanoClock.getAsLong() - start) / 1_000_000);
    }
    PublicationSources sources = sources(table, samples, keys.places());
    Learned candidate = candidate(published, table, sources, later, groups, nodes);
    boolean isForOthers = present == null || !present.nodes().equals(nodes);
    if ((isForOthers || judgement.isSettled())
        && Judgement.isWorth(candidate, present, later, groups, graph.weights(groups))) {
      if (present == null) {
        tellParts(candidate, nodes, later);
      }
      if (publishes(candidate, report)) {
        judgement.published(present);
        present = candidate;
        return true;
      }
    }
    return false;
  }

  /** What was learned, with the templates for which owners of keys are better. */
  private Learned candidate(
      RoutingModel network,
      RoutingTable table,
      PublicationSources sources,
      List<TransactionSample> later,
      long[] groups,
      List<Integer> nodes) {
    Map<Long, GroupPlace> places = places(groups);
    ToIntFunction<TransactionSample> byTable = s -> table.node(s.template().id(), s.values());
    Set<Long> tableFor;
    Set<Long> notByModel;
    try (ModelSnapshot snapshot = new ModelSnapshot(network, new JavaEngine(network.layers()))) {
      Map<TransactionSample, Integer> computed = new IdentityHashMap<>();
      ToIntFunction<TransactionSample> byModel =
          s -> computed.computeIfAbsent(s, x -> UnitModel.node(snapshot, x));
      tableFor = TableJudgement.of(later, places, nodes, byModel, table);
      notByModel =
          OwnerJudgement.of(
              later,
              places,
              nodes,
              s -> {
                int node = tableFor.contains(s.template().id()) ? byTable.applyAsInt(s) : 0;
                return node == 0 ? byModel.applyAsInt(s) : node;
              });
    }
    Set<Long> notByTable = OwnerJudgement.of(later, places, nodes, byTable);
    return new Learned(
        network.with(notByModel, tableFor),
        new RoutingTable(table.version(), table.entries(), notByTable),
        places,
        nodes,
        sources);
  }

  /** Of the columns that the model has now; the table has no others. */
  private PublicationSources sources(
      RoutingTable table, List<TransactionSample> samples, byte[] keys) {
    Map<Long, StatementTemplate> templates = new HashMap<>();
    samples.forEach(s -> templates.put(s.template().id(), s.template()));
    Map<Long, String> entries = new HashMap<>();
    for (RoutingTable.Entry entry : table.entries()) {
      StatementTemplate template = templates.get(entry.template());
      entries.put(entry.template(), template.predicates().get(entry.predicate()).column());
    }
    Map<String, int[]> now = ColumnTables.of(samples);
    Map<String, int[]> tables = new HashMap<>();
    for (ColumnProfile column : model.space().columns()) {
      int[] before = model.space().tables().get(column.column());
      tables.put(column.column(), ColumnTables.union(before, now.get(column.column())));
    }
    return new PublicationSources(tables, entries, keys);
  }

  private void tellParts(Learned learned, List<Integer> nodes, List<TransactionSample> later) {
    if (learned != null
        && learned.model() != null
        && learned.table() != null
        && learned.nodes().equals(nodes)
        && !later.isEmpty()) {
      sink.judged(later.size(), Ablation.of(learned, later));
    }
  }

  /** Owners from which the next round begins. */
  Map<Long, Integer> owners() {
    return placement.owners();
  }

  /** What was published has made it worse: whether what was before is published again. */
  private boolean goesBack(Learned again) {
    version = Math.max(version + 1, versions.getAsLong());
    Learned as = again.as(version);
    if (!publishes(as, null)) {
      return false;
    }
    Map<Long, Integer> owners = new HashMap<>();
    again.places().forEach((group, place) -> owners.put(group, place.node()));
    placement.revert(owners);
    present = as;
    judgement.wentBack();
    return true;
  }

  /** Whether it is published now. If not, whatever was published before still is. */
  private boolean publishes(Learned learned, RoundReport report) {
    byte[] bytes = learned.model() == null ? null : Publication.write(learned.model());
    if (bytes != null && bytes.length > settings.maxModelBytes()) {
      bytes = null; // drivers would refuse it, and continue with the previous one
    }
    byte[] table = learned.table() == null ? null : Publication.write(learned.table());
    return sink.publish(
        new RoutingPublication(
            version, bytes, table, learned.sources().write(), learned.places(), report));
  }

  private Map<Long, GroupPlace> places(long[] groups) {
    float[] weights = graph.weights(groups);
    Map<Long, GroupPlace> places = new HashMap<>();
    for (int i = 0; i < groups.length; i++) {
      places.put(
          groups[i],
          new GroupPlace(placement.owners().get(groups[i]), placement.units()[i], weights[i]));
    }
    return places;
  }

  private KeyCorrections.Found corrections(
      RoutingModel network,
      RoutingTable table,
      List<TransactionSample> samples,
      List<Integer> training,
      TransactionHomes homes) {
    List<Integer> nodes = network.nodes().stream().map(NodeShare::node).toList();
    try (ModelSnapshot snapshot = new ModelSnapshot(network, new JavaEngine(network.layers()))) {
      int room = settings.maxModelBytes() - Publication.write(network).length - SECTION_BYTES;
      int most = Math.clamp(room, 0, RoutingTable.MAX_BYTES);
      return KeyCorrections.of(snapshot, table, samples, training, homes, nodes, most);
    }
  }

  private static double hits(
      List<TransactionSample> samples,
      List<Integer> which,
      TransactionHomes homes,
      ToIntFunction<TransactionSample> router) {
    int all = 0;
    int hits = 0;
    for (int i : which) {
      if (homes.home(i) > 0) {
        all++;
        hits += router.applyAsInt(samples.get(i)) == homes.home(i) ? 1 : 0;
      }
    }
    return all == 0 ? Double.NaN : (double) hits / all;
  }
}
