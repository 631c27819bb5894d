package io.gauss.simulation.storage;

import io.gauss.common.runtime.Environment;
import io.gauss.common.runtime.InOrder;
import io.gauss.common.transport.ClusterKey;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.map.service.Prober;
import io.gauss.storage.node.StorageNodeSettings;
import io.gauss.storage.node.StoragePlatform;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupReplica;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * The storage tier of a simulated cluster, as far as it outlives its nodes: their disks, and the
 * groups between them. It is made on a thread of no node. Thread-safe.
 */
public final class SimulatedStorage implements AutoCloseable {
  /** Room on a disk that is not full. */
  private static final long ROOM = 1L << 40;

  private final List<StorageAddress> nodes;
  private final ClusterKey key;
  private final Map<String, String> settings;
  private final SimulatedGroups groups;
  private final Map<Integer, SimulatedPages> pages = new TreeMap<>();
  private IntFunction<Prober> ports = of -> Prober.ofPorts(StoragePlatform.PROBE_MILLIS);

  /** Page stores of running processes, and of killed ones whose memory is not freed. */
  private final Map<Integer, LocalPageStore> stores = new ConcurrentHashMap<>();

  private final Map<Integer, Boolean> full = new ConcurrentHashMap<>();

  /**
   * @param nodes all storage nodes that there may ever be
   * @param key of the cluster
   * @param settings of all nodes, where they differ from the defaults
   * @param links the connections between them
   */
  public SimulatedStorage(
      List<StorageAddress> nodes,
      ClusterKey key,
      Map<String, String> settings,
      Links links,
      LogFaults faults) {
    this.nodes = List.copyOf(nodes);
    this.key = key;
    this.settings = InOrder.copyOf(settings);
    this.groups = new SimulatedGroups(links, faults);
    nodes.forEach(node -> pages.put(node.node(), new SimulatedPages(faults)));
  }

  /** From now on groups and disks are this unkind. */
  public void faults(LogFaults now) {
    groups.faults(now);
    pages.values().forEach(of -> of.faults(now));
  }

  /** Sets whether a node's disk is full. */
  public void full(int node, boolean isFull) {
    full.put(node, isFull);
    pages.get(node).full(isFull);
  }

  /** A force fails on a node: its logs accept nothing until it starts again. */
  public void failLogs(int node) {
    groups.failLogs(node);
  }

  /**
   * From now on this tells whether nodes' ports are open; until then they are asked by TCP.
   *
   * @param how for the storage node of this number
   */
  public void ports(IntFunction<Prober> how) {
    ports = how;
  }

  /** The groups of all nodes. */
  SimulatedGroups groups() {
    return groups;
  }

  /** A node's pages. */
  SimulatedPages pages(int node) {
    return pages.get(node);
  }

  StorageNodeSettings settings(int node) {
    return StorageNodeSettings.of(
        Path.of("simulated", "storage-" + node), node, nodes, key, settings);
  }

  /** Frees the memory of a node's process, whose threads never run again. */
  void free(int node) {
    LocalPageStore store = stores.remove(node);
    if (store != null) {
      store.abandon();
    }
  }

  /** A node's process has ended normally. */
  void closed(int node) {
    stores.remove(node);
  }

  /** What a node of these stands on. */
  StoragePlatform platform() {
    return new Platform();
  }

  private final class Platform implements StoragePlatform {
    @Override
    public AutoCloseable take(StorageNodeSettings of) {
      return () -> {};
    }

    @Override
    public LocalPageStore pages(StorageNodeSettings of) {
      LocalPageStore store =
          LocalPageStore.open(
              of.data(),
              StoragePlatform.pageSettings(of).withFreeBytes(() -> usableBytes(of)),
              pages.get(of.node()).open());
      stores.put(of.node(), store);
      return store;
    }

    @Override
    public GroupHost groups(StorageNodeSettings of, GroupReplica.Factory replicas) {
      return groups.start(of.node(), replicas);
    }

    @Override
    public long usableBytes(StorageNodeSettings of) {
      return full.getOrDefault(of.node(), false) ? 0 : ROOM;
    }

    @Override
    public Prober ports(StorageNodeSettings of) {
      return ports.apply(of.node());
    }

    @Override
    public UUID proposedCluster() {
      return new UUID(Environment.random().nextLong(), Environment.random().nextLong());
    }
  }

  /** Ends it. Its nodes must have ended. */
  @Override
  public void close() {
    groups.close();
  }
}
