package io.gauss.router.train;

import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.KnownKeys;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.router.network.TorchTraining;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/** A trainer of which what it publishes is kept, and what that is worth for transactions. */
abstract class TrainerCase {
  static final List<Integer> NODES = List.of(1, 2, 3);
  static final int WAREHOUSES = 12;

  final List<RoutingPublication> published = new ArrayList<>();
  Map<String, Double> parts = Map.of();
  long millis = 1000;
  int leastSamples = 1;
  int maxModelBytes = TrainerSettings.DEFAULT.maxModelBytes();
  boolean isRefused; // whatever is to be published

  RouterTrainer trainer(int samples, int steps) {
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
          public boolean publish(RoutingPublication publication) {
            return !isRefused && published.add(publication);
          }

          @Override
          public void judged(int samples, Map<String, Double> away) {
            parts = away;
          }
        };
    LongSupplier nanoClock = () -> millis * 1_000_000;
    return new RouterTrainer(settings, sink, new TorchTraining(nanoClock), nanoClock, () -> millis);
  }

  RoutingPublication last() {
    return published.get(published.size() - 1);
  }

  Map<Long, Integer> owners() {
    return owners(last());
  }

  static Map<Long, Integer> owners(RoutingPublication publication) {
    Map<Long, Integer> owners = new HashMap<>();
    publication.places().forEach((group, place) -> owners.put(group, place.node()));
    return owners;
  }

  /** Share of what transactions write that is owned by the node that a router sends them to. */
  static double owned(
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

  static ToIntFunction<TransactionSample> byModel(RoutingPublication p) {
    try {
      RoutingModel model = Publication.readModel(p.model(), 4 << 20);
      ModelSnapshot snapshot = new ModelSnapshot(model, new JavaEngine(model.layers()));
      return s -> UnitModel.node(snapshot, s);
    } catch (PublicationException e) {
      throw new AssertionError(e);
    }
  }

  static ToIntFunction<TransactionSample> byTable(RoutingPublication p) {
    try {
      RoutingTable table = Publication.readTable(p.table(), RoutingTable.MAX_BYTES);
      return s -> table.node(s.template().id(), s.values());
    } catch (PublicationException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The share of what transactions touch that has to come from other nodes, by who sends them:
   * drivers, the table, the model, and the model's network without the keys that it looks up. Who
   * does not know sends them anywhere.
   */
  Map<String, Double> away(List<TransactionSample> trace) {
    RoutingPublication p = last();
    try {
      RoutingModel model = Publication.readModel(p.model(), 4 << 20);
      RoutingTable table = Publication.readTable(p.table(), RoutingTable.MAX_BYTES);
      Learned learned = new Learned(model, table, p.places(), NODES, PublicationSources.NONE);
      RoutingModel bare = model.with(KnownKeys.NONE);
      ModelSnapshot network = new ModelSnapshot(bare, new JavaEngine(bare.layers()));
      return Map.of(
          "drivers", learned.transfers(trace),
          "table", learned.away(trace, byTable(p)),
          "model", learned.away(trace, byModel(p)),
          "network", learned.away(trace, s -> UnitModel.node(network, s)));
    } catch (PublicationException e) {
      throw new AssertionError(e);
    }
  }

  static void resume(RouterTrainer trainer, RoutingPublication from) throws PublicationException {
    trainer.resume(
        from.version(),
        Publication.readModel(from.model(), 4 << 20),
        Publication.readTable(from.table(), RoutingTable.MAX_BYTES),
        PublicationSources.read(from.sources(), 4 << 20),
        from.places(),
        3000);
  }
}
