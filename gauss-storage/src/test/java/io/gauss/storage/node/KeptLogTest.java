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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
        new ReplicaSource(STREAM, service, 1 << 30, () -> 1000, all -> true).trim(end);
        assertEquals(50, service.batchesFrom(STREAM, 0));
        new ReplicaSource(STREAM, service, 1 << 30, () -> 10, all -> true).trim(end);
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
        new ReplicaSource(STREAM, service, 0, () -> 10, all -> true).trim(needed);
        RaftNodes.await("the trim", () -> service.local(STREAM).start() > 0);
        assertEquals(needed, service.local(STREAM).start());
        assertTrue(service.batchesFrom(STREAM, needed) >= 30);
      }
    }
  }

  /** Memory is needed for their sum, however many streams there are. */
  @Test
  void allStreamsTogetherKeepNoMoreThanOneMay() throws Exception {
    try (StreamCluster cluster = new StreamCluster(1, directory)) {
      cluster.startAll();
      StreamService service = cluster.service(0);
      List<ReplicaSource> sources = new ArrayList<>();
      KeptBatches kept = new KeptBatches(30, sources);
      for (int number = 1; number <= 3; number++) {
        cluster.addStream(number);
        cluster.awaitLeader(number);
        sources.add(new ReplicaSource(number, service, 1 << 30, kept, all -> true));
        try (ReplicatedLogStream stream = cluster.open(number)) {
          append(stream, number == 1 ? 4 : 40);
        }
      }
      for (ReplicaSource source : sources) {
        source.trim(source.endOffset());
      }
      RaftNodes.await(
          "the trims", () -> service.local(2).start() > 0 && service.local(3).start() > 0);
      assertEquals(
          List.of(4, 13, 13),
          IntStream.of(1, 2, 3)
              .mapToObj(stream -> service.batchesFrom(stream, service.local(stream).start()))
              .toList());
    }
  }

  @Test
  void streamsWithFewBatchesKeepThemAll() {
    assertEquals(100, KeptBatches.ofEach(new long[] {}, 100));
    assertEquals(100, KeptBatches.ofEach(new long[] {500}, 100));
    assertEquals(100, KeptBatches.ofEach(new long[] {50, 50}, 100));
    assertEquals(70, KeptBatches.ofEach(new long[] {30, 500}, 100));
    assertEquals(40, KeptBatches.ofEach(new long[] {500, 20, 41}, 100));
    assertEquals(12, KeptBatches.ofEach(new long[] {9, 9, 9, 9, 9, 9, 9, 900, 900, 900}, 100));
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
