package io.gauss.storage.raft.map;

import io.gauss.storage.raft.GroupNodes;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.RaftHost;
import io.gauss.storage.raft.RaftNodes;
import java.nio.file.Path;
import java.util.function.IntFunction;
import org.junit.jupiter.api.io.TempDir;

/** The map's group by Ratis. */
class ClusterMapGroupTest extends ClusterMapGroupContract {
  @TempDir Path directory;

  @Override
  protected GroupNodes nodes(IntFunction<GroupReplica.Factory> replicas) {
    return new RaftNodes(
        3,
        directory,
        node -> RaftHost.MachineFactory.of(replicas.apply(node)),
        settings -> settings.withSegments(64 << 10, 16 << 10, 32 << 10));
  }
}
