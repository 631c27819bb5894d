package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.PublicationException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** What was learned when nodes come and go, those that learn among them. */
class TrainerNodesTest extends TrainerCase {
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
}
