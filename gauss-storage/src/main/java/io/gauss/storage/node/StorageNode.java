package io.gauss.storage.node;

import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.common.task.CloseStack;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.storage.local.LocalStorageMetrics;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.GroupStatus;
import io.gauss.storage.raft.stream.LeadershipTransfer;
import io.gauss.storage.raft.stream.StreamService;
import io.gauss.storage.wire.NodeStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage node: its replicas of all streams, and a page store that follows them.
 *
 * <p>A stream's committed records are applied to the pages in order, on a thread per stream,
 * whether this node leads the stream or not. Checkpoints allow the replicas' logs to be purged,
 * except for log that is kept for absent storage nodes. A killed node continues from its last
 * checkpoint.
 *
 * <p>It is put together in {@linkplain Phase phases}. Each gets the results of those before it.
 * Resources are closed in reverse order, also when a later phase fails.
 *
 * <p>Start and close are for one thread; the rest is thread-safe.
 */
public final class StorageNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StorageNode.class);

  private static final Duration REPAIR_INTERVAL = Duration.ofMillis(200);

  /** About 1 MB in a second, so that 100 GB of pages are checked in about a day. */
  private static final int SCRUB_PAGES = 128;

  private static final Duration SCRUB_INTERVAL = Duration.ofSeconds(1);

  private static final Duration LOG_REPAIR_INTERVAL = Duration.ofSeconds(1);

  private static final Duration FOLLOWERS_INTERVAL = Duration.ofSeconds(5);

  private static final Duration HOLDS_INTERVAL = Duration.ofSeconds(5);

  private static final Duration GROUPS_INTERVAL = Duration.ofMillis(50);

  private static final Duration HAND_OVER_AGAIN = Duration.ofSeconds(10);

  private final GroupHost host;
  private final FollowedStreams followed;
  private final StorageNetwork network;
  private final CompletableFuture<String> lost;
  private final CloseStack opened;

  /** The phases of a start, in their order. */
  enum Phase {
    /** The directory and its pages. */
    PAGES,
    /** {@link RaftMembers}: the node's members of Raft groups. */
    MEMBERS,
    /** {@link FollowedStreams}: the pages follow the streams. */
    STREAMS,
    /** {@link StorageNetwork}: the node answers other nodes. */
    NETWORK,
    /** The background tasks run. */
    TASKS
  }

  /**
   * @param transports makes the transport of a node
   * @throws io.gauss.common.error.GaussException 55006 when another process has the directory,
   *     XX001 when it is damaged, 58030 when a port cannot be bound
   */
  public static StorageNode start(
      StorageNodeSettings settings,
      Function<TransportConfig, Transport> transports,
      MeterRegistry registry) {
    return start(settings, StoragePlatform.DISK, transports, registry);
  }

  /** The same on another platform. */
  public static StorageNode start(
      StorageNodeSettings settings,
      StoragePlatform platform,
      Function<TransportConfig, Transport> transports,
      MeterRegistry registry) {
    return start(
        settings, platform, transports, registry, phase -> LOG.debug("{} is complete", phase));
  }

  /**
   * The same, observable by tests.
   *
   * @param completed called with each completed phase; the start fails if the call fails
   */
  static StorageNode start(
      StorageNodeSettings settings,
      StoragePlatform platform,
      Function<TransportConfig, Transport> transports,
      MeterRegistry registry,
      Consumer<Phase> completed) {
    long start = Environment.nanoTime();
    int node = settings.self().node();
    CloseStack opened = new CloseStack("storage node " + node);
    try {
      opened.add(platform.take(settings));
      LocalPageStore store = opened.add(platform.pages(settings));
      completed.accept(Phase.PAGES);
      RaftMembers members = RaftMembers.start(settings, platform, store, opened);
      completed.accept(Phase.MEMBERS);
      FollowedStreams followed =
          opened.add(new FollowedStreams(settings, registry, store, members));
      followed.followAll();
      completed.accept(Phase.STREAMS);
      BackgroundTasks tasks = new BackgroundTasks();
      StorageNetwork network =
          StorageNetwork.open(settings, registry, transports, store, followed, tasks, opened);
      completed.accept(Phase.NETWORK);
      CompletableFuture<String> lost = new CompletableFuture<>();
      // First the tasks end, then the pages stop following streams, and only then the network ends.
      opened.add(followed);
      opened.add(tasks);
      opened.add(followed.checkpointer()::hurry);
      start(tasks, store, members, followed, network, lost);
      LocalStorageMetrics.bind(registry, store);
      LocalStorageMetrics.bind(registry, followed.checkpointer());
      completed.accept(Phase.TASKS);
      LOG.info(
          "storage node {} is up at {} after {} ms",
          node,
          network.address(),
          (Environment.nanoTime() - start) / 1_000_000);
      return new StorageNode(members.host(), followed, network, lost, opened);
    } catch (RuntimeException | Error e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private StorageNode(
      GroupHost host,
      FollowedStreams followed,
      StorageNetwork network,
      CompletableFuture<String> lost,
      CloseStack opened) {
    this.host = host;
    this.followed = followed;
    this.network = network;
    this.lost = lost;
    this.opened = opened;
  }

  private static void start(
      BackgroundTasks tasks,
      LocalPageStore store,
      RaftMembers members,
      FollowedStreams followed,
      StorageNetwork network,
      CompletableFuture<String> lost) {
    StreamService streams = members.streams();
    tasks.every("checkpoint", Duration.ofSeconds(1), followed.checkpointer()::runIfDue);
    EndedMembers ended =
        new EndedMembers(
            members.host(), streams::hasRoom, Environment::nanoTime, why -> end(why, lost));
    tasks.every(
        "log-room",
        Duration.ofSeconds(1),
        () -> {
          endIfALogMustBeOpenedAgain(streams, lost);
          ended.look();
        });
    tasks.every(
        "hand-over",
        Duration.ofSeconds(1),
        new LeadershipTransfer(
                streams, members.host(), Environment::nanoTime, HAND_OVER_AGAIN.toNanos())
            ::look);
    tasks.every("page-repair", REPAIR_INTERVAL, network.repair());
    tasks.every("page-scrub", SCRUB_INTERVAL, () -> store.scrub(SCRUB_PAGES));
    tasks.every("log-followers", FOLLOWERS_INTERVAL, streams::lookAtFollowers);
    tasks.every("log-holds", HOLDS_INTERVAL, followed.subscriptions()::look);
    tasks.every("log-repair", LOG_REPAIR_INTERVAL, streams::repairLogs);
    tasks.paced("groups", GROUPS_INTERVAL, () -> reconcile(network.groups(), members.map().map()));
  }

  private static Duration reconcile(GroupReconciler groups, ClusterMap map) {
    groups.reconcile(map);
    return groups.pauseAfter(map);
  }

  private static void endIfALogMustBeOpenedAgain(
      StreamService streams, CompletableFuture<String> lost) {
    if (!lost.isDone() && streams.mustStartAgain()) {
      end("a log could not be written and has to be opened again", lost);
    }
  }

  private static void end(String why, CompletableFuture<String> lost) {
    if (lost.complete(why)) {
      LOG.warn("{}; this process ends", why);
    }
  }

  /** Completes with the reason when the node has to be closed and started again. */
  public CompletableFuture<String> lost() {
    return lost;
  }

  /** The address at which other nodes reach it. */
  public NodeAddress address() {
    return network.address();
  }

  /** Status of this node's members of the groups. */
  List<GroupStatus> groups() {
    return host.groups().stream().map(host::status).toList();
  }

  /** Members of a group as this node's member knows them. */
  List<GroupMember> members(GroupId group) {
    return host.groups().contains(group) ? host.members(group) : List.of();
  }

  /** Status of this node and its replicas. */
  NodeStatus status() {
    return network.status().status();
  }

  /** Whether the cluster has accepted this node since it started, and has not given it up. */
  public boolean isMember() {
    return network.status().isMember();
  }

  /** The problems that keep this node from working now; empty when there are none. */
  public List<Problem> problems() {
    return network.status().problems();
  }

  /** Makes a checkpoint now. */
  public void checkpoint() {
    followed.checkpointer().run();
  }

  /** A second call has no effect. */
  @Override
  public void close() {
    opened.close();
    LOG.info("storage node {} is closed", network.status().settings().self().node());
  }
}
