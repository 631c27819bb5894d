package io.gauss.storage.node;

import io.gauss.common.id.LamportClock;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.remote.RemotePages;
import io.gauss.storage.remote.RemoteStorage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A compute node's part in the cluster, without a database. */
public final class ComputeStandIn implements ClusterMember.Hooks, AutoCloseable {
  public final LamportClock clock = LamportClock.unnumbered();
  public final CompletableFuture<String> lost = new CompletableFuture<>();
  private final Transport transport;
  private final StoragePeers peers;
  private final Map<Integer, Peer> toStorage = new ConcurrentHashMap<>();
  public final ClusterMember member;

  public ComputeStandIn(StorageNodes nodes, int number) {
    ClusterMember[] self = new ClusterMember[1];
    NodeIdentity identity =
        new NodeIdentity(
            number, NodeRole.COMPUTE, () -> self[0] == null ? 0 : self[0].epoch(), clock);
    transport =
        new TcpTransport(
            new TransportConfig(
                identity,
                ClusterKeyFile.read(nodes.key()),
                EpochGuard.NONE,
                TransportSettings.DEFAULTS,
                new SimpleMeterRegistry()),
            nodes.options(identity));
    peers =
        new StoragePeers(
            transport, nodes.addresses().stream().map(StorageAddress::address).toList());
    member =
        new ClusterMember(
            peers.client(),
            new ClusterMember.Identity(number, Set.of(Role.COMPUTE), ""),
            this,
            System::nanoTime);
    self[0] = member;
  }

  /** Joins and takes its stream. */
  public RemoteStorage open() {
    join();
    return RemoteStorage.connect(
        member.slot(),
        member.epoch(),
        peers.client(),
        transport,
        ClientSettings.defaults(),
        RemotePages.Settings.DEFAULTS);
  }

  public ClusterMap join() {
    Handlers handlers = new Handlers();
    member.register(handlers);
    NodeAddress at = transport.listen(new NodeAddress("127.0.0.1", 0), handlers);
    return member
        .join(List.of(new Endpoint(Endpoint.Purpose.PEER, at.host(), at.port())))
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  Transport transport() {
    return transport;
  }

  /** A connection to a storage node, which ends with this. */
  Peer peer(StorageNodes nodes, int node) {
    return toStorage.computeIfAbsent(
        node,
        n ->
            transport.connect(
                nodes.addresses().stream()
                    .filter(address -> address.node() == n)
                    .findAny()
                    .orElseThrow()
                    .address(),
                n));
  }

  MapResult propose(MapCommand command) {
    return peers
        .client()
        .propose(command, Duration.ofSeconds(30))
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  public ClusterMap map() {
    return peers.client().map();
  }

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
  public void epochLost(String why) {
    lost.complete(why);
  }

  /** As if the process had been killed. */
  @Override
  public void close() {
    member.close();
    peers.close();
    transport.close();
  }
}
