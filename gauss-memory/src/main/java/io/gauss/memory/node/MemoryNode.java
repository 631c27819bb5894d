package io.gauss.memory.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.health.Problem;
import io.gauss.common.id.LamportClock;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.session.SessionServer;
import io.gauss.memory.bucket.PageBuckets;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.node.ComputeLinks.ComputeLink;
import io.gauss.memory.wire.LockHeader;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.MemoryStatus;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageKind;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.PageOwnersLayout;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.JoinWait;
import io.gauss.storage.map.client.MapEpochGuard;
import io.gauss.storage.map.client.StoragePeers;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A memory node: the home of some buckets' pages and locks, for as long as it is a member of the
 * cluster. It keeps nothing: whoever takes its place learns everything from others (law 9).
 *
 * <p>Start and close are for one thread; the rest is thread-safe.
 */
public final class MemoryNode implements ClusterMember.Hooks, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryNode.class);

  private static final long LEAVE_MILLIS = 2_000;
  private static final Duration PROPOSAL = Duration.ofSeconds(5);

  /** Tasks that wait for a loop; beyond that, requests are refused. */
  private static final int QUEUE = 65_536;

  private static final int NEARLY_FULL_PERCENT = 95;

  private final MemoryNodeSettings settings;
  private final LamportClock clock = LamportClock.unnumbered();
  private final ComputeLinks links = new ComputeLinks();
  private final List<BucketServer> servers = new ArrayList<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final CompletableFuture<String> lost = new CompletableFuture<>();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final MapFollower follower;
  private volatile ClusterMapClient map;
  private volatile ClusterMember member;
  private NodeAddress address;

  /**
   * Starts a node and waits until the cluster has taken it in.
   *
   * @param transports makes the transport of a node
   * @throws GaussException 57P03 when the cluster does not answer, 55000 when it refuses this node,
   *     58030 when the port cannot be had
   */
  public static MemoryNode start(
      MemoryNodeSettings settings,
      Function<TransportConfig, Transport> transports,
      MeterRegistry registry) {
    MemoryNode node = new MemoryNode(settings);
    try {
      node.open(transports, registry);
      return node;
    } catch (RuntimeException | Error e) {
      try (node) {
        throw e;
      }
    }
  }

  private MemoryNode(MemoryNodeSettings settings) {
    this.settings = settings;
    this.follower =
        new MapFollower(
            servers,
            links,
            settings.node(),
            this::epoch,
            new BucketMoves(
                settings.node(), command -> map.propose(command, PROPOSAL), this::followAgain));
  }

  private int epoch() {
    ClusterMember known = member;
    return known == null ? MapEpochGuard.UNREGISTERED : known.epoch();
  }

  private void followAgain() {
    follower.follow(map());
  }

  /** Whether the cluster wants this node to go, and it serves nothing any more. */
  private void lookWhetherDrained(ClusterMap now) {
    boolean isEmpty =
        now.buckets().count(settings.node()) == 0
            && !now.buckets().moves().containsValue(settings.node());
    boolean leaves =
        now.node(settings.node())
            .filter(n -> n.epoch() == epoch() && n.state() == NodeState.DRAINING)
            .isPresent();
    if (isEmpty && leaves && drained.complete(null)) {
      LOG.info("all buckets of memory node {} have gone to others", settings.node());
    }
  }

  private ClusterMap map() {
    ClusterMapClient known = map;
    return known == null ? ClusterMap.EMPTY : known.map();
  }

  private void open(Function<TransportConfig, Transport> transports, MeterRegistry registry) {
    long start = System.nanoTime();
    NodeIdentity self = new NodeIdentity(settings.node(), NodeRole.MEMORY, this::epoch, clock);
    Transport transport =
        transports.apply(
            new TransportConfig(
                self,
                settings.key(),
                new MapEpochGuard(this::map),
                TransportSettings.DEFAULTS,
                registry));
    startServers(transport);
    opened.push(transport); // closed before the loops, so that nothing comes for them any more
    links.attach(transport, self);
    opened.push(links);
    StoragePeers storage =
        new StoragePeers(
            transport, settings.storageNodes().stream().map(StorageAddress::address).toList());
    opened.push(storage);
    map = storage.client();
    member =
        new ClusterMember(
            storage.client(),
            new ClusterMember.Identity(settings.node(), Set.of(Role.MEMORY), settings.zone()),
            this,
            System::nanoTime);
    opened.push(member);
    listen(transport, self);
    JoinWait.await(
        member.join(List.of(new Endpoint(Endpoint.Purpose.PEER, address.host(), address.port()))),
        storage.client());
    storage.client().addListener(follower::follow);
    storage.client().addListener(this::lookWhetherDrained);
    MemoryMeters.bind(registry, servers);
    LOG.info(
        "memory node {} is up at {} in epoch {} after {} ms: {} event loops, room for {} pages in"
            + " the directory ({} MB) and {} in the cache ({} MB)",
        settings.node(),
        address,
        member.epoch(),
        (System.nanoTime() - start) / 1_000_000,
        servers.size(),
        servers.stream().mapToLong(s -> s.pages().directory().capacity()).sum(),
        servers.stream().mapToLong(s -> s.pages().directory().bytes()).sum() >> 20,
        servers.stream().mapToLong(s -> s.pages().cache().slots()).sum(),
        servers.stream().mapToLong(s -> s.pages().cache().bytes()).sum() >> 20);
  }

  private void startServers(Transport transport) {
    int loops = settings.eventLoops();
    for (int i = 0; i < loops; i++) {
      String name = "gauss-memory-" + (i + 1);
      BucketServer server =
          new BucketServer(
              name,
              QUEUE,
              new PageDirectory(name, Math.ceilDiv(settings.directoryEntries(), loops)),
              settings.cacheBytes() / loops,
              Math.ceilDiv(settings.maxLocks(), loops),
              links,
              transport.allocator());
      servers.add(server.start());
      opened.push(server);
    }
  }

  private void listen(Transport transport, NodeIdentity self) {
    Handlers handlers = new Handlers();
    member.register(handlers);
    handlers.on(MemoryStatus.QUESTION, request -> tellStatus(request, transport));
    handlers.on(
        PageOwnersLayout.QUESTION, request -> OwnerAnswers.answer(request, servers, transport));
    new SessionServer(self, transport.allocator(), this::deliver).register(handlers);
    NodeAddress bound =
        transport.listen(new NodeAddress(settings.peerListen(), settings.peerPort()), handlers);
    address = new NodeAddress(settings.peerAddress(), bound.port());
  }

  private void tellStatus(Request request, Transport transport) {
    try {
      MemoryStatus.checkRequest(request.payload());
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
      return;
    }
    MemoryStatus status =
        new MemoryStatus(
            settings.node(),
            buckets(),
            (int) sum(BucketServer::closed),
            (int) sum(BucketServer::shut),
            sum(server -> server.pages().directory().size()),
            sum(server -> server.pages().held()),
            sum(server -> server.pages().directory().capacity()),
            sum(server -> server.locks().size()));
    request.reply(status.write(transport.allocator().buffer()));
  }

  private long sum(ToLongFunction<BucketServer> value) {
    return servers.stream().mapToLong(value).sum();
  }

  /** On the connection's event loop: finds the loops that serve the buckets. */
  private void deliver(RemoteNode sender, int epoch, int type, ByteBuf payload) {
    if (sender.role() != NodeRole.COMPUTE) {
      throw new IllegalArgumentException("message of type " + type + " from " + sender);
    }
    if (type == PageMessageLayout.PAGES.id()) {
      deliverPages(epoch, payload);
    } else if (type == LockLayout.EVENTS.id()) {
      deliverLocks(epoch, payload);
    } else {
      throw new IllegalArgumentException("message of type " + type + " from " + sender);
    }
  }

  private void deliverPages(int epoch, ByteBuf payload) {
    ComputeLink link = links.ofEpoch(epoch);
    List<List<PageMessage>> byLoop = new ArrayList<>();
    servers.forEach(server -> byLoop.add(new ArrayList<>()));
    PageMessageLayout.read(
        payload,
        message -> {
          if (message.kind() == PageMessageKind.APPLIED) {
            servers.forEach(
                server -> server.applied(message.slot(), message.number(), message.lsn()));
            return;
          }
          int bucket =
              message.kind() == PageMessageKind.REPORTED
                  ? (int) message.page() & PageBuckets.BUCKETS - 1
                  : PageBuckets.of(message.page());
          byLoop.get(MapFollower.loopOf(bucket, servers.size())).add(message);
        });
    for (int i = 0; i < byLoop.size(); i++) {
      List<PageMessage> messages = byLoop.get(i);
      if (link == null) {
        // Homes speak first: who was not asked by one of here has nothing to say yet.
        messages.forEach(PageMessage::release);
      } else if (!messages.isEmpty()) {
        servers.get(i).pages(link.slot(), epoch, messages);
      }
    }
  }

  private void deliverLocks(int epoch, ByteBuf payload) {
    int bucket = LockHeader.bucket(payload);
    int slot = LockHeader.slot(payload);
    if (bucket >= PageBuckets.BUCKETS || slot < 1 || slot > Slots.MAX) {
      throw new IllegalArgumentException("bucket " + bucket + ", slot " + slot);
    }
    links.heard(epoch, slot);
    List<BucketServer.LockMessage> messages = new ArrayList<>();
    LockLayout.readAtHome(
        payload, (name, what) -> messages.add(new BucketServer.LockMessage(name, what)));
    servers.get(MapFollower.loopOf(bucket, servers.size())).locks(epoch, bucket, messages);
  }

  /** Where other nodes find it. */
  public NodeAddress address() {
    return address;
  }

  /** Buckets that it serves now. */
  public int buckets() {
    return servers.stream().mapToInt(BucketServer::served).sum();
  }

  /** Completes with the reason when the node has lost its place: a new process may take it. */
  public CompletableFuture<String> lost() {
    return lost;
  }

  /** Completes when the cluster wanted this node to go and others serve all its buckets. */
  public CompletableFuture<Void> drained() {
    return drained;
  }

  /** Whether this node has a place in the cluster now, and a lease. */
  public boolean isMember() {
    return member.isValid();
  }

  /** What keeps this node from doing its work now; empty when nothing does. */
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    if (!member.isValid()) {
      problems.add(
          new Problem("this node's lease has run out", "no majority of the storage nodes answers"));
    }
    for (BucketServer server : servers) {
      problems.addAll(server.loop().problems());
      PageDirectory directory = server.pages().directory();
      if (directory.size() * 100 >= directory.capacity() * NEARLY_FULL_PERCENT) {
        problems.add(
            new Problem(
                "the page directory is nearly full",
                "more than %d%% of directory.entries; when it is full, pages that it does not know"
                        .formatted(NEARLY_FULL_PERCENT)
                    + " are refused with 53200"));
        break;
      }
    }
    int shut = servers.stream().mapToInt(BucketServer::shut).sum();
    if (shut > 0) {
      problems.add(
          new Problem(
              "buckets cannot be served",
              shut + " of them have more pages than directory.entries leaves room for"));
    }
    return problems;
  }

  // ---- what the cluster wants of it

  @Override
  public long clock() {
    return clock.now();
  }

  @Override
  public void raiseClock(long lsn) {
    clock.observe(lsn);
  }

  /** Memory nodes broadcast nothing. */
  @Override
  public void installReceiver(MapNode joining) {
    LOG.debug("node {} joins", joining.id());
  }

  @Override
  public CompletableFuture<Void> installDeath(Death death) {
    return follower.install(death);
  }

  @Override
  public void epochLost(String why) {
    LOG.error("this node has lost its place in the cluster and ends: {}", why);
    lost.complete(why);
  }

  /** Leaves the cluster, so that its buckets get other homes at once. */
  @Override
  public void close() {
    ClusterMember joined = member;
    if (joined != null && joined.node() != 0 && !lost.isDone()) {
      leave(joined);
    }
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("while closing memory node {}", settings.node(), e);
      }
    }
    opened.clear();
    LOG.info("memory node {} is closed", settings.node());
  }

  private static void leave(ClusterMember joined) {
    try {
      joined.leave().get(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("the cluster will notice by the lease that this node has gone: {}", e.toString());
    }
  }
}
