package io.gauss.storage.node;

import io.gauss.common.health.Problem;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.GroupStatus;
import io.gauss.storage.raft.stream.StreamInfo;
import io.gauss.storage.raft.stream.StreamService;
import io.gauss.storage.wire.NodeStatus;
import java.util.ArrayList;
import java.util.List;

/** Status of a storage node and its replicas. Thread-safe. */
record StorageStatus(
    StorageNodeSettings settings,
    LocalPageStore store,
    RaftMembers members,
    FollowedStreams followed,
    GroupReconciler groups,
    BackgroundTasks tasks) {

  NodeStatus status() {
    List<NodeStatus.Replica> replicas = new ArrayList<>();
    for (int stream : followed.streams()) {
      replicas.add(replica(stream));
    }
    return new NodeStatus(
        settings.self().node(),
        store.pendingBytes(),
        members.usableBytes().getAsLong(),
        replicas,
        problems());
  }

  private NodeStatus.Replica replica(int stream) {
    GroupId group = GroupId.stream(stream);
    GroupStatus raft = members.host().status(group);
    StreamService streams = members.streams();
    StreamInfo info = streams.local(stream);
    return new NodeStatus.Replica(
        stream,
        raft.leader().orElse(0),
        raft.alive(),
        raft.leads(),
        members.host().members(group).stream().map(GroupMember::node).sorted().toList(),
        raft.term(),
        info.epoch(),
        info.start(),
        streams.localStart(stream),
        raft.alive() ? streams.logEnd(stream) : info.end(),
        info.end(),
        info.lastLsn(),
        store.appliedOffset(stream),
        store.checkpointOffset(stream),
        followed.lagNanos(stream),
        streams.holds(stream));
  }

  /** Whether the cluster has accepted the node since it started, and has not given it up. */
  boolean isMember() {
    return members.map().isMember();
  }

  /** The problems that keep the node from working now; empty when there are none. */
  List<Problem> problems() {
    List<Problem> problems = new ArrayList<>(members.host().problems());
    problems.addAll(members.streams().problems());
    problems.addAll(store.problems());
    problems.addAll(members.fetch().problems());
    problems.addAll(members.map().problems());
    problems.addAll(groups.problems());
    problems.addAll(followed.problems());
    problems.addAll(tasks.problems());
    return problems;
  }
}
