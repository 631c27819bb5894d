package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** Two nodes; groups of even numbers are the first one's, and so are even ids. */
class TableJudgementTest {
  private static final List<Integer> NODES = List.of(1, 2);
  private static final int RARE = 30;

  private final Map<Long, GroupPlace> places = new HashMap<>();
  private final List<TransactionSample> samples = new ArrayList<>();
  private final Random random = new Random(11);

  TableJudgementTest() {
    for (long group = 1; group <= 40; group++) {
      places.put(group, new GroupPlace(1 + (int) (group % 2), 0, 1));
    }
  }

  private static ReadStatement statement(int number) {
    return StatementReader.read("UPDATE t" + number + " SET v = 1 WHERE id = ?");
  }

  /** Statements about an id touch the group of that number. */
  private void add(int statement, int count) {
    for (int i = 0; i < count; i++) {
      long id = 1L + random.nextInt(40);
      samples.add(Traces.sample(statement(statement), List.of(id), Set.of(id), Set.of(id), 1));
    }
  }

  private static RoutingTable table(int statements) {
    double[] bounds = new double[39];
    short[] nodes = new short[40];
    for (int i = 0; i < 40; i++) {
      nodes[i] = (short) (1 + (i + 1) % 2);
      if (i > 0) {
        bounds[i - 1] = i + 1;
      }
    }
    List<RoutingTable.Entry> entries = new ArrayList<>();
    for (int i = 0; i < statements; i++) {
      entries.add(
          new RoutingTable.Entry(
              statement(i).template().id(), 1, 0, ColumnProfile.Kind.NUMBER, "", bounds, nodes));
    }
    return new RoutingTable(1, entries);
  }

  private Set<Long> better(int statements, ToIntFunction<TransactionSample> model) {
    return TableJudgement.of(samples, places, NODES, model, table(statements));
  }

  private int owner(TransactionSample s) {
    return places.get(s.groups()[0]).node();
  }

  @Test
  void aModelThatIsAsGoodIsUsed() {
    add(0, 200);
    assertEquals(Set.of(), better(1, this::owner));
  }

  @Test
  void aModelThatGuessesOrDoesNotKnowLoses() {
    add(0, 200);
    add(1, 200);
    Set<Long> first = Set.of(statement(0).template().id());
    assertEquals(first, better(1, s -> 1));
    assertEquals(first, better(1, s -> 0));
  }

  /** One of twenty: that may be chance, and nine of ten are not. */
  @Test
  void aSingleMistakeIsNotALoss() {
    add(0, 20);
    TransactionSample one = samples.getFirst();
    assertEquals(Set.of(), better(1, s -> s == one ? 3 - owner(s) : owner(s)));
    assertEquals(1, better(1, s -> s == one ? owner(s) : 3 - owner(s)).size());
  }

  @Test
  void rareTemplatesAreJudgedTogether() {
    for (int i = 0; i < RARE; i++) {
      add(i, 3);
    }
    assertEquals(RARE + 5, better(RARE + 5, s -> 0).size(), "also those that did not occur");
    assertEquals(Set.of(), better(RARE + 5, this::owner));
  }
}
