package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** One step at a time from the present members to the wanted ones. */
class MemberChangeTest {
  private static GroupMember member(int node) {
    return new GroupMember(node, "host", 1000 + node, 1);
  }

  private static List<GroupMember> members(int... nodes) {
    List<GroupMember> members = new ArrayList<>();
    for (int node : nodes) {
      members.add(member(node));
    }
    return members;
  }

  private static Set<Integer> nodes(List<GroupMember> members) {
    return members.stream().map(GroupMember::node).collect(Collectors.toSet());
  }

  @Test
  void nothingIsDoneWhenAllIsAsWanted() {
    assertEquals(
        Optional.empty(), MemberChange.next(members(1, 2, 3), members(3, 2, 1), node -> true));
  }

  @Test
  void oneComesAsOneGoes() {
    List<GroupMember> next =
        MemberChange.next(members(1, 2, 3), members(1, 2, 4), node -> true).orElseThrow();
    assertEquals(Set.of(1, 2, 4), nodes(next));
  }

  @Test
  void nobodyGoesBeforeTheOtherIsReady() {
    assertEquals(
        Optional.empty(), MemberChange.next(members(1, 2, 3), members(1, 2, 4), node -> false));
  }

  @Test
  void whoIsTooManyGoes() {
    List<GroupMember> next =
        MemberChange.next(members(1, 2, 3, 4), members(1, 2, 3), node -> false).orElseThrow();
    assertEquals(Set.of(1, 2, 3), nodes(next));
  }

  @Test
  void prioritiesAndAddressesChangeInPlace() {
    List<GroupMember> wanted = List.of(new GroupMember(1, "elsewhere", 7, 2), member(2));
    assertEquals(Optional.of(wanted), MemberChange.next(members(1, 2), wanted, node -> true));
  }

  /** Ratis takes a member that only has another address for the same, and changes nothing. */
  @Test
  void anAddressChangesWithThePriorityWhichThenChangesBack() {
    for (int priority = 0; priority <= 2; priority++) {
      List<GroupMember> now = List.of(new GroupMember(1, "host", 1001, priority), member(2));
      List<GroupMember> wanted = List.of(new GroupMember(1, "elsewhere", 7, priority), member(2));
      List<GroupMember> next = MemberChange.next(now, wanted, node -> true).orElseThrow();
      assertEquals("elsewhere", next.getFirst().host());
      assertNotEquals(priority, next.getFirst().priority());
      assertEquals(Optional.of(wanted), MemberChange.next(next, wanted, node -> true));
      assertEquals(Optional.empty(), MemberChange.next(wanted, wanted, node -> true));
    }
  }

  @Test
  void aLeaderThatIsToGoStaysAsTheLastOneUntilAnotherLeads() {
    List<GroupMember> now = members(1, 2, 3);
    List<GroupMember> wanted = members(2, 3, 4);
    List<GroupMember> first = MemberChange.nextOfLeader(1, now, wanted, node -> true).orElseThrow();
    assertEquals(Set.of(1, 2, 3, 4), nodes(first));
    assertEquals(0, first.getLast().priority(), "all others precede the leader");
    assertEquals(Optional.empty(), MemberChange.nextOfLeader(1, first, wanted, node -> true));
    assertEquals(
        Set.of(2, 3, 4),
        nodes(MemberChange.nextOfLeader(2, first, wanted, node -> true).orElseThrow()));
  }

  @Test
  void someoneAlwaysPrecedesALeaderThatIsToGo() {
    List<GroupMember> wanted = List.of(new GroupMember(2, "host", 1002, 0));
    List<GroupMember> next =
        MemberChange.nextOfLeader(1, members(1), wanted, node -> true).orElseThrow();
    assertEquals(Set.of(1, 2), nodes(next));
    assertTrue(next.stream().anyMatch(member -> member.node() == 2 && member.priority() > 0));
  }

  @Test
  void everyStepKeepsAMajorityOfThoseBeforeAndTheWantedOnesAreReached() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int run = 0; run < 500; run++) {
      List<GroupMember> now = some(random);
      List<GroupMember> wanted = some(random);
      String about = "gauss.seed=" + seed + " from " + nodes(now) + " to " + nodes(wanted);
      for (int step = 0; !nodes(now).equals(nodes(wanted)); step++) {
        assertTrue(step < 20, about);
        List<GroupMember> next = MemberChange.next(now, wanted, node -> true).orElseThrow();
        Set<Integer> fresh = new HashSet<>(nodes(next));
        fresh.removeAll(nodes(now));
        assertTrue(fresh.size() <= 1 && next.size() >= now.size() - 1, about);
        now = next;
      }
    }
  }

  @Test
  void noLeaderRemovesItselfAndTheWantedOnesAreReachedAllTheSame() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int run = 0; run < 500; run++) {
      List<GroupMember> now = some(random);
      List<GroupMember> wanted = some(random);
      String about = "gauss.seed=" + seed + " from " + nodes(now) + " to " + nodes(wanted);
      int leader = now.getFirst().node();
      for (int step = 0; !nodes(now).equals(nodes(wanted)); step++) {
        assertTrue(step < 30, about);
        Optional<List<GroupMember>> next =
            MemberChange.nextOfLeader(leader, now, wanted, node -> true);
        if (next.isEmpty()) {
          leader = now.stream().max(Comparator.comparing(GroupMember::priority)).get().node();
        } else {
          now = next.get();
        }
        assertTrue(nodes(now).contains(leader), about);
      }
    }
  }

  private static List<GroupMember> some(Random random) {
    List<GroupMember> all = members(1, 2, 3, 4, 5, 6, 7, 8);
    Collections.shuffle(all, random);
    return List.copyOf(all.subList(0, 1 + random.nextInt(5)));
  }
}
