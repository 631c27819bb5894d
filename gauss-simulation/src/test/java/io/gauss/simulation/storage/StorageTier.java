package io.gauss.simulation.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.gauss.common.error.GaussException;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.storage.api.StorageAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Three simulated storage nodes, 201 to 203, on threads of the JVM. */
final class StorageTier implements AutoCloseable {
  private static final ClusterKey KEY =
      new ClusterKey(new UUID(3, 4), "only for simulated clusters".getBytes(UTF_8));

  private final List<StorageAddress> addresses =
      IntStream.rangeClosed(201, 203)
          .mapToObj(node -> new StorageAddress(node, "simulated-" + node, 7001, 7002))
          .toList();
  private final LocalNetwork network = new LocalNetwork();
  private final SimulatedStorage storage;
  private final Map<Integer, SimulatedStorageNode> nodes = new TreeMap<>();

  StorageTier(LogFaults faults, Links links) {
    storage =
        new SimulatedStorage(
            addresses,
            KEY,
            Map.of("pages.redo-memory", "16MB", "cluster.lease", "10"),
            links,
            faults);
    for (StorageAddress address : addresses) {
      SimulatedStorageNode node =
          new SimulatedStorageNode(storage, address.node(), network::transport);
      nodes.put(address.node(), node);
      node.start();
    }
  }

  SimulatedStorage storage() {
    return storage;
  }

  SimulatedStorageNode node(int number) {
    return nodes.get(number);
  }

  void awaitWell() {
    SimulatedStreams.await(
        "all storage nodes are well",
        () ->
            nodes.values().stream()
                .filter(SimulatedStorageNode::isRunning)
                .allMatch(StorageTier::isWell));
  }

  private static boolean isWell(SimulatedStorageNode node) {
    try {
      return node.node().problems().isEmpty();
    } catch (GaussException e) {
      return false; // a group is being added
    }
  }

  void kill(int number, boolean powerLost) {
    if (powerLost) {
      node(number).losePower();
    } else {
      node(number).kill();
    }
    network.forget(number);
    node(number).reap();
  }

  ComputeClient compute(int number)
      throws ExecutionException, TimeoutException, InterruptedException {
    return new ComputeClient(number, addresses, KEY, network::transport);
  }

  @Override
  public void close() {
    nodes.values().forEach(SimulatedStorageNode::close);
    storage.close();
  }
}
