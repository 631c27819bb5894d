package io.gauss.storage.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.health.Problem;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.BackgroundTasks;
import io.gauss.common.task.Later;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.MapEpochGuard;
import io.gauss.storage.map.client.PeerMapConnection;
import io.gauss.storage.map.client.StorageConnections;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import io.gauss.storage.map.message.MapSnapshot;
import io.gauss.storage.map.service.ClusterMapService;
import io.gauss.storage.map.service.ClusterMapState;
import io.gauss.storage.map.service.MapTransportServer;
import io.gauss.storage.map.service.Prober;
import io.gauss.storage.map.service.TransportProber;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.map.ClusterMapGroup;
import io.gauss.storage.raft.map.GroupStreamSealer;
import io.gauss.storage.raft.stream.NetStreamTransport;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage node's part in the cluster map: its replica of it, the service that answers about it,
 * and the node's own membership.
 *
 * <p>At its first start, a node becomes a member of the map's group only after every other storage
 * node of its configuration has answered. If one knows a cluster to which this node already
 * belongs, this node's disk was lost: it may have forgotten a vote, so it does not start again
 * under its number. If one knows a cluster without this node, the node waits until the group
 * accepts it. Otherwise all are new, and the group begins with the nodes in the configuration.
 *
 * <p>Start and close are for one thread; the rest is thread-safe.
 */
final class MapReplica implements AutoCloseable {
  private static final int PRIORITY = 1;
  private static final Logger LOG = LoggerFactory.getLogger(MapReplica.class);
  private static final Duration BOOTSTRAP_INTERVAL = Duration.ofMillis(100);
  private static final Duration JOINED_INTERVAL = Duration.ofMillis(500);
  private static final int LEASE_PART_RENEWAL = 3;
  private static final int LEASE_PART_MARGIN = 6;
  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long INITIALISE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final StorageNodeSettings settings;
  private final LamportClock clock;
  private final ClusterMapState state = new ClusterMapState();
  private final ClusterMapGroup group = new ClusterMapGroup(state, this::fetch);
  private final BackgroundTasks tasks = new BackgroundTasks();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final UUID proposedCluster;
  private final Prober ports;
  private volatile GroupHost host;
  private volatile StorageConnections others;
  private volatile ClusterMapClient client;
  private volatile ClusterMember member;
  private volatile ClusterMapService service;
  private boolean joining;
  private CompletableFuture<?> initialising = CompletableFuture.completedFuture(null);
  private volatile boolean joined;
  private volatile Problem problem = new Problem("the cluster map is not known yet", "starting");

  /**
   * @param proposedCluster identifies the cluster if this node creates it
   * @param ports tells whether other nodes' ports are open
   */
  MapReplica(StorageNodeSettings settings, UUID proposedCluster, Prober ports) {
    this.settings = settings;
    this.proposedCluster = proposedCluster;
    this.ports = ports;
    this.clock = new LamportClock(settings.self().node(), Lsn.NONE);
  }

  /** Makes this node's replica of the map's group. */
  GroupReplica newReplica() {
    return group.newReplica();
  }

  /** Configuration of this node's transport: under the epoch that the map gives it. */
  TransportConfig transport(MeterRegistry registry) {
    return new TransportConfig(
        new NodeIdentity(settings.self().node(), NodeRole.STORAGE, this::epoch, clock),
        settings.key(),
        new MapEpochGuard(this::map),
        TransportSettings.DEFAULTS,
        registry);
  }

  private int epoch() {
    ClusterMember known = member;
    return known == null ? MapEpochGuard.UNREGISTERED : known.epoch();
  }

  /** To be called before the transport listens. */
  void attach(GroupHost groupHost, Transport transport, Handlers handlers) {
    host = groupHost;
    group.attach(groupHost);
    Map<Integer, io.gauss.common.transport.NodeAddress> configured =
        settings.nodes().stream()
            .collect(Collectors.toMap(StorageAddress::node, StorageAddress::address));
    others = new StorageConnections(transport, configured);
    opened.push(others);
    NetStreamTransport streams = new NetStreamTransport(transport.allocator(), others.peers());
    state.addListener(
        map -> {
          others.follow(map());
          streams.nodes(others.peers());
        });
    service =
        new ClusterMapService(
            state,
            group,
            new GroupStreamSealer(state, streams),
            new TransportProber(transport, ports, StoragePlatform.PROBE_MILLIS),
            Environment::nanoTime);
    opened.push(service);
    MapTransportServer server = new MapTransportServer(service);
    server.register(handlers);
    transport.addListener(server);
    StoragePeers peers =
        new StoragePeers(
            transport, settings.nodes().stream().map(StorageAddress::address).toList());
    opened.push(peers);
    client = peers.client();
    client.addListener(map -> others.follow(map()));
    member =
        new ClusterMember(
            client,
            new ClusterMember.Identity(
                settings.self().node(), Set.of(Role.STORAGE), settings.get(NodeSettingTable.ZONE)),
            new Hooks(),
            Environment::nanoTime);
    opened.push(member);
    member.register(handlers);
  }

