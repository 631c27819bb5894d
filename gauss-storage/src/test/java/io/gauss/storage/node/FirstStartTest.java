package io.gauss.storage.node;

import static io.gauss.storage.node.FaultyMapTransport.Fate.ANSWERED;
import static io.gauss.storage.node.FaultyMapTransport.Fate.ANSWER_LOST;
import static io.gauss.storage.node.FaultyMapTransport.Fate.REQUEST_LOST;

import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.message.MapRequest;
import io.gauss.storage.node.FaultyMapTransport.Fate;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A new cluster begins even if messages are lost, late or in an unusual order. */
@Timeout(180)
class FirstStartTest {
  private static final List<Integer> ALL = List.of(201, 202, 203);

  @TempDir Path directory;

  /** Nodes that may register, and nodes that may ask whether there is a cluster yet. */
  private final Set<Integer> mayRegister = ConcurrentHashMap.newKeySet();

  private final Set<Integer> mayAsk = ConcurrentHashMap.newKeySet();

  /** Attempts of nodes that may not register, as "requester>receiver". */
  private final Set<String> tried = ConcurrentHashMap.newKeySet();

  /** Number of answers to commands that are still to be lost. */
  private final AtomicInteger answersToLose = new AtomicInteger();

  private StorageNodes nodes;

  @BeforeEach
  void threeNodes() throws IOException {
    nodes = new StorageNodes(directory, 3, this::fate);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private Fate fate(int from, int to, MapRequest request) {
    return switch (request) {
      case MapRequest.Snapshot r when !mayAsk.contains(from) -> REQUEST_LOST;
      case MapRequest.Propose(MapCommand.Register r) when !mayRegister.contains(from) -> {
        tried.add(from + ">" + to);
        yield REQUEST_LOST;
      }
      case MapRequest.Propose r when answersToLose.getAndDecrement() > 0 -> ANSWER_LOST;
      default -> ANSWERED;
    };
  }

  /** The map's leader, as seen by all nodes that have its group; 0 = they do not agree. */
  private int leader() {
    List<Integer> leaders =
        ALL.stream()
            .map(nodes::node)
            .filter(node -> node != null)
            .flatMap(node -> node.groups().stream())
            .filter(group -> group.group().equals(GroupId.clusterMap()))
            .map(GroupStatus::leader)
            .map(leader -> leader.orElse(0))
            .distinct()
            .toList();
    return leaders.size() == 1 ? leaders.getFirst() : 0;
  }

  /** Waits until somebody leads the map and all want to be taken in; returns who leads. */
  private int awaitLeaderOfThoseThatWait() {
    int[] leader = new int[1];
    StorageNodes.await(
        "all wait to be taken in",
        () -> {
          leader[0] = leader();
          return leader[0] != 0 && tried.size() >= 3;
        });
    return leader[0];
  }

  private boolean hasMap(int node) {
    return nodes.node(node).groups().stream()
        .anyMatch(group -> group.group().equals(GroupId.clusterMap()));
  }

  private boolean isWell(int node) {
    return nodes.node(node).problems().isEmpty();
  }

  @Test
  void whoLeadsTheMapIsTakenInAlsoAfterOthers() throws IOException {
    mayAsk.addAll(ALL);
    nodes.start();
    int leader = awaitLeaderOfThoseThatWait();
    int first = ALL.stream().filter(node -> node != leader).findFirst().orElseThrow();
    mayRegister.add(first);
    StorageNodes.await("one is a member", () -> isWell(first));
    StorageNodes.await("the leader knows that one", () -> tried.contains(leader + ">" + first));
    StorageNodes.await("it leads all the while", () -> leader() == leader);
    mayRegister.addAll(ALL);
    nodes.awaitWell();
  }

  @Test
  void aFounderThatComesLateJoinsThoseThatHaveBegun() throws IOException {
    mayRegister.addAll(ALL);
    mayAsk.addAll(List.of(201, 202));
    nodes.start();
    StorageNodes.await("two have begun", () -> isWell(201) && isWell(202));
    mayAsk.add(203);
    nodes.awaitWell();
  }

  @Test
  void aFounderThatComesWhenOneOfTheOthersHasStoppedIsTakenInOnceThatOneIsBack()
      throws IOException {
    mayRegister.addAll(ALL);
    mayAsk.addAll(List.of(202, 203));
    nodes.start();
    StorageNodes.await("two have begun", () -> isWell(202) && isWell(203));
    nodes.stop(202);
    mayAsk.add(201);
    StorageNodes.await("the late one has asked", () -> hasMap(201));
    nodes.start(202);
    nodes.awaitWell();
  }

  @Test
  void lostAnswersToCommandsAreAskedForAgain() throws IOException {
    mayAsk.addAll(ALL);
    mayRegister.addAll(ALL);
    answersToLose.set(12);
    nodes.start();
    nodes.awaitWell();
  }

  @Test
  void theFirstLeaderOfTheMapMayStopBeforeAnybodyIsTakenIn() throws IOException {
    mayAsk.addAll(ALL);
    nodes.start();
    int leader = awaitLeaderOfThoseThatWait();
    nodes.stop(leader);
    mayRegister.addAll(ALL);
    List<Integer> others = ALL.stream().filter(node -> node != leader).toList();
    StorageNodes.await("the others have begun", () -> others.stream().allMatch(this::isWell));
    nodes.start(leader);
    nodes.awaitWell();
  }
}
