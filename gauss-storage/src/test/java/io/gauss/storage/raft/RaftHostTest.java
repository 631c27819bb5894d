package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups by Ratis. */
class RaftHostTest extends GroupHostContract {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final GroupId MAP = GroupId.clusterMap();

  @TempDir Path directory;

  @Override
  protected GroupNodes nodes(int count, String name, IntFunction<GroupReplica.Factory> replicas) {
    return new RaftNodes(
        count, directory.resolve(name), node -> RaftHost.MachineFactory.of(replicas.apply(node)));
  }

  /**
   * A process that is stopped and continued, or a machine that is migrated, may pause for longer.
   */
  @Test
  void aServerThatStoodStillForAMinuteIsNotClosedForThat() {
    RaftSettings settings = RaftSettings.of(1, "127.0.0.1", 0, directory);
    assertTrue(
        RaftServerConfigKeys.closeThreshold(RatisProperties.of(settings)).toLong(TimeUnit.DAYS)
            > 365);
  }

  @Test
  void aGroupsUuidTellsWhatItIs() {
    assertEquals(UUID.fromString("47415553-5352-4654-0000-000100000007"), GroupId.stream(7).uuid());
    assertEquals(
        UUID.fromString("47415553-5352-4654-0000-000200000000"), GroupId.clusterMap().uuid());
    assertEquals(Optional.of(STREAM), GroupId.of(STREAM.uuid()));
    assertEquals(Optional.of(MAP), GroupId.of(MAP.uuid()));
    assertEquals(Optional.empty(), GroupId.of(UUID.randomUUID()));
  }
}
