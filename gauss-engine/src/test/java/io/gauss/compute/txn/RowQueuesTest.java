package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RowQueuesTest {
  private static final long XID = 5;
  private static final long ROW = 77;

  private final RowQueues queues = new RowQueues();
  private final List<String> turns = new ArrayList<>();

  private RowQueues.Place here(String name) {
    return add(name, true, RowQueues.NEW);
  }

  private RowQueues.Place elsewhere(String name) {
    return add(name, false, RowQueues.NEW);
  }

  private RowQueues.Place add(String name, boolean here, int passedBy) {
    return queues.add(() -> turns.add(name), XID, ROW, here, passedBy);
  }

  @Test
  void whoCameFirstHasTheTurnFirst() {
    RowQueues.Place first = here("a");
    RowQueues.Place second = here("b");
    here("c");
    queues.ended(XID);
    assertEquals(List.of("a"), turns);
    second.leave();
    first.leave();
    assertEquals(List.of("a", "c"), turns, "who has left gets no turn");
  }

  @Test
  void nobodyHasATurnBeforeTheTransactionHasEnded() {
    RowQueues.Place place = here("a");
    queues.ended(XID + 1);
    here("b");
    place.leave();
    assertEquals(List.of(), turns);
  }

  @Test
  void everyRowHasItsOwnTurn() {
    here("a");
    queues.add(() -> turns.add("other"), XID, ROW + 1, true, RowQueues.NEW);
    queues.ended(XID);
    turns.sort(null);
    assertEquals(List.of("a", "other"), turns);
  }

  @Test
  void soManyOfThisNodeGoBeforeOneOfAnother() {
    RowQueues.Place waits = elsewhere("elsewhere");
    RowQueues.Place next = here("0");
    queues.ended(XID);
    for (int i = 1; i <= RowQueues.PASSED_BY; i++) {
      assertFalse(waits.hasTurn());
      RowQueues.Place newcomer = here(String.valueOf(i));
      next.leave();
      next = newcomer;
    }
    assertTrue(waits.hasTurn());
    assertFalse(next.hasTurn());
    assertEquals(RowQueues.PASSED_BY, waits.passedBy());
  }

  @Test
  void whoHasBeenPassedByOftenEnoughInEarlierQueuesGoesFirst() {
    RowQueues.Place newcomer = here("here");
    RowQueues.Place waits = add("elsewhere", false, RowQueues.PASSED_BY);
    queues.ended(XID);
    assertEquals(List.of("elsewhere"), turns);
    waits.leave();
    assertTrue(newcomer.hasTurn());
  }

  @Test
  void whoComesWithATurnIsAheadOfWhoHasNone() {
    elsewhere("b");
    RowQueues.Place first = add("a", false, 0);
    queues.ended(XID);
    first.leave();
    assertEquals(List.of("a", "b"), turns);
  }

  @Test
  void whoComesAfterTheEndTakesTheTurnUnlessSomebodyHasIt() {
    RowQueues.Place late = elsewhere("a");
    assertTrue(queues.takeTurnIfNext(late));
    RowQueues.Place later = here("b");
    assertFalse(queues.takeTurnIfNext(later));
    late.leave();
    assertTrue(later.hasTurn());
  }

  /**
   * Whatever comes and goes: one turn at a time, none is lost, and nobody is passed by for ever.
   */
  @Test
  void whileAnybodyWaitsExactlyOneHasTheTurn() {
    Random random = new Random(Seeds.next());
    for (int round = 0; round < 200; round++) {
      RowQueues fresh = new RowQueues();
      List<RowQueues.Place> places = new ArrayList<>();
      boolean ended = false;
      for (int step = 0; step < 200; step++) {
        if (places.isEmpty() || random.nextInt(5) < 2) {
          boolean here = random.nextBoolean();
          int passedBy = random.nextInt(RowQueues.PASSED_BY + 2) - 1;
          RowQueues.Place place = fresh.add(() -> {}, XID, ROW, here, passedBy);
          places.add(place);
          if (ended) {
            fresh.takeTurnIfNext(place);
          }
        } else {
          places.remove(random.nextInt(places.size())).leave();
        }
        if (!ended && random.nextInt(10) == 0) {
          ended = true;
          fresh.ended(XID);
        }
        long holders = places.stream().filter(RowQueues.Place::hasTurn).count();
        assertEquals(ended && !places.isEmpty() ? 1 : 0, holders);
        assertTrue(places.stream().allMatch(p -> p.passedBy() <= RowQueues.PASSED_BY));
      }
    }
  }
}
