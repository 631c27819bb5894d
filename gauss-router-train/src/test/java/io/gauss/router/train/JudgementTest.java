package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is worth publishing, and what has to go again. */
class JudgementTest {
  private static final int TENANTS = 60;
  private static final long[] GROUPS = LongStream.range(0, TENANTS).toArray();

  private static final List<Integer> NODES = List.of(1, 2);

  private final Judgement judgement = new Judgement();
  private final Learned right = learned(1, 2);
  private final Learned wrong = learned(2, 1);

  /** The lower half of the tenants is on node 1, and transactions are sent where this says. */
  private static Learned learned(int lower, int upper) {
    TransactionSample any = Traces.visit(0, 0);
    RoutingTable table =
        new RoutingTable(
            1,
            List.of(
                new RoutingTable.Entry(
                    any.template().id(),
                    any.values().length,
                    0,
                    ColumnProfile.Kind.NUMBER,
                    "",
                    new double[] {TENANTS / 2.0},
                    new short[] {(short) lower, (short) upper})));
    Map<Long, GroupPlace> places = new HashMap<>();
    for (int t = 0; t < TENANTS; t++) {
      places.put((long) t, new GroupPlace(t < TENANTS / 2 ? 1 : 2, t, 1));
    }
    return new Learned(null, table, places, NODES, PublicationSources.NONE);
  }

  private static List<TransactionSample> samples(int transfers) {
    return LongStream.range(0, 1000)
        .mapToObj(i -> Traces.visit(i % TENANTS, i % TENANTS))
        .map(s -> transfers == 0 ? s : Traces.moved(s, s.groups()))
        .toList();
  }

  private static boolean isWorth(Learned candidate, Learned present) {
    float[] weights = new float[TENANTS];
    for (int i = 0; i < TENANTS; i++) {
      weights[i] = 1;
    }
    return Judgement.isWorth(candidate, present, samples(0), GROUPS, weights);
  }

  @Test
  void onlyWhatSavesTransfersIsWorthIt() {
    assertEquals(0, right.transfers(samples(0)));
    assertEquals(1, wrong.transfers(samples(0)));
    assertTrue(isWorth(right, wrong));
    assertFalse(isWorth(wrong, right));
    assertFalse(isWorth(right, right));
    assertTrue(isWorth(right, null), "the first one");
  }

  @Test
  void aHotNodesReliefIsWorthIt() {
    Map<Long, GroupPlace> places = new HashMap<>();
    right.places().forEach((group, place) -> places.put(group, new GroupPlace(1, 0, 1)));
    Learned allOnOne = new Learned(null, null, places, NODES, PublicationSources.NONE);
    assertTrue(isWorth(right, allOnOne));
  }

  @Test
  void whatHasMadeItWorseGoesAgain() {
    judgement.published(null);
    judgement.measure(samples(0));
    judgement.measure(samples(0));
    judgement.published(right);
    judgement.measure(samples(1));
    assertNull(judgement.better(wrong, samples(1), NODES), "pages have just begun to move");
    judgement.measure(samples(1));
    assertSame(right, judgement.better(wrong, samples(1), NODES));
    assertTrue(judgement.isSettled());
    judgement.wentBack();
    assertFalse(judgement.isSettled());
    judgement.measure(samples(1));
    assertFalse(judgement.isSettled(), "pages have just begun to move back");
    judgement.measure(samples(0));
    assertNull(judgement.better(right, samples(1), NODES), "not back and forth");
    assertTrue(judgement.isSettled());
    judgement.published(right);
    judgement.measure(samples(1));
    judgement.measure(samples(1));
    assertSame(right, judgement.better(wrong, samples(1), NODES), "there is a way back again");
  }

  /**
   * Its transactions have become more expensive, whatever is published, and it is to get a share.
   */
  @Test
  void nothingGoesAgainWhenANodeHasComeOrGone() {
    judgement.published(null);
    judgement.measure(samples(0));
    judgement.measure(samples(0));
    judgement.published(right);
    judgement.measure(samples(1));
    judgement.measure(samples(1));
    assertNull(judgement.better(wrong, samples(1), List.of(1, 2, 3)));
    assertNull(judgement.better(wrong, samples(1), List.of(1)));
    assertSame(right, judgement.better(wrong, samples(1), NODES));
  }

  /** What is expected of it is wrong, for a reason that does not go away. */
  @Test
  void whatGoesAgainEachTimeIsTriedMoreAndMoreSeldom() {
    judgement.published(null);
    judgement.measure(samples(0));
    judgement.measure(samples(0));
    for (int waited = 2; waited <= 64; waited *= 2) {
      judgement.published(right);
      judgement.measure(samples(1));
      judgement.measure(samples(1));
      assertSame(right, judgement.better(wrong, samples(1), NODES));
      judgement.wentBack();
      for (int round = 1; round <= waited; round++) {
        assertFalse(judgement.isSettled(), round + " of " + waited);
        judgement.measure(samples(0));
      }
      assertTrue(judgement.isSettled(), "after " + waited);
    }
    judgement.published(right);
    for (int round = 0; round < 10; round++) {
      judgement.measure(samples(0));
    }
    judgement.published(right);
    judgement.measure(samples(1));
    judgement.measure(samples(1));
    judgement.wentBack();
    judgement.measure(samples(0));
    judgement.measure(samples(0));
    assertTrue(judgement.isSettled(), "one has stayed meanwhile");
  }

  @Test
  void itIsNotWaitedForEverForSamplesAfterGoingBack() {
    judgement.wentBack();
    for (int round = 0; round < 3; round++) {
      judgement.measure(List.of());
      assertFalse(judgement.isSettled());
    }
    judgement.measure(List.of());
    assertTrue(judgement.isSettled());
  }

  /** The load has become another one, and what was before does not fit it either. */
  @Test
  void whatWouldNotBeBetterStaysAway() {
    judgement.published(null);
    judgement.measure(samples(0));
    judgement.measure(samples(0));
    judgement.published(wrong);
    judgement.measure(samples(1));
    judgement.measure(samples(1));
    assertNull(judgement.better(right, samples(1), NODES));
  }
}
