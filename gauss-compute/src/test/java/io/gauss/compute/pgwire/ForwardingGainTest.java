package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import io.gauss.compute.pgwire.ForwardingGain.Choice;
import io.gauss.compute.pgwire.ForwardingTrials.Trial;
import java.util.Arrays;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Times are given here, not measured. */
class ForwardingGainTest {
  private static final long HERE_NANOS = 1_000_000;
  private static final int MANY = 4000;

  private final ForwardingGain gain = new ForwardingGain(new ForwardingTrials());
  private final Random random = new Random(Seeds.next());

  /** Share of transactions that are forwarded, of the last half. */
  private double forwarded(long template, LongUnaryOperator there) {
    int forwarded = 0;
    for (int i = 0; i < MANY; i++) {
      Choice choice = gain.choose(template, true, random.nextInt(), Trial.NONE);
      boolean goes = choice.isForwarded();
      long noise = random.nextInt(20) == 0 ? 50 * HERE_NANOS : random.nextInt(200_000);
      long nanos = goes ? there.applyAsLong(HERE_NANOS) : HERE_NANOS;
      gain.took(template, choice, nanos + noise);
      forwarded += goes && i >= MANY / 2 ? 1 : 0;
    }
    return 2.0 * forwarded / MANY;
  }

  @Test
  void templatesThatGainAreForwardedButForAFew() {
    double share = forwarded(7, here -> here / 2);
    assertTrue(share > 0.9 && share < 1, "forwarded " + share);
  }

  @Test
  void templatesThatLoseStayButForAFew() {
    double share = forwarded(7, here -> here * 2);
    assertTrue(share > 0 && share < 0.1, "forwarded " + share);
  }

  @Test
  void templatesThatGainNothingStayToo() {
    double share = 0;
    for (int template = 1; template <= 10; template++) {
      share += forwarded(template, here -> here) / 10;
    }
    assertTrue(share < 0.5, "forwarded " + share);
  }

  @Test
  void whatChangesIsFollowed() {
    forwarded(7, here -> here * 2);
    assertTrue(forwarded(7, here -> here / 4) > 0.9);
    assertTrue(forwarded(7, here -> here * 4) < 0.1);
  }

  @Test
  void templatesAreJudgedApart() {
    forwarded(7, here -> here * 4);
    assertTrue(forwarded(8, here -> here / 4) > 0.9);
    assertTrue(forwarded(7, here -> here * 4) < 0.1);
  }

  private static long withSamePlace(long as, long above) {
    long kind = above;
    do {
      kind++;
    } while (ForwardingGain.place(kind) != ForwardingGain.place(as));
    return kind;
  }

  /** One of hundreds of statements has the same place as another. */
  @Test
  void templatesThatMeetInOnePlaceAreJudgedAllTheSame() {
    long other = withSamePlace(7, 7);
    int forwarded = 0;
    for (int i = 0; i < MANY; i++) {
      Choice choice = gain.choose(7, true, random.nextInt(), Trial.NONE);
      gain.took(7, choice, choice.isForwarded() ? 2 * HERE_NANOS : HERE_NANOS);
      forwarded += choice.isForwarded() ? 1 : 0;
      choice = gain.choose(other, true, random.nextInt(), Trial.NONE);
      gain.took(other, choice, choice.isForwarded() ? HERE_NANOS / 2 : HERE_NANOS);
    }
    assertTrue(forwarded < MANY / 5, "forwarded " + forwarded);
  }

  /** Statements of an application that is not there any more. */
  @Test
  void templatesThatDoNotComeAnyMoreGiveWay() {
    long kind = 7;
    for (int i = 0; i < 20; i++) {
      gain.choose(kind, true, 1, Trial.NONE);
      kind = withSamePlace(7, kind);
    }
    for (int i = 0; i < 20; i++) {
      gain.choose(kind, true, 1, Trial.NONE); // until one gives way
    }
    assertTrue(forwarded(kind, here -> here * 2) < 0.1);
  }

  @Test
  void whatHasNoTemplateIsNotCompared() {
    for (int i = 0; i < 100; i++) {
      assertEquals(
          Choice.FORWARD, gain.choose(0, true, i, Trial.values()[i % Trial.values().length]));
      gain.took(0, Choice.FORWARD, HERE_NANOS * 100);
      gain.took(0, Choice.COMPARE, HERE_NANOS);
    }
  }

  /** A small lead is to show first that it pays. */
  @Test
  void whatIsTakenNotToPayIsTriedAllTheSame() {
    int forwarded = 0;
    for (int i = 0; i < MANY; i++) {
      Choice choice = gain.choose(7, false, random.nextInt(), Trial.NONE);
      gain.took(7, choice, choice.isForwarded() ? HERE_NANOS / 2 : HERE_NANOS);
      forwarded += choice.isForwarded() ? 1 : 0;
      assertTrue(i > 50 || forwarded < 40, "forwarded at first: " + forwarded);
    }
    assertTrue(forwarded > MANY / 2, "forwarded " + forwarded);
  }

