package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.raft.RaftNodes;
import io.gauss.storage.raft.stream.ReplicatedLogStream;
import io.gauss.storage.raft.stream.StreamCluster;
import io.gauss.storage.raft.stream.StreamService;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How much log is kept for replicas that are away. */
@Timeout(300)
class KeptLogTest {
  private static final int STREAM = 1;

  @TempDir Path directory;

  @Test
  void smallBatchesAreKeptByTheirNumber() throws Exception {
    try (StreamCluster cluster = new StreamCluster(1, directory)) {
      cluster.startAll();
      cluster.addStream(STREAM);
      cluster.awaitLeader(STREAM);
      StreamService service = cluster.service(0);
      try (ReplicatedLogStream stream = cluster.open(STREAM)) {
        append(stream, 50);
        long end = stream.endOffset();
        new ReplicaSource(STREAM, service, 1 << 30, 1000).trim(end);
        assertEquals(50, service.batchesFrom(STREAM, 0));
        new ReplicaSource(STREAM, service, 1 << 30, 10).trim(end);
        RaftNodes.await("the trim", () -> service.local(STREAM).start() > 0);
        assertEquals(10, service.batchesFrom(STREAM, service.local(STREAM).start()));
      }
    }
  }

  @Test
  void whatTheNodeNeedsIsKeptHoweverManyBatchesItHas() throws Exception {
    try (StreamCluster cluster = new StreamCluster(1, directory)) {
      cluster.startAll();
      cluster.addStream(STREAM);
      cluster.awaitLeader(STREAM);
      StreamService service = cluster.service(0);
      try (ReplicatedLogStream stream = cluster.open(STREAM)) {
        append(stream, 50);
        long needed = service.offsetOfLast(STREAM, 30);
        new ReplicaSource(STREAM, service, 0, 10).trim(needed);
        RaftNodes.await("the trim", () -> service.local(STREAM).start() > 0);
        assertEquals(needed, service.local(STREAM).start());
        assertTrue(service.batchesFrom(STREAM, needed) >= 30);
      }
    }
  }

  private static void append(ReplicatedLogStream stream, int batches) throws Exception {
    for (int i = 1; i <= batches; i++) {
      long lsn = 256L * i;
      ByteBuffer bytes = TestMtrs.single(lsn, 50, lsn);
      CompletableFuture<AppendResult> result = new CompletableFuture<>();
      stream.append(1, stream.endOffset(), lsn, lsn, bytes, result::complete);
      assertInstanceOf(AppendResult.Appended.class, result.get(60, TimeUnit.SECONDS));
    }
  }
}
