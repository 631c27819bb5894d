package io.gauss.storage.node;

import static io.gauss.storage.raft.RaftSettings.Rpc.PEER;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.storage.disk.DataDirectory;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreSettings;
import io.gauss.storage.map.service.Prober;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.RaftHost;
import io.gauss.storage.raft.RaftSettings;
import io.gauss.storage.raft.stream.StreamService;
import java.util.UUID;

/** What a storage node stands on: a disk, a page store, and members of groups with logs. */
public interface StoragePlatform {
  /** To wait for the answer of a node that is probed. */
  int PROBE_MILLIS = 1_000;

  /** A directory on the disk, with RocksDB for the pages and Ratis for the groups. */
  StoragePlatform DISK =
      new StoragePlatform() {
        /** Names another transport between members of Raft groups, for comparisons only. */
        private static final String RPC = "gauss.raft.rpc";

        @Override
        public AutoCloseable take(StorageNodeSettings settings) {
          return DataDirectory.take(settings.data());
        }

        @Override
        public LocalPageStore pages(StorageNodeSettings settings) {
          return LocalPageStore.open(settings.data().resolve("pages"), pageSettings(settings));
        }

        @Override
        public GroupHost groups(StorageNodeSettings settings, GroupReplica.Factory replicas) {
          return RaftHost.start(
              RaftSettings.of(
                      settings.self().node(),
                      settings.peerListen(),
                      settings.self().raftPort(),
                      settings.data().resolve("raft"),
                      settings.key())
                  .withTls(settings.tls())
                  .withRpc(RaftSettings.Rpc.valueOf(System.getProperty(RPC, PEER.name()))),
              RaftHost.MachineFactory.of(replicas),
              StreamService.evidence());
        }

        @Override
        public long usableBytes(StorageNodeSettings settings) {
          return settings.data().toFile().getUsableSpace();
        }

        @Override
        public UUID proposedCluster() {
          return UUID.randomUUID();
        }

        @Override
        public Prober ports(StorageNodeSettings settings) {
          return Prober.ofPorts(PROBE_MILLIS);
        }
      };

  /**
   * Takes the node's data for this process, until it is closed.
   *
   * @throws io.gauss.common.error.GaussException 55006 when another process has it, 58030 when it
   *     cannot be used
   */
  AutoCloseable take(StorageNodeSettings settings);

  /**
   * Opens the node's pages.
   *
   * @throws io.gauss.common.error.GaussException XX001 when they are damaged, IO_ERROR when they
   *     cannot be read
   */
  LocalPageStore pages(StorageNodeSettings settings);

  /**
   * Starts the node's members of groups.
   *
   * @throws io.gauss.common.error.GaussException IO_ERROR when a log is damaged or the port cannot
   *     be used
   */
  GroupHost groups(StorageNodeSettings settings, GroupReplica.Factory replicas);

  /** Room on the disk. */
  long usableBytes(StorageNodeSettings settings);

  /** Identifies a new cluster; different each time. */
  UUID proposedCluster();

  /** Tells whether the port of a node for other nodes is open. */
  Prober ports(StorageNodeSettings settings);

  /** How a storage node's page store is set. */
  static PageStoreSettings pageSettings(StorageNodeSettings settings) {
    return PageStoreSettings.defaults()
        .withPendingLimit(settings.get(NodeSettingTable.STORAGE_REDO_MEMORY))
        .withWriteBytesPerSecond(settings.get(NodeSettingTable.PAGES_WRITE_RATE));
  }
}
