package io.gauss.jdbc.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Where statements go of which only a value is known. */
class KeyAffinityTest {
  private static final int NODES = 3;
  private final KeyAffinity affinity = new KeyAffinity();

  private static Topology topology(double load) {
    return new Topology(
        1,
        IntStream.rangeClosed(1, NODES)
            .mapToObj(n -> new ClusterNode(n, "h" + n, 1, ClusterNode.State.UP, load))
            .toList());
  }

  private int node(KeyAffinity by, String sql, double load, Object... parameters) {
    return by.decide("test", StatementReader.read(sql), List.of(parameters), topology(load))
        .node()
        .number();
  }

  private int[] counts(String sql, double load, int statements) {
    int[] counts = new int[NODES + 1];
    for (int i = 0; i < statements; i++) {
      counts[node(affinity, sql, load)]++;
    }
    return counts;
  }

  @Test
  void parametersTellStatementsApartAndConstantsDoNot() {
    String sql = "SELECT v FROM t WHERE status = 'open' AND id = ?";
    long nodes =
        IntStream.range(0, 10).map(id -> node(new KeyAffinity(), sql, 0, id)).distinct().count();
    assertEquals(NODES, nodes);
  }

  @Test
  void aNumberIsTheSameHoweverItIsBound() {
    String sql = "SELECT v FROM t WHERE id = ?";
    for (int id = 0; id < 20; id++) {
      int node = node(new KeyAffinity(), sql, 0, (long) id);
      assertEquals(node, node(new KeyAffinity(), sql, 0, Integer.toString(id)));
      assertEquals(node, node(new KeyAffinity(), sql, 0, (double) id));
      assertEquals(node, node(new KeyAffinity(), "SELECT v FROM t WHERE id = " + id, 0));
    }
  }

  @Test
  void aValueThatAllHaveDoesNotBringAllToOneNode() {
    int[] counts = counts("SELECT v FROM t WHERE status = 'open'", Double.NaN, 9000);
    assertTrue(Arrays.stream(counts).max().getAsInt() < 9000 / NODES * 1.4, str(counts));
    int[] busy = counts("SELECT v FROM t WHERE status = 'open'", 0.8, 9000);
    assertTrue(Arrays.stream(busy).max().getAsInt() < 9000 / NODES * 1.4, str(busy));
  }

  /** Pages would move for nothing. */
  @Test
  void aNodeThatHasTimeKeepsWhatItHas() {
    int[] counts = counts("SELECT v FROM t WHERE status = 'open'", 0.3, 9000);
    assertEquals(9000, Arrays.stream(counts).max().getAsInt(), str(counts));
  }

  @Test
  void manyValuesStayWhereTheyAreFirst() {
    Random random = new Random(1);
    int same = 0;
    for (int i = 0; i < 5000; i++) {
      int id = random.nextInt(1000);
      String sql = "SELECT v FROM t WHERE id = ?";
      same += node(affinity, sql, 0.9, id) == node(new KeyAffinity(), sql, 0.9, id) ? 1 : 0;
    }
    assertTrue(same > 4900, same + " of 5000");
  }

  private static String str(int[] counts) {
    return Arrays.toString(counts);
  }
}