  /** To be called once others can reach this node. */
  void start() {
    service.start();
    tasks.paced(
        "cluster-map",
        BOOTSTRAP_INTERVAL,
        () -> {
          bootstrap();
          return joined ? JOINED_INTERVAL : BOOTSTRAP_INTERVAL;
        });
  }

  /** Whether the cluster has accepted this node since it started, and has not given it up. */
  boolean isMember() {
    return joined && member.epoch() != MapEpochGuard.UNREGISTERED;
  }

  private void join() {
    StorageAddress self = settings.self();
    member
        .join(
            List.of(
                new Endpoint(Endpoint.Purpose.PEER, self.host(), self.port()),
                new Endpoint(Endpoint.Purpose.RAFT, self.host(), self.raftPort())))
        .whenComplete(
            (map, failure) -> {
              if (failure == null) {
                joined = true;
                problem = null;
                LOG.info(
                    "storage node {} is a member of cluster {} in epoch {}",
                    settings.self().node(),
                    map.cluster(),
                    member.epoch());
              } else {
                problem = new Problem("this node is no member of the cluster", why(failure));
                LOG.error("storage node {} cannot join", settings.self().node(), failure);
              }
            });
  }

  private static String why(Throwable failure) {
    return failure.getCause() == null ? failure.getMessage() : failure.getCause().getMessage();
  }

  // ---- the first time

  private void bootstrap() {
    if (joined) {
      return;
    }
    if (!host.groups().contains(GroupId.clusterMap())) {
      found();
      return;
    }
    if (!joining) {
      // Only after this node has the group: a node that the cluster knows and that has no group has
      // lost its disk.
      joining = true;
      join();
    }
    if (!state.map().isInitialised() && group.leads()) {
      initialise();
    }
  }

  /** Becomes a member of the group, if the others' answers allow it. */
  private void found() {
    List<Integer> silent = new ArrayList<>();
    ClusterMap known = null;
    for (StorageAddress other : settings.nodes()) {
      if (other.node() != settings.self().node()) {
        ClusterMap map = ask(other.node());
        if (map == null) {
          silent.add(other.node());
        } else if (map.isInitialised()) {
          known = map;
        }
      }
    }
    if (known != null) {
      comeLater(known);
    } else if (silent.isEmpty()) {
      group.create(firstMembers());
    } else {
      problem =
          new Problem(
              "a new cluster needs all its storage nodes once", "waiting for nodes " + silent);
    }
  }

  private void comeLater(ClusterMap known) {
    if (known.nodes().containsKey(settings.self().node())) {
      Problem lost =
          new Problem(
              "the disk of storage node " + settings.self().node() + " was lost",
              "the cluster knows the node, but its directory is new; put another one in its place"
                  + " by `gauss add --role storage --replaces "
                  + settings.self().node()
                  + "`, or on a cluster of several machines by `gauss join --replaces` on another"
                  + " one");
      if (!lost.equals(problem)) {
        LOG.error("{}", lost);
        problem = lost;
      }
      return;
    }
    group.create(List.of());
  }

