package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two nodes; groups of even numbers are the first one's. */
class AblationTest {
  private static final List<Integer> NODES = List.of(1, 2);
  private static final int TEMPLATES = 500;
  private static final String BEST = "table, keys, owners";

  private final Random random = new Random(17);
  private final Map<Long, GroupPlace> places = new HashMap<>();
  private final List<TransactionSample> later = new ArrayList<>();

  AblationTest() {
    for (long group = 1; group <= 40; group++) {
      places.put(group, new GroupPlace(1 + (int) (group % 2), 0, 1));
    }
  }

  private static ReadStatement statement(int number) {
    return StatementReader.read("UPDATE t" + number + " SET v = 1 WHERE id = ?");
  }

  private void add(int statement, long id, long group, long keyGroup) {
    Set<Long> groups = Set.of(group);
    later.add(
        Traces.keyed(
            Traces.sample(statement(statement), List.of(id), groups, groups, 1), keyGroup));
  }

  /** The table says that everything is node 1's; the model knows nothing. */
  private Map<String, Double> parts() {
    List<RoutingTable.Entry> entries = new ArrayList<>();
    for (int i = 0; i < TEMPLATES; i++) {
      entries.add(
          new RoutingTable.Entry(
              statement(i).template().id(),
              1,
              0,
              ColumnProfile.Kind.NUMBER,
              "",
              new double[0],
              new short[] {1}));
    }
    int inputs = FeatureEncoder.width(0, 1);
    RoutingModel model =
        new RoutingModel(
            1,
            List.of(
                new ColumnProfile(
                    "t.id", ColumnProfile.Kind.NUMBER, "", new double[] {0, 1}, 2, false)),
            List.of(),
            List.of(new Layer(inputs, 1, new float[inputs], new float[1])),
            List.of(new GroupRange(0, 99)),
            List.of(new NodeShare(1, 0, new float[] {1}), new NodeShare(2, 0, new float[] {1})));
    return Ablation.of(
        new Learned(model, new RoutingTable(1, entries), places, NODES, PublicationSources.NONE),
        later);
  }

  /** For each template by chance one or the other seems to be better. */
  @Test
  void whatTheBestIsWorthIsNotJudgedByWhatItWasChosenBy() {
    for (int template = 0; template < TEMPLATES; template++) {
      for (int i = 0; i < 4; i++) {
        add(template, i, 1L + random.nextInt(40), 1L + random.nextInt(40));
      }
    }
    Map<String, Double> parts = parts();
    assertEquals(0.5, parts.get("table"), 0.04);
    assertEquals(0.5, parts.get("owners"), 0.04);
    assertEquals(0.5, parts.get(BEST), 0.04, parts::toString);
  }

  @Test
  void whereOneIsBetterItIsChosen() {
    for (int i = 0; i < 1000; i++) {
      long group = 1L + random.nextInt(40);
      add(0, i, group, group);
      add(1, i, 2, 1L + random.nextInt(40));
    }
    Map<String, Double> parts = parts();
    assertTrue(parts.get("table") > 0.2 && parts.get("owners") > 0.2, parts::toString);
    assertEquals(0, parts.get(BEST));
    assertEquals(0, parts.get("best node"));
  }
}
