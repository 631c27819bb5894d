package io.gauss.storage.node;

import io.gauss.common.health.Problem;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.apply.Checkpointer;
import io.gauss.storage.apply.StreamFollower;
import io.gauss.storage.local.DataDirectory;
import io.gauss.storage.local.LocalPageStore;
import io.gauss.storage.local.LocalStorageMetrics;
import io.gauss.storage.local.PageStoreSettings;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.GroupStatus;
import io.gauss.storage.raft.RaftHost;
import io.gauss.storage.raft.RaftSettings;
import io.gauss.storage.raft.stream.LeadHandOver;
import io.gauss.storage.raft.stream.NetStreamTransport;
import io.gauss.storage.raft.stream.OtherReplicas;
import io.gauss.storage.raft.stream.StreamHooks;
import io.gauss.storage.raft.stream.StreamInfo;
import io.gauss.storage.raft.stream.StreamService;
import io.gauss.storage.remote.PageCopies;
import io.gauss.storage.wire.NodeStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage node: its replicas of all streams, and a page store that follows them.
 *
 * <p>A stream's committed records get to the pages in order, on a thread per stream, whether this
 * node leads the stream or not. Checkpoints let the replicas' logs go, but for what is kept for
 * storage nodes that were away. A node that is killed begins again at its last checkpoint.
 *
 * <p>Start and close are for one thread; the rest is thread-safe.
 */
