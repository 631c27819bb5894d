package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.RaftNodes;
import io.gauss.storage.raft.stream.Subscriptions.Subscription;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log of three replicas, and a node without a replica that needs it. */
@Timeout(300)
class ReplicatedSubscriptionsTest {
  private static final int STREAM = 3;
  private static final int ELSEWHERE = 9;
  private static final long TENURE = 90;
  private static final int BATCHES = 20;

  @TempDir Path directory;
  private long end;

  private void append(StreamCluster cluster, int batches) throws Exception {
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      for (int i = 1; i <= batches; i++) {
        long lsn = stream.lastLsn() + 256;
        ByteBuffer bytes = TestMtrs.single(lsn, 50, lsn);
        end += bytes.remaining();
        CompletableFuture<AppendResult> result = new CompletableFuture<>();
        stream.append(1, stream.endOffset(), lsn, lsn, bytes, result::complete);
        assertInstanceOf(AppendResult.Appended.class, result.get(60, TimeUnit.SECONDS));
      }
    }
  }

  private static void trim(StreamCluster cluster, long offset) {
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      stream.trim(offset);
    }
  }

  private void readsFrom(StreamCluster cluster, long from) {
    for (int node = 0; node < 3; node++) {
      StreamService service = cluster.service(node);
      RaftNodes.await("all at node " + node, () -> service.local(STREAM).end() == end);
      long read = from;
      try (LogReader reader = service.read(STREAM, from)) {
        while (reader.next()) {
          read = reader.offset() + reader.bytes().remaining();
        }
      }
      assertEquals(end, read);
    }
  }

  private static void purge(StreamCluster cluster) {
    for (int node = 0; node < 3; node++) {
      cluster.service(node).forget(STREAM).join();
    }
  }

  private static StreamAnswer.Subscribed now(CompletableFuture<StreamAnswer.Subscribed> asked)
      throws Exception {
    return asked.get(60, TimeUnit.SECONDS);
  }

  @Test
  void everyReplicaKeepsTheLogForItThroughTrimsRestartsAndAnotherLeader() throws Exception {
    ScheduledExecutorService timer = Environment.scheduler("test-subscriber");
    try (timer;
        StreamCluster cluster = new StreamCluster(3, directory)) {
      cluster.startAll();
      cluster.addStream(STREAM);
      cluster.awaitLeader(STREAM);
      append(cluster, BATCHES);
      long from = cluster.service(0).offsetOfLast(STREAM, BATCHES / 2);
      try (StreamSubscriber subscriber =
          new StreamSubscriber(
              STREAM, cluster.numbers(), cluster.transport(), StreamCluster.CLIENT, timer)) {
        // In the middle of a batch: the batch is kept.
        assertEquals(
            new StreamAnswer.Subscribed(0, TENURE, from),
            now(subscriber.subscribe(ELSEWHERE, TENURE, from + 1)));
        trim(cluster, end);
        purge(cluster);
        readsFrom(cluster, from);
        cluster.restartAll();
        append(cluster, 3);
        readsFrom(cluster, from);
        cluster.stop(cluster.awaitLeader(STREAM));
        trim(cluster, end);
        cluster.startAll();
        readsFrom(cluster, from);

        long higher = cluster.service(0).offsetOfLast(STREAM, 3);
        assertEquals(
            new StreamAnswer.Subscribed(from, TENURE, from),
            now(subscriber.raise(ELSEWHERE, TENURE - 1, end)),
            "for an earlier tenure");
        assertEquals(
            new StreamAnswer.Subscribed(from, TENURE, higher),
            now(subscriber.raise(ELSEWHERE, TENURE, higher)));
        trim(cluster, end);
        purge(cluster);
        readsFrom(cluster, higher);
        assertIsInSnapshots(cluster, higher);
        cluster.restartAll();
        cluster.awaitLeader(STREAM);
        readsFrom(cluster, higher);

        assertEquals(
            new StreamAnswer.Subscribed(higher, -1, -1),
            now(subscriber.unsubscribe(ELSEWHERE, TENURE)));
        trim(cluster, end);
        int leader = cluster.awaitLeader(STREAM);
        assertEquals(end, cluster.service(leader).local(STREAM).start());
      }
    }
  }

  /** What the snapshots have is as of before the log, which raises the subscription again. */
  private static void assertIsInSnapshots(StreamCluster cluster, long at) {
    for (int node = 0; node < 3; node++) {
      StreamSnapshot snapshot = cluster.service(node).snapshot(STREAM);
      assertNotNull(snapshot);
      assertTrue(snapshot.end() <= at);
      Subscription now = cluster.service(node).subscriptions(STREAM).of(ELSEWHERE);
      assertEquals(new Subscription(ELSEWHERE, TENURE, at), now);
    }
  }

  @Test
  void theLogIsNotKeptWhereItIsGone() throws Exception {
    ScheduledExecutorService timer = Environment.scheduler("test-subscriber");
    try (timer;
        StreamCluster cluster = new StreamCluster(3, directory)) {
      cluster.startAll();
      cluster.addStream(STREAM);
      append(cluster, BATCHES);
      trim(cluster, end);
      try (StreamSubscriber subscriber =
          new StreamSubscriber(
              STREAM, cluster.numbers(), cluster.transport(), StreamCluster.CLIENT, timer)) {
        assertEquals(
            new StreamAnswer.Subscribed(end, TENURE, end),
            now(subscriber.subscribe(ELSEWHERE, TENURE, 0)));
      }
      int leader = cluster.nodes().awaitLeader(GroupId.stream(STREAM));
      assertTrue(cluster.service(leader).holds(STREAM).isEmpty());
    }
  }
}
