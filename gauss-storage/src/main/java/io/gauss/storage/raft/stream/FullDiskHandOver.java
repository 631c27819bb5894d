package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.RaftHost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the lead of streams to other storage nodes while this one's disk is full: who leads refuses
 * appends then, though the others may have room.
 *
 * <p>This node's member gets the lowest priority and the one with the next number the highest,
 * which takes over as soon as it has the whole log. When that one is full too, it does the same;
 * with all of them full the lead goes round, until one has room. When there is room here again, the
 * node that leads gives the priorities back that the cluster map asks for. For one thread.
 */
public final class FullDiskHandOver {
  private static final Logger LOG = LoggerFactory.getLogger(FullDiskHandOver.class);

  private final StreamService streams;
  private final RaftHost host;
  private final LongSupplier nanoTime;
  private final long againNanos;
  private final Map<GroupId, Long> tried = new HashMap<>();

  /**
   * @param nanoTime monotonic nanoseconds
   * @param againNanos time between two attempts for a stream
   */
  public FullDiskHandOver(
      StreamService streams, RaftHost host, LongSupplier nanoTime, long againNanos) {
    this.streams = streams;
    this.host = host;
    this.nanoTime = nanoTime;
    this.againNanos = againNanos;
  }

  /** Looks whether the disk is full, and hands over what this node leads. To be called often. */
  public void look() {
    if (!streams.isDiskFull()) {
      return;
    }
    for (GroupId group : host.groups()) {
      if (group.kind() == GroupId.Kind.STREAM && host.leads(group) && isDue(group)) {
        handOver(group);
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

  private void handOver(GroupId group) {
    List<GroupMember> before = new ArrayList<>(host.members(group));
    before.sort(Comparator.comparingInt(GroupMember::node));
    int count = before.size();
    if (count == 1) {
      return;
    }
    int self = before.stream().map(GroupMember::node).toList().indexOf(host.node());
    List<GroupMember> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      GroupMember member = before.get(i);
      int priority = (self - i + count) % count; // the next one has the highest
      members.add(new GroupMember(member.node(), member.host(), member.port(), priority));
    }
    LOG.warn("the disk is full: another storage node should lead {}", group);
    try {
      host.setMembers(group, members);
    } catch (GaussException e) {
      LOG.warn("the lead of {} is not handed over yet: {}", group, e.getMessage());
    }
  }
}
