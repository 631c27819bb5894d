package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gauss.common.runtime.Environment;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A candidate reaches a member that comes back late: the pauses between its tries stay short. */
@Tag("long")
@Timeout(180)
class LateMemberTest {
  private static final GroupId STREAM = GroupId.stream(7);

  @TempDir private Path directory;

  @Test
  void theOnlyOneThatMayLeadReachesAMemberThatComesBackLate() {
    try (RaftNodes nodes =
        new RaftNodes(
            3, directory, node -> RaftHost.MachineFactory.of(group -> new SumReplica()))) {
      nodes.startAll();
      nodes.addGroup(STREAM);
      int leader = nodes.awaitLeader(STREAM);
      nodes.awaitSame(STREAM);
      nodes.stop(2);
      assertInstanceOf(
          Submitted.Applied.class,
          nodes
              .host(leader)
              .submit(STREAM, SumReplica.number(1))
              .orTimeout(60, TimeUnit.SECONDS)
              .join());
      nodes.stop(0);
      nodes.stop(1);
      nodes.start(0);
      Environment.parkNanos(this, TimeUnit.SECONDS.toNanos(30));
      long begin = Environment.nanoTime();
      nodes.start(2); // its log is shorter: it cannot lead
      assertEquals(0, nodes.awaitLeader(STREAM));
      System.err.printf(
          "LateMemberTest: a leader after %d ms%n",
          TimeUnit.NANOSECONDS.toMillis(Environment.nanoTime() - begin));
    }
  }
}
