package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.command.MapCommand;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where slices go: to as many nodes and zones as they should, evenly, and without more moves than
 * that takes. {@code -Dgauss.seed} repeats what comes about by chance.
 */
class SlicePlannerTest {
  private static final int SCENARIOS = 8;
  private static final int EVENTS = 12;

  @Test
  void withoutAListNothingHappens() {
    ClusterMap map = MapRun.withStorage(5).map();
    assertEquals(List.of(), SlicePlanner.next(map, SliceWeights.EQUAL, Set.of()));
  }

  /** Four and more storage nodes that had everything when the list was made. */
  @ParameterizedTest
  @ValueSource(ints = {4, 5, 8})
  void whoHadEverythingKeepsAFairPart(int nodes) {
    SliceCluster cluster = new SliceCluster(new Random(nodes), SliceWeights.EQUAL);
    cluster.listed(nodes, 1);
    assertEquals(0, cluster.settle(), "replicas are given up, nothing moves");
    cluster.assertSettled();
  }

  @Test
  void aNewNodeTakesItsShareAndNothingElseMoves() {
    SliceCluster cluster = new SliceCluster(new Random(1), SliceWeights.EQUAL);
    cluster.listed(4, 1);
    cluster.settle();
    int joined = cluster.join("");
    int moved = cluster.settle();
    cluster.assertSettled();
    assertTrue(
        cluster.targets().stream().allMatch(to -> to == joined), cluster.targets()::toString);
    int share = 3 * SliceMap.SLICES / 5;
    assertTrue(moved <= share && moved > share * 0.9, moved + " of " + share);
  }

  @Test
  void aNodeThatLeavesIsEmptied() {
    SliceCluster cluster = new SliceCluster(new Random(2), SliceWeights.EQUAL);
    cluster.listed(5, 1);
    cluster.settle();
    final int had = cluster.map().slices().count(2);
    cluster.drain(2);
    int moved = cluster.settle();
    cluster.assertSettled();
    assertEquals(0, cluster.map().slices().count(2));
    assertTrue(moved >= had && moved < had * 1.1, moved + " for " + had);
    cluster.done(new MapCommand.RetireStorage(2));
  }

  @Test
  void aNodeThatIsLostIsReplacedAndWhatItHadIsOnlyCopied() {
    SliceCluster cluster = new SliceCluster(new Random(3), SliceWeights.EQUAL);
    cluster.listed(5, 5);
    cluster.settle();
    int had = cluster.map().slices().count(3);
    cluster.lose(3);
    int moved = cluster.settle();
    cluster.assertSettled();
    assertEquals(0, cluster.map().slices().count(3));
    assertTrue(moved >= had && moved < had * 1.1, moved + " for " + had);
  }

  /** A slice of which nobody who answers has anything stays as it is, and takes nobody's time. */
  @Test
  void theLastReplicaIsNeverGivenUp() {
    SliceCluster cluster = new SliceCluster(new Random(4), SliceWeights.EQUAL);
    cluster.listed(6, 1);
    cluster.settle();
    Set<Integer> lost = Set.of(1, 2, 3);
    lost.forEach(cluster::lose);
    cluster.settle();
    int gone = 0;
    for (Slice slice : cluster.map().slices().slices()) {
      boolean all = lost.containsAll(slice.replicas());
      gone += all ? 1 : 0;
      assertEquals(3, slice.replicaCount(), slice::toString);
      assertTrue(all || slice.replicas().stream().noneMatch(lost::contains), slice::toString);
    }
    assertTrue(gone > 0);
  }

  /** With three nodes left there is nowhere to go. */
  @Test
  void aNodeWithoutWhichThereWouldBeTooFewStays() {
    SliceCluster cluster = new SliceCluster(new Random(5), SliceWeights.EQUAL);
    cluster.listed(4, 1);
    cluster.settle();
    cluster.lose(1);
    cluster.settle();
    cluster.drain(2);
    assertEquals(0, cluster.settle());
    assertEquals(SliceMap.SLICES, cluster.map().slices().count(2));
    cluster.join("");
    cluster.settle();
    cluster.assertSettled();
    assertEquals(0, cluster.map().slices().count(2));
  }

  @Test
  void aMoveToANodeThatIsLostIsCancelled() {
    SliceCluster cluster = new SliceCluster(new Random(6), SliceWeights.EQUAL);
    cluster.listed(4, 1);
    cluster.settle();
    int joined = cluster.join("");
    cluster.proposeNext();
    assertFalse(cluster.map().slices().moving().size() == 0);
    cluster.lose(joined);
    cluster.proposeNext();
    assertEquals(BucketSet.NONE, cluster.map().slices().moving());
    assertEquals(0, cluster.settle());
    cluster.assertSettled();
  }

  @Test
  void aZoneOfItsOwnGetsAReplicaOfEverySlice() {
    SliceCluster cluster = new SliceCluster(new Random(7), SliceWeights.EQUAL);
    cluster.listed(4, 1);
    cluster.settle();
    int other = cluster.join("far");
    cluster.settle();
    cluster.assertSettled();
    assertEquals(SliceMap.SLICES, cluster.map().slices().count(other));
  }

  /** Nodes come, leave, are lost and come back, while slices grow and moves end when they like. */
  @Test
  void whateverHappensItEndsWithEverySliceWhereItShouldBe() {
    long first = Long.getLong("gauss.seed", System.nanoTime());
    int scenarios = Long.getLong("gauss.seed") == null ? SCENARIOS : 1;
    for (long seed = first; seed < first + scenarios; seed++) {
      try {
        scenario(new Random(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static void scenario(Random random) {
    long[] bytes = new long[SliceMap.SLICES];
    SliceCluster cluster = new SliceCluster(random, new SliceWeights(bytes));
    int zones = 1 + random.nextInt(4);
    cluster.listed(4 + random.nextInt(4), zones);
    for (int i = 0; i < EVENTS; i++) {
      cluster.chance(zones);
      for (int written = random.nextInt(500); written > 0; written--) {
        bytes[random.nextInt(bytes.length)] += random.nextLong(8L << 20);
      }
      cluster.weigh(new SliceWeights(bytes));
      cluster.someSteps(random.nextInt(12));
    }
    cluster.settle();
    cluster.assertSettled();
  }
}
