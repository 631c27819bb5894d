package io.gauss.storage.node;

import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the node's process when a member of a group has ended by itself: only a new process opens
 * its log with the care that the tail needs ({@code UnforcedTail}), and as long as it is missing
 * the group is one failure nearer to standing still.
 *
 * <p>Not before the process has run for a while: an error that comes again, such as an entry that
 * is damaged here, must not keep this node's other members from working. And not with a full disk,
 * on which the next process would fail, too. Nor at once: a member that was replaced ends by itself
 * when its leader is silent for an election's timeout, just before or after this node removes it.
 *
 * <p>Confined to one thread.
 */
final class EndedMembers {
  private static final Logger LOG = LoggerFactory.getLogger(EndedMembers.class);

  /** From the start of the process until it ends for such a reason. */
  static final Duration AT_LEAST = Duration.ofMinutes(1);

  /** From when a member is found to have ended. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private final GroupHost host;
  private final BooleanSupplier hasRoom;
  private final LongSupplier nanos;
  private final long start;
  private final Consumer<String> end;
  private final Map<GroupId, Long> found = new HashMap<>(); // when it was
  private final Set<GroupId> reported = new HashSet<>();

  /**
   * @param nanos monotonic time
   * @param end ends this process, with the reason
   */
  EndedMembers(GroupHost host, BooleanSupplier hasRoom, LongSupplier nanos, Consumer<String> end) {
    this.host = host;
    this.hasRoom = hasRoom;
    this.nanos = nanos;
    this.start = nanos.getAsLong();
    this.end = end;
  }

  void look() {
    long now = nanos.getAsLong();
    List<GroupId> ended = host.ended();
    found.keySet().retainAll(ended);
    ended.forEach(group -> found.putIfAbsent(group, now));
    List<GroupId> forGood =
        ended.stream().filter(group -> now - found.get(group) >= PATIENCE.toNanos()).toList();
    for (GroupId group : forGood) {
      if (reported.add(group)) {
        LOG.error(
            "the member of {} on this node has ended by itself, see above;"
                + " this process has to start again",
            group);
      }
    }
    if (!forGood.isEmpty() && hasRoom.getAsBoolean() && now - start >= AT_LEAST.toNanos()) {
      end.accept("the member of " + forGood.getFirst() + " has ended by itself");
    }
  }
}