public final class StorageNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StorageNode.class);

  private static final Duration REPAIR_INTERVAL = Duration.ofMillis(200);

  /** About 1 MB in a second, so that 100 GB of pages are looked at in about a day. */
  private static final int SCRUB_PAGES = 128;

  private static final Duration SCRUB_INTERVAL = Duration.ofSeconds(1);

  private static final Duration MEND_INTERVAL = Duration.ofSeconds(1);

  private static final Duration FOLLOWERS_INTERVAL = Duration.ofSeconds(5);

  /** How long another storage node may take to give a copy of what is damaged here. */
  private static final Duration COPY_WAIT = Duration.ofSeconds(1);

  private static final Duration GROUPS_INTERVAL = Duration.ofMillis(50);

  private static final Duration HAND_OVER_AGAIN = Duration.ofSeconds(10);

  private final StorageNodeSettings settings;
  private final MeterRegistry registry;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final BackgroundTasks tasks = new BackgroundTasks();
  private final CompletableFuture<String> lost = new CompletableFuture<>();
  private final Map<Integer, StreamFollower> followers = new ConcurrentHashMap<>();
  private final Map<Integer, ReplicaLag> lags = new ConcurrentHashMap<>();
  private final List<ReplicaSource> sources = new CopyOnWriteArrayList<>();
  private final LogPins pins = new LogPins();
  private LocalPageStore store;
  private ReplicaFetch fetch;
  private StreamService streams;
  private RaftHost host;
  private Checkpointer checkpointer;
  private MapReplica map;
  private volatile GroupReconciler groups;
  private NodeAddress address;

  /**
   * @param transports makes the transport of a node
   * @throws io.gauss.common.error.GaussException 55006 when another process has the directory,
   *     XX001 when it is damaged, 58030 when a port cannot be had
   */
  public static StorageNode start(
      StorageNodeSettings settings,
      Function<TransportConfig, Transport> transports,
      MeterRegistry registry) {
    StorageNode node = new StorageNode(settings, registry);
    try {
      node.open(transports);
      return node;
    } catch (RuntimeException | Error e) {
      try (node) {
        throw e;
      }
    }
  }

  private StorageNode(StorageNodeSettings settings, MeterRegistry registry) {
    this.settings = settings;
    this.registry = registry;
  }

  private void open(Function<TransportConfig, Transport> transports) {
    long start = System.nanoTime();
    opened.push(DataDirectory.take(settings.data()));
    store =
        LocalPageStore.open(
            settings.data().resolve("pages"),
            PageStoreSettings.defaults()
                .withPendingLimit(settings.redoMemoryBytes())
                .withWriteBytesPerSecond(settings.pageWriteBytesPerSecond()));
    opened.push(store);
    fetch = new ReplicaFetch(store, this::replicas, this::peer);
    opened.push(fetch);
    streams =
        new StreamService(
            new StreamHooks(this::neededFrom, fetch),
            () -> settings.data().toFile().getUsableSpace(),
            settings.diskReserveBytes());
    map = new MapReplica(settings);
    StorageAddress self = settings.self();
    host =
        RaftHost.start(
            RaftSettings.of(
                    self.node(),
                    settings.peerListen(),
                    self.raftPort(),
                    settings.data().resolve("raft"))
                .withTls(settings.tls()),
            RaftHost.MachineFactory.byKind(
                Map.of(
                    GroupId.Kind.STREAM,
                    streams::machine,
                    GroupId.Kind.CLUSTER_MAP,
                    map.machines())),
            StreamService.evidence());
    opened.push(host);
    opened.push(streams);
    streams.attach(host);
    checkpointer =
        new Checkpointer(sources, store, settings.checkpointBytes(), settings.checkpointInterval());
    for (GroupId group : host.groups()) {
      if (group.kind() == GroupId.Kind.STREAM) {
        follow(group.number());
      }
    }
    tasks.every("checkpoint", Duration.ofSeconds(1), checkpointer::runIfDue);
    tasks.every("log-room", Duration.ofSeconds(1), this::endIfLogsHaveRoomAgain);
    tasks.every(
        "hand-over",
        Duration.ofSeconds(1),
        new LeadHandOver(streams, host, System::nanoTime, HAND_OVER_AGAIN.toNanos())::look);
    listen(transports);
    LocalStorageMetrics.bind(registry, store);
    LocalStorageMetrics.bind(registry, checkpointer);
    LOG.info(
        "storage node {} is up at {} after {} ms",
        self.node(),
        address,
        (System.nanoTime() - start) / 1_000_000);
  }

  private void endIfLogsHaveRoomAgain() {
    if (!lost.isDone() && streams.mustStartAgain()) {
      LOG.warn("a log was cut off by a full disk, which has room again; this process ends");
      lost.complete("a log was cut off by a full disk, which has room again");
    }
  }

  /** Completes with the reason when the node has to be closed and started again. */
  public CompletableFuture<String> lost() {
    return lost;
  }

  private void listen(Function<TransportConfig, Transport> transports) {
    Transport transport = transports.apply(map.transport(registry));
    RebuildService rebuilds = new RebuildService(store, checkpointer::run, streams, pins);
    opened.push(rebuilds); // closed behind the transport, whose end ends what it sends
    opened.push(transport);
    Handlers handlers = new Handlers();
    new PageService(store, transport.allocator()).register(handlers);
    new StreamEndpoint(streams, transport.allocator()).register(handlers);
    rebuilds.register(handlers, transport.allocator());
    PagesProgressService progress =
        new PagesProgressService(store, this::lagNanos, transport.allocator());
    progress.register(handlers);
    opened.push(progress);
    StatusService status = new StatusService(this::status, transport.allocator());
    status.register(handlers);
    opened.push(status);
    map.attach(host, transport, handlers);
    opened.push(map);
    GroupQuestions questions =
        new GroupQuestions(host, streams::mayLead, transport.allocator(), map::storageNodes);
    questions.register(handlers);
    groups = new GroupReconciler(settings.self().node(), host, new Replicas(), questions);
    mend(transport.allocator(), registry);
    StorageAddress self = settings.self();
    NodeAddress bound =
        transport.listen(new NodeAddress(settings.peerListen(), self.port()), handlers);
    address = new NodeAddress(self.host(), bound.port());
    map.start();
    tasks.every("groups", GROUPS_INTERVAL, () -> groups.reconcile(map.map()));
  }

  /** What the disk has damaged comes from other storage nodes: pages, and batches of the logs. */
  private void mend(ByteBufAllocator allocator, MeterRegistry registry) {
    PageRepair repair =
        new PageRepair(
            store, new PageCopies(allocator, () -> List.copyOf(others().values()), COPY_WAIT));
    opened.push(repair);
    tasks.every("page-repair", REPAIR_INTERVAL, repair);
    tasks.every("page-scrub", SCRUB_INTERVAL, () -> store.scrub(SCRUB_PAGES));
    streams.others(
        new OtherReplicas(
            (node, request, timeout) ->
                new NetStreamTransport(allocator, others()).call(node, request, timeout),
            () -> List.copyOf(others().keySet()),
            COPY_WAIT));
    tasks.every("log-followers", FOLLOWERS_INTERVAL, streams::lookAtFollowers);
    tasks.every("log-mend", MEND_INTERVAL, streams::mendLogs);
    Gauge.builder("gauss.log.damaged", streams, StreamService::damagedBatches)
        .description("Batches of the log that are damaged here and read from other storage nodes")
        .register(registry);
    FunctionCounter.builder("gauss.log.mended", streams, StreamService::mendedEntries)
        .description(
            "Entries of the log that were damaged here and mended from other storage nodes")
        .register(registry);
  }

  /** Connections to the other storage nodes. */
  private Map<Integer, Peer> others() {
    Map<Integer, Peer> all = new TreeMap<>(map.storageNodes());
    all.remove(settings.self().node());
    return all;
  }

  /** This node's replicas of streams come and go as the cluster map says. */
  private final class Replicas implements GroupReconciler.Replicas {
    @Override
    public boolean has(int stream) {
      return followers.containsKey(stream);
    }

    @Override
    public void add(int stream, List<GroupMember> members) {
      if (!host.groups().contains(GroupId.stream(stream))) {
        streams.addStream(stream, members);
      }
      follow(stream);
    }

    @Override
    public void remove(int stream) {
      StreamFollower follower = followers.remove(stream);
      ReplicaLag lag = lags.remove(stream);
      sources.removeIf(source -> source.streamId() == stream);
      try (follower) {
        LOG.debug("the pages follow stream {} no more", stream);
      } catch (Exception e) {
        LOG.warn("the tail of stream {} does not end", stream, e);
      }
      lag.unbind();
      streams.removeStream(stream);
      store.forget(stream);
    }
  }

  /** Lets the pages follow a stream that this node is a replica of. */
  private void follow(int stream) {
    ReplicaSource source = new ReplicaSource(stream, streams, settings.keepLogBytes());
    StreamFollower follower = new StreamFollower(source, store);
    followers.put(stream, follower);
    sources.add(source);
    ReplicaLag lag = new ReplicaLag(stream, streams, store);
    lag.bindTo(registry);
    lags.put(stream, lag);
    follower.followFromCheckpoint(lag);
    LOG.info(
        "the pages follow stream {} from offset {} on", stream, store.checkpointOffset(stream));
  }

  /** From where this node needs a stream's log, for its pages or for a replica that copies them. */
  private long neededFrom(int stream) {
    return Math.min(store.checkpointOffset(stream), pins.lowest(stream));
  }

  /** The storage nodes that keep a stream, as far as this one knows. */
  private List<Integer> replicas(int stream) {
    StreamGroup group = map.map().streamGroups().get(stream);
    return group == null ? List.of() : group.replicas();
  }

  private Optional<Peer> peer(int node) {
    return node == settings.self().node()
        ? Optional.empty()
        : Optional.ofNullable(map.storageNodes().get(node));
  }

  /** Where other nodes find it. */
  public NodeAddress address() {
    return address;
  }

  /** How this node's members of the groups stand. */
  public List<GroupStatus> groups() {
    return host.groups().stream().map(host::status).toList();
  }

  /** Members of a group as this node's member knows them. */
  List<GroupMember> members(GroupId group) {
    return host.groups().contains(group) ? host.members(group) : List.of();
  }

  private long lagNanos(int stream) {
    ReplicaLag lag = lags.get(stream);
    return lag == null ? 0 : lag.nanos();
  }

  /** How this node and its replicas stand. */
  public NodeStatus status() {
    List<NodeStatus.Replica> replicas = new ArrayList<>();
    for (int stream : new TreeSet<>(lags.keySet())) {
      replicas.add(replica(stream));
    }
    return new NodeStatus(
        settings.self().node(),
        store.pendingBytes(),
        settings.data().toFile().getUsableSpace(),
        replicas,
        problems());
  }

  private NodeStatus.Replica replica(int stream) {
    GroupId group = GroupId.stream(stream);
    GroupStatus raft = host.status(group);
    StreamInfo info = streams.local(stream);
    return new NodeStatus.Replica(
        stream,
        raft.leader().orElse(0),
        raft.alive(),
        raft.leads(),
        host.members(group).stream().map(GroupMember::node).sorted().toList(),
        raft.term(),
        info.epoch(),
        info.start(),
        streams.localStart(stream),
        raft.alive() ? streams.logEnd(stream) : info.end(),
        info.end(),
        info.lastLsn(),
        store.appliedOffset(stream),
        store.checkpointOffset(stream),
        lagNanos(stream));
  }

  /** Whether the cluster has taken this node in since it started, and has not given it up. */
  public boolean isMember() {
    return map.isMember();
  }

  /** What keeps this node from doing its work now; empty when nothing does. */
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>(host.problems());
    problems.addAll(streams.problems());
    problems.addAll(store.problems());
    problems.addAll(fetch.problems());
    problems.addAll(map.problems());
    problems.addAll(groups.problems());
    followers.values().stream()
        .map(StreamFollower::problem)
        .filter(java.util.Objects::nonNull)
        .forEach(problems::add);
    if (checkpointer.problem() != null) {
      problems.add(checkpointer.problem());
    }
    problems.addAll(tasks.problems());
    return problems;
  }

  /** Makes a checkpoint now. */
  public void checkpoint() {
    checkpointer.run();
  }

  @Override
  public void close() {
    if (checkpointer != null) {
      checkpointer.hurry();
    }
    tasks.close();
    followers.values().forEach(opened::push);
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("while closing storage node {}", settings.self().node(), e);
      }
    }
    opened.clear();
    LOG.info("storage node {} is closed", settings.self().node());
  }
}
