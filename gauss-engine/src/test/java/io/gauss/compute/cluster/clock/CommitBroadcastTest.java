package io.gauss.compute.cluster.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.cluster.clock.ClockCluster.Member;
import io.gauss.compute.engine.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The broadcast of commits between nodes in simulated time, with pauses and cuts. */
class CommitBroadcastTest {
  private static final Duration LEASE = Duration.ofNanos(ClockTimes.DEFAULTS.lease());

  /** The lease, its margin, and what messages and ticks take. */
  private static final Duration LONGEST_GAP = Duration.ofMillis(345);

  private final long seed = Seeds.next();

  @Test
  void whatIsAcknowledgedOnOneNodeIsSeenByEverySnapshotOnTheOthers() {
    try (ClockCluster cluster = new ClockCluster(3, seed)) {
      cluster.work(Duration.ofSeconds(2));
      assertTrue(cluster.acknowledged() > 0);
      assertTrue(cluster.snapshots() > 1000);
    }
  }

  @Test
  void nobodyLosesItsLeaseWhileNothingIsWrong() {
    try (ClockCluster cluster = new ClockCluster(3, seed)) {
      cluster.advance(Duration.ofMillis(100));
      List<Long> before = lapses(cluster);
      cluster.work(Duration.ofSeconds(1));
      cluster.advance(Duration.ofSeconds(3)); // idle
      assertEquals(before, lapses(cluster));
      cluster.members().forEach(member -> assertTrue(member.isValid()));
    }
  }

  /**
   * A lease may end between the last look at it and the moment when its successor is noted. Whoever
   * has found no lease in between waits to be woken, although the node never seemed to lack one.
   */
  @Test
  void everyNewLeaseWakesThoseWhoWaitForOne() {
    try (ClockCluster cluster = new ClockCluster(2, seed)) {
      cluster.work(Duration.ofMillis(300));
      Member one = cluster.member(1);
      List<Boolean> woken = new ArrayList<>();
      one.broadcast.onValid(() -> woken.add(one.isValid()));
      List<Long> before = lapses(cluster);
      cluster.advance(LEASE);
      assertEquals(before, lapses(cluster));
      assertFalse(woken.isEmpty());
      assertFalse(woken.contains(false), "woken for nothing");
    }
  }

  /** Processors or the network are overloaded, and an answer takes longer than a lease. */
  @Test
  void leasesLastLongerWhereCallsTakeLong() {
    try (ClockCluster cluster = new ClockCluster(3, seed)) {
      cluster.work(Duration.ofMillis(300));
      cluster.delay(Duration.ofMillis(150), Duration.ofMillis(250));
      cluster.work(Duration.ofSeconds(5));
      List<Long> before = lapses(cluster);
      long acknowledged = cluster.acknowledged();
      cluster.work(Duration.ofSeconds(10));
      assertEquals(before, lapses(cluster));
      cluster.members().forEach(member -> assertTrue(member.isValid()));
      assertTrue(cluster.acknowledged() > acknowledged);

      cluster.delay(Duration.ofNanos(50_000), Duration.ofMillis(1));
      cluster.work(Duration.ofSeconds(4));
      Member other = cluster.member(1);
      cluster.member(2).freeze();
      other.startMeasuring();
      cluster.work(Duration.ofSeconds(1));
      assertTrue(
          other.longestGap().compareTo(LONGEST_GAP) < 0,
          () -> "leases stay long: gap " + other.longestGap());
    }
  }

  private static List<Long> lapses(ClockCluster cluster) {
    return cluster.members().stream().map(member -> member.broadcast.lapses()).toList();
  }

  @Test
  void manyCommitsShareACall() {
    try (ClockCluster cluster = new ClockCluster(2, seed)) {
      cluster.advance(Duration.ofMillis(50));
      Member one = cluster.member(1);
      double before = one.callsSent();
      for (int i = 0; i < 100; i++) {
        one.commit();
      }
      cluster.advance(Duration.ofMillis(10));
      assertTrue(one.callsSent() - before <= 3, () -> one.callsSent() - before + " calls");
    }
  }

  @Test
  void aNodeThatIsFrozenHoldsUpTheOthersForALeaseAndComesBackByCallingThem() {
    for (int nodes = 2; nodes <= 3; nodes++) {
      try (ClockCluster cluster = new ClockCluster(nodes, seed)) {
        cluster.work(Duration.ofMillis(300));
        Member frozen = cluster.member(2);
        Member other = cluster.member(1);
        frozen.freeze();
        other.startMeasuring();
        cluster.work(Duration.ofSeconds(1));
        assertFalse(frozen.isValid());
        assertTrue(other.isValid());
        frozen.thaw();
        cluster.work(Duration.ofMillis(200));
        assertTrue(frozen.isValid());
        assertTrue(
            other.longestGap().compareTo(LONGEST_GAP) < 0, () -> "gap " + other.longestGap());
      }
    }
  }

  @Test
  void aShortPauseIsNoMoreThanAPause() {
    try (ClockCluster cluster = new ClockCluster(2, seed)) {
      cluster.work(Duration.ofMillis(300));
      Member frozen = cluster.member(2);
      Member other = cluster.member(1);
      frozen.freeze();
      other.startMeasuring();
      cluster.work(LEASE.dividedBy(3));
      frozen.thaw();
      cluster.work(Duration.ofMillis(100));
      assertTrue(frozen.isValid());
      assertTrue(other.isValid());
      assertTrue(other.longestGap().compareTo(LEASE.dividedBy(2)) < 0);
    }
  }

