package io.gauss.jdbc.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.RandomModels;
import io.gauss.jdbc.routing.model.RoutingModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Models that come while transactions are routed. */
class PushedModelsTest {
  private static final int PUSHES = 60;
  private static final Topology NODES =
      new Topology(
          1,
          List.of(
              new ClusterNode(1, "a", 1, ClusterNode.State.UP, 0),
              new ClusterNode(2, "b", 2, ClusterNode.State.UP, 0)));

  private static ModelRouter router(int cacheSize) {
    Properties properties = new Properties();
    properties.setProperty("routing.engine", "java");
    properties.setProperty("routing.cacheSize", "" + cacheSize);
    return Routers.model(properties);
  }

  /** Everything belongs to one node, whatever the values. */
  private static byte[] allTo(int node, long version) {
    int inputs = FeatureEncoder.width(1, 2);
    return Publication.write(
        new RoutingModel(
            version,
            List.of(
                new ColumnProfile(
                    "t.id", ColumnProfile.Kind.NUMBER, "", new double[] {0, 1000}, 1000, false),
                new ColumnProfile(
                    "t.name", ColumnProfile.Kind.TEXT, "", new double[] {0, 1}, 2, false)),
            List.of(RandomModels.template()),
            List.of(new Layer(inputs, 1, new float[inputs], new float[] {20})),
            List.of(new GroupRange(0, 0)),
            List.of(
                new NodeShare(node, 0, new float[] {1}),
                new NodeShare(3 - node, 0, new float[] {0}))));
  }

  private static Decision route(ModelRouter router, long id) {
    return router.route(new RouteRequest(RandomModels.SQL, List.of(id, "x"), NODES, null));
  }

  @Test
  void pushesUnderLoadNeitherFailDecisionsNorMixModels() throws Exception {
    for (int cacheSize : new int[] {0, 64}) {
      ModelRouter router = router(cacheSize);
      router.load(allTo(1, 1));
      AtomicBoolean done = new AtomicBoolean();
      ExecutorService threads = Executors.newFixedThreadPool(3);
      try {
        List<Future<Long>> deciders = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
          deciders.add(threads.submit(() -> decide(router, done)));
        }
        for (int version = 2; version <= PUSHES; version++) {
          router.load(allTo(1 + version % 2, version));
          // By the one that loaded it the new model is used at once, for what was cached too.
          assertEquals(1 + version % 2, route(router, version % 10).node().number());
        }
        done.set(true);
        for (Future<Long> decider : deciders) {
          assertTrue(decider.get() > 0);
        }
      } finally {
        done.set(true);
        threads.shutdown();
      }
      assertEquals(0, router.report().failures());
      assertEquals(0, router.report().unknown(), "a model was there all the time");
      assertEquals(PUSHES, router.report().taken());
      assertEquals(PUSHES, router.report().version());
      router.close();
    }
  }

  private static long decide(ModelRouter router, AtomicBoolean done) {
    long decisions = 0;
    do {
      Decision decision = route(router, decisions++ % 10);
      assertEquals(Decision.Kind.NODE, decision.kind());
    } while (!done.get());
    return decisions;
  }

  @Test
  void driversWithDifferentVersionsBothRouteEachByItsOwn() throws PublicationException {
    ModelRouter older = router(64);
    ModelRouter newer = router(64);
    older.load(allTo(1, 1));
    newer.load(allTo(1, 1));
    newer.load(allTo(2, 2));
    for (long id = 0; id < 20; id++) {
      assertEquals(1, route(older, id).node().number());
      assertEquals(2, route(newer, id).node().number());
    }
    older.load(allTo(2, 2));
    assertEquals(2, route(older, 3).node().number());
  }
}
