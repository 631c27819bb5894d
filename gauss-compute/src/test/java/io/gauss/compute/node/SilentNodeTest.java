package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.LamportClock;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.compute.cluster.clock.ClockTimes;
import io.gauss.compute.cluster.clock.CommitBroadcast;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.node.StorageNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A compute node beside another member that has clocks and nothing else, or not even these. */
@Timeout(300)
class SilentNodeTest {
  private static final int OTHER = 77;

  /** Nobody is taken for silent because of a pause of this machine. */
  private static final int LONG_LEASE_MILLIS = 10_000;

  @TempDir private Path directory;
  private StorageNodes nodes;
  private OneNode compute;

  private void start(Map<String, String> settings) throws IOException, SQLException {
    nodes = new StorageNodes(directory, 1, settings);
    nodes.start();
    nodes.awaitWell();
    compute =
        new OneNode(
            directory.resolve("compute"),
            Map.of(
                "cluster.key",
                nodes.key().toString(),
                "storage.nodes",
                nodes.addresses().stream()
                    .map(StorageAddress::toString)
                    .collect(Collectors.joining(","))));
    compute.execute("CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
  }

  @AfterEach
  void stop() {
    compute.node.close();
    nodes.close();
  }

  /** A member of the cluster that computes nothing. */
  private final class Other implements ClusterMember.Hooks, AutoCloseable {
    final LamportClock clock = LamportClock.unnumbered();
    final Transport transport;
    final StoragePeers storage;
    final ClusterMember member;
    final CommitBroadcast broadcast;

    Other(boolean answers, ClockTimes times) throws Exception {
      transport =
          new TcpTransport(
              new TransportConfig(
                  new NodeIdentity(OTHER, NodeRole.COMPUTE, this::epoch, clock),
                  ClusterKeyFile.read(nodes.key()),
                  EpochGuard.NONE,
                  TransportSettings.DEFAULTS,
                  new SimpleMeterRegistry()),
              new TcpOptions(SocketIo.best(), 1, null));
      storage =
          new StoragePeers(
              transport, nodes.addresses().stream().map(StorageAddress::address).toList());
      member =
          new ClusterMember(
              storage.client(),
              new ClusterMember.Identity(OTHER, Set.of(Role.COMPUTE), ""),
              this,
              System::nanoTime);
      broadcast =
          new CommitBroadcast(
              transport, clock, new MapArbiter(storage.client(), member), times, System::nanoTime);
      Handlers handlers = new Handlers();
      member.register(handlers);
      if (answers) {
        broadcast.register(handlers);
      }
      NodeAddress at = transport.listen(new NodeAddress("127.0.0.1", 0), handlers);
      member
          .join(List.of(new Endpoint(Endpoint.Purpose.PEER, at.host(), at.port())))
          .get(60, TimeUnit.SECONDS);
      if (answers) {
        broadcast.begin();
        broadcast.start();
      }
    }

    int epoch() {
      return member == null ? 0 : member.epoch();
    }

    /** Number of its suspension in the map. */
    long suspension() {
      return storage.client().map().suspension(epoch());
    }

    @Override
    public void registered(int slot, int epoch) {
      clock.number(slot);
      storage
          .client()
          .addListener(
              map ->
                  map.live(Role.COMPUTE).stream()
                      .filter(node -> node.id() != OTHER)
                      .forEach(this::install));
    }

    private void install(MapNode node) {
      Endpoint at = node.endpoint(Endpoint.Purpose.PEER).orElseThrow();
      broadcast.install(node.id(), node.epoch(), new NodeAddress(at.host(), at.port()));
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
    public void installReceiver(MapNode joining) {
      install(joining);
    }

    @Override
    public CompletableFuture<Void> installDeath(Death death) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void epochLost(String why) {
      broadcast.close();
    }

    @Override
    public void close() throws Exception {
      member.leave().get(60, TimeUnit.SECONDS);
      broadcast.close();
      member.close();
      storage.close();
      transport.close();
    }
  }

  private double gauge(String name) {
    return compute.registry.get(name).gauge().value();
  }

  @Test
  void anotherNodeHearsOfACommitBeforeItsClientDoes() throws Exception {
    start(Map.of("cluster.clock-lease", Integer.toString(LONG_LEASE_MILLIS)));
    try (Other other = new Other(true, ClockTimes.ofLease(Duration.ofMillis(LONG_LEASE_MILLIS)))) {
      StorageNodes.await("the other has a lease", other.broadcast::isValid);
      for (int i = 2; i < 50; i++) {
        compute.execute("INSERT INTO t VALUES (" + i + ")");
        long visible = compute.node.engine().log().visibleLsn();
        assertTrue(other.clock.now() >= visible);
      }
      assertEquals(1, gauge("gauss.clock.peers"));
      assertEquals(0, other.suspension());
    }
    StorageNodes.await("nobody else is left", () -> gauge("gauss.clock.peers") == 0);
  }

  @Test
  void commitsGoOnWithoutANodeThatAnswersNobodyOnceTheMapHasSuspendedIt() throws Exception {
    start(Map.of());
    try (Other other = new Other(false, ClockTimes.DEFAULTS)) {
      compute.execute("INSERT INTO t VALUES (2)");
      assertEquals(List.of("2"), compute.query("SELECT count(*) FROM t"));
      StorageNodes.await("it is suspended", () -> other.suspension() != 0);
      StorageNodes.await("this node knows it", () -> gauge("gauss.clock.silent") == 1);
      compute.execute("INSERT INTO t VALUES (3)");
    }
    StorageNodes.await("nobody else is left", () -> gauge("gauss.clock.peers") == 0);
    compute.execute("INSERT INTO t VALUES (4)");
    assertEquals(List.of("4"), compute.query("SELECT count(*) FROM t"));
  }
}
