package io.gauss.storage.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.task.CloseStack;
import io.gauss.common.transport.Peer;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.stream.StreamHooks;
import io.gauss.storage.raft.stream.StreamService;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Second phase of a storage node's start, over its pages: its members of Raft groups, which are its
 * replicas of streams and of the cluster map.
 *
 * @param fetch copies pages for a replica that lacks log which the others have purged
 * @param usableBytes room on the disk
 * @param pins the parts of streams' logs needed by nodes that copy pages from here
 */
record RaftMembers(
    MapReplica map,
    ReplicaFetch fetch,
    StreamService streams,
    GroupHost host,
    LogPins pins,
    LongSupplier usableBytes) {

  /**
   * @param opened collects the resources to close
   */
  static RaftMembers start(
      StorageNodeSettings settings,
      StoragePlatform platform,
      LocalPageStore store,
      CloseStack opened) {
    StorageAddress self = settings.self();
    MapReplica map = new MapReplica(settings, platform.proposedCluster(), platform.ports(settings));
    LogPins pins = new LogPins();
    ReplicaFetch fetch =
        opened.add(
            new ReplicaFetch(
                store, stream -> replicas(map, stream), node -> peer(map, self.node(), node)));
    StreamService streams =
        new StreamService(
            new StreamHooks(stream -> neededFrom(store, pins, stream), fetch),
            () -> platform.usableBytes(settings),
            settings.get(NodeSettingTable.DISK_RESERVE));
    GroupHost host =
        opened.add(
            platform.groups(
                settings,
                group ->
                    switch (group.kind()) {
                      case STREAM -> streams.newReplica(group);
                      case CLUSTER_MAP -> map.newReplica();
                    }));
    opened.add(streams);
    streams.attach(host);
    return new RaftMembers(map, fetch, streams, host, pins, () -> platform.usableBytes(settings));
  }

  /**
   * Offset from which this node needs a stream's log, for its pages or for a replica that copies
   * them.
   */
  private static long neededFrom(LocalPageStore store, LogPins pins, int stream) {
    return Math.min(store.checkpointOffset(stream), pins.lowest(stream));
  }

  /** The storage nodes that keep a stream, as far as this node knows. */
  private static List<Integer> replicas(MapReplica map, int stream) {
    StreamGroup group = map.map().streamGroups().get(stream);
    return group == null ? List.of() : group.replicas();
  }

  private static Optional<Peer> peer(MapReplica map, int self, int node) {
    return node == self ? Optional.empty() : Optional.ofNullable(map.storageNodes().get(node));
  }
}
