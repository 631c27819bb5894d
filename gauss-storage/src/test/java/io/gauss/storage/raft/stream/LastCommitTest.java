package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.RaftNodes;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Followers learn of a commit although nothing follows it. */
@Timeout(300)
class LastCommitTest {
  private static final int STREAM = 7;
  private static final int APPENDS = 4;

  /** Heartbeats come at half of it; the first election after a fifth to three tenths. */
  private static final Duration ELECTION = Duration.ofSeconds(100);

  @TempDir Path directory;

  @Test
  void followersLearnOfEachCommitWithoutAHeartbeat() throws Exception {
    try (StreamCluster cluster =
        new StreamCluster(
            3,
            directory,
            node -> StreamHooks.logOnly(),
            settings -> settings.withElectionTimeout(ELECTION, ELECTION.plusSeconds(1)))) {
      cluster.startAll();
      cluster.addStream(STREAM);
      StreamService leader = cluster.service(cluster.nodes().awaitLeader(GroupId.stream(STREAM)));
      long begun = System.nanoTime();
      long end = 0;
      for (int i = 1; i <= APPENDS; i++) {
        long lsn = 256L * i;
        ByteBuffer bytes = TestMtrs.single(lsn, 100, lsn);
        byte[] entry = StreamEntryLayout.append(STREAM, 1, end, lsn, lsn, 0, bytes);
        leader.handle(new StreamRequest.Append(STREAM, entry)).get(60, TimeUnit.SECONDS);
        end += bytes.limit();
        long expected = end;
        for (int node = 0; node < 3; node++) {
          StreamService replica = cluster.service(node);
          RaftNodes.await("node " + node, () -> replica.local(STREAM).end() == expected);
        }
      }
      // Two heartbeats are further apart than that; at most one of the appends had its help.
      assertTrue(System.nanoTime() - begun < ELECTION.dividedBy(2).toNanos());
    }
  }
}
