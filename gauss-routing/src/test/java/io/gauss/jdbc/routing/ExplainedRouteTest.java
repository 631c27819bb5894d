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
import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** What people are told about routes. */
class ExplainedRouteTest {
  private static final Topology TWO_NODES =
      new Topology(
          1,
          List.of(
              new ClusterNode(1, "a", 1, ClusterNode.State.UP, 0.2),
              new ClusterNode(2, "b", 2, ClusterNode.State.UP, Double.NaN)));

  private final ModelRouter model = Routers.model(java());
  private final TableRouter table = Routers.table(java());

  private static Properties java() {
    Properties properties = new Properties();
    properties.setProperty("routing.engine", "java");
    return properties;
  }

  /** Ids up to 500 are node 1's. */
  private static byte[] halves(float mixed) {
    int inputs = FeatureEncoder.width(1, 2);
    float[] weights = new float[2 * inputs];
    weights[2] = -40;
    weights[inputs + 2] = 40;
    return Publication.write(
        new RoutingModel(
            7,
            List.of(
                new ColumnProfile(
                    "t.id", ColumnProfile.Kind.NUMBER, "", new double[] {0, 1000}, 1000, false),
                new ColumnProfile(
                    "t.name", ColumnProfile.Kind.TEXT, "", new double[] {0, 1}, 2, false)),
            List.of(RandomModels.template()),
            List.of(new Layer(inputs, 2, weights, new float[] {20, -20})),
            List.of(new GroupRange(0, 0), new GroupRange(1, 1)),
            List.of(
                new NodeShare(1, 0.5f, new float[] {1, mixed}),
                new NodeShare(2, 0.5f, new float[] {mixed, 1}))));
  }

  private static String explain(Router router, String sql, Object... parameters) {
    return String.join(
        "\n", router.explain(new RouteRequest(sql, List.of(parameters), TWO_NODES, null)));
  }

  @Test
  void aModelsDecisionComesWithWhatWasReadAndWhatEachNodeIsWorth() throws PublicationException {
    model.load(halves(0));
    assertEquals(
        """
        Statement: template %s
          Text: %s
          Predicate: t.id = 990
          Predicate: t.name = 'x'
        Model: version 7, 1 templates, 2 columns, 87 inputs, 2 outputs, computed by java
          Node 1: score 0.000, load 0.20 x 0.50, value -0.100
          Node 2: score 1.000, load not known, value 1.000
        Decision: node 2 (b:2), by the model\
        """
            .formatted(
                Long.toHexString(RandomModels.template().id()),
                "select v from t where id = ? and name = ?"),
        explain(model, RandomModels.SQL, 990L, "x"));
    assertEquals(0, model.report().known(), "explaining does not count");
  }

  @Test
  void whatAModelDoesNotKnowComesWithTheReason() throws PublicationException {
    assertTrue(explain(model, RandomModels.SQL, 1L, "x").contains("Model: none is published yet"));
    model.load(halves(1));
    assertTrue(
        explain(model, "SELECT w FROM t WHERE id = ?", 1L)
            .contains(
                "Does not know: the template is not in the model\n"
                    + "Owner of the key: not known\nDecision: node "));
    assertTrue(explain(model, RandomModels.SQL, 1L, "x").contains("(routing.confidence)"));
    assertTrue(
        explain(model, "SELECT count(*) FROM t")
            .endsWith("Decision: any node that is not busy, since no value is known"));
    assertTrue(explain(model, "SHOW work_mem").contains("touches no rows"));
  }

  @Test
  void aTablesDecisionComesWithTheRange() throws PublicationException {
    assertTrue(explain(table, RandomModels.SQL, 1L, "x").contains("Table: none is published yet"));
    table.load(
        Publication.write(
            new RoutingTable(
                8,
                List.of(
                    new RoutingTable.Entry(
                        RandomModels.template().id(),
                        2,
                        0,
                        ColumnProfile.Kind.NUMBER,
                        "",
                        new double[] {100, 500},
                        new short[] {1, 2, 3})))));
    String second = explain(table, RandomModels.SQL, 100L, "x");
    assertTrue(second.contains("Table: version 8, 1 templates"), second);
    assertTrue(second.contains("  Range: predicate 1 from 100.0 to below 500.0, node 2"), second);
    assertTrue(second.endsWith("Decision: node 2 (b:2), by the table"), second);
    assertTrue(
        explain(table, RandomModels.SQL, 500L, "x").contains("that node takes no transactions"));
  }
}
