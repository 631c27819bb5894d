package io.gauss.server;

import io.gauss.common.transport.Transport;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.StoragePeers;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** The cluster map as a command reads and changes it. For one thread. */
final class MapAccess implements AutoCloseable {
  private static final Duration PROPOSAL = Duration.ofSeconds(30);
  private static final long MAP_SECONDS = 30;

  private final ClusterAccess access;
  private final Transport transport;
  private final StoragePeers peers;
  private final ClusterMapClient client;

  MapAccess(ClusterAccess access) {
    this.access = access;
    this.transport = access.connect();
    this.peers =
        new StoragePeers(transport, access.nodes().stream().map(StorageAddress::address).toList());
    this.client = peers.client();
    client.watch();
  }

  /**
   * The map, once there is one.
   *
   * @throws IllegalStateException when no storage node returns it
   */
  ClusterMap map() throws InterruptedException {
    if (!await(ClusterMap::isInitialised, MAP_SECONDS)) {
      throw new IllegalStateException("none of " + access.nodes() + " gives the cluster map");
    }
    return client.map();
  }

  /** False when the condition does not hold in time. */
  boolean await(Predicate<ClusterMap> condition, long seconds) throws InterruptedException {
    try {
      client.await(condition).get(seconds, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the cluster map is not followed any more", e.getCause());
    }
  }

  /** The map as it is known now. */
  ClusterMap known() {
    return client.map();
  }

  /** The transport for other requests to the storage nodes. */
  Transport transport() {
    return transport;
  }

  /**
   * Has the storage nodes change the map.
   *
   * @throws RefusedException when they refuse
   * @throws IllegalStateException when they do not answer
   */
  void propose(MapCommand command) throws InterruptedException {
    MapResult result;
    try {
      result = client.propose(command, PROPOSAL).get(PROPOSAL.toSeconds() + 5, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the cluster map does not take " + command, e);
    }
    if (result instanceof MapResult.Refused refused) {
      throw new RefusedException("the cluster map refuses " + command + ": " + refused.message());
    }
  }

  @Override
  public void close() {
    try (transport) {
      peers.close();
    }
  }
}