  /** Null when it does not answer. */
  private ClusterMap ask(int node) {
    Peer peer = others.peers().get(node);
    if (peer == null) {
      return null;
    }
    try {
      return Environment.get(snapshotOf(node, peer), ASK_NANOS, TimeUnit.NANOSECONDS).map();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (Exception e) {
      LOG.debug("storage node {} does not tell its cluster map", node, e);
      return null;
    }
  }

  private static CompletableFuture<MapSnapshot> snapshotOf(int node, Peer peer) {
    return new PeerMapConnection(node, peer)
        .request(new MapRequest.Snapshot(), ASK_NANOS)
        .thenApply(answer -> ((MapAnswer.Snapshot) answer).snapshot());
  }

  /**
   * All priorities are equal: with a preferred member, an election first waits for its answer, for
   * three seconds when it hangs, and leases run out meanwhile.
   */
  private List<GroupMember> firstMembers() {
    return settings.nodes().stream()
        .map(node -> new GroupMember(node.node(), node.host(), node.raftPort(), PRIORITY))
        .toList();
  }

  /**
   * The first leader creates the cluster. The command is repeated until the cluster exists; a
   * repetition changes nothing. Every storage node keeps every stream, since its pages need the
   * records of all.
   */
  private void initialise() {
    if (!initialising.isDone()) {
      return;
    }
    int lease = (int) settings.get(NodeSettingTable.CLUSTER_LEASE).toMillis();
    ClusterSettings first =
        ClusterSettings.DEFAULTS
            .with(ClusterSetting.STREAM_REPLICAS, settings.nodes().size())
            .with(ClusterSetting.LEASE_DURATION, lease)
            .with(ClusterSetting.LEASE_RENEWAL, lease / LEASE_PART_RENEWAL)
            .with(ClusterSetting.LEASE_MARGIN, lease / LEASE_PART_MARGIN)
            .with(
                ClusterSetting.CLOCK_LEASE,
                (int) settings.get(NodeSettingTable.CLUSTER_CLOCK_LEASE).toMillis());
    LOG.info("a new cluster, {}, of storage nodes {}", proposedCluster, settings.nodes());
    // The map shows the outcome. The time is limited, since a leader that has lost its majority may
    // not report that.
    initialising =
        Later.failAfter(
            group
                .propose(
                    MapCommandCodec.encode(
                        new MapCommand.InitCluster(
                            proposedCluster, ClusterMap.FORMAT_VERSION, first)))
                .whenComplete(
                    (outcome, failure) ->
                        LOG.debug("the new cluster was proposed: {}", outcome, failure)),
            INITIALISE_NANOS,
            TimeUnit.NANOSECONDS);
  }

  /**
   * The newest map that another storage node has. All nodes are asked: the leader may be a node
   * that is leaving the cluster, to which there is no longer a connection.
   */
  private CompletableFuture<MapSnapshot> fetch(OptionalInt leader) {
    List<CompletableFuture<Optional<MapSnapshot>>> asked = new ArrayList<>();
    others
        .peers()
        .forEach(
            (node, peer) -> {
              if (node != settings.self().node()) {
                asked.add(
                    snapshotOf(node, peer)
                        .thenApply(Optional::of)
                        .exceptionally(failure -> Optional.empty()));
              }
            });
    // Ratis does not tolerate that this fails before it has returned.
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApplyAsync(
            all ->
                asked.stream()
                    .map(CompletableFuture::join)
                    .flatMap(Optional::stream)
                    .max(Comparator.comparingLong(MapSnapshot::index))
                    .orElseThrow(
                        () ->
                            new IllegalStateException(
                                "none of storage nodes "
                                    + others.peers().keySet()
                                    + " gives its map; "
                                    + leader
                                    + " leads")),
            Later.NOW);
  }

  // ---- for the node

  /** The newest map known here: this replica's, or, until there is one, another's. */
  ClusterMap map() {
    ClusterMap own = state.map();
    ClusterMapClient asked = client;
    ClusterMap heard = asked == null ? ClusterMap.EMPTY : asked.map();
    return heard.version() > own.version() ? heard : own;
  }

  /** Called on the thread that applies the map's log: must not block. */
  void addListener(Consumer<ClusterMap> listener) {
    state.addListener(listener);
  }

  /** Connections to the storage nodes, this one among them. */
  Map<Integer, Peer> storageNodes() {
    return others.peers();
  }

  List<Problem> problems() {
    Problem known = problem;
    List<Problem> problems = new ArrayList<>(tasks.problems());
    if (known != null) {
      problems.add(known);
    }
    return problems;
  }

  @Override
  public void close() {
    tasks.close();
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("while leaving the cluster map", e);
      }
    }
    opened.clear();
  }

  /** A storage node holds nothing on behalf of other nodes' epochs: its data belongs to all. */
  private final class Hooks implements ClusterMember.Hooks {
    @Override
    public long clock() {
      return clock.now();
    }

    @Override
    public void raiseClock(long lsn) {
      clock.observe(lsn);
    }

    @Override
    public void installReceiver(MapNode joining) {}

    @Override
    public CompletableFuture<Void> installDeath(Death death) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void epochLost(String why) {
      joined = false;
      problem = new Problem("this node is no member of the cluster", why);
      LOG.error("storage node {}: {}", settings.self().node(), why);
    }
  }
}
