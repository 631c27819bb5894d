package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
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
    RaftSettings settings = RaftSettings.of(1, "127.0.0.1", 0, directory, RaftNodes.KEY);
    assertTrue(
        RaftServerConfigKeys.closeThreshold(RatisProperties.of(settings)).toLong(TimeUnit.DAYS)
            > 365);
  }

  @Test
  void messagesAndForcesAreCounted() {
    try (GroupNodes three = nodes(3, "counted", node -> group -> new SumReplica())) {
      three.startAll();
      three.addGroup(STREAM);
      GroupNodes.await("node 0 to lead", () -> three.host(0).leads(STREAM));
      three.add(STREAM, 1);
      long others = 0;
      for (int node = 0; node < 3; node++) {
        RaftCounts counts = three.host(node).counts();
        GroupNodes.await("a force on node " + node, () -> counts.forces() > 0);
        others += counts.messages(RaftCounts.Kind.OTHER);
        if (node > 0) {
          GroupNodes.await("entries", () -> counts.messages(RaftCounts.Kind.ENTRIES) > 0);
          GroupNodes.await("a heartbeat", () -> counts.messages(RaftCounts.Kind.HEARTBEAT) > 0);
        }
      }
      assertTrue(others > 0, "no vote was counted");
    }
  }

  /** The leader of the cluster map would do none of its duties for as long as it tries. */
  @Test
  void aMajorityNeedsNoAnswerOfAMemberThatIsOnlyBeingTakenIn() {
    try (GroupNodes four = nodes(4, "four", node -> group -> new SumReplica())) {
      List<GroupMember> first = four.members().subList(0, 3);
      for (int node = 0; node < 3; node++) {
        four.start(node).addGroup(STREAM, first);
      }
      GroupNodes.await("node 0 to lead", () -> four.host(0).leadsMajority(STREAM));
      four.stop(2);
      RaftHost leader = (RaftHost) four.host(0);
      GroupNodes.await("node 2 to be missed", () -> silent(leader) == 1);
      AtomicReference<CompletableFuture<Void>> change =
          new AtomicReference<>(leader.changeMembers(STREAM, four.members()));
      GroupNodes.await(
          "a majority while node 3 is asked in vain",
          () -> {
            if (change.get().isDone()) {
              change.set(leader.changeMembers(STREAM, four.members()));
            }
            return silent(leader) == 2 && leader.leadsMajority(STREAM) && silent(leader) == 2;
          });
    }
  }

  /** The duties of the map's leader are looked at all the time, also while its member starts. */
  @Test
  void aMemberThatIsBeingMadeLeadsNoMajority() throws Exception {
    try (GroupNodes one = nodes(1, "one", node -> group -> new SumReplica())) {
      GroupHost host = one.start(0);
      AtomicReference<Integer> last = new AtomicReference<>(1);
      AtomicReference<RuntimeException> failure = new AtomicReference<>();
      AtomicInteger asked = new AtomicInteger();
      Thread asks =
          Thread.startVirtualThread(
              () -> {
                while (last.get() != 0) {
                  try {
                    host.leadsMajority(GroupId.stream(last.get()));
                    asked.incrementAndGet();
                  } catch (GaussException notThereYet) {
                    asked.incrementAndGet();
                  } catch (RuntimeException e) {
                    failure.compareAndSet(null, e);
                  }
                }
              });
      for (int stream = 1; stream <= 30; stream++) {
        last.set(stream);
        host.addGroup(GroupId.stream(stream), one.members());
      }
      last.set(0);
      asks.join();
      assertNull(failure.get());
      assertTrue(asked.get() > 30, "asked " + asked);
    }
  }

  /** Number of nodes that have not answered the leader for long. */
  private static long silent(RaftHost leader) {
    RoleInfoProto role = leader.division(STREAM).getInfo().getRoleInfoProto();
    return role.getLeaderInfo().getFollowerInfoList().stream()
        .filter(follower -> follower.getLastRpcElapsedTimeMs() > 700) // the election's timeout: 600
        .count();
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
