package io.gauss.jdbc.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.Decision.Cause;
import io.gauss.jdbc.routing.Decision.Kind;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.KnownKeys;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.RandomModels;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ModelRouterTest {
  private ModelRouter router = new ModelRouter(settings(""), new Engines());

  private static RouterSettings settings(String without) {
    Properties properties = new Properties();
    properties.setProperty("routing.engine", "java");
    properties.setProperty("routing.without", without);
    return RouterSettings.of(properties);
  }

  /**
   * Two page groups, the lower and the upper half of ids from 0 to 1000.
   *
   * @param first the node that owns the lower half
   */
  private static byte[] halves(long version, int first, float mixed) {
    int inputs = FeatureEncoder.width(1, 2);
    float[] weights = new float[2 * inputs];
    int quantile = 1 + 1;
    weights[quantile] = -40;
    weights[inputs + quantile] = 40;
    return Publication.write(halves(version, first, mixed, weights));
  }

  private static RoutingModel halves(long version, int first, float mixed, float[] weights) {
    int inputs = weights.length / 2;
    return new RoutingModel(
        version,
        List.of(
            new ColumnProfile(
                "t.id", ColumnProfile.Kind.NUMBER, "", new double[] {0, 1000}, 1000, false),
            new ColumnProfile(
                "t.name", ColumnProfile.Kind.TEXT, "", new double[] {0, 1}, 2, false)),
        List.of(RandomModels.template()),
        List.of(new Layer(inputs, 2, weights, new float[] {20, -20})),
        List.of(new GroupRange(0, 0), new GroupRange(1, 1)),
        List.of(
            new NodeShare(first, 0.5f, new float[] {1, mixed}),
            new NodeShare(3 - first, 0.5f, new float[] {mixed, 1})));
  }

  /** A model that says that everything is node 1's, but of whose template the table is better. */
  private static RoutingModel losing(long version) {
    return halves(version, 1, 0, new float[2 * FeatureEncoder.width(1, 2)])
        .with(Set.of(), Set.of(RandomModels.template().id()));
  }

  /** Ids below 100 are node 1's, those from 900 on nobody's. */
  private static byte[] table(long version) {
    return Publication.write(
        new RoutingTable(
            version,
            List.of(
                new RoutingTable.Entry(
                    RandomModels.template().id(),
                    2,
                    0,
                    ColumnProfile.Kind.NUMBER,
                    "",
                    new double[] {100, 900},
                    new short[] {1, 2, 0}))));
  }

  private void without(String parts) {
    router = new ModelRouter(settings(parts), new Engines());
  }

  private static Topology topology(double load1, double load2) {
    return new Topology(
        1,
        List.of(
            new ClusterNode(1, "a", 1, ClusterNode.State.UP, load1),
            new ClusterNode(2, "b", 2, ClusterNode.State.UP, load2)));
  }

  private int route(long id, Topology topology) {
    Decision decision = decide(RandomModels.SQL, List.of(id, "x"), topology);
    return decision.kind() == Kind.NODE ? decision.node().number() : 0;
  }

  private Decision decide(String sql, List<Object> parameters, Topology topology) {
    return router.route(new RouteRequest(sql, parameters, topology, null));
  }

  @Test
  void aTransactionGoesToTheNodeThatOwnsWhatItWillTouch() throws PublicationException {
    router.load(halves(1, 1, 0));
    assertEquals(1, route(10, topology(0, 0)));
    assertEquals(2, route(990, topology(0, 0)));
    assertEquals(
        2,
        decide("SELECT v FROM t WHERE id = 990 AND name = 'x'", List.of(), topology(0, 0))
            .node()
            .number());
    assertEquals(3, router.report().known());
    assertEquals(1, router.report().cached());
  }

  @Test
  void theTableDecidesWhereTheModelLosesAgainstIt() throws PublicationException {
    router.load(Publication.write(losing(1)));
    assertEquals(1, route(500, topology(0, 0)), "the table has not come yet");
    router.loadTable(table(1));
    assertEquals(1, route(50, topology(0, 0)));
    assertEquals(2, route(500, topology(0, 0)));
    assertEquals(1, route(950, topology(0, 0)), "the table does not know");
    assertEquals(Cause.TABLE, decide(RandomModels.SQL, List.of(500L, "x"), topology(0, 0)).cause());
    List<String> lines =
        router.explain(
            new RouteRequest(RandomModels.SQL, List.of(500L, "x"), topology(0, 0), null));
    assertTrue(
        lines.get(lines.size() - 1).endsWith("by the table, which is better for the template"));
    router.load(halves(2, 1, 0));
    assertEquals(1, route(10, topology(0, 0)));
    assertEquals(2, route(990, topology(0, 0)), "this model does not lose");
  }

  @Test
  void partsOfWhatIsPublishedCanBeLeftOut() throws PublicationException {
    without("ranges");
    router.load(Publication.write(losing(1)));
    router.loadTable(table(1));
    assertEquals(1, route(500, topology(0, 0)));
    RoutingModel keys =
        losing(1)
            .with(new KnownKeys(new byte[] {0}, new int[] {KnownKeys.hash(0, 7L)}, new byte[] {1}));
    without("network,ranges");
    router.load(Publication.write(keys));
    assertEquals(2, route(7, topology(0, 0)), "it is looked up");
    assertEquals(
        Cause.FIRST_VALUE, decide(RandomModels.SQL, List.of(8L, "x"), topology(0, 0)).cause());
    without("keys,ranges");
    router.load(Publication.write(keys));
    assertEquals(1, route(7, topology(0, 0)));
    assertThrows(IllegalArgumentException.class, () -> settings("owners"));
  }

  @Test
  void aModelThatNobodyConfirmsAnyMoreIsNotUsed() throws PublicationException {
    router.load(halves(1, 1, 0));
    decide(RandomModels.SQL, List.of(10L, "x"), topology(0, 0));
    router.forget();
    decide(RandomModels.SQL, List.of(10L, "x"), topology(0, 0));
    assertEquals(1, router.report().known());
  }

  @Test
  void aNodeThatIsDownOrBusyIsPassedOver() throws PublicationException {
    router.load(halves(1, 1, 0.5f));
    assertEquals(2, route(990, topology(0, 0)));
    assertEquals(1, route(990, topology(0, 2)));
    Topology down =
        new Topology(
            2,
            List.of(
                new ClusterNode(1, "a", 1, ClusterNode.State.UP, 0),
                new ClusterNode(2, "b", 2, ClusterNode.State.DOWN, 0)));
    assertEquals(1, route(990, down));
  }

  /** All applications send it to the same one, however busy the others are. */
  @Test
  void withoutTheNodeThatHasEverythingTheFirstValueDecides() throws PublicationException {
    router.load(
        Publication.write(
            new RoutingModel(
                1,
                halves(1, 1, 0, new float[2 * FeatureEncoder.width(1, 2)]).columns(),
                List.of(RandomModels.template()),
                List.of(
                    new Layer(
                        FeatureEncoder.width(1, 2),
                        2,
                        new float[2 * FeatureEncoder.width(1, 2)],
                        new float[] {20, -20})),
                List.of(new GroupRange(0, 0), new GroupRange(1, 1)),
                List.of(
                    new NodeShare(1, 0.5f, new float[] {0, 1}),
                    new NodeShare(2, 0.5f, new float[] {0, 1}),
                    new NodeShare(3, 0.5f, new float[] {1, 0})))));
    assertEquals(3, route(10, three(ClusterNode.State.UP, 0, 0)));
    int next = route(10, three(ClusterNode.State.DOWN, 0, 0));
    for (double load = 0; load < 0.4; load += 0.1) {
      Topology topology = three(ClusterNode.State.DOWN, load, 0.4 - load);
      assertEquals(next, route(10, topology));
      Decision decision = decide(RandomModels.SQL, List.of(10L, "x"), topology);
      assertEquals(Cause.FIRST_VALUE, decision.cause());
    }
    assertEquals(3, route(10, three(ClusterNode.State.UP, 0, 0)));
  }

  private static Topology three(ClusterNode.State third, double load1, double load2) {
    return new Topology(
        1,
        List.of(
            new ClusterNode(1, "a", 1, ClusterNode.State.UP, load1),
            new ClusterNode(2, "b", 2, ClusterNode.State.UP, load2),
            new ClusterNode(3, "c", 3, third, 0)));
  }

  @Test
  void smallChangesOfLoadDoNotMoveTransactions() throws PublicationException {
    router.load(halves(1, 1, 0.85f)); // scores 0.99 and 0.64 less half of the load
    assertEquals(2, route(990, topology(0, 0)));
    double edge = edge();
    assertEquals(2, route(990, topology(0, edge - 0.02)));
    assertEquals(1, route(990, topology(0, edge + 0.02)));
    assertEquals(1, route(990, topology(0, edge - 0.02)), "hysteresis keeps it there");
    assertEquals(2, route(990, topology(0, 0)));
  }

  /** The load of node 2 from which on a transaction leaves it, by trying. */
  private double edge() {
    for (double load = 0; load < 4; load += 0.01) {
      if (route(990, topology(0, load)) == 1) {
        assertEquals(2, route(990, topology(0, 0)));
        return load;
      }
    }
    throw new AssertionError("load does not count");
  }

  @Test
  void aNewModelIsUsedForWhatWasCachedToo() throws PublicationException {
    router.load(halves(1, 1, 0));
    assertEquals(1, route(10, topology(0, 0)));
    router.load(halves(2, 2, 0));
    assertEquals(2, route(10, topology(0, 0)));
    assertEquals(2, router.report().version());
  }

  /** The role may read other tables than before, or no more of some. */
  @Test
  void moreOrLessOfTheSameVersionIsUsed() throws PublicationException {
    router.load(halves(2, 1, 0));
    assertEquals(1, route(10, topology(0, 0)));
    router.load(halves(2, 2, 0));
    assertEquals(2, route(10, topology(0, 0)));
    router.load(Publication.write(losing(3)));
    router.loadTable(table(3));
    assertEquals(2, route(500, topology(0, 0)));
    router.loadTable(Publication.write(new RoutingTable(3, List.of())));
    assertEquals(1, route(500, topology(0, 0)), "by the model");
  }

  @Test
  void aBadModelChangesNothing() throws PublicationException {
    router.load(halves(2, 1, 0));
    byte[] damaged = halves(3, 2, 0);
    damaged[60] ^= 1;
    assertThrows(PublicationException.class, () -> router.load(damaged));
    assertThrows(PublicationException.class, () -> router.load(halves(1, 2, 0)));
    assertEquals(1, route(10, topology(0, 0)));
    assertEquals(2, router.report().version());
  }

  @Test
  void whatTheModelDoesNotKnowGoesByTheFirstValueAlways() throws PublicationException {
    router.load(halves(1, 1, 1)); // both own everything: neither stands out
    int node = route(10, topology(0, 0));
    for (double load = 0; load < 1; load += 0.1) {
      assertEquals(node, route(10, topology(load, 1 - load)));
    }
    assertEquals(0, router.report().known());
    assertEquals(Kind.ANYWHERE, decide("SELECT count(*) FROM t", List.of(), topology(0, 0)).kind());
    assertEquals(Kind.NOT_YET, decide("SELECT 1", List.of(), topology(0, 0)).kind());
  }

  @Test
  void withoutAModelThereAreStillAnswers() {
    assertEquals(route(10, topology(0, 0)), route(10, topology(0, 0)));
    assertEquals("none", router.report().engine());
    router.close();
    assertEquals(Kind.NODE, decide(RandomModels.SQL, List.of(1, "x"), topology(0, 0)).kind());
  }

  @Test
  void valuesOfPropertiesThatAreNoneAreRefused() {
    Properties properties = new Properties();
    properties.setProperty("routing.engine", "fast");
    assertThrows(IllegalArgumentException.class, () -> RouterSettings.of(properties));
    properties.setProperty("routing.engine", "java");
    properties.setProperty("routing.hysteresis", "2");
    assertThrows(IllegalArgumentException.class, () -> RouterSettings.of(properties));
  }
}
