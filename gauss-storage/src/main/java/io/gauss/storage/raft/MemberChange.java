package io.gauss.storage.raft;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * The next step from a group's present members to the wanted ones.
 *
 * <p>Each step adds one node and removes one. Raft needs majorities of both member lists for the
 * change, and Ratis would refuse a step that replaces more, since the new nodes could be a majority
 * without any data. A pure function.
 */
public final class MemberChange {
  private MemberChange() {}

  /** Wanted members that are not members yet. */
  public static List<GroupMember> missing(List<GroupMember> now, List<GroupMember> wanted) {
    Set<Integer> present = now.stream().map(GroupMember::node).collect(Collectors.toSet());
    return wanted.stream().filter(member -> !present.contains(member.node())).toList();
  }

  /**
   * The members after the next step; empty when the members are as wanted, or nothing can be done
   * now.
   *
   * @param ready whether a node can become a member: it has its part of the group
   */
  static Optional<List<GroupMember>> next(
      List<GroupMember> now, List<GroupMember> wanted, IntPredicate ready) {
    Set<Integer> wantedNodes = wanted.stream().map(GroupMember::node).collect(Collectors.toSet());
    List<GroupMember> next = new ArrayList<>();
    for (GroupMember member : wanted) {
      now.stream()
          .filter(m -> m.node() == member.node())
          .findFirst()
          .ifPresent(before -> next.add(stepTo(before, member)));
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
   * The wanted member, with its priority and address. To Ratis one that only has another address is
   * the same, and it says that the change was made without making it: such a step changes the
   * priority, too, and the next one changes that back.
   */
  private static GroupMember stepTo(GroupMember before, GroupMember wanted) {
    boolean isMoved = !before.host().equals(wanted.host()) || before.port() != wanted.port();
    boolean looksTheSame = isMoved && before.priority() == wanted.priority();
    return looksTheSame
        ? withPriority(wanted, wanted.priority() == 0 ? 1 : wanted.priority() - 1)
        : wanted;
  }

  /**
   * The same for the leader, which makes the change: it does not remove itself. It stays as the
   * member that all others precede, so that one of them soon leads, and removes it.
   *
   * <p>A Ratis leader that is not one of the new members shuts down while it holds its own lock,
   * and waits for threads that may need that lock: it may never end, and could not be stopped.
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

  /** Whether all wanted members have joined, and the leader stays only until another one leads. */
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
