package io.gauss.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.jdbc.cluster.DriverStatistics;
import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision.Cause;
import io.gauss.jdbc.routing.ModelRouter;
import io.gauss.jdbc.routing.RouteRequest;
import io.gauss.jdbc.routing.Routers;
import io.gauss.jdbc.routing.RoutingMode;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.RandomModels;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GaussDriverMetricsTest {
  private static final ClusterNode NODE =
      new ClusterNode(1, "metered", 1, ClusterNode.State.UP, Double.NaN);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private static DriverStatistics statistics(String database) {
    return DriverStatistics.of(List.of(NODE), "/" + database + "?a=b", RoutingMode.MODEL);
  }

  private double count(String name, String database, String... tags) {
    FunctionCounter counter =
        registry
            .get("gauss.driver." + name)
            .tag("cluster", "metered:1/" + database)
            .tag("mode", "model")
            .tags(tags)
            .functionCounter();
    return counter.count();
  }

  @Test
  void transactionsAreCountedByNodeAndReasonHoweverLateTheRegistryComes() {
    DriverStatistics before = statistics("before");
    before.node(NODE).count(Cause.FIRST_VALUE);
    GaussDataSource source = new GaussDataSource();
    source.setMeterRegistry(registry);
    new GaussDriverMetrics().bindTo(registry); // a second time
    DriverStatistics after = statistics("after");
    after.node(NODE).count(Cause.MODEL);
    after.node(NODE).count(Cause.MODEL);
    String node = "metered:1";
    assertEquals(1, count("transactions", "before", "node", node, "reason", "first-value"));
    assertEquals(0, count("transactions", "before", "node", node, "reason", "model"));
    assertEquals(2, count("transactions", "after", "node", node, "reason", "model"));
    after.failedOver();
    assertEquals(1, count("failovers", "after"));
    after.decided(1500);
    assertEquals(
        1,
        registry.get("gauss.driver.decisions").tag("cluster", "metered:1/after").timer().count());
  }

  @Test
  void countersOfRoutersDoNotGoBackWhenAnotherOneBegins() throws PublicationException {
    new GaussDriverMetrics().bindTo(registry);
    DriverStatistics statistics = statistics("routers");
    for (int life = 1; life <= 2; life++) {
      ModelRouter router = Routers.model(new Properties());
      statistics.begin(router);
      router.load(Publication.write(RandomModels.any(new Random(life), life)));
      for (int i = 0; i < 3; i++) {
        router.route(
            new RouteRequest(
                RandomModels.SQL, List.of(5, "x"), new Topology(1, List.of(NODE)), null));
      }
      assertEquals(life, count("cache.gets", "routers", "result", "miss"));
      assertEquals(2 * life, count("cache.gets", "routers", "result", "hit"));
      assertEquals(life, count("publications", "routers", "result", "taken"));
      statistics.end(router);
      router.close();
      assertEquals(2 * life, count("cache.gets", "routers", "result", "hit"));
    }
    assertEquals(
        0,
        registry
            .get("gauss.driver.publications")
            .tag("cluster", "metered:1/routers")
            .tag("result", "refused")
            .functionCounter()
            .count());
  }

  @Test
  void whatIsNoRegistryIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> new GaussDataSource().setMeterRegistry("registry"));
  }
}
