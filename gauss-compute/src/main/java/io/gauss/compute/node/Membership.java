package io.gauss.compute.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.LamportClock;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.tcp.NodesOfProcess;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.common.transport.tcp.TransportTls;
import io.gauss.compute.cluster.clock.ClockTimes;
import io.gauss.compute.cluster.clock.CommitBroadcast;
import io.gauss.compute.cluster.memory.MemoryLinks;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.notify.Notifications;
import io.gauss.compute.notify.wire.NotifyLayout;
import io.gauss.compute.peer.MapPeers;
import io.gauss.compute.peer.NodeSessions;
import io.gauss.compute.peer.TransportPeers;
import io.gauss.compute.pgwire.AnswerGate;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.session.ClusterSessions;
import io.gauss.compute.txn.Transactions;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.EpochSteps;
import io.gauss.storage.map.client.JoinWait;
import io.gauss.storage.map.client.MapEpochGuard;
import io.gauss.storage.map.client.MemberView;
import io.gauss.storage.map.client.StoragePeers;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This compute node's place in its cluster, for one epoch: its slot, its lease, the transport to
 * the other nodes.
 *
 * <p>Life: {@link #join}; the engine opens its stream under {@link #epoch}; {@link #recover} and
 * {@link #serves}; then the node answers while {@link #isOpen} (law 10, no lease, no answer). When
 * the epoch is over the node has to end; a new process joins under a new one. Thread-safe.
 */
final class Membership implements ClusterMember.Hooks, AnswerGate, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

  private static final long LEAVE_MILLIS = 2_000;
  private static final long OPEN_MILLIS = 2_000;

  private final LamportClock clock;
  private final long patienceNanos;
  private final String host;
  private final Transport transport;
  private final StoragePeers storage;
  private final ClusterMember member;
  private final CommitBroadcast broadcast;
  private final Handlers handlers = new Handlers();
  private final NodeSessions sessions;
  private final ComputeMembers members;
  private final CompletableFuture<String> ended = new CompletableFuture<>();
  private final CompletableFuture<Void> draining = new CompletableFuture<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Takeovers takeovers;
  private final EpochSteps steps = new EpochSteps();
  private final Departures departures = new Departures();
  private final Receivers receivers = new Receivers();

  /** Set when the cluster has given this node a slot. */
  private volatile Neighbours neighbours;

  private final long notificationBytes;

  /**
   * The other nodes with which this one communicates.
   *
   * @param peers compute nodes
   * @param following keeps these in line with the map
   * @param memory memory nodes
   * @param notifications to and from compute nodes
   */
  private record Neighbours(
      TransportPeers peers, MapPeers following, MemoryLinks memory, Notifications notifications) {}

  /** Opens the transport of a node. */
  @FunctionalInterface
  interface Transports {
    Transport open(TransportConfig config);

    /** TCP, encrypted if the settings say so. */
    static Transports tcp(NodeSettings settings) {
      return tcp(settings, null);
    }

    /**
     * @param process other nodes of this process, which are reached within the JVM; null = none
     */
    static Transports tcp(NodeSettings settings, NodesOfProcess process) {
      return config ->
          new TcpTransport(
              config,
              new TcpOptions(
                  SocketIo.best(), 1, TransportTls.of(settings.peerTls(), config.self()), process));
    }
  }

  /**
   * Joins the cluster that the settings name.
   *
   * @param clock without a number; gets that of the node's slot
   * @param transports opens the transport to the other nodes
   * @throws GaussException 57P03 when the cluster does not answer, 55000 when it refuses this node
   */
  static Membership join(
      NodeSettings settings, LamportClock clock, MeterRegistry registry, Transports transports) {
    Membership membership = new Membership(settings, clock, registry, transports);
    try {
      membership.enter(settings);
      return membership;
    } catch (RuntimeException | Error e) {
      try (membership) {
        throw e;
      }
    }
  }

  private Membership(
      NodeSettings settings, LamportClock clock, MeterRegistry registry, Transports transports) {
    this.clock = clock;
    this.patienceNanos = settings.get(NodeSettingTable.STORAGE_TIMEOUT).toNanos();
    this.host = settings.get(NodeSettingTable.PEER_ADDRESS);
    this.notificationBytes = settings.get(NodeSettingTable.NOTIFICATIONS_QUEUE);
    MemberView view = new MemberView();
    this.transport =
        transports.open(
            new TransportConfig(
                new NodeIdentity(settings.node(), NodeRole.COMPUTE, view::epoch, clock),
                ClusterKeyFile.read(settings.clusterKey()),
                new MapEpochGuard(view::map),
                TransportSettings.DEFAULTS,
                registry));
    opened.push(transport);
    this.storage =
        new StoragePeers(
            transport, settings.storageNodes().stream().map(StorageAddress::address).toList());
    opened.push(storage);
    this.member =
        new ClusterMember(
            storage.client(),
            new ClusterMember.Identity(
                settings.node(), Set.of(Role.COMPUTE), settings.get(NodeSettingTable.ZONE)),
            this,
            Environment::nanoTime);
    opened.push(member);
    view.follow(storage.client());
    view.become(member);
    this.broadcast =
        new CommitBroadcast(
            transport,
            clock,
            new MapArbiter(storage.client(), member),
            ClockTimes.DEFAULTS,
            Environment::nanoTime);
    opened.push(broadcast);
    this.sessions = new NodeSessions(transport.self(), transport.allocator());
    opened.addLast(sessions);
    this.members = new ComputeMembers(settings.node());
    this.takeovers =
        new Takeovers(
            clock,
            storage.client(),
            member,
            death -> neighbours.following().resign(death.slot(), death.epoch()));
    opened.push(takeovers);
  }

  private void enter(NodeSettings settings) {
    member.register(handlers);
    broadcast.register(handlers);
    sessions.register(handlers);
    Transactions.expect(handlers);
    ClusterSessions.expect(handlers);
    RoutingExchange.expect(handlers);
    NodeAddress peer =
        transport.listen(
            new NodeAddress(settings.peerListen(), settings.get(NodeSettingTable.PEER_PORT)),
            handlers);
    JoinWait.await(
        member.join(List.of(new Endpoint(Endpoint.Purpose.PEER, host, peer.port()))),
        storage.client());
    LOG.info(
        "node {} is a member of cluster {}: slot {}, epoch {}",
        settings.node(),
        storage.client().map().cluster(),
        member.slot(),
        member.epoch());
    refuseASecondWithoutMemory();
    follow(storage.client().map());
    // All that may send is known by now; this node answers before it serves, since others wait for
    // that.
    neighbours.peers().addListener(neighbours.notifications());
    neighbours.peers().on(NotifyLayout.NOTIFY, neighbours.notifications()::receive);
    broadcast.begin();
  }

  /** Compute nodes share pages only through memory nodes. */
  private void refuseASecondWithoutMemory() {
    ClusterMap map = storage.client().map();
    boolean others =
        map.live(Role.COMPUTE).stream().map(MapNode::id).anyMatch(id -> id != member.node());
    if (others && !MemoryTier.isPartOf(map)) {
      leave();
      throw new GaussException(
              SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
              "this cluster has no memory nodes, through which several compute nodes share pages,"
                  + " and it has a compute node already")
          .hint("Start memory nodes, then the compute node that is there anew, then this one.");
    }
  }

  // ---- while it lasts

  int slot() {
    return member.slot();
  }

  int epoch() {
    return member.epoch();
  }

  Transport transport() {
    return transport;
  }

  ClusterMapClient cluster() {
    return storage.client();
  }

  CommitBroadcast broadcast() {
    return broadcast;
  }

  /**
   * Handlers of requests to this node; handlers that could not exist when it began may be added.
   */
  Handlers handlers() {
    return handlers;
  }

  /** The other compute nodes. */
  TransportPeers peers() {
    return neighbours.peers();
  }

  /** Notifications between the sessions of all nodes. */
  Notifications notifications() {
    return neighbours.notifications();
  }

  /** Slot of the node that runs the deadlock detector. */
  int deadlockHost() {
    return neighbours.following().deadlockHost();
  }

  /** By slot, the numbers of the compute nodes that were not asked to leave: {@link Departures}. */
  Map<Integer, Integer> notLeft() {
    return departures.notLeft(storage.client().map());
  }

  /** The memory nodes. */
  MemoryLinks memory() {
    return neighbours.memory();
  }

  /** The other compute nodes by slot. */
  ComputeMembers members() {
    return members;
  }

  /**
   * This node owns all its pages. Memory nodes that are added nevertheless ask it in vain until it
   * is restarted, and then it uses them.
   */
  void refuseHomes() {
    sessions.on(
        PageMessageLayout.PAGES,
        (sender, epoch, payload) ->
            LOG.info("{} is used by this node from its next start on", sender));
  }

  /** The receivers of other nodes' sessions. */
  NodeSessions sessions() {
    return sessions;
  }

  /** Whether snapshots may be taken; statements wait for that as long as answers do. */
  SnapshotLease snapshotLease() {
    return new SnapshotLease(broadcast, patienceNanos);
  }

  @Override
  public boolean isOpen() {
    return member.isValid() && broadcast.isValid();
  }

  /** A lease that has expired may be renewed; an epoch that is over does not begin again. */
  @Override
  public long patienceNanos() {
    return isRegistered() ? patienceNanos : 0;
  }

  private boolean isRegistered() {
    return member.epoch() != MapEpochGuard.UNREGISTERED;
  }

  @Override
  public GaussException why() {
    GaussException why;
    if (!isRegistered()) {
      why =
          new GaussException(
              SqlState.ADMIN_SHUTDOWN,
              "terminating connection because this node has lost its place in the cluster");
    } else if (!member.isValid()) {
      why =
          new GaussException(
              SqlState.CANNOT_CONNECT_NOW,
              "terminating connection because this node's lease has run out: no majority of the"
                  + " storage nodes answers");
    } else {
      why =
          new GaussException(
              SqlState.CANNOT_CONNECT_NOW,
              "terminating connection because this node has lost touch with other compute nodes");
    }
    return why.detail("Whether a transaction was committed that was about to be, is open.")
        .hint("gauss_txn_status tells later, by the number that gauss_current_xid told before.");
  }

  /** Completes with the reason when the epoch is over for another reason than {@link #close}. */
  CompletableFuture<String> ended() {
    return ended;
  }

  List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    if (!isOpen()) {
      problems.add(new Problem("this node answers nobody", why().getMessage()));
    }
    int silent = broadcast.silentPeers();
    if (silent > 0) {
      problems.add(
          new Problem("compute nodes are silent", silent + " of " + broadcast.peers() + " others"));
    }
    return problems;
  }

  /** Waits until no other node recovers what this node's earlier lives left. */
  void awaitOwnSlot() {
    takeovers.awaitOwnSlot(ended);
  }

  /**
   * From now on these transactions answer other nodes' questions about this node's transactions.
   */
  void answer(Transactions transactions) {
    transactions.register(handlers, peers());
  }

  /**
   * Whether no other compute node is live in the cluster map, as this node knows it, nor one that
   * is dead and not recovered. If so, this node's clock is above all that others have committed.
   */
  boolean isOnlyComputeNode() {
    ClusterMap map = cluster().map();
    clock.observe(map.clockFloor());
    return map.live(Role.COMPUTE).stream().allMatch(node -> node.id() == member.node())
        && map.deaths().values().stream()
            .allMatch(death -> !death.hasStream() || death.node() == member.node());
  }

  /**
   * The engine has redone the changes of this node's earlier epochs, and rolls back the unfinished
   * ones: from now on this node also answers for other nodes that are gone.
   */
  void recover(Transactions transactions, Supplier<EngineContext> contexts) {
    takeovers.begin(transactions, contexts);
  }

  /**
   * The node serves: it also ends recoveries.
   *
   * @param leftovers removes what other nodes have left
   */
  void serves(Leftovers leftovers) {
    sessions.complete();
    takeovers.finish(leftovers);
  }

  /**
   * Clients can connect: from now on others send them here. Waits for a while until the cluster
   * knows; one that is slow to answer is told in the background.
   *
   * @param at where they connect
   */
  void openToClients(ClientAddress at) {
    CompletableFuture<Void> known =
        member.openToClients(new Endpoint(Endpoint.Purpose.SQL, at.host(), at.port()));
    try {
      Environment.get(known, OPEN_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("the cluster does not know yet that clients can connect: {}", e.toString());
    }
  }

  /** Stops recovering other nodes: the engine is about to end. */
  void stopRecovering() {
    takeovers.close();
  }

  // ---- requests of the cluster

  @Override
  public void registered(int slot, int epoch) {
    clock.number(slot);
    TransportPeers peers = new TransportPeers(transport, slot, sessions);
    MemoryLinks memory = new MemoryLinks(transport, slot);
    Notifications notifications = new Notifications(peers, clock::now, notificationBytes);
    neighbours = new Neighbours(peers, new MapPeers(peers), memory, notifications);
    // From now on others may call: they are answered while this node still joins.
    cluster().addListener(this::follow);
    broadcast.start();
  }

  /**
   * Follows which other compute nodes there are, which of them are suspended, and for how long
   * leases are granted.
   */
  private void follow(ClusterMap map) {
    // Above all commits that dead nodes may have confirmed, as far as their streams are sealed.
    clock.observe(map.clockFloor());
    steps.follow(map, receivers);
    departures.follow(map);
    meet(map);
    if (map.node(transport.self().node()).filter(this::isDraining).isPresent()) {
      draining.complete(null);
    }
    broadcast.suspensions(map.suspension(member.epoch()), epoch -> map.suspension((int) epoch));
    broadcast.times(
        ClockTimes.ofLease(Duration.ofMillis(map.settings().get(ClusterSetting.CLOCK_LEASE))));
  }

  private boolean isDraining(MapNode node) {
    return node.epoch() == member.epoch() && node.state() == NodeState.DRAINING;
  }

  /** Completes when the cluster asks this node to leave. */
  CompletableFuture<Void> draining() {
    return draining;
  }

  /** Sessions begin once this node has its epoch, which they name. */
  private void meet(ClusterMap map) {
    if (isRegistered()) {
      neighbours.following().accept(map);
      members.follow(map);
      neighbours.memory().follow(map);
    }
  }

  /** The other compute nodes as those to which commits are broadcast. */
  private final class Receivers implements EpochSteps.Follower {
    private boolean isOther(int node, int slot) {
      return slot != 0 && node != transport.self().node();
    }

    @Override
    public void ended(EpochSteps.Life life) {
      if (isOther(life.node(), life.slot())) {
        broadcast.died(life.node(), life.epoch());
      }
    }

    @Override
    public void sealed(EpochSteps.Life life) {
      if (isOther(life.node(), life.slot())) {
        broadcast.remove(life.node(), life.epoch());
      }
    }

    @Override
    public void began(MapNode node) {
      if (isOther(node.id(), node.slot())) {
        install(node);
      }
    }
  }

  private void install(MapNode node) {
    node.endpoint(Endpoint.Purpose.PEER)
        .ifPresent(
            at ->
                broadcast.install(node.id(), node.epoch(), new NodeAddress(at.host(), at.port())));
  }

  @Override
  public long clock() {
    return clock.now();
  }

  @Override
  public void raiseClock(long lsn) {
    clock.observe(lsn);
  }

  /** When this returns, commits that are not visible yet also wait for the joining node. */
  @Override
  public void installReceiver(MapNode joining) {
    LOG.info("node {} joins", joining.id());
    // Its previous epoch may have confirmed commits that are not known here.
    clock.observe(cluster().map().clockFloor());
    // It may request pages as soon as all nodes have acknowledged it: by then it has to be known
    // here.
    meet(cluster().map());
    members.joined(joining);
    install(joining);
  }

  /** Completes when nothing of that epoch is used here any more (rule 10). */
  @Override
  public CompletableFuture<Void> installDeath(Death death) {
    LOG.info("epoch {} of node {} has ended", death.epoch(), death.node());
    broadcast.died(death.node(), death.epoch());
    return death.hasStream()
        ? members.died(death.slot(), death.epoch())
        : CompletableFuture.completedFuture(null);
  }

  @Override
  public void epochLost(String why) {
    LOG.error("this node has lost its place in the cluster and ends: {}", why);
    ended.complete(why);
  }

  /**
   * Reports that this node has stopped serving, so that no other node waits for its lease to end.
   */
  void leave() {
    try {
      Environment.get(member.leave(), LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("the cluster will notice by the lease that this node has gone: {}", e.toString());
    }
  }

  /** Leaves the cluster. The engine is closed already. */
  @Override
  public void close() {
    if (member.node() != 0 && !ended.isDone()) {
      leave();
    }
    Neighbours met = neighbours;
    if (met != null) {
      met.memory().close();
      met.peers().close();
    }
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("while leaving the cluster", e);
      }
    }
  }
}
