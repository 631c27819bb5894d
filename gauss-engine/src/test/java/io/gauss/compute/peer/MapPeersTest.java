package io.gauss.compute.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.storage.map.MapHistory;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.SliceMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is there, and who answers for whom, in the life of a node. Node n + 10 has slot n. */
class MapPeersTest {
  private static final int SELF = 1;

  private final Transport transport =
      new LocalNetwork().transport(TestNodes.config(11, NodeRole.COMPUTE));
  private final TransportPeers peers =
      new TransportPeers(
          transport, SELF, new NodeSessions(transport.self(), transport.allocator()));
  private final MapPeers following = new MapPeers(peers);
  private final List<String> told = new ArrayList<>();
  private final SortedMap<Integer, MapNode> nodes = new TreeMap<>();
  private final SortedMap<Integer, Death> deaths = new TreeMap<>();
  private long version;

  MapPeersTest() {
    peers.addListener(
        new PeerListener() {
          @Override
          public void lost(int node) {
            told.add("lost " + node);
          }

          @Override
          public void answersChanged(int slot) {
            told.add("answers " + slot + " by " + peers.answering(slot));
          }
        });
    node(1, 1, NodeState.UP);
  }

  @AfterEach
  void close() {
    peers.close();
    transport.close();
  }

  private void node(int slot, int epoch, NodeState state) {
    nodes.put(
        slot + 10,
        new MapNode(
            slot + 10,
            Set.of(Role.COMPUTE),
            slot,
            "",
            List.of(new Endpoint(Endpoint.Purpose.PEER, "node-" + slot, 7000)),
            epoch,
            epoch,
            state,
            new Lease(3000, 0),
            false));
  }

  private void death(int slot, int epoch, int recoverer, boolean takenOver) {
    deaths.put(
        epoch,
        new Death(
            epoch,
            slot + 10,
            slot,
            Death.Evidence.LEASE_ENDED,
            Collections.emptySortedSet(),
            new TreeSet<>(),
            0,
            recoverer + 10,
            takenOver));
  }

  private void follow() {
    following.accept(
        new ClusterMap(
            ++version,
            TestNodes.CLUSTER,
            1,
            ClusterSettings.DEFAULTS,
            100,
            100,
            0,
            nodes,
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            deaths,
            BucketMap.EMPTY,
            new TreeMap<>(),
            SliceMap.NONE));
  }

  @Test
  void aSlotThatNeverHadANodeHasNobodyAndTheOwnOneThisNode() {
    follow();
    assertEquals(PeerNodes.NO_SUCH_SLOT, peers.answering(2));
    assertEquals(SELF, peers.answering(SELF));
  }

  @Test
  void aNodeThatJoinsIsThereAtOnceAndAnswersWhenItServes() {
    node(2, 2, NodeState.JOINING);
    follow();
    assertTrue(peers.has(2));
    assertEquals(0, peers.answering(2));
    node(2, 2, NodeState.UP);
    follow();
    assertEquals(2, peers.answering(2));
    node(2, 2, NodeState.SUSPECT);
    follow();
    assertEquals(2, peers.answering(2), "it is as alive as before");
  }

  @Test
  void aDeadNodeIsAnsweredForByItsRecovererFromTheTakeOverOn() {
    node(2, 2, NodeState.UP);
    node(3, 3, NodeState.UP);
    follow();
    told.clear();
    node(2, 2, NodeState.DEAD);
    death(2, 2, 3, false);
    follow();
    assertFalse(peers.has(2));
    assertEquals(List.of("answers 2 by 0", "lost 2"), told);
    death(2, 2, 3, true);
    follow();
    assertEquals(3, peers.answering(2));
  }

  @Test
  void whenAllIsRolledBackEveryNodeReadsTheSegmentsForItself() {
    node(2, 2, NodeState.DEAD);
    follow();
    assertEquals(SELF, peers.answering(2));
  }

