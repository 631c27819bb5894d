package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Groups of three members: commands are agreed on, members are added and removed, priorities take
 * effect.
 */
@Timeout(120)
class RaftHostTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final GroupId MAP = GroupId.clusterMap();

  @TempDir Path directory;
  private RaftNodes nodes;
  private final Map<String, SumMachine> machines = new ConcurrentHashMap<>();

  @BeforeEach
  void start() {
    nodes = new RaftNodes(3, directory, node -> group -> machine(node, group));
    nodes.startAll();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private SumMachine machine(int node, GroupId group) {
    SumMachine machine = new SumMachine();
    machines.put(node + "/" + group, machine);
    return machine;
  }

  private long sumOn(int node, GroupId group) {
    return machines.get(node + "/" + group).sum();
  }

  /** Submits the number to the leader until it is applied; for groups with a stable leader. */
  private long add(GroupId group, long value) {
    RaftHost leader = nodes.host(nodes.awaitLeader(group));
    Submitted outcome =
        leader.submit(group, SumMachine.number(value)).orTimeout(30, TimeUnit.SECONDS).join();
    return SumMachine.number(assertInstanceOf(Submitted.Applied.class, outcome).answer());
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
  void aGroupAddedAtRunTimeAppliesCommandsOnAllMembers() {
    nodes.addGroup(STREAM);
    assertEquals(5, add(STREAM, 5));
    assertEquals(12, add(STREAM, 7));
    for (int node = 0; node < 3; node++) {
      int member = node;
      RaftNodes.await("node " + node, () -> sumOn(member, STREAM) == 12);
    }
  }

  @Test
  void groupsOfOneServerDoNotMix() {
    nodes.addGroup(STREAM);
    nodes.addGroup(MAP);
    add(STREAM, 1);
    assertEquals(100, add(MAP, 100));
    assertEquals(3, add(STREAM, 2));
    assertEquals(
        List.of(MAP, STREAM),
        nodes.host(0).groups().stream().sorted((a, b) -> b.kind().compareTo(a.kind())).toList());
  }

  @Test
  void theMemberWithTheHighestPriorityLeadsAndLeadsAgainWhenItIsBack() {
    nodes.addGroup(STREAM);
    RaftNodes.await("node 0 to lead", () -> nodes.host(0).leads(STREAM));
    add(STREAM, 1);
    nodes.stop(0);
    int other = nodes.awaitLeader(STREAM);
    assertTrue(other > 0);
    assertEquals(3, add(STREAM, 2));
    nodes.start(0);
    RaftNodes.await("node 0 to lead again", () -> nodes.host(0).leads(STREAM));
    assertEquals(6, add(STREAM, 3));
  }

  @Test
  void aMemberThatDoesNotLeadTakesNothingAndNamesWhoDoes() {
    nodes.addGroup(STREAM);
    RaftNodes.await("node 0 to lead", () -> nodes.host(0).leads(STREAM));
    RaftNodes.await("node 1 to know", () -> nodes.host(1).leader(STREAM).isPresent());
    Submitted outcome = nodes.host(1).submit(STREAM, SumMachine.number(9)).join();
    assertEquals(0, assertInstanceOf(Submitted.NotLeader.class, outcome).leader().orElseThrow());
    assertEquals(1, add(STREAM, 1));
  }

  @Test
  void aQuestionSeesEverythingCommittedBefore() {
    nodes.addGroup(STREAM);
    add(STREAM, 4);
    RaftHost leader = nodes.host(nodes.awaitLeader(STREAM));
    Submitted answer = leader.query(STREAM, SumMachine.number(0)).join();
    assertEquals(4, SumMachine.number(assertInstanceOf(Submitted.Applied.class, answer).answer()));
  }

  @Test
  void groupsAreFoundAgainAtStartWithWhatTheyHold() {
    nodes.addGroup(STREAM);
    nodes.addGroup(MAP);
    add(STREAM, 5);
    add(MAP, 50);
    nodes.close();
    nodes.startAll();
    assertEquals(6, add(STREAM, 1));
    assertEquals(51, add(MAP, 1));
    nodes.addGroup(STREAM); // is there already
    assertEquals(7, add(STREAM, 1));
    assertEquals(nodes.members(), nodes.host(0).members(STREAM));
  }

  @Test
  void aMemberIsReplacedByAnotherNodeWhichGetsEverything() {
    try (RaftNodes four =
        new RaftNodes(4, directory.resolve("four"), node -> group -> machine(node, group))) {
      four.startAll();
      List<GroupMember> first = four.members().subList(0, 3);
      for (int node = 0; node < 3; node++) {
        four.host(node).addGroup(STREAM, first);
      }
      RaftHost leader = four.host(four.awaitLeader(STREAM));
      for (int i = 1; i <= 20; i++) {
        leader.submit(STREAM, SumMachine.number(i)).join();
      }
      four.stop(2);
      four.host(3).addGroup(STREAM, List.of());
      List<GroupMember> second =
          List.of(four.members().get(0), four.members().get(1), four.members().get(3));
      four.host(four.awaitLeader(STREAM)).setMembers(STREAM, second);
      RaftNodes.await("node 3 to have all", () -> sumOn(3, STREAM) == 210);
      // It may know the old and the new members, and not yet the end of the change.
      RaftNodes.await(
          "node 3 to know the members",
          () -> Set.copyOf(four.host(3).members(STREAM)).equals(Set.copyOf(second)));
    }
  }

  @Test
  void aGroupThatANodeIsNoMemberOfIsRefusedByName() {
    GaussException refused =
        assertThrows(GaussException.class, () -> nodes.host(0).leads(GroupId.stream(3)));
    assertTrue(refused.getMessage().contains("the group of stream 3"), refused.getMessage());
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
