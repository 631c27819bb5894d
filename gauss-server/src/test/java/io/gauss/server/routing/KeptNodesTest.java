package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** For which nodes is learned while some come and go; nodes 11, 12, 13 are in slots 1 to 3. */
class KeptNodesTest {
  private static final Map<Integer, Integer> ALL = Map.of(1, 11, 2, 12, 3, 13);
  private static final long SECOND = 1_000_000_000L;

  private final Map<Integer, Integer> serving = new TreeMap<>(ALL);
  private final Map<Integer, Integer> notLeft = new TreeMap<>(ALL);
  private final Set<Integer> owners = new TreeSet<>(ALL.keySet());
  private long nanos = Long.MAX_VALUE - 10 * SECOND; // it may overflow
  private final KeptNodes kept = another();
  private final RoundSchedule schedule = new RoundSchedule(nanos);

  private KeptNodes another() {
    return new KeptNodes(() -> serving, () -> notLeft, owners::contains, () -> nanos);
  }

  private boolean beginsRound() {
    List<Integer> nodes = kept.get().values().stream().sorted().toList();
    boolean isDue = schedule.isDue(nodes, 0, 0, nanos);
    return isDue && schedule.begins(nodes, nanos);
  }

  private void firstRound() {
    schedule.begins(kept.get().values().stream().sorted().toList(), nanos);
    schedule.ends(0, true, 0, nanos);
    nanos += 5 * SECOND;
    assertFalse(beginsRound());
  }

  @Test
  void oneThatComesBackInTimeBeginsNoRound() {
    firstRound();
    for (int restart = 0; restart < 3; restart++) {
      serving.remove(1);
      assertFalse(beginsRound());
      nanos += KeptNodes.GRACE_NANOS - 1;
      assertFalse(beginsRound());
      assertEquals(ALL, kept.get());
      serving.put(1, 11);
      nanos += SECOND;
      assertFalse(beginsRound(), "each time it has as long");
    }
  }

  @Test
  void theShareOfOneThatStaysAwayIsDealtOutAndItGetsANewOne() {
    firstRound();
    serving.remove(3);
    assertFalse(beginsRound());
    nanos += KeptNodes.GRACE_NANOS;
    assertTrue(beginsRound());
    assertEquals(Map.of(1, 11, 2, 12), kept.get());
    owners.remove(3);
    nanos += 5 * SECOND;
    assertFalse(beginsRound());
    serving.put(3, 13);
    assertTrue(beginsRound());
  }

  @Test
  void oneThatLeavesIsNotWaitedFor() {
    firstRound();
    serving.remove(3);
    notLeft.remove(3);
    assertTrue(beginsRound());
    assertEquals(Map.of(1, 11, 2, 12), kept.get());
  }

  @Test
  void oneThatJoinsGetsItsShareOnceItServes() {
    firstRound();
    notLeft.put(4, 14);
    assertEquals(ALL, kept.get());
    assertFalse(beginsRound());
    serving.put(4, 14);
    assertTrue(beginsRound());
  }

  /** It has not seen that the other one was ever there. */
  @Test
  void oneThatBeginsToLearnMeanwhileWaitsForTheOtherToo() {
    serving.remove(1);
    assertEquals(ALL, kept.get());
    nanos += KeptNodes.GRACE_NANOS;
    KeptNodes later = another();
    assertEquals(Map.of(2, 12, 3, 13), kept.get());
    assertEquals(ALL, later.get());
    nanos += KeptNodes.GRACE_NANOS;
    assertEquals(Map.of(2, 12, 3, 13), later.get());
  }

  @Test
  void oneThatOwnsNothingHasNothingToKeep() {
    owners.clear();
    serving.remove(3);
    assertEquals(Map.of(1, 11, 2, 12), kept.get());
  }
}
