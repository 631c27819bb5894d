package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every {@link GroupHost}, with groups of three members: commands are agreed on,
 * members are added and removed, priorities take effect.
 */
@Timeout(300)
public abstract class GroupHostContract {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final GroupId MAP = GroupId.clusterMap();

  private final Map<String, SumReplica> replicas = new ConcurrentHashMap<>();
  private GroupNodes nodes;

  /**
   * Nodes that do not run yet, numbered from 0; the lower the number, the higher the priority.
   *
   * @param name different for each cluster of a test
   * @param replicas makes a node's replicas of groups
   */
  protected abstract GroupNodes nodes(
      int count, String name, IntFunction<GroupReplica.Factory> replicas);

  @BeforeEach
  void start() {
    nodes = nodes(3, "three", this::replicas);
    nodes.startAll();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private GroupReplica.Factory replicas(int node) {
    return group -> {
      SumReplica replica = new SumReplica();
      replicas.put(node + "/" + group, replica);
      return replica;
    };
  }

  private long sumOn(int node, GroupId group) {
    return replicas.get(node + "/" + group).sum();
  }

  private long add(GroupId group, long value) {
    return nodes.add(group, value);
  }

  @Test
  void aGroupAddedAtRunTimeAppliesCommandsOnAllMembers() {
    nodes.addGroup(STREAM);
    assertEquals(5, add(STREAM, 5));
    assertEquals(12, add(STREAM, 7));
    for (int node = 0; node < 3; node++) {
      int member = node;
      GroupNodes.await("node " + node, () -> sumOn(member, STREAM) == 12);
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
    GroupNodes.await("node 0 to lead", () -> nodes.host(0).leads(STREAM));
    add(STREAM, 1);
    nodes.stop(0);
    int other = nodes.awaitLeader(STREAM);
    assertTrue(other > 0);
    assertEquals(3, add(STREAM, 2));
    nodes.start(0);
    GroupNodes.await("node 0 to lead again", () -> nodes.host(0).leads(STREAM));
    assertEquals(6, add(STREAM, 3));
  }

  /** Ratis' leader does not look while commands keep coming. */
  @Test
  void aLeaderThatIsSentCommandsAllTheTimeKnowsWhetherAMajorityAnswers() {
    nodes.addGroup(STREAM);
    GroupNodes.await("node 0 to lead", () -> nodes.host(0).leadsMajority(STREAM));
    nodes.stop(1);
    add(STREAM, 1);
    GroupNodes.await("one of two to be enough", () -> nodes.host(0).leadsMajority(STREAM));
    nodes.stop(2);
    GroupNodes.await(
        "node 0 to miss the others",
        () -> {
          nodes.host(0).submit(STREAM, SumReplica.number(1));
          return !nodes.host(0).leadsMajority(STREAM);
        });
    nodes.start(2);
    GroupNodes.await(
        "a leader with a majority",
        () -> nodes.host(0).leadsMajority(STREAM) || nodes.host(2).leadsMajority(STREAM));
  }

  @Test
  void aMemberThatDoesNotLeadTakesNothingAndNamesWhoDoes() {
    nodes.addGroup(STREAM);
    GroupNodes.await("node 0 to lead", () -> nodes.host(0).leads(STREAM));
    // In an election nobody knows a leader, or node 1 is the one.
    GroupNodes.await(
        "node 1 to refuse and to name node 0",
        () -> {
          if (!nodes.host(1).leader(STREAM).equals(OptionalInt.of(0))) {
            return false;
          }
          Submitted outcome = nodes.host(1).submit(STREAM, SumReplica.number(9)).join();
          return assertInstanceOf(Submitted.NotLeader.class, outcome)
              .leader()
              .equals(OptionalInt.of(0));
        });
    assertEquals(1, add(STREAM, 1));
  }

  @Test
  void aQuestionSeesEverythingCommittedBefore() {
    nodes.addGroup(STREAM);
    add(STREAM, 4);
    assertEquals(4, nodes.sum(STREAM));
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
    try (GroupNodes four = nodes(4, "four", this::replicas)) {
      four.startAll();
      List<GroupMember> first = four.members().subList(0, 3);
      for (int node = 0; node < 3; node++) {
        four.host(node).addGroup(STREAM, first);
      }
      for (int i = 1; i <= 20; i++) {
        four.add(STREAM, i);
      }
      four.stop(2);
      four.host(3).addGroup(STREAM, List.of());
      List<GroupMember> second =
          List.of(four.members().get(0), four.members().get(1), four.members().get(3));
      four.change(STREAM, second);
      GroupNodes.await("node 3 to have all", () -> sumOn(3, STREAM) == 210);
      // It may know the old and the new members, and not yet the end of the change.
      GroupNodes.await(
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
  void withoutAMajorityNothingIsAcknowledgedAndWithOneEverythingIsThereAgain() {
    nodes.addGroup(STREAM);
    add(STREAM, 5);
    int leader = nodes.awaitLeader(STREAM);
    for (int node = 0; node < 3; node++) {
      if (node != leader) {
        nodes.stop(node);
      }
    }
    CompletableFuture<Submitted> alone = nodes.host(leader).submit(STREAM, SumReplica.number(7));
    Submitted outcome = alone.orTimeout(60, TimeUnit.SECONDS).join();
    assertFalse(outcome instanceof Submitted.Applied, outcome.toString());
    nodes.startAll();
    long sum = add(STREAM, 1);
    assertTrue(sum == 6 || sum == 13, "the command may have been carried out: " + sum);
  }

  @Test
  void whatTheReplicaForgetsIsPurgedAndTheRestIsFoundAfterARestart() {
    nodes.addGroup(STREAM);
    for (int i = 0; i < 20; i++) {
      add(STREAM, 1);
    }
    for (int node = 0; node < 3; node++) {
      int member = node;
      GroupNodes.await("node " + node, () -> sumOn(member, STREAM) == 20);
    }
    for (int node = 0; node < 3; node++) {
      nodes.host(node).forget(STREAM).orTimeout(60, TimeUnit.SECONDS).join();
    }
    add(STREAM, 1);
    nodes.close();
    nodes.startAll();
    assertEquals(22, add(STREAM, 1));
  }
}
