package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.ModelRouter;
import io.gauss.jdbc.routing.RouteRequest;
import io.gauss.jdbc.routing.Routers;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.ModelTemplate;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What was learned is judged as drivers use it: a real one decides the same each time. */
class LearnedTest {
  private static final List<Integer> NODES = List.of(1, 2);

  /** Both the model and the table have it; the other one only the table. */
  private static final String KNOWN = "UPDATE t SET v = 1 WHERE id = ?";

  private static final String OTHER = "DELETE FROM t WHERE id = ?";

  private static final Topology TOPOLOGY =
      new Topology(
          1,
          List.of(
              new ClusterNode(1, "a", 1, ClusterNode.State.UP, 0),
              new ClusterNode(2, "b", 2, ClusterNode.State.UP, 0)));

  private static long template(String sql) {
    return StatementReader.read(sql).template().id();
  }

  /**
   * The lower half of ids from 0 to 1000 is node 1's, so far as that is not mixed.
   *
   * @param mixed what each node has of the other one's half
   */
  private static RoutingModel model(float mixed, Set<Long> byTable) {
    int inputs = FeatureEncoder.width(1, 1);
    float[] weights = new float[2 * inputs];
    weights[2] = -40;
    weights[inputs + 2] = 40;
    return new RoutingModel(
            1,
            List.of(
                new ColumnProfile(
                    "t.id", ColumnProfile.Kind.NUMBER, "", new double[] {0, 1000}, 1000, false)),
            List.of(new ModelTemplate(template(KNOWN), new int[] {0})),
            List.of(new Layer(inputs, 2, weights, new float[] {20, -20})),
            List.of(new GroupRange(0, 0), new GroupRange(1, 1)),
            List.of(
                new NodeShare(1, 0.5f, new float[] {1, mixed}),
                new NodeShare(2, 0.5f, new float[] {mixed, 1})))
        .with(Set.of(), byTable);
  }

  /** Ids below 100 are node 2's, those from 900 on nobody's. */
  private static RoutingTable table() {
    double[] bounds = {100, 900};
    short[] nodes = {2, 1, 0};
    return new RoutingTable(
        1,
        List.of(
            new RoutingTable.Entry(
                template(KNOWN), 1, 0, ColumnProfile.Kind.NUMBER, "", bounds, nodes),
            new RoutingTable.Entry(
                template(OTHER), 1, 0, ColumnProfile.Kind.NUMBER, "", bounds, nodes)));
  }

  private static ModelRouter driver(RoutingModel model) throws PublicationException {
    Properties properties = new Properties();
    properties.setProperty("routing.engine", "java");
    ModelRouter driver = Routers.model(properties);
    driver.load(Publication.write(model));
    driver.loadTable(Publication.write(table()));
    return driver;
  }

  /** 0 = by what the driver knows without anything learned. */
  private static int decided(ModelRouter driver, String sql, long id) {
    Decision decision = driver.route(new RouteRequest(sql, List.of(id), TOPOLOGY, null));
    return decision.cause() == Decision.Cause.FIRST_VALUE ? 0 : decision.node().number();
  }

  @Test
  void transactionsAreJudgedWhereDriversSendThem() throws PublicationException {
    int[] known = new int[3];
    for (Set<Long> byTable :
        List.of(Set.<Long>of(), Set.of(template(KNOWN)), Set.of(template(OTHER)))) {
      for (float mixed : new float[] {0, 0.5f, 0.98f, 1}) {
        RoutingModel model = model(mixed, byTable);
        Learned learned = new Learned(model, table(), Map.of(), NODES, PublicationSources.NONE);
        try (ModelRouter driver = driver(model);
            ModelSnapshot snapshot = new ModelSnapshot(model, new JavaEngine(model.layers()))) {
          for (String sql : List.of(KNOWN, OTHER)) {
            for (long id = 50; id < 1000; id += 100) {
              TransactionSample s =
                  Traces.sample(StatementReader.read(sql), List.of(id), Set.of(), Set.of(), 1);
              int node = decided(driver, sql, id);
              known[node]++;
              assertEquals(
                  node,
                  learned.node(snapshot, s),
                  "%s, id %d, mixed %s, %d by the table".formatted(sql, id, mixed, byTable.size()));
            }
          }
        }
      }
    }
    assertTrue(known[0] > 20 && known[1] > 20 && known[2] > 20, "all of it occurs");
  }
}
