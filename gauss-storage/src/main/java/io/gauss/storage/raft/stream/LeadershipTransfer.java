package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the lead of streams to other storage nodes while this one is not fit to lead them: its disk
 * is full, so that it refuses appends although the others may have room, or its log is damaged
 * where a follower may need it, and cannot be repaired now.
 *
 * <p>This node's member gets the lowest priority. With a full disk, the node with the next number
 * gets the highest priority, and takes over as soon as it has the whole log. If that node is full
 * as well, it does the same, so with all disks full the lead rotates until one has room. With a
 * damaged log, all others get the same priority, and one with the whole log takes over: a member
 * may be behind because of the damage. When this node is fit again, the leader restores the
 * priorities of the cluster map. For one thread.
 */
public final class LeadershipTransfer {
  private static final Logger LOG = LoggerFactory.getLogger(LeadershipTransfer.class);

  private final StreamService streams;
  private final GroupHost host;
  private final LongSupplier nanoTime;
  private final long againNanos;
  private final Map<GroupId, Long> tried = new HashMap<>();

  /**
   * @param nanoTime monotonic nanoseconds
   * @param againNanos time between two attempts for a stream
   */
  public LeadershipTransfer(
      StreamService streams, GroupHost host, LongSupplier nanoTime, long againNanos) {
    this.streams = streams;
    this.host = host;
    this.nanoTime = nanoTime;
    this.againNanos = againNanos;
  }

  /** Hands over the streams that this node leads and is not fit to lead. To be called often. */
  public void look() {
    boolean full = streams.isDiskFull();
    for (GroupId group : host.groups()) {
      if (group.kind() == GroupId.Kind.STREAM
          && host.leads(group)
          && !streams.mayLead(group)
          && isDue(group)) {
        handOver(group, full);
      }
    }
  }

  private boolean isDue(GroupId group) {
    long now = nanoTime.getAsLong();
    Long last = tried.get(group);
    if (last != null && now - last < againNanos) {
      return false;
    }
    tried.put(group, now);
    return true;
  }

  /**
   * @param inTurn whether a particular one of the others is to lead, instead of any of them
   */
  private void handOver(GroupId group, boolean inTurn) {
    List<GroupMember> before = new ArrayList<>(host.members(group));
    before.sort(Comparator.comparingInt(GroupMember::node));
    int count = before.size();
    if (count == 1) {
      return;
    }
    LOG.warn(
        "{}: another storage node should lead {}",
        inTurn ? "the disk is full" : "the log is damaged and cannot be repaired now",
        group);
    int self = before.stream().map(GroupMember::node).toList().indexOf(host.node());
    List<GroupMember> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      GroupMember member = before.get(i);
      int turn = (self - i + count) % count; // the next one has the highest
      int priority = inTurn ? turn : Math.min(turn, 1);
      members.add(new GroupMember(member.node(), member.host(), member.port(), priority));
    }
    try {
      host.setMembers(group, members);
    } catch (GaussException e) {
      LOG.warn("the lead of {} is not handed over yet: {}", group, e.getMessage());
    }
  }
}
