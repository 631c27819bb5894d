package io.gauss.server.routing;

import static io.gauss.compute.routing.BetterNode.NOT_KNOWN;
import static io.gauss.compute.routing.BetterNode.NOT_YET;
import static io.gauss.compute.routing.BetterNode.STAY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.KnownKeys;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.ModelTemplate;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which node a compute node takes for better; nodes 11 and 12 are in slots 1, its own, and 2. */
class PublishedBetterNodeTest {
  private static final String SQL = "SELECT v FROM t WHERE id = $1";
  private static final long TEMPLATE = StatementReader.read(SQL).template().id();

  private PublishedRouting published = PublishedRouting.NONE;
  private final Map<Integer, Integer> numbers = new TreeMap<>(Map.of(1, 11, 2, 12));
  private double load;
  private String owners; // of keys
  private final PublishedBetterNode better =
      new PublishedBetterNode(
          1,
          () -> published,
          () -> numbers,
          slot -> slot == 2 ? new NodeLoad(1, 1, load) : null,
          () -> 0,
          (table, column, value) -> owners);

  private static final int LOOKS = 1600;

  /** Else sessions whose transactions stayed without a node would hardly look when it is back. */
  @Test
  void theVersionChangesWithTheNodes() {
    better.refresh();
    long before = better.version();
    better.refresh();
    assertEquals(before, better.version());
    numbers.remove(2);
    better.refresh();
    long without = better.version();
    assertNotEquals(before, without);
    numbers.put(2, 12);
    better.refresh();
    assertNotEquals(without, better.version());
    assertNotEquals(before, better.version());
  }

  private int better(String text, Object... parameters) {
    better.refresh();
    int answer = better.better(text, List.of(parameters));
    return answer > 0 ? BetterNode.slot(answer) : answer;
  }

  private void publish(long version, byte[] model, byte[] table) {
    published = new PublishedRouting(version, 0, model, table, null, GroupOwners.NONE);
  }

  /** Values below 100 belong to node 11. */
  private static byte[] table() {
    return table(Set.of());
  }

  private static byte[] table(Set<Long> byOwner) {
    return Publication.write(
        new RoutingTable(
            7,
            List.of(
                new RoutingTable.Entry(
                    TEMPLATE,
                    1,
                    0,
                    ColumnProfile.Kind.NUMBER,
                    "",
                    new double[] {100},
                    new short[] {11, 12})),
            byOwner));
  }

  /**
   * Whatever the value, what it takes for likely is node 12's, but for a share.
   *
   * @param here share of node 11
   */
  private static byte[] model(float here) {
    return model(here, Set.of());
  }

  private static byte[] model(float here, Set<Long> byTable) {
    return model(
        byTable,
        List.of(
            new NodeShare(11, 0.5f, new float[] {here, 1}),
            new NodeShare(12, 0.5f, new float[] {1 - here, 0})));
  }

  private static byte[] model(Set<Long> byTable, List<NodeShare> nodes) {
    int inputs = FeatureEncoder.width(1, 1);
    return Publication.write(
        new RoutingModel(
            7,
            List.of(
                new ColumnProfile(
                    "t.id", ColumnProfile.Kind.NUMBER, "", new double[] {0, 1000}, 10, false)),
            List.of(new ModelTemplate(TEMPLATE, new int[] {0})),
            List.of(new Layer(inputs, 2, new float[2 * inputs], new float[] {9, -9})),
            List.of(new GroupRange(0, 9), new GroupRange(10, 19)),
            nodes,
            KnownKeys.NONE,
            Set.of(),
            byTable));
  }

  @Test
  void nothingIsKnownBeforeAnythingIsPublished() {
    assertEquals(NOT_KNOWN, better(SQL, 5L));
  }

  @Test
  void statementsThatTouchNoRowsTellNothingYet() {
    publish(7, null, table());
    assertEquals(NOT_YET, better("BEGIN"));
    assertEquals(NOT_YET, better("SET work_mem = 64"));
  }

  @Test
  void theTableTellsByRangesOfValues() {
    publish(7, null, table());
    assertEquals(STAY, better(SQL, 5L));
    assertEquals(2, better(SQL, 500L));
    assertEquals(2, better("SELECT v FROM t WHERE id = 500"));
    assertEquals(NOT_KNOWN, better("SELECT v FROM other WHERE id = 500"));
    numbers.remove(2);
    assertEquals(NOT_KNOWN, better(SQL, 500L), "its node is away");
  }

  /** The loads of the others alone would decide, each time otherwise. */
  @Test
  void whatBelongsToANodeThatIsAwayGoesWhereItsRowsAre() {
    numbers.put(3, 13);
    float[] nothing = {0, 1};
    publish(
        7,
        model(
            Set.of(),
            List.of(
                new NodeShare(11, 0.5f, nothing),
                new NodeShare(12, 0.5f, new float[] {1, 0}),
                new NodeShare(13, 0.5f, nothing))),
        null);
    owners = "number\n\\N\t13\n";
    assertEquals(2, better(SQL, 5L));
    numbers.remove(2);
    assertEquals(NOT_KNOWN, better(SQL, 5L));
    assertEquals(3, better(SQL, 5L));
    numbers.put(2, 12);
    assertEquals(2, better(SQL, 5L));
  }

