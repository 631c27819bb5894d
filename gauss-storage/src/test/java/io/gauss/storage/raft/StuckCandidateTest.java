package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.health.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.statemachine.StateMachine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The thread of an election meets an error: without it the member would seek votes for ever, and
 * ask nobody.
 */
@Timeout(180)
class StuckCandidateTest {
  private static final GroupId STREAM = GroupId.stream(7);

  @TempDir Path directory;
  private final AtomicBoolean cannotLead = new AtomicBoolean();
  private RaftNodes nodes;

  @BeforeEach
  void start() {
    nodes = new RaftNodes(3, directory, node -> group -> machine());
    nodes.startAll();
    nodes.addGroup(STREAM);
    add(1);
    nodes.awaitSame(STREAM);
  }

  private StateMachine machine() {
    return new GroupMachine(new SumReplica()) {
      @Override
      public Throwable logFailure() {
        return cannotLead.get() ? new IOException("made to fail") : super.logFailure();
      }
    };
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private void add(long value) {
    nodes.add(STREAM, value);
  }

  /** Of those that come back, node 1 has the last entry. */
  private void onlyNode1CanBeElected() {
    nodes.stop(2);
    add(2);
    nodes.stop(0);
    nodes.stop(1);
    nodes.start(1);
  }

  private RaftPeerRole role(int node) {
    return nodes.host(node).division(STREAM).getInfo().getCurrentRole();
  }

  private void assertItCountsAsEndedAndLeadsAfterAStart(RaftPeerRole stuckAs, Repair repair)
      throws IOException {
    nodes.start(2);
    GroupNodes.await(
        "the member to be found stuck", () -> nodes.host(1).ended().equals(List.of(STREAM)));
    assertEquals(stuckAs, role(1));
    List<Problem> problems = nodes.host(1).problems();
    assertTrue(problems.getFirst().what().contains("stopped on this node"), problems::toString);
    assertTrue(nodes.host(2).ended().isEmpty());
    repair.run();
    nodes.stop(1);
    nodes.start(1);
    assertEquals(1, nodes.awaitLeader(STREAM));
    assertTrue(nodes.host(1).ended().isEmpty());
  }

  private interface Repair {
    void run() throws IOException;
  }

  /** As when there are no file descriptors left, or no room. */
  @Test
  void aCandidateWhoseVoteCannotBeWrittenCountsAsEnded() throws Exception {
    onlyNode1CanBeElected();
    Path current = GroupDirectories.current(nodes.settings(1).directory(), STREAM);
    Path obstacle = Files.createDirectory(current.resolve("raft-meta.tmp"));
    assertItCountsAsEndedAndLeadsAfterAStart(RaftPeerRole.CANDIDATE, () -> Files.delete(obstacle));
  }

  @Test
  void aMemberThatIsElectedAndCannotBeginToLeadCountsAsEnded() throws Exception {
    onlyNode1CanBeElected();
    cannotLead.set(true);
    assertItCountsAsEndedAndLeadsAfterAStart(RaftPeerRole.LEADER, () -> cannotLead.set(false));
  }

  @Test
  void aCandidateThatAsksInVainIsNotStuck() {
    onlyNode1CanBeElected();
    StuckMembers members = new StuckMembers(null, Duration.ZERO);
    AtomicInteger looks = new AtomicInteger();
    GroupNodes.await(
        "some looks at a candidate",
        () -> {
          members.look(nodes.host(1).division(STREAM).getRaftServer());
          return role(1) == RaftPeerRole.CANDIDATE
              && looks.incrementAndGet() > 2 * StuckMembers.LOOKS;
        });
    assertFalse(members.isStuck(STREAM.ratis()));
  }
}
