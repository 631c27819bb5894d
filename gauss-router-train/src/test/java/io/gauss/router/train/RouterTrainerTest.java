package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is learned of loads whose best placement is known. */
class RouterTrainerTest extends TrainerCase {
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
    assertTrue(last().table().length > RoutingTable.MAX_BYTES * 9 / 10, "table is too small");
    Map<String, Double> away = away(trace);
    // The table answers for every key, by that of the range it is in. The model says for which it
    // does not know, and those may run anywhere.
    assertTrue(away.get("model") < away.get("table"), away::toString);
    assertTrue(away.get("drivers") <= away.get("model"), away::toString);
    assertTrue(away.get("model") < away.get("network") - 0.2, away::toString);
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
}
