package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.raft.RaftNodes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever happens to requests and answers, each batch is in the stream once and in its place. */
@Timeout(300)
class ClientFaultsTest {
  private static final int STREAM = 1;
  private static final int BATCHES = 300;
  private static final ClientSettings SETTINGS =
      new ClientSettings(
          Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMillis(1), 8, 1 << 20);

  /** A writer that keeps a few appends under way and records the answers. */
  private static final class Writer {
    private final ReplicatedLogStream stream;
    private final int epoch;
    private final Random random;
    private final Semaphore room = new Semaphore(12);
    private final List<byte[]> written = new ArrayList<>();
    private final List<AppendResult> results = Collections.synchronizedList(new ArrayList<>());
    private long offset;

    Writer(ReplicatedLogStream stream, int epoch, long seed) {
      this.stream = stream;
      this.epoch = epoch;
      this.random = new Random(seed);
      this.offset = stream.openEpoch(epoch);
    }

    void write(int batches) throws InterruptedException {
      for (int i = 0; i < batches; i++) {
        byte[] batch = new byte[1 + random.nextInt(40)];
        random.nextBytes(batch);
        written.add(batch);
        room.acquire();
        long lsn = offset + 1;
        stream.append(
            epoch,
            offset,
            lsn,
            lsn,
            ByteBuffer.wrap(batch),
            result -> {
              results.add(result);
              room.release();
            });
        offset += batch.length;
      }
    }

    void awaitAll() throws InterruptedException {
      assertTrue(room.tryAcquire(12, 60, TimeUnit.SECONDS), "all appends are answered");
    }

    /** Number of acknowledged batches, whose ends must have arrived in order. */
    int acknowledged() {
      long end = 0;
      int count = 0;
      for (AppendResult result : results.toArray(AppendResult[]::new)) { // more may come meanwhile
        if (result instanceof AppendResult.Appended appended) {
          assertTrue(appended.endOffset() > end, "answers come in the order of offsets");
          end = appended.endOffset();
          count++;
        }
      }
      return count;
    }
  }

  @Test
  void everyBatchIsThereOnceWhateverGetsLost() throws Exception {
    for (long seed = 1; seed <= 40; seed++) {
      try (FaultyGroup group = new FaultyGroup(STREAM, 3, seed, 60)) {
        try (ReplicatedLogStream stream =
            ReplicatedLogStream.open(STREAM, List.of(0, 1, 2), group, SETTINGS)) {
          Writer writer = new Writer(stream, 1, seed);
          writer.write(BATCHES);
          writer.awaitAll();
          assertEquals(BATCHES, writer.acknowledged(), "seed " + seed);
          assertEquals(writer.offset, stream.endOffset(), "seed " + seed);
          assertSame(writer.written, group.content(), seed);
        }
      }
    }
  }

  @Test
  void aWriterThatWasReplacedIsFencedAndItsAcknowledgedBatchesStay() throws Exception {
    for (long seed = 1; seed <= 20; seed++) {
      try (FaultyGroup group = new FaultyGroup(STREAM, 3, seed, 40);
          ReplicatedLogStream first =
              ReplicatedLogStream.open(STREAM, List.of(0, 1, 2), group, SETTINGS);
          ReplicatedLogStream second =
              ReplicatedLogStream.open(STREAM, List.of(1, 2, 0), group, SETTINGS)) {
        Writer old = new Writer(first, 1, seed);
        old.write(50);
        second.seal(2);
        int acknowledgedBefore = old.acknowledged();
        Writer young = new Writer(second, 2, seed + 1000);
        young.write(50);
        old.write(1);
        old.awaitAll();
        young.awaitAll();
        assertEquals(new AppendResult.Fenced(2), old.results.getLast(), "seed " + seed);
        assertEquals(50, young.acknowledged(), "seed " + seed);
        List<byte[]> content = group.content();
        int kept = content.size() - 50;
        assertTrue(kept >= Math.max(acknowledgedBefore, old.acknowledged()), "seed " + seed);
        assertSame(old.written.subList(0, kept), content.subList(0, kept), seed);
        assertSame(young.written, content.subList(kept, content.size()), seed);
      }
    }
  }

