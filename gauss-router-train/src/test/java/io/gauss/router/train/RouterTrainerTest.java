package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.ReadableParts;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementReader;
import io.gauss.router.network.TorchTraining;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RouterTrainerTest {
  private static final List<Integer> NODES = List.of(1, 2, 3);
  private static final int WAREHOUSES = 12;

  private final List<RoutingPublication> published = new ArrayList<>();
  private Map<String, Double> parts = Map.of();
  private long millis = 1000;
  private int leastSamples = 1;
  private int maxModelBytes = TrainerSettings.DEFAULT.maxModelBytes();

  private RouterTrainer trainer(int samples, int steps) {
    TrainerSettings d = TrainerSettings.DEFAULT;
    TrainerSettings settings =
        new TrainerSettings(
            samples,
            samples / 4,
            leastSamples,
            d.maxGroups(),
            d.maxEdges(),
            d.maxUnits(),
            d.hidden(),
            steps,
            600_000,
            600_000,
            maxModelBytes,
            d.duty(),
            d.halfLifeMillis(),
            d.slack(),
            d.hysteresis(),
            d.maxMoved(),
            d.loadWeight(),
            d.seed());
    ModelSink sink =
        new ModelSink() {
          @Override
          public void publish(RoutingPublication publication) {
            published.add(publication);
          }

          @Override
          public void judged(int samples, Map<String, Double> away) {
            parts = away;
          }
        };
    LongSupplier nanoClock = () -> millis * 1_000_000;
    return new RouterTrainer(settings, sink, new TorchTraining(nanoClock), nanoClock, () -> millis);
  }

  /** By what drivers would have to get from elsewhere if they had nothing else. */
  @Test
  void eachPartIsJudgedByLaterTransactions() {
    RouterTrainer trainer = trainer(4000, 200);
    Random random = new Random(3);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 4000; i++) {
        trainer.accept(Traces.tpcc(random, WAREHOUSES, 1 + i % 3));
      }
      trainer.round(NODES);
      millis += 12_000;
    }
    assertEquals(
        List.of(
            "nothing",
            "table",
            "keys",
            "owners",
            "table, keys, owners",
            "network",
            "network, keys",
            "all",
            "best node"),
        List.copyOf(parts.keySet()));
    assertEquals(2 / 3.0, parts.get("nothing"), 1e-9);
    assertEquals(2 / 3.0, parts.get("owners"), 1e-9, "no sample tells the group of its key");
    assertTrue(parts.get("table") < 0.2, parts::toString);
    assertTrue(parts.get("network") < 0.2, parts::toString);
    assertTrue(parts.get("all") < 0.2, parts::toString);
    assertTrue(parts.get("best node") <= parts.get("all"), parts::toString);
  }

  private RoutingPublication last() {
    return published.get(published.size() - 1);
  }

  private Map<Long, Integer> owners() {
    return owners(last());
  }

  private static Map<Long, Integer> owners(RoutingPublication publication) {
    Map<Long, Integer> owners = new HashMap<>();
    publication.places().forEach((group, place) -> owners.put(group, place.node()));
    return owners;
  }

  /** Share of what transactions write that is owned by the node that a router sends them to. */
  private static double owned(
      List<TransactionSample> trace,
      Map<Long, Integer> owners,
      ToIntFunction<TransactionSample> router) {
    double here = 0;
    double all = 0;
    for (TransactionSample s : trace) {
      int node = router.applyAsInt(s);
      for (long group : s.written()) {
        all++;
        here += owners.getOrDefault(group, 0) == node ? 1 : 0;
      }
    }
    return here / all;
  }

  private static ToIntFunction<TransactionSample> byModel(RoutingPublication p) {
    try {
      RoutingModel model = Publication.readModel(p.model(), 4 << 20);
      ModelSnapshot snapshot = new ModelSnapshot(model, new JavaEngine(model.layers()));
      return s -> UnitModel.node(snapshot, s);
    } catch (PublicationException e) {
      throw new AssertionError(e);
    }
  }

  private static ToIntFunction<TransactionSample> byTable(RoutingPublication p) {
    try {
      RoutingTable table = Publication.readTable(p.table(), RoutingTable.MAX_BYTES);
      return s -> table.node(s.template().id(), s.values());
    } catch (PublicationException e) {
      throw new AssertionError(e);
    }
  }

  /** Four warehouses each: which ones does not matter, all others are alike. */
  private static Map<Long, Integer> bestForWarehouses() {
    Map<Long, Integer> owners = new HashMap<>();
    for (int w = 0; w < WAREHOUSES; w++) {
      for (int i = 0; i < Traces.GROUPS_PER_WAREHOUSE; i++) {
        owners.put(Traces.group(w, i, WAREHOUSES), w % 3 + 1);
      }
    }
    return owners;
  }

  private static int warehouse(TransactionSample s) {
    Object[] values = s.values();
    return ((Long) values[0]).intValue() - 1;
  }

  @Test
  void warehousesAreKeptTogetherAndTransactionsSentToTheirs() {
    Random random = new Random(5);
    RouterTrainer trainer = trainer(5000, 200);
    for (int i = 0; i < 5000; i++) {
      trainer.accept(Traces.tpcc(random, WAREHOUSES, 1 + random.nextInt(3)));
    }
    trainer.round(NODES);
    List<TransactionSample> trace = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      trace.add(Traces.tpcc(random, WAREHOUSES, 1));
    }
    double best = owned(trace, bestForWarehouses(), s -> warehouse(s) % 3 + 1);
    double model = owned(trace, owners(), byModel(last()));
    double table = owned(trace, owners(), byTable(last()));
    double any = owned(trace, owners(), s -> 1 + random.nextInt(3));
    assertTrue(any < 0.4, "by chance " + any);
    assertTrue(table > best * 0.97, table + " by the table, at best " + best);
    assertTrue(model > best * 0.97, model + " by the model, at best " + best);
    assertTrue(last().report().imbalance() < 1.2, last().report().toString());
    assertTrue(last().report().modelHits() > 0.95, last().report().toString());
  }

  @Test
  void pagesThatAllWarehousesShareDrawNobody() {
    Random random = new Random(7);
    RouterTrainer trainer = trainer(5000, 200);
    for (int i = 0; i < 5000; i++) {
      trainer.accept(Traces.tpccOnSharedLeaves(random, 6));
    }
    trainer.round(NODES);
    for (var router : List.of(byTable(last()), byModel(last()))) {
      Map<Integer, int[]> byWarehouse = new HashMap<>();
      int[] byNode = new int[4];
      for (int i = 0; i < 3000; i++) {
        TransactionSample s = Traces.tpccOnSharedLeaves(random, 6);
        int node = router.applyAsInt(s);
        byNode[node]++;
        byWarehouse.computeIfAbsent(warehouse(s), w -> new int[4])[node]++;
      }
      assertTrue(Arrays.stream(byNode).max().getAsInt() < 1300, Arrays.toString(byNode));
      byWarehouse.forEach(
          (w, counts) -> {
            int all = Arrays.stream(counts).sum();
            int most = Arrays.stream(counts).max().getAsInt();
            assertTrue(most > all * 0.95, w + ": " + Arrays.toString(counts));
          });
    }
  }

  @Test
  void hotRangesAreSharedEvenly() {
    Random random = new Random(6);
    RouterTrainer trainer = trainer(4000, 400);
    for (int i = 0; i < 4000; i++) {
      trainer.accept(Traces.ycsb(random, 10_000, 100, 3000, 80, 1));
    }
    trainer.round(NODES);
    List<TransactionSample> trace = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      trace.add(Traces.ycsb(random, 10_000, 100, 3000, 80, 1));
    }
    double table = owned(trace, owners(), byTable(last()));
    double model = owned(trace, owners(), byModel(last()));
    assertTrue(last().report().imbalance() < 1.25, last().report().toString());
    assertTrue(load(random, 3000) < 1.3, "load " + load(random, 3000));
    assertTrue(table > 0.95, "the best is 1, the table has " + table);
    assertTrue(model > 0.9, "the best is 1, the model has " + model);
  }

  @Test
  void whatBelongsTogetherIsFollowedWhenItChanges() {
    Random random = new Random(11);
    RouterTrainer trainer = trainer(3000, 150);
    for (int i = 0; i < 4000; i++) {
      trainer.accept(Traces.pair(random, 60, 0, 1));
    }
    trainer.round(NODES);
    assertTrue(pairsOwned(random, 0) > 0.95, "before " + pairsOwned(random, 0));
    assertTrue(pairsOwned(random, 17) < 0.8, "just after " + pairsOwned(random, 17));
    int rounds = 0;
    while (pairsOwned(random, 17) < 0.95 && rounds++ < 4) {
      millis += 15_000;
      for (int i = 0; i < 4000; i++) {
        trainer.accept(Traces.pair(random, 60, 17, 1));
      }
      trainer.round(NODES);
    }
    assertTrue(pairsOwned(random, 17) > 0.95, rounds + " rounds, " + pairsOwned(random, 17));
    assertTrue(last().version() > published.get(0).version());
  }

  private double pairsOwned(Random random, int shift) {
    List<TransactionSample> trace = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      trace.add(Traces.pair(random, 60, shift, 1));
    }
    return owned(trace, owners(), byModel(last()));
  }

  /** Load of the busiest node by the model's choices, divided by the mean. */
  private double load(Random random, int hotAt) {
    ToIntFunction<TransactionSample> router = byModel(last());
    int[] counts = new int[4];
    for (int i = 0; i < 3000; i++) {
      counts[router.applyAsInt(Traces.ycsb(random, 10_000, 100, hotAt, 80, 1))]++;
    }
    return Math.max(counts[1], Math.max(counts[2], counts[3])) / 1000.0;
  }

  @Test
  void aNewNodeGetsItsShareAndWhatStaysStays() {
    Random random = new Random(7);
    RouterTrainer trainer = trainer(4000, 50);
    for (int i = 0; i < 4000; i++) {
      trainer.accept(Traces.tpcc(random, WAREHOUSES, 1));
    }
    trainer.round(List.of(1, 2));
    Map<Long, Integer> before = owners();
    millis += 1000;
    trainer.round(NODES);
    Map<Long, Integer> after = owners();
    long third = after.values().stream().filter(n -> n == 3).count();
    long swapped =
        after.entrySet().stream()
            .filter(e -> e.getValue() != 3 && !e.getValue().equals(before.get(e.getKey())))
            .count();
    assertTrue(third > after.size() * 0.28, third + " of " + after.size());
    assertTrue(swapped < after.size() * 0.1, swapped + " of " + after.size());
    double byTable = share(random, byTable(last()));
    double byModel = share(random, byModel(last()));
    assertTrue(byTable > 0.25, "of transactions by the table " + byTable);
    assertTrue(byModel > 0.25, "of transactions by the model " + byModel);
    millis += 1000;
    trainer.round(NODES);
    long moved =
        owners().entrySet().stream()
            .filter(e -> !e.getValue().equals(after.get(e.getKey())))
            .count();
    assertTrue(moved < after.size() * 0.15, moved + " of " + after.size());
  }

  /**
   * Each node gives as many samples as the others, but one of node 1 stands for ten times as many
   * transactions: its tenants have to go to the others.
   */
  @Test
  void aHotNodeIsRelieved() {
    relieves(10, 1);
  }

  /** As many transactions as elsewhere, each of which is ten times the work. */
  @Test
  void aNodeWithHeavyTransactionsIsRelieved() {
    relieves(1, 10);
  }

  private void relieves(double weight, double work) {
    Random random = new Random(19);
    Map<Long, GroupPlace> places = new HashMap<>();
    for (int tenant = 0; tenant < 60; tenant++) {
      places.put(1L << 32 | tenant, new GroupPlace(1 + tenant / 20, tenant, 1));
      places.put(2L << 32 | tenant, new GroupPlace(1 + tenant / 20, tenant, 1));
    }
    RouterTrainer trainer = trainer(3000, 1);
    trainer.resume(1, null, null, PublicationSources.NONE, places, 0);
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < 3000; i++) {
        TransactionSample s = Traces.pair(random, 60, 0, 1);
        boolean isHot = ((Long) s.values()[0]) < 20;
        trainer.accept(isHot ? Traces.weighed(s, weight, work) : s);
      }
      trainer.round(NODES);
      millis += 12_000;
    }
    double[] load = new double[4];
    owners().forEach((group, node) -> load[node] += (int) (long) group < 20 ? 10 : 1);
    double mean = Arrays.stream(load).sum() / 3;
    assertTrue(Arrays.stream(load).max().getAsDouble() < mean * 1.3, Arrays.toString(load));
  }

  /** A page that is read, but moves each time, is a cost like one that is written. */
  @Test
  void whatMovedIsHeldTogetherLikeWhatIsWritten() {
    TransactionSample read =
        Traces.sample(
            StatementReader.read("SELECT v FROM t WHERE k = ?"),
            List.of(1L),
            new LinkedHashSet<>(List.of(1L, 2L)),
            Set.of(1L),
            1);
    assertArrayEquals(new double[] {1, 0.25}, AffinityGraph.weights(read));
    assertArrayEquals(new double[] {1, 1}, AffinityGraph.weights(Traces.moved(read, 2)));
  }

  /** What a restarted node learns from is what the last one has published, nothing else. */
  @Test
  void aNewTrainerContinuesFromWhatIsPublished() throws PublicationException {
    Random random = new Random(17);
    RouterTrainer before = trainer(4000, 200);
    for (int i = 0; i < 4000; i++) {
      before.accept(Traces.tpcc(random, WAREHOUSES, 1));
    }
    before.round(NODES);
    RoutingPublication last = last();
    leastSamples = 1000;
    millis += 3000;
    RouterTrainer after = trainer(4000, 20);
    resume(after, last);
    for (int i = 0; i < 999; i++) {
      after.accept(Traces.tpcc(random, WAREHOUSES, 1));
    }
    after.round(NODES);
    assertEquals(1, published.size(), "too few samples to publish anything");
    for (int round = 0; round < 4; round++) {
      after.accept(Traces.tpcc(random, WAREHOUSES, 1));
      after.round(NODES);
      Map<Long, Integer> owners = owners();
      long moved =
          owners(last).entrySet().stream()
              .filter(e -> !e.getValue().equals(owners.get(e.getKey())))
              .count();
      int most = round == 0 ? 0 : owners.size() / 10;
      assertTrue(moved <= most, moved + " of " + owners.size() + " in round " + round);
      millis += 3000;
      for (int i = 0; i < 1000; i++) {
        after.accept(Traces.tpcc(random, WAREHOUSES, 1));
      }
    }
  }

  private static void resume(RouterTrainer trainer, RoutingPublication from)
      throws PublicationException {
    trainer.resume(
        from.version(),
        Publication.readModel(from.model(), 4 << 20),
        Publication.readTable(from.table(), RoutingTable.MAX_BYTES),
        PublicationSources.read(from.sources(), 4 << 20),
        from.places(),
        3000);
  }

  /** A statement more, and the network knows all others as before. */
  @Test
  void theNetworkGoesOnWhenTemplatesAndColumnsAreAdded() throws PublicationException {
    Random random = new Random(23);
    RouterTrainer before = trainer(4000, 400);
    for (int i = 0; i < 4000; i++) {
      before.accept(Traces.tpcc(random, WAREHOUSES, 1));
    }
    before.round(NODES);
    double loss = last().report().loss();
    RouterTrainer after = trainer(4000, 1);
    resume(after, last());
    for (int i = 0; i < 4000; i++) {
      boolean isNew = random.nextInt(100) < 5;
      after.accept(isNew ? Traces.pair(random, 60, 0, 1) : Traces.tpcc(random, WAREHOUSES, 1));
    }
    after.round(NODES);
    assertEquals(2, published.size(), "it knows more");
    // What is new is not known yet; a network that began anew would have a loss near ln 2.
    assertTrue(last().report().loss() < 3 * loss, last().report() + " after " + loss);
  }

  /** Every publication makes drivers load it and moves something. */
  @Test
  void whatSavesNothingIsNotPublished() {
    Random random = new Random(29);
    RouterTrainer trainer = trainer(4000, 200);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 4000; i++) {
        trainer.accept(Traces.tpcc(random, WAREHOUSES, 1));
      }
      trainer.round(NODES);
      millis += 12_000;
    }
    assertEquals(1, published.size());
  }

  /** Or the next one would move more than it may. */
  @Test
  void aRoundThatFailsPlacesNothing() {
    Random random = new Random(31);
    RouterTrainer trainer = trainer(4000, 50);
    for (int i = 0; i < 4000; i++) {
      trainer.accept(Traces.tpcc(random, WAREHOUSES, 1));
    }
    assertThrows(
        IllegalStateException.class,
        () ->
            trainer.round(
                NODES,
                () -> {
                  throw new IllegalStateException("as training may");
                }));
    assertEquals(Map.of(), trainer.owners());
    assertEquals(0, published.size());
    trainer.round(NODES);
    assertEquals(owners(), trainer.owners());
  }

  /** Where there are few transactions, it does not wait for ever. */
  @Test
  void aFirstRoundIsDueAfterSomeTimeAnyway() {
    leastSamples = 1000;
    RouterTrainer trainer = trainer(4000, 1);
    millis += 60_000;
    trainer.accept(Traces.tpcc(new Random(1), WAREHOUSES, 1));
    trainer.round(NODES);
    assertEquals(0, published.size(), "the time counts from the first sample");
    millis += TrainerSettings.DEFAULT.halfLifeMillis();
    trainer.round(NODES);
    assertEquals(1, published.size());
  }

  @Test
  void whatThereIsIsPublishedWhenNodesComeOrGoWhileItTrains() {
    Random random = new Random(7);
    RouterTrainer trainer = trainer(4000, 50);
    for (int i = 0; i < 4000; i++) {
      trainer.accept(Traces.tpcc(random, WAREHOUSES, 1));
    }
    trainer.round(NODES, () -> false);
    assertEquals(50, last().report().steps());
    int[] asked = {0};
    trainer.round(List.of(1, 2), () -> ++asked[0] > 3);
    assertEquals(2, published.size());
    assertEquals(3, last().report().steps());
  }

  /** Share of transactions that a router sends to the third node. */
  private static double share(Random random, ToIntFunction<TransactionSample> router) {
    int all = 3000;
    int there = 0;
    for (int i = 0; i < all; i++) {
      there += router.applyAsInt(Traces.tpcc(random, WAREHOUSES, 1)) == 3 ? 1 : 0;
    }
    return (double) there / all;
  }

  @Test
  void publicationsKeepTheirSizeHoweverManyGroupsThereAre() throws PublicationException {
    Random random = new Random(13);
    maxModelBytes = 200_000;
    RouterTrainer trainer = trainer(30_000, 1);
    for (int i = 0; i < 30_000; i++) {
      trainer.accept(Traces.grown(random, 50_000));
    }
    trainer.round(NODES);
    RoutingModel model = Publication.readModel(last().model(), maxModelBytes);
    assertTrue(model.outputs() <= TrainerSettings.DEFAULT.maxUnits(), "units");
    assertTrue(last().model().length > maxModelBytes / 2, "values to look up fill what is left");
    assertTrue(last().table().length <= RoutingTable.MAX_BYTES, last().table().length + " bytes");
    assertTrue(owners().size() <= TrainerSettings.DEFAULT.maxGroups(), "owners");
    maxModelBytes = 1000;
    RouterTrainer tooSmall = trainer(100, 1);
    tooSmall.accept(Traces.grown(random, 50_000));
    tooSmall.round(NODES);
    assertNull(last().model(), "the network alone is larger");
  }

  @Test
  void aNodeThatIsGoneOwnsNothing() {
    Random random = new Random(8);
    RouterTrainer trainer = trainer(2000, 20);
    for (int i = 0; i < 2000; i++) {
      trainer.accept(Traces.tpcc(random, WAREHOUSES, 1));
    }
    trainer.round(NODES);
    trainer.round(List.of(1, 3));
    assertTrue(owners().values().stream().noneMatch(n -> n == 2));
  }

  @Test
  void theSameSamplesGiveTheSameBytes() {
    for (int round = 0; round < 2; round++) {
      Random random = new Random(9);
      RouterTrainer trainer = trainer(1000, 30);
      for (int i = 0; i < 1000; i++) {
        trainer.accept(Traces.tpcc(random, WAREHOUSES, 1));
      }
      trainer.round(NODES);
    }
    assertArrayEquals(published.get(0).model(), published.get(1).model());
  }

  @Test
  @Tag("long")
  void whereATableHasNoRoomAModelKnowsMore() {
    Random random = new Random(10);
    int keys = 400_000;
    RouterTrainer trainer = trainer(230_000, 600);
    for (int i = 0; i < 230_000; i++) {
      trainer.accept(Traces.dealt(random, keys, 6, 1));
    }
    trainer.round(NODES);
    List<TransactionSample> trace = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      trace.add(Traces.dealt(random, keys, 6, 1));
    }
    double model = owned(trace, owners(), byModel(last()));
    double table = owned(trace, owners(), byTable(last()));
    assertTrue(last().table().length <= RoutingTable.MAX_BYTES, last().table().length + " bytes");
    assertTrue(table < 0.8, "by the table " + table);
    assertTrue(model > 0.9, "by the model " + model);
  }

  @Test
  @Tag("long")
  void whereThereIsNoOrderAModelLooksUpWhatItHasSeen() {
    Random random = new Random(12);
    int keys = 400_000;
    RouterTrainer trainer = trainer(230_000, 100);
    for (int i = 0; i < 230_000; i++) {
      trainer.accept(Traces.shuffled(random, keys, 6, 1));
    }
    trainer.round(NODES);
    List<TransactionSample> trace = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      trace.add(Traces.shuffled(random, keys, 6, 1));
    }
    double model = owned(trace, owners(), byModel(last()));
    double table = owned(trace, owners(), byTable(last()));
    assertTrue(last().table().length > RoutingTable.MAX_BYTES * 9 / 10, "table is too small");
    assertTrue(model > table, model + " by the model, by the table " + table);
  }

  /** Of some tenants the second group is another one. */
  private static TransactionSample some(Random random, int shift) {
    int tenant = random.nextInt(60);
    int other = tenant < 20 ? (tenant + shift) % 20 : tenant;
    return Traces.visit(tenant, 1L << 32 | tenant, 2L << 32 | other);
  }

  private void round(RouterTrainer trainer, Random random, int shift, boolean isMoved) {
    for (int i = 0; i < 4000; i++) {
      TransactionSample s = some(random, shift);
      trainer.accept(isMoved ? Traces.moved(s, s.groups()) : s);
    }
    trainer.round(NODES);
    millis += 60_000;
  }

  /** Publishes, and again when the load has become another one. */
  private RouterTrainer publishesTwice(Random random) {
    RouterTrainer trainer = trainer(3000, 150);
    for (int round = 0; round < 3; round++) {
      round(trainer, random, 0, false);
      assertEquals(1, published.size(), "round " + round);
    }
    round(trainer, random, 7, false);
    assertEquals(2, published.size());
    return trainer;
  }

  /** As it was before, since it is what was published before that the load needs. */
  @Test
  void whatCausesMoreTransfersGoesAgainByItself() {
    Random random = new Random(41);
    RouterTrainer trainer = publishesTwice(random);
    round(trainer, random, 7, true);
    assertEquals(2, published.size(), "in the first round pages move");
    round(trainer, random, 0, true);
    assertEquals(3, published.size());
    assertNull(last().report(), "published again");
    assertEquals(owners(published.get(0)), owners());
    assertTrue(last().version() > published.get(1).version());
  }

  @Test
  void whatCausesNoMoreTransfersStays() {
    Random random = new Random(41);
    RouterTrainer trainer = publishesTwice(random);
    for (int round = 0; round < 3; round++) {
      round(trainer, random, 7, false);
    }
    assertEquals(2, published.size());
  }

  /** Chance is no reason to publish, in whatever the samples happen to agree. */
  @Test
  void whereNothingCanBeLearnedNothingIsPublishedAgain() {
    Random random = new Random(43);
    RouterTrainer trainer = trainer(6000, 20);
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 6000; i++) {
        long key = random.nextInt(300);
        TransactionSample s =
            Traces.visit(random.nextLong(), 1L << 32 | key, 2L << 32 | random.nextInt(300));
        trainer.accept(Traces.keyed(s, 1L << 32 | key));
      }
      trainer.round(List.of(1, 2));
      millis += 120_000;
    }
    assertEquals(
        1, published.size(), published.stream().map(p -> p.report().toString()).toList()::toString);
  }

  /** 10,000 transactions of the one are sampled like one of the other. */
  @Test
  void theNetworkKnowsWhatRolesWithFewTransactionsDo() {
    Random random = new Random(47);
    RouterTrainer trainer = trainer(6000, 300);
    for (int i = 0; i < 6000; i++) {
      TransactionSample busy = Traces.of(Traces.tpcc(random, WAREHOUSES, 1), 11, 1);
      trainer.accept(
          i % 4 == 0
              ? Traces.of(Traces.pair(random, 20, 0, 1), 12, 2)
              : Traces.weighed(busy, 10_000, 1));
    }
    trainer.round(NODES);
    List<TransactionSample> trace = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      trace.add(Traces.pair(random, 20, 0, 1));
    }
    double model = owned(trace, owners(), byModel(last()));
    assertTrue(model > 0.9, "by the model " + model);
  }

  /** Also of those to look up, and of the table's ranges. */
  @Test
  void whatIsPublishedTellsOfWhichTablesItsValuesAre() throws PublicationException {
    Random random = new Random(53);
    RouterTrainer trainer = trainer(4000, 1);
    for (int i = 0; i < 4000; i++) {
      trainer.accept(
          i % 2 == 0
              ? Traces.of(Traces.shuffled(random, 1000, 6, 1), 11, 7)
              : Traces.of(Traces.pair(random, 60, 0, 1), 12, 8));
    }
    trainer.round(NODES);
    PublicationSources sources = PublicationSources.read(last().sources(), 4 << 20);
    assertArrayEquals(new int[] {7}, sources.tables().get("t.k"));
    assertArrayEquals(new int[] {8}, sources.tables().get("visit.tenant"));
    long keyed = Traces.shuffled(random, 1000, 6, 1).template().id();
    assertEquals("t.k", sources.entries().get(keyed));
    RoutingModel model = Publication.readModel(last().model(), 4 << 20);
    assertTrue(sources.keys().length > 100, sources.keys().length + " values to look up");
    RoutingModel rest = ReadableParts.of(model, sources, sources.readable(table -> table == 7));
    assertEquals(List.of("t.k"), rest.columns().stream().map(ColumnProfile::column).toList());
    try (ModelSnapshot all = new ModelSnapshot(model, new JavaEngine(model.layers()));
        ModelSnapshot some = new ModelSnapshot(rest, new JavaEngine(rest.layers()))) {
      for (int i = 0; i < 500; i++) {
        TransactionSample s = Traces.shuffled(random, 1000, 6, 1);
        assertEquals(UnitModel.node(all, s), UnitModel.node(some, s));
        assertEquals(0, UnitModel.node(some, Traces.pair(random, 60, 0, 1)));
      }
    }
  }

  /**
   * Numbers of tenants of which the features know nothing, given directly and by keys that are
   * dealt to them in turn; most keys are new.
   */
  @Test
  void anyNumberOfTenantsIsLearned() {
    for (int tenants : new int[] {11, 61}) {
      for (boolean isDealt : new boolean[] {false, true}) {
        Random random = new Random(59);
        RouterTrainer trainer = trainer(8000, 600);
        for (int i = 0; i < 8000; i++) {
          trainer.accept(tenant(random, tenants, isDealt));
        }
        trainer.round(NODES);
        List<TransactionSample> trace = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
          trace.add(tenant(random, tenants, isDealt));
        }
        double model = owned(trace, owners(), byModel(last()));
        double table = owned(trace, owners(), byTable(last()));
        double any = owned(trace, owners(), s -> 1 + random.nextInt(3));
        String figures =
            "%d tenants, %s: model %.3f, table %.3f, random %.3f"
                .formatted(tenants, isDealt ? "dealt" : "direct", model, table, any);
        System.err.println("RouterTrainerTest: " + figures);
        assertTrue(model > 0.95 && any < 0.4, figures);
      }
    }
  }

  private static TransactionSample tenant(Random random, int tenants, boolean isDealt) {
    return isDealt ? Traces.dealt(random, 400_000, tenants, 1) : Traces.pair(random, tenants, 0, 1);
  }

  @Test
  void withoutSamplesNothingIsPublished() {
    trainer(10, 10).round(NODES);
    assertEquals(List.of(), published);
  }
}
