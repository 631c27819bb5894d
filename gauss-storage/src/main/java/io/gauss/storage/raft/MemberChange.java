package io.gauss.storage.raft;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * The next step from the members that a group has to those that it should have.
 *
 * <p>One node comes and one goes at a time: Raft asks majorities of both for the change, and a step
 * that replaced more would be refused by Ratis, since the new ones could be a majority that knows
 * nothing. A pure function.
 */
public final class MemberChange {
  private MemberChange() {}

  /** Nodes that are to become members and are none. */
  public static List<GroupMember> missing(List<GroupMember> now, List<GroupMember> wanted) {
    Set<Integer> present = now.stream().map(GroupMember::node).collect(Collectors.toSet());
    return wanted.stream().filter(member -> !present.contains(member.node())).toList();
  }

  /**
   * The members after the next step; empty when all is as wanted, or nothing can be done now.
   *
   * @param ready whether a node that is to become a member can: it has its part of the group
   */
  static Optional<List<GroupMember>> next(
      List<GroupMember> now, List<GroupMember> wanted, IntPredicate ready) {
    Set<Integer> wantedNodes = wanted.stream().map(GroupMember::node).collect(Collectors.toSet());
    List<GroupMember> next = new ArrayList<>();
    for (GroupMember member : wanted) {
      if (now.stream().anyMatch(m -> m.node() == member.node())) {
        next.add(member); // with the priority and the address that it should have
      }
    }
    List<GroupMember> unwanted =
        new ArrayList<>(now.stream().filter(m -> !wantedNodes.contains(m.node())).toList());
    Optional<GroupMember> comes =
        missing(now, wanted).stream().filter(member -> ready.test(member.node())).findFirst();
    boolean complete = missing(now, wanted).isEmpty();
    if (!unwanted.isEmpty() && (comes.isPresent() || complete)) {
      unwanted.removeFirst();
    }
    comes.ifPresent(next::add);
    next.addAll(unwanted);
    return new HashSet<>(next).equals(new HashSet<>(now)) ? Optional.empty() : Optional.of(next);
  }

  /**
   * The same for the leader, which makes the change: it does not remove itself. It stays as the
   * member whom all others precede, so that one of them leads soon, and lets it go.
   *
   * <p>A leader of Ratis that is none of the new members ends while it holds its own lock, and
   * waits for threads that may want that lock: it may never end, and nobody could end it.
   */
  public static Optional<List<GroupMember>> nextOfLeader(
      int leader, List<GroupMember> now, List<GroupMember> wanted, IntPredicate ready) {
    Optional<List<GroupMember>> next = next(now, wanted, ready);
    Optional<GroupMember> self = now.stream().filter(m -> m.node() == leader).findFirst();
    if (next.isEmpty() || self.isEmpty() || next.get().stream().anyMatch(m -> m.node() == leader)) {
      return next;
    }
    List<GroupMember> staying = new ArrayList<>(next.get());
    if (staying.stream().noneMatch(m -> m.priority() > 0)) {
      staying.set(0, withPriority(staying.getFirst(), 1));
    }
    staying.add(withPriority(self.get(), 0));
    return new HashSet<>(staying).equals(new HashSet<>(now))
        ? Optional.empty()
        : Optional.of(staying);
  }

  /**
   * Whether everybody has come who is to come, and the leader stays only until another one leads.
   */
  public static boolean isToGo(int leader, List<GroupMember> now, List<GroupMember> wanted) {
    return now.size() > 1
        && missing(now, wanted).isEmpty()
        && now.stream().anyMatch(m -> m.node() == leader)
        && wanted.stream().noneMatch(m -> m.node() == leader);
  }

  private static GroupMember withPriority(GroupMember member, int priority) {
    return new GroupMember(member.node(), member.host(), member.port(), priority);
  }
}
