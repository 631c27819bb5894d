package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.raft.LossyTransport.Fate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members whose messages get lost, come twice, or come late: nothing is acknowledged that is not on
 * a majority, and all that was submitted arrives, once.
 */
@Timeout(180)
class LossyConnectionsTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final List<Fate> BAD = List.of(Fate.LOST, Fate.ANSWER_LOST, Fate.TWICE, Fate.LATE);
  private static final int BURSTS = 40;
  private static final int BURST = 6;

  @TempDir Path directory;
  private final SumReplica[] replicas = new SumReplica[3];
  private final Random random = new Random();
  private volatile boolean lossy;
  private RaftNodes nodes;

  private synchronized Fate fate() {
    if (!lossy || random.nextInt(10) < 7) {
      return Fate.ANSWERED;
    }
    return BAD.get(random.nextInt(BAD.size()));
  }

  @BeforeEach
  void start() {
    long seed = System.nanoTime();
    System.err.println("LossyConnectionsTest: seed " + seed);
    random.setSeed(seed);
    nodes =
        new RaftNodes(
            3,
            directory,
            node -> RaftHost.MachineFactory.of(group -> replicas[node] = new SumReplica()),
            // Heartbeats get lost as well; one leader stays.
            settings -> settings.withElectionTimeout(Duration.ofSeconds(5), Duration.ofSeconds(6)),
            transport -> new LossyTransport(transport, (to, bytes) -> fate()));
    nodes.startAll();
    nodes.addGroup(STREAM);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void whatIsAcknowledgedIsOnAMajorityAndOnAllInTheEnd() {
    int leader = nodes.awaitLeader(STREAM);
    lossy = true;
    long sum = 0;
    for (int burst = 0; burst < BURSTS; burst++) {
      List<CompletableFuture<Submitted>> answers = new ArrayList<>();
      for (int i = 0; i < BURST; i++) {
        long value = (long) burst * BURST + i;
        sum += value;
        answers.add(nodes.host(leader).submit(STREAM, SumReplica.number(value)));
      }
      for (CompletableFuture<Submitted> answer : answers) {
        assertInstanceOf(Submitted.Applied.class, answer.orTimeout(60, TimeUnit.SECONDS).join());
      }
      assertIsOnAMajority(nodes.host(leader).status(STREAM).committedIndex(), leader);
    }
    lossy = false;
    long all = sum;
    for (int node = 0; node < 3; node++) {
      int of = node;
      GroupNodes.await("the sum on node " + node, () -> replicas[of].sum() == all);
    }
  }

  private void assertIsOnAMajority(long index, int leader) {
    LogPosition committed = nodes.host(leader).log(STREAM).position(index);
    int have = 0;
    for (int node = 0; node < 3; node++) {
      boolean isForced = nodes.host(node).status(STREAM).flushedIndex() >= index;
      if (isForced && committed.equals(nodes.host(node).log(STREAM).position(index))) {
        have++;
      }
    }
    assertTrue(have >= 2, "entry " + index + " was acknowledged, and is on " + have);
  }
}
