package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.MapHistory;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who is there in which slot. Node n + 10 has slot n; this one is in slot 1. */
class ComputeMembersTest {
  private final ComputeMembers members = new ComputeMembers(11);
  private final List<String> told = new ArrayList<>();
  private CompletableFuture<Void> dropped = new CompletableFuture<>();

  private final ComputeMembers.Listener listener =
      new ComputeMembers.Listener() {
        @Override
        public void joined(int slot, int epoch) {
          told.add("joined " + slot + " in " + epoch);
        }

        @Override
        public CompletableFuture<Void> died(int slot) {
          told.add("died " + slot);
          return dropped;
        }
      };

  private static MapNode node(int slot, int epoch) {
    return new MapNode(
        slot + 10,
        Set.of(Role.COMPUTE),
        slot,
        "",
        List.of(),
        epoch,
        epoch,
        NodeState.UP,
        new Lease(3000, 0),
        false);
  }

  @Test
  void whoListensLaterHearsOfThoseThatAreThereAndNotOfItself() {
    members.joined(node(1, 1));
    members.joined(node(2, 2));
    members.attach(listener);
    members.joined(node(2, 2));
    assertEquals(List.of("joined 2 in 2"), told);
    assertEquals(2, members.slotOf(12, 2));
    assertEquals(0, members.slotOf(12, 3));
  }

  @Test
  void theEndOfOneLifeIsToldBeforeTheBeginningOfTheNextWhicheverIsHeardOfFirst() {
    members.attach(listener);
    members.joined(node(2, 2));
    members.joined(node(2, 5));
    assertEquals(List.of("joined 2 in 2", "died 2", "joined 2 in 5"), told);
    CompletableFuture<Void> installed = members.died(2, 2);
    assertFalse(installed.isDone(), "something of that life may still be used");
    dropped.complete(null);
    assertTrue(installed.isDone());
    assertEquals(3, told.size(), "the next life is not meant: " + told);
  }

  @Test
  void theDeathOfWhoWasNeverHereIsInstalledAtOnce() {
    members.attach(listener);
    assertTrue(members.died(3, 7).isDone());
    assertEquals(List.of(), told);
  }

  /** Rule 35. */
  @Test
  void whateverVersionsOfTheMapAreMissedEachLifeThatWasHereEnds() {
    List<ClusterMap> versions = MapHistory.twoDeathsAndReturns();
    int last = versions.getLast().nodes().get(MapHistory.DIES).epoch();
    for (int from = 0; from < versions.size(); from++) {
      for (int to = from + 1; to < versions.size(); to++) {
        told.clear();
        ComputeMembers followed = new ComputeMembers(MapHistory.STAYS);
        followed.attach(listener);
        followed.follow(versions.get(0));
        followed.follow(versions.get(from));
        followed.follow(versions.get(to));
        followed.follow(versions.getLast());
        List<String> ofSlot =
            told.stream()
                .filter(step -> step.split(" ")[1].equals("" + MapHistory.DIES_SLOT))
                .toList();
        for (int i = 0; i < ofSlot.size(); i++) {
          assertTrue(
              ofSlot.get(i).startsWith(i % 2 == 0 ? "joined" : "died"),
              "versions " + from + " and " + to + ": " + ofSlot);
        }
        assertTrue(ofSlot.size() >= 3, ofSlot::toString);
        assertEquals(MapHistory.DIES_SLOT, followed.slotOf(MapHistory.DIES, last));
      }
    }
  }
}
