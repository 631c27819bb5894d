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
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is published, and when. */
class TrainerPublicationsTest extends TrainerCase {
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

  /** For example since another node has just published something. */
  @Test
  void whatCouldNotBePublishedIsLearnedAgain() {
    Random random = new Random(31);
    RouterTrainer trainer = trainer(4000, 50);
    for (int i = 0; i < 4000; i++) {
      trainer.accept(Traces.tpcc(random, WAREHOUSES, 1));
    }
    isRefused = true;
    trainer.round(NODES);
    assertEquals(Map.of(), trainer.owners(), "nothing is placed");
    isRefused = false;
    trainer.round(NODES);
    assertEquals(1, published.size());
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

  @Test
  void withoutSamplesNothingIsPublished() {
    trainer(10, 10).round(NODES);
    assertEquals(List.of(), published);
  }
}
