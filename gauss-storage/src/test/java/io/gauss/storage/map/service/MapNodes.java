package io.gauss.storage.map.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.MapConnection;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Registered;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Three storage nodes with the map's service, and a client; the test controls the time. */
final class MapNodes implements AutoCloseable {
  static final Duration LONG = Duration.ofMinutes(1);
  static final long SEALED_LSN = 0x300;

  final InMemoryLog log = new InMemoryLog(3);
  final AtomicLong clock = new AtomicLong();
  final List<ClusterMapService> services = new ArrayList<>();
  final List<Link> links = new ArrayList<>();
  final List<Integer> sealed = new CopyOnWriteArrayList<>();
  final ClusterMapClient client;

  /** Commands that were answered "not yet". */
  final AtomicInteger refusedForNow = new AtomicInteger();

  /** How often nodes were probed. */
  final AtomicInteger probes = new AtomicInteger();

  private volatile Prober.Found probed = Prober.Found.SILENT;

  /** A connection that can be cut; everything goes through its bytes. */
  final class Link implements MapConnection {
    private final int node;
    private volatile boolean cut;

    Link(int node) {
      this.node = node;
    }

    void cut() {
      cut = true;
    }

    @Override
    public int node() {
      return node;
    }

    @Override
    public CompletableFuture<MapAnswer> request(MapRequest request, long timeoutNanos) {
      if (cut) {
        return CompletableFuture.failedFuture(
            new GaussException(SqlState.CONNECTION_FAILURE, "cut"));
      }
      byte[] bytes = MapMessageCodec.encode(request);
      return services
          .get(node - 1)
          .handle(MapMessageCodec.decodeRequest(bytes))
          .thenApply(
              answer -> {
                if (answer instanceof MapAnswer.Result(MapResult.Refused refused, long version)
                    && refused.why() == MapResult.Refusal.NOT_YET) {
                  refusedForNow.incrementAndGet();
                }
                return MapMessageCodec.decodeAnswer(MapMessageCodec.encode(answer));
              });
    }
  }

  /** With a cluster that has one storage node. */
  MapNodes() {
    for (InMemoryLog.Replica replica : log.replicas()) {
      services.add(
          new ClusterMapService(
              replica.state,
              replica,
              (slot, epoch) -> {
                sealed.add(epoch);
                return CompletableFuture.completedFuture(new StreamSealer.Sealed(64, SEALED_LSN));
              },
              node -> {
                probes.incrementAndGet();
                return CompletableFuture.completedFuture(probed);
              },
              clock::get));
      links.add(new Link(replica.node));
    }
    client = new ClusterMapClient(links);
    assertEquals(MapResult.done(), propose(TestCluster.init(1)));
    join(Role.STORAGE);
  }

  void probesFind(Prober.Found found) {
    probed = found;
  }

  MapResult propose(MapCommand command) {
    return client.propose(command, LONG).join();
  }

  ClusterMap map() {
    return log.replicas().get(0).state.map();
  }

  MapNode join(Role role) {
    long incarnation = 100L + map().nodes().size();
    Registered node =
        assertInstanceOf(Registered.class, propose(TestCluster.register(incarnation, 7_000, role)));
    assertEquals(
        MapResult.done(),
        propose(new MapCommand.FinishJoin(node.node(), node.epoch(), map().clockFloor())));
    return map().nodes().get(node.node());
  }

  void look() {
    services.forEach(ClusterMapService::look);
  }

  /** Lets time pass, with a look every 100 ms. */
  void pass(int millis) {
    for (int passed = 0; passed < millis; passed += 100) {
      clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
      look();
    }
  }

  RenewalAnswer renew(MapNode node, long number) {
    return renewLater(node, number).join();
  }

  CompletableFuture<RenewalAnswer> renewLater(MapNode node, long number) {
    return client.renew(new MapCommand.Renewal(node.id(), node.epoch(), number), LONG);
  }

  @Override
  public void close() {
    client.close();
    services.forEach(ClusterMapService::close);
  }
}