  private static void assertSame(List<byte[]> expected, List<byte[]> content, long seed) {
    assertEquals(expected.size(), content.size(), "seed " + seed);
    for (int i = 0; i < expected.size(); i++) {
      assertArrayEquals(expected.get(i), content.get(i), "seed " + seed + ", batch " + i);
    }
  }

  @Test
  void aSecondWriterOfAnEpochIsRefused() throws Exception {
    try (FaultyGroup group = new FaultyGroup(STREAM, 1, 1, 0);
        ReplicatedLogStream stream =
            ReplicatedLogStream.open(STREAM, List.of(0), group, SETTINGS)) {
      stream.openEpoch(3);
      GaussException refused = assertThrows(GaussException.class, () -> stream.openEpoch(3));
      assertEquals(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, refused.state());
    }
  }

  @Test
  void withoutAMajorityAppendsWaitAndGoOnWhenItIsBack() throws Exception {
    AtomicBoolean there = new AtomicBoolean(true);
    StreamState state = new StreamState(STREAM);
    StreamTransport nodes =
        (node, request, timeout) ->
            CompletableFuture.completedFuture(
                !there.get()
                    ? new StreamAnswer.Unknown("storage node " + node + ": no connection")
                    : request instanceof StreamRequest.Append append
                        ? state.apply(
                            1,
                            new StreamEntry.Append(
                                ByteBuffer.wrap(append.entry()).order(ByteOrder.LITTLE_ENDIAN)))
                        : new StreamAnswer.State(state.info()));
    ClientSettings impatient = SETTINGS.withDeadline(Duration.ofMillis(50));
    try (ReplicatedLogStream stream =
        ReplicatedLogStream.open(STREAM, List.of(0, 1, 2), nodes, impatient)) {
      there.set(false);
      CompletableFuture<AppendResult> first = new CompletableFuture<>();
      CompletableFuture<AppendResult> second = new CompletableFuture<>();
      stream.append(1, 0, 1, 1, ByteBuffer.wrap(new byte[8]), first::complete);
      stream.append(1, 8, 2, 2, ByteBuffer.wrap(new byte[8]), second::complete);
      RaftNodes.await("it to be told", () -> !stream.problems().isEmpty());
      Problem problem = stream.problems().getFirst();
      assertEquals("stream 1 has no quorum", problem.what());
      for (int node = 0; node < 3; node++) {
        assertTrue(problem.why().contains("storage node " + node + ": no connection"));
      }
      assertEquals(
          SqlState.CANNOT_CONNECT_NOW,
          assertThrows(GaussException.class, stream::endOffset).state());
      assertFalse(first.isDone());
      there.set(true);
      assertEquals(new AppendResult.Appended(8), first.get(60, TimeUnit.SECONDS));
      assertEquals(new AppendResult.Appended(16), second.get(60, TimeUnit.SECONDS));
      assertEquals(List.of(), stream.problems());
    }
  }

  @Test
  void acknowledgedBytesThatAreGoneAreReportedAndNotPapered() throws Exception {
    List<StreamAnswer> answers =
        new ArrayList<>(
            List.of(
                new StreamAnswer.State(new StreamInfo(0, 0, 0, 0)),
                new StreamAnswer.Appended(8),
                new StreamAnswer.WrongOffset(0)));
    StreamTransport forgetful =
        (node, request, timeout) -> CompletableFuture.completedFuture(answers.removeFirst());
    try (ReplicatedLogStream stream =
        ReplicatedLogStream.open(STREAM, List.of(0), forgetful, SETTINGS)) {
      List<AppendResult> results = new ArrayList<>();
      stream.append(1, 0, 1, 1, ByteBuffer.wrap(new byte[8]), results::add);
      stream.append(1, 8, 2, 2, ByteBuffer.wrap(new byte[8]), results::add);
      assertEquals(new AppendResult.Appended(8), results.get(0));
      AppendResult.Failed failed = assertInstanceOf(AppendResult.Failed.class, results.get(1));
      assertEquals(SqlState.DATA_CORRUPTED, ((GaussException) failed.cause()).state());
    }
  }
}
