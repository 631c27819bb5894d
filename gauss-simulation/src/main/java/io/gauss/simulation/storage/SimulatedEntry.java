package io.gauss.simulation.storage;

import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.LogPosition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * An entry of a simulated log. Two logs have the same entry when they have the same object.
 *
 * @param command what was submitted; null for an entry of the group's own
 * @param members from here on; null when the entry changes nothing about them
 */
record SimulatedEntry(LogPosition at, ByteBuffer command, Members members) {
  static final int HEADER_BYTES = 16;

  long index() {
    return at.index();
  }

  long term() {
    return at.term();
  }

  int size() {
    return HEADER_BYTES + (command == null ? 0 : command.remaining());
  }

  byte[] bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(size()).putLong(at.term()).putLong(at.index());
    if (command != null) {
      bytes.put(command.duplicate());
    }
    return bytes.array();
  }

  /**
   * Members of a group.
   *
   * @param before while these are being replaced, majorities of both are needed; null otherwise
   */
  record Members(List<GroupMember> now, List<GroupMember> before) {
    static Members of(List<GroupMember> now) {
      return new Members(List.copyOf(now), null);
    }

    boolean have(int node) {
      return now.stream().anyMatch(m -> m.node() == node)
          || (before != null && before.stream().anyMatch(m -> m.node() == node));
    }

    Set<Integer> nodes() {
      Set<Integer> nodes = new TreeSet<>();
      now.forEach(m -> nodes.add(m.node()));
      if (before != null) {
        before.forEach(m -> nodes.add(m.node()));
      }
      return nodes;
    }

    int priority(int node) {
      return now.stream()
          .filter(m -> m.node() == node)
          .mapToInt(GroupMember::priority)
          .findAny()
          .orElse(-1);
    }

    boolean majority(IntPredicate agrees) {
      return majority(now, agrees) && (before == null || majority(before, agrees));
    }

    private static boolean majority(List<GroupMember> of, IntPredicate agrees) {
      long agreeing = of.stream().filter(m -> agrees.test(m.node())).count();
      return 2 * agreeing > of.size();
    }
  }
}