  @Test
  void ofTwoNodesThatCannotReachEachOtherOneGoesOn() {
    try (ClockCluster cluster = new ClockCluster(2, seed)) {
      cluster.work(Duration.ofMillis(300));
      cluster.cut(1, 2);
      cluster.work(Duration.ofSeconds(1));
      assertTrue(cluster.member(1).isValid() ^ cluster.member(2).isValid());
      cluster.heal(1, 2);
      cluster.work(Duration.ofMillis(500));
      assertTrue(cluster.member(1).isValid() && cluster.member(2).isValid());
    }
  }

  /** How long commits may wait for a node is another question. */
  @Test
  void aLongLeaseDoesNotPutOffTheReportOfANodeThatIsNotReached() {
    for (int lease : new int[] {300, 10_000}) {
      ClockTimes times = ClockTimes.ofLease(Duration.ofMillis(lease));
      try (ClockCluster cluster = new ClockCluster(2, seed, times)) {
        cluster.work(Duration.ofMillis(300));
        cluster.cut(1, 2);
        cluster.advance(Duration.ofMillis(900));
        Set<Integer> early = Set.copyOf(cluster.unreachable());
        cluster.advance(Duration.ofMillis(100 + lease / 3 + lease / 12)); // until the next call
        Set<Integer> reported = Set.copyOf(cluster.unreachable());
        cluster.heal(1, 2);
        cluster.work(Duration.ofMillis(500));
        assertEquals(Set.of(), early);
        assertEquals(Set.of(1, 2), reported, "lease of " + lease + " ms");
      }
    }
  }

  @Test
  void commitsGoOnWhenASilentNodeIsDeclaredDead() {
    try (ClockCluster cluster = new ClockCluster(2, seed)) {
      cluster.work(Duration.ofMillis(300));
      cluster.member(2).crash();
      cluster.work(Duration.ofMillis(20));
      Member other = cluster.member(1);
      other.broadcast.died(2, 2);
      other.startMeasuring();
      cluster.work(Duration.ofMillis(100));
      assertTrue(other.isValid());
      assertTrue(other.longestGap().compareTo(Duration.ofMillis(30)) < 0);
      assertEquals(Long.MAX_VALUE, other.broadcast.othersBound());
    }
  }

  @Test
  void aDeadNodeIsMissedUntilTheEndOfItsStreamIsKnown() {
    try (ClockCluster cluster = new ClockCluster(2, seed)) {
      cluster.work(Duration.ofMillis(300));
      cluster.member(2).crash();
      Member other = cluster.member(1);
      other.broadcast.died(2, 2);
      cluster.work(LEASE.multipliedBy(2));
      assertFalse(other.isValid());
      other.broadcast.remove(2, 2);
      assertTrue(other.isValid());
    }
  }

  /** Rule 35: it may have changed the catalog at the end of its last life, and told nobody. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNodeThatIsBackHasBeenGoneWhetherThatWasSeenOrNot(boolean wasSeenDead) {
    try (ClockCluster cluster = new ClockCluster(2, seed)) {
      cluster.work(Duration.ofMillis(300));
      Member gone = cluster.member(2);
      gone.crash();
      Member other = cluster.member(1);
      if (wasSeenDead) {
        other.broadcast.died(2, 2);
      }
      long clock = other.clock();
      assertTrue(other.broadcast.catalogHeard() < clock);
      other.hearsOfReturn(gone, 7);
      assertTrue(other.broadcast.catalogHeard() >= clock);
      assertEquals(1, other.broadcast.peers());
      assertEquals(0, other.broadcast.othersBound(), "the one before is not counted any more");
    }
  }

  @Test
  void theHorizonIsHeldBackByASilentNodeUntilThatIsDeclaredDead() {
    try (ClockCluster cluster = new ClockCluster(2, seed)) {
      cluster.work(Duration.ofMillis(300));
      Member one = cluster.member(1);
      cluster.member(2).freeze();
      cluster.work(Duration.ofMillis(50));
      long held = one.broadcast.othersBound();
      cluster.work(Duration.ofSeconds(2));
      assertEquals(held, one.broadcast.othersBound());
      one.broadcast.remove(2, 2);
      assertTrue(one.broadcast.othersBound() > held);
    }
  }

  @Test
  void noAccidentLetsASnapshotMissWhatWasAcknowledged() {
    Random seeds = new Random(seed);
    for (int run = 0; run < 6; run++) {
      accidents(2 + run % 2, seeds.nextLong());
    }
  }

  private static void accidents(int nodes, long seed) {
    Random random = new Random(seed);
    try (ClockCluster cluster = new ClockCluster(nodes, seed)) {
      cluster.work(Duration.ofMillis(100));
      for (int i = 0; i < 8; i++) {
        Member victim = cluster.member(1 + random.nextInt(nodes));
        int other = 1 + random.nextInt(nodes);
        Duration time = Duration.ofMillis(20 + random.nextInt(700));
        if (random.nextBoolean()) {
          victim.freeze();
          cluster.work(time);
          victim.thaw();
        } else if (other != victim.node) {
          cluster.cut(victim.node, other);
          cluster.work(time);
          cluster.heal(victim.node, other);
        }
        cluster.work(Duration.ofMillis(random.nextInt(300)));
      }
      cluster.work(Duration.ofSeconds(1));
      cluster.members().forEach(member -> assertTrue(member.isValid(), "seed " + seed));
    }
  }
}