  /**
   * Clients of all nodes use the same pages, each of which is where it was used last: the pages of
   * one transaction that goes alone go to and fro. So only if all go there is nothing to fetch, and
   * without trials it is chance, in the first few of them, whether that is found.
   */
  @Test
  void whatGainsOnlyIfAllGoIsForwarded() {
    double leastAlone = 1;
    for (int i = 0; i < 16; i++) {
      double share = new Nodes(true).forwarded(HERE_NANOS, false, true);
      assertTrue(share > 0.85, "forwarded " + share);
      leastAlone = Math.min(leastAlone, new Nodes(true).forwarded(HERE_NANOS, false, false));
    }
    assertTrue(leastAlone < 0.1, "each alone: " + leastAlone);
  }

  /** As of pages that are read only. */
  @Test
  void whatGainsNothingAlsoIfAllGoStaysButForAFew() {
    double share = new Nodes(true).forwarded(0, false, true);
    assertTrue(share < 0.2, "forwarded " + share);
  }

  /**
   * Each page is used by the clients of one node only, and belongs to another one, to balance the
   * load for example. Where all go, one that stays has to fetch its page, and the next one that
   * goes as well: that going costs a way to the other node, and saves nothing, shows only when all
   * stay.
   */
  @Test
  void whatWouldBeAtHomeIfAllStayedStays() {
    for (int i = 0; i < 16; i++) {
      double share = new Nodes(false).forwarded(3 * HERE_NANOS, true, true);
      assertTrue(share < 0.15, "forwarded " + share);
      double alone = new Nodes(false).forwarded(3 * HERE_NANOS, true, false);
      assertTrue(alone > 0.85, "each alone: " + alone);
    }
  }

  /** Trials of staying cost next to nothing where going saves much. */
  @Test
  void whatGainsMuchGoesButForAFew() {
    double share = new Nodes(true).forwarded(10 * HERE_NANOS, true, true);
    assertTrue(share > 0.9, "forwarded " + share);
  }

  /** Three nodes, each of which decides by what its own clients have seen. */
  private final class Nodes {
    private static final int COUNT = 3;
    private static final int KEYS = 60;
    private static final int TRANSACTIONS = 400_000; // 1,000 a second

    private final boolean isShared;
    private final ForwardingGain[] gains = new ForwardingGain[COUNT];
    private final ForwardingTrials[] trials = new ForwardingTrials[COUNT];
    private final int[] pageOf = new int[KEYS]; // the node that has a key's page

    /**
     * @param shared whether clients of all nodes use all pages; otherwise those of one node that
     *     the page does not belong to
     */
    Nodes(boolean shared) {
      isShared = shared;
      if (!shared) {
        Arrays.setAll(pageOf, key -> key % COUNT); // all have gone
      }
    }

    /**
     * Of those that belong to another node the share that goes there, in the end.
     *
     * @param pays whether it is taken to pay at first
     */
    double forwarded(long transferNanos, boolean pays, boolean withTrials) {
      Arrays.setAll(trials, node -> new ForwardingTrials());
      Arrays.setAll(gains, node -> new ForwardingGain(trials[node]));
      int elsewhere = 0;
      int forwarded = 0;
      for (int millis = 0; millis < TRANSACTIONS; millis++) {
        int key = random.nextInt(KEYS);
        int owner = key % COUNT;
        int client = isShared ? random.nextInt(COUNT) : (owner + 1) % COUNT;
        if (owner == client) {
          pageOf[key] = client;
          continue;
        }
        Trial trial = withTrials ? trials[client].of(owner + 1, millis, 1) : Trial.NONE;
        Choice choice = gains[client].choose(7, pays, random.nextInt(), trial);
        int runsAt = choice.isForwarded() ? owner : client;
        long nanos = HERE_NANOS + random.nextInt(200_000);
        nanos += choice.isForwarded() ? 7 * HERE_NANOS / 20 : 0;
        nanos += pageOf[key] == runsAt ? 0 : transferNanos;
        pageOf[key] = runsAt;
        gains[client].took(7, choice, nanos);
        if (millis > TRANSACTIONS / 2) {
          elsewhere++;
          forwarded += choice.isForwarded() ? 1 : 0;
        }
      }
      return (double) forwarded / elsewhere;
    }
  }

  @Test
  void degreesAreJudgedApart() {
    assertTrue(ForwardingGain.kind(7, 1) != ForwardingGain.kind(7, 2));
    assertEquals(0, ForwardingGain.kind(0, 2));
  }
}
