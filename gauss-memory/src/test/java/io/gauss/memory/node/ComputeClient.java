package io.gauss.memory.node;

import io.gauss.common.id.LamportClock;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.session.Session;
import io.gauss.common.transport.session.SessionListener;
import io.gauss.common.transport.session.SessionServer;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.PageBuckets;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/** A compute node towards memory nodes, controlled by the test. It reports that it has no pages. */
final class ComputeClient implements ClusterMember.Hooks, SessionListener, AutoCloseable {
  /**
   * A right to a page.
   *
   * @param content first word of the page that came with it; null = none
   */
  record Got(boolean owned, long number, Long content) {}

  final BlockingQueue<Object> got = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> opened = new LinkedBlockingQueue<>();
  private final Map<Integer, Long> homeEpochs = new ConcurrentHashMap<>();
  private final CompletableFuture<Void> joined = new CompletableFuture<>();
  final ClusterMember member;
  private final LamportClock clock = LamportClock.unnumbered();
  private final NodeIdentity self;
  private final TcpTransport transport;
  private final StoragePeers peers;
  private final Map<Integer, Session> toMemory = new ConcurrentHashMap<>();

  ComputeClient(StorageNodes nodes, int number) {
    ClusterMember[] known = new ClusterMember[1];
    self =
        new NodeIdentity(
            number, NodeRole.COMPUTE, () -> known[0] == null ? 0 : known[0].epoch(), clock);
    transport =
        new TcpTransport(
            new TransportConfig(
                self,
                ClusterKeyFile.read(nodes.key()),
                EpochGuard.NONE,
                TransportSettings.DEFAULTS,
                new SimpleMeterRegistry()),
            new TcpOptions(SocketIo.best(), 1, null));
    peers =
        new StoragePeers(
            transport, nodes.addresses().stream().map(StorageAddress::address).toList());
    member =
        new ClusterMember(
            peers.client(),
            new ClusterMember.Identity(number, Set.of(Role.COMPUTE), ""),
            this,
            System::nanoTime);
    known[0] = member;
    Handlers handlers = new Handlers();
    member.register(handlers);
    new SessionServer(self, transport.allocator(), this::deliver).register(handlers);
    NodeAddress at = transport.listen(new NodeAddress("127.0.0.1", 0), handlers);
    member.join(List.of(new Endpoint(Endpoint.Purpose.PEER, at.host(), at.port()))).join();
    joined.complete(null);
  }

  ClusterMap map() {
    return peers.client().map();
  }

  ClusterMap await(java.util.function.Predicate<ClusterMap> condition) throws Exception {
    return peers.client().await(condition).get(180, TimeUnit.SECONDS);
  }

  CompletableFuture<MapResult> propose(MapCommand command) {
    return peers.client().propose(command, Duration.ofSeconds(120));
  }

  /** Sends a message about a page to its home, which must have sent one before. */
  void send(long page, LongFunction<ToHome.OfPage> message) {
    int bucket = PageBuckets.of(page);
    toHome(bucket)
        .send(
            PageMessageLayout.PAGES,
            PageMessageLayout.write(
                transport.allocator(), List.of(message.apply(homeEpochs.get(bucket)))));
  }

  void wants(long page, Mode mode) {
    send(page, home -> new ToHome.Want(home, page, mode));
  }

  void send(LockName name, Message said) {
    ByteBuf message = LockLayout.begin(Unpooled.directBuffer(), member.slot(), name.bucket());
    LockLayout.add(message, name, said);
    toHome(name.bucket()).send(LockLayout.EVENTS, message);
  }

  Session toHome(int bucket) {
    return to(map().buckets().home(bucket));
  }

  Session to(int node) {
    return toMemory.computeIfAbsent(
        node,
        n -> {
          MapNode home = map().nodes().get(n);
          Endpoint at = home.endpoint(Endpoint.Purpose.PEER).orElseThrow();
          return new Session(
              transport.connect(new NodeAddress(at.host(), at.port()), n),
              self,
              home.epoch(),
              transport.allocator(),
              1_000,
              16 << 20,
              this);
        });
  }

  private void deliver(RemoteNode sender, int epoch, int type, ByteBuf payload) {
    if (type == LockLayout.ORDERS.id()) {
      LockLayout.readAtNode(
          payload,
          member.epoch(),
          new LockLayout.NodeReceiver() {
            @Override
            public void order(LockName name, LockAction action) {
              got.add(action);
            }

            @Override
            public void refused(LockName name, long request, String state, String why) {
              got.add(state + " " + why);
            }
          });
      return;
    }
    Map<Integer, Long> taken = new HashMap<>();
    PageMessageLayout.read(
        payload,
        FromHome.class,
        message -> {
          switch (message) {
            case FromHome.Home home -> {
              homeEpochs.put(home.bucket(), home.homeEpoch());
              taken.put(home.bucket(), home.homeEpoch());
            }
            case FromHome.AskAgain again -> opened.add(again.bucket());
            case FromHome.Grant grant -> {
              Long content = grant.bytes() == null ? null : grant.bytes().getLongLE(0);
              got.add(new Got(grant.owned(), grant.number(), content));
            }
            default -> got.add(message);
          }
          message.release();
        });
    if (!taken.isEmpty()) {
      // Homes learn of this node from the cluster map, maybe before it knows its own slot and
      // epoch, or them.
      joined
          .thenCompose(done -> peers.client().await(map -> map.nodes().containsKey(sender.node())))
          .thenRun(() -> report(sender.node(), taken));
    }
  }

  /** Reports that this node has no pages of these buckets. */
  private void report(int home, Map<Integer, Long> taken) {
    List<ToHome> reports = new ArrayList<>();
    taken.forEach(
        (bucket, epoch) -> reports.add(new ToHome.Reported(epoch, bucket, member.slot(), 0)));
    to(home).send(PageMessageLayout.PAGES, PageMessageLayout.write(transport.allocator(), reports));
  }

  /** Waits until the home of the bucket serves it. */
  void awaitOpen(int bucket) throws InterruptedException {
    while (true) {
      Integer next = opened.poll(180, TimeUnit.SECONDS);
      if (next == null) {
        throw new IllegalStateException("bucket " + bucket + " is not served");
      }
      if (next == bucket) {
        return;
      }
    }
  }

  Object next() throws InterruptedException {
    return got.poll(180, TimeUnit.SECONDS);
  }

  @Override
  public void onRoom() {}

  /** Also called for a node that leaves. Waiters for an answer over that session get none. */
  @Override
  public void onBroken(String reason) {}

  @Override
  public void registered(int slot, int epoch) {
    clock.number(slot);
  }

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
  public void epochLost(String why) {}

  @Override
  public void close() {
    // Storage nodes whose disks stand still do not answer: then the lease tells.
    member.leave().exceptionally(failure -> null).join();
    toMemory.values().forEach(Session::close);
    member.close();
    peers.close();
    transport.close();
  }
}
