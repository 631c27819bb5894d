package io.gauss.storage.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.health.Problem;
import io.gauss.storage.apply.Checkpointer;
import io.gauss.storage.apply.StreamFollower;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Third phase of a storage node's start: the pages follow the streams of which this node has
 * replicas, each on its own thread. The cluster map determines which replicas there are.
 * Thread-safe.
 */
final class FollowedStreams implements GroupReconciler.Replicas, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedStreams.class);

  private final LocalPageStore store;
  private final RaftMembers members;
  private final long keepLogBytes;
  private final KeptBatches keptBatches;
  private final SubscriptionDuties subscriptions;
  private final MeterRegistry registry;
  private final Checkpointer checkpointer;
  private final Map<Integer, StreamFollower> followers = new ConcurrentHashMap<>();
  private final Map<Integer, ReplicaLag> lags = new ConcurrentHashMap<>();
  private final List<ReplicaSource> sources = new CopyOnWriteArrayList<>();

  FollowedStreams(
      StorageNodeSettings settings,
      MeterRegistry registry,
      LocalPageStore store,
      RaftMembers members) {
    this.store = store;
    this.members = members;
    this.registry = registry;
    this.keepLogBytes = settings.get(NodeSettingTable.LOG_KEEP);
    int batches = settings.get(NodeSettingTable.LOG_KEEP_BATCHES);
    this.keptBatches = new KeptBatches(batches, sources);
    this.subscriptions =
        new SubscriptionDuties(
            members.streams(), members.host(), new MapTenures(members.map()::map));
    this.checkpointer =
        new Checkpointer(
            sources,
            store,
            settings.get(NodeSettingTable.CHECKPOINT_BYTES),
            settings.get(NodeSettingTable.CHECKPOINT_SECONDS),
            batches / 2);
  }

  /** Follows all streams with a replica on the disk. */
  void followAll() {
    for (GroupId group : members.host().groups()) {
      if (group.kind() == GroupId.Kind.STREAM) {
        follow(group.number());
      }
    }
  }

  private void follow(int stream) {
    ReplicaSource source =
        new ReplicaSource(
            stream, members.streams(), keepLogBytes, keptBatches, subscriptions::mayTrim);
    StreamFollower follower = new StreamFollower(source, store);
    followers.put(stream, follower);
    sources.add(source);
    ReplicaLag lag = new ReplicaLag(stream, members.streams(), store);
    lag.bindTo(registry);
    lags.put(stream, lag);
    follower.followFromCheckpoint(lag);
    LOG.info(
        "the pages follow stream {} from offset {} on", stream, store.checkpointOffset(stream));
  }

  @Override
  public boolean has(int stream) {
    return followers.containsKey(stream);
  }

  @Override
  public void add(int stream, List<GroupMember> of) {
    if (!members.host().groups().contains(GroupId.stream(stream))) {
      members.streams().addStream(stream, of);
    }
    follow(stream);
  }

  @Override
  public void remove(int stream) {
    StreamFollower follower = followers.remove(stream);
    ReplicaLag lag = lags.remove(stream);
    sources.removeIf(source -> source.streamId() == stream);
    close(stream, follower);
    lag.unbind();
    members.streams().removeStream(stream);
    store.forget(stream);
  }

  private static void close(int stream, StreamFollower follower) {
    try (follower) {
      LOG.debug("the pages follow stream {} no more", stream);
    } catch (Exception e) {
      LOG.warn("the tail of stream {} does not end", stream, e);
    }
  }

  RaftMembers members() {
    return members;
  }

  /** What this node does about subscriptions of the streams that it leads. */
  SubscriptionDuties subscriptions() {
    return subscriptions;
  }

  /** Makes checkpoints of all these streams. */
  Checkpointer checkpointer() {
    return checkpointer;
  }

  /** Numbers of the streams, ascending. */
  Iterable<Integer> streams() {
    return new TreeSet<>(lags.keySet());
  }

  /** For how long the oldest record of a stream that the pages lack has been durable here. */
  long lagNanos(int stream) {
    ReplicaLag lag = lags.get(stream);
    return lag == null ? 0 : lag.nanos();
  }

  List<Problem> problems() {
    List<Problem> problems =
        new ArrayList<>(
            followers.values().stream()
                .map(StreamFollower::problem)
                .filter(Objects::nonNull)
                .toList());
    if (checkpointer.problem() != null) {
      problems.add(checkpointer.problem());
    }
    return problems;
  }

  /** Ends following all streams. A second call has no effect. */
  @Override
  public void close() {
    for (int stream : List.copyOf(followers.keySet())) {
      StreamFollower follower = followers.remove(stream);
      if (follower != null) {
        close(stream, follower);
      }
    }
  }
}
