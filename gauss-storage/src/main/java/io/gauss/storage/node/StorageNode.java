package io.gauss.storage.node;

import io.gauss.common.health.Problem;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.storage.api.Storage;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.apply.Checkpointer;
import io.gauss.storage.apply.StreamFollower;
import io.gauss.storage.local.DataDirectory;
import io.gauss.storage.local.LocalPageStore;
import io.gauss.storage.local.LocalStorageMetrics;
import io.gauss.storage.local.PageStoreSettings;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.GroupStatus;
import io.gauss.storage.raft.RaftHost;
import io.gauss.storage.raft.RaftSettings;
import io.gauss.storage.raft.stream.StreamHooks;
import io.gauss.storage.raft.stream.StreamService;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
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

  /** Appends are refused with less room, so that there is some left for checkpoints. */
  private static final long DISK_RESERVE_BYTES = 256L << 20;

  /** A storage node has one epoch for ever: nothing that it says depends on its being alive. */
  private static final int EPOCH = 1;

  private final StorageNodeSettings settings;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final BackgroundTasks tasks = new BackgroundTasks();
  private final Map<Integer, StreamFollower> followers = new ConcurrentHashMap<>();
  private final List<ReplicaSource> sources = new CopyOnWriteArrayList<>();
  private LocalPageStore store;
  private StreamService streams;
  private RaftHost host;
  private Checkpointer checkpointer;
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
    StorageNode node = new StorageNode(settings);
    try {
      node.open(transports, registry);
      return node;
    } catch (RuntimeException | Error e) {
      try (node) {
        throw e;
      }
    }
  }

  private StorageNode(StorageNodeSettings settings) {
    this.settings = settings;
  }

  private void open(Function<TransportConfig, Transport> transports, MeterRegistry registry) {
    long start = System.nanoTime();
    opened.push(DataDirectory.take(settings.data()));
    store =
        LocalPageStore.open(
            settings.data().resolve("pages"),
            PageStoreSettings.defaults()
                .withPendingLimit(settings.redoMemoryBytes())
                .withWriteBytesPerSecond(settings.pageWriteBytesPerSecond()));
    opened.push(store);
    streams =
        new StreamService(
            new StreamHooks(store::checkpointOffset, StreamHooks.logOnly().rebuild()),
            () -> settings.data().toFile().getUsableSpace(),
            DISK_RESERVE_BYTES);
    StorageAddress self = settings.self();
    host =
        RaftHost.start(
            RaftSettings.of(
                self.node(), self.host(), self.raftPort(), settings.data().resolve("raft")),
            streams::machine);
    opened.push(host);
    opened.push(streams);
    streams.attach(host);
    checkpointer =
        new Checkpointer(sources, store, settings.checkpointBytes(), settings.checkpointInterval());
    for (int stream : settings.streams()) {
      addStream(stream);
    }
    tasks.every("checkpoint", Duration.ofSeconds(1), checkpointer::runIfDue);
    listen(transports, registry);
    LocalStorageMetrics.bind(registry, store);
    LocalStorageMetrics.bind(registry, checkpointer);
    LOG.info(
        "storage node {} is up at {} after {} ms",
        self.node(),
        address,
        (System.nanoTime() - start) / 1_000_000);
  }

  private void listen(Function<TransportConfig, Transport> transports, MeterRegistry registry) {
    StorageAddress self = settings.self();
    Transport transport =
        transports.apply(
            new TransportConfig(
                NodeIdentity.of(
                    self.node(), NodeRole.STORAGE, EPOCH, new LamportClock(self.node(), Lsn.NONE)),
                settings.key(),
                EpochGuard.NONE,
                TransportSettings.DEFAULTS,
                registry));
    opened.push(transport);
    Handlers handlers = new Handlers();
    new PageService(store, transport.allocator()).register(handlers);
    new StreamEndpoint(streams, transport.allocator()).register(handlers);
    PagesProgressService progress = new PagesProgressService(store, transport.allocator());
    progress.register(handlers);
    opened.push(progress);
    address = transport.listen(self.address(), handlers);
  }

  /** Makes this node a replica of a stream, if it is none, and lets the pages follow it. */
  private void addStream(int stream) {
    if (!host.groups().contains(GroupId.stream(stream))) {
      streams.addStream(stream, members());
    }
    ReplicaSource source = new ReplicaSource(stream, streams, settings.keepLogBytes());
    StreamFollower follower = new StreamFollower(source, store);
    followers.put(stream, follower);
    sources.add(source);
    follower.followFromCheckpoint(new Quiet());
    LOG.info(
        "the pages follow stream {} from offset {} on", stream, store.checkpointOffset(stream));
  }

  /** The first of the list leads if it can. */
  private List<GroupMember> members() {
    List<GroupMember> members = new ArrayList<>();
    int priority = settings.nodes().size();
    for (StorageAddress node : settings.nodes()) {
      members.add(new GroupMember(node.node(), node.host(), node.raftPort(), priority--));
    }
    return members;
  }

  /** How far the pages are is told by their progress, and what is wrong by {@link #problems}. */
  private static final class Quiet implements Storage.Listener {
    @Override
    public void applied(long offset) {}

    @Override
    public void stopped(long offset, Throwable cause) {}
  }

  /** Where other nodes find it. */
  public NodeAddress address() {
    return address;
  }

  /** How this node's members of the streams' groups stand. */
  public List<GroupStatus> groups() {
    return host.groups().stream().map(host::status).toList();
  }

  /** What keeps this node from doing its work now; empty when nothing does. */
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>(host.problems());
    problems.addAll(streams.problems());
    problems.addAll(store.problems());
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