  @Test
  void aNodeThatComesBackIsAnotherOneAndAnswersWhenItsPredecessorIsRecovered() {
    node(2, 2, NodeState.UP);
    node(3, 3, NodeState.UP);
    follow();
    node(2, 5, NodeState.UP);
    death(2, 2, 3, true);
    told.clear();
    follow();
    assertTrue(peers.has(2));
    assertTrue(told.contains("lost 2"), "what was sent to the one before is lost");
    assertEquals(3, peers.answering(2));
    deaths.clear();
    follow();
    assertEquals(2, peers.answering(2));
  }

  @Test
  void anOlderMapChangesNothing() {
    node(2, 2, NodeState.UP);
    follow();
    version -= 1;
    nodes.remove(12);
    follow();
    assertTrue(peers.has(2));
  }

  /** Rule 35. */
  @Test
  void whateverVersionsAreMissedEachLifeIsFollowedByALossAndAnotherAnswer() {
    List<ClusterMap> versions = MapHistory.twoDeathsAndReturns();
    int dies = MapHistory.DIES_SLOT;
    for (int from = 0; from < versions.size(); from++) {
      for (int to = from + 1; to < versions.size(); to++) {
        TransportPeers seen =
            new TransportPeers(
                transport, SELF, new NodeSessions(transport.self(), transport.allocator()));
        MapPeers follows = new MapPeers(seen);
        List<Integer> lost = new ArrayList<>();
        List<PeerNodes.Answerer> answers = new ArrayList<>();
        seen.addListener(
            new PeerListener() {
              @Override
              public void lost(int node) {
                lost.add(node);
              }

              @Override
              public void answersChanged(int slot) {
                if (slot == dies) {
                  answers.add(seen.answerer(slot));
                }
              }
            });
        follows.accept(versions.get(0));
        PeerNodes.Answerer before = seen.answerer(dies);
        follows.accept(versions.get(from));
        follows.accept(versions.get(to));
        follows.accept(versions.getLast());
        String missed = "versions " + from + " and " + to;
        assertTrue(lost.contains(dies), missed);
        assertTrue(answers.stream().allMatch(a -> a.epoch() >= before.epoch()), missed);
        PeerNodes.Answerer after = seen.answerer(dies);
        assertEquals(dies, after.by(), missed);
        assertEquals(
            versions.getLast().nodes().get(MapHistory.DIES).epoch(), after.epoch(), missed);
        assertTrue(seen.has(dies), missed);
        seen.close();
      }
    }
  }

  /** Rule 34: it answers no more, although maps still say so; until they say otherwise. */
  @Test
  void whoHasResignedAnswersForNobodyUntilTheRecoveryIsOver() {
    node(2, 2, NodeState.DEAD);
    death(2, 2, SELF, true);
    follow();
    assertEquals(SELF, peers.answering(2));
    following.resign(2, 2);
    assertEquals(0, peers.answering(2));
    follow();
    assertEquals(0, peers.answering(2), "a late map changes nothing");
    deaths.clear();
    node(2, 5, NodeState.UP);
    follow();
    assertEquals(new PeerNodes.Answerer(2, 5), peers.answerer(2));
    node(2, 5, NodeState.DEAD);
    death(2, 5, SELF, true);
    follow();
    assertEquals(SELF, peers.answering(2), "the next recovery is another one");
  }

  @Test
  void aSlotAtRestOfAnotherLifeIsAnotherAnswer() {
    node(2, 2, NodeState.DEAD);
    follow();
    PeerNodes.Answerer before = peers.answerer(2);
    follow();
    assertSame(before, peers.answerer(2));
    told.clear();
    node(2, 5, NodeState.DEAD);
    follow();
    assertEquals(List.of("answers 2 by " + SELF), told);
    assertEquals(new PeerNodes.Answerer(SELF, 5), peers.answerer(2), "what is being read is old");
  }
}