  @Test
  void theModelHasToSeeAnotherNodeAheadByAMargin() {
    publish(7, model(0), table());
    assertEquals(2, better(SQL, 5L), "the model comes before the table");
    publish(9, model(0.4f), null);
    assertEquals(2, better(SQL, 5L));
    load = 0.35;
    assertEquals(STAY, better(SQL, 5L), "a little better");
    load = 0.5;
    assertEquals(STAY, better(SQL, 5L), "it is busy");
  }

  @Test
  void theTableComesFirstWhereTheModelLosesAgainstIt() {
    publish(7, model(0, Set.of(TEMPLATE)), table());
    assertEquals(STAY, better(SQL, 5L));
    assertEquals(2, better(SQL, 500L));
  }

  @Test
  void howClearlyItIsBetterIsTold() {
    float[] here = {0.47f, 0.42f, 0.35f, 0.2f};
    for (int i = 0; i < here.length; i++) {
      publish(7 + i, model(here[i]), null);
      better.refresh();
      assertEquals(BetterNode.answer(2, i + 1), better.better(SQL, List.of(5L)));
    }
  }

  @Test
  void templatesWhoseTransactionsStayAreHardlyLookedAt() {
    publish(7, null, table());
    better("BEGIN");
    assertFalse(looked(SQL) < LOOKS, "nothing is known of it yet");
    for (int i = 0; i < StayingTemplates.ENOUGH; i++) {
      better.looked(SQL, false);
    }
    assertTrue(looked(SQL) < LOOKS / 4 && looked(SQL) > 0, "looked at: " + looked(SQL));
    assertFalse(better.stays("BEGIN"));
    better.looked(SQL, true);
    assertEquals(LOOKS, looked(SQL), "one goes to the other node");
    for (int i = 0; i < StayingTemplates.ENOUGH; i++) {
      better.looked(SQL, false);
    }
    publish(8, null, table());
    better("BEGIN");
    assertEquals(LOOKS, looked(SQL), "it may be otherwise by now");
  }

  private int looked(String text) {
    int looked = 0;
    for (int i = 0; i < LOOKS; i++) {
      looked += better.stays(text) ? 0 : 1;
    }
    return looked;
  }

  /** As drivers do: they ask the table only where it is known to be better. */
  @Test
  void whatTheModelDoesNotKnowStays() {
    publish(7, model(0), null);
    assertEquals(NOT_KNOWN, better("DELETE FROM t WHERE id = 500"));
    publish(8, model(0.5f), table());
    assertEquals(NOT_KNOWN, better(SQL, 500L), "both nodes are as good");
    publish(9, model(0.5f, Set.of(TEMPLATE)), table());
    assertEquals(2, better(SQL, 500L));
    assertEquals(NOT_KNOWN, better("VALUES (1)"));
  }

  @Test
  void keysThatWereNotLearnedAreWhereTheirRowsAre() {
    publish(7, null, table());
    owners = "number\n\\N\t11\n1000\t12\n2000\t0\n";
    String other = "SELECT v FROM other WHERE id = $1";
    assertEquals(NOT_KNOWN, better(other, 1500L), "it does not wait for the answer");
    assertEquals(2, better(other, 1500L));
    assertEquals(STAY, better(other, 5L));
    assertEquals(NOT_KNOWN, better(other, 2500L));
    assertEquals(STAY, better(SQL, 5L), "the table is exact");
    assertTrue(better.needsValues(other));
    publish(8, null, table(Set.of(TEMPLATE)));
    assertEquals(2, better(SQL, 500L), "the table, until the owner is known");
    assertEquals(STAY, better(SQL, 500L), "the owner is better");
  }

  /** Of statements that nothing is known of, the values need not be read. */
  @Test
  void valuesAreNeededForWhatIsPublished() {
    better("BEGIN");
    assertFalse(better.needsValues(SQL));
    publish(7, null, table());
    better("BEGIN");
    assertTrue(better.needsValues(SQL));
    assertFalse(better.needsValues("SELECT v FROM other ORDER BY id"));
    publish(8, model(0), null);
    better("BEGIN");
    assertTrue(better.needsValues("SELECT v FROM t WHERE id = 500"));
    assertTrue(better.needsValues("DELETE FROM t WHERE id = $1"), "its owner may be known");
    better("DELETE FROM t WHERE id = $1", 5L);
    better("BEGIN");
    assertFalse(better.needsValues("DELETE FROM t WHERE id = $1"), "the column tells nothing");
    assertEquals(better.template(SQL), better.template("SELECT v FROM t WHERE id = 500"));
  }

  @Test
  void whatIsDamagedIsNotUsed() {
    publish(7, new byte[] {1, 2, 3}, null);
    assertEquals(NOT_KNOWN, better(SQL, 5L));
  }
}
