package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.RaftNodes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three replicas with real logs, of which one or another stops, is damaged, or falls behind. */
@Timeout(240)
class ReplicatedStreamFaultsTest {
  private static final int STREAM = 2;

  @TempDir Path directory;
  private StreamCluster cluster;
  private final List<StreamAnswer.Batch> written = Collections.synchronizedList(new ArrayList<>());
  private final List<AppendResult> results = Collections.synchronizedList(new ArrayList<>());
  private final Semaphore room = new Semaphore(6);
  private long offset;
  private long lsn = 256;

  private void start() {
    cluster = new StreamCluster(3, directory);
    cluster.startAll();
    cluster.addStream(STREAM);
  }

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private StreamAnswer.Batch nextBatch(int payloadBytes) {
    ByteBuffer bytes = TestMtrs.single(lsn, payloadBytes, lsn);
    StreamAnswer.Batch batch = new StreamAnswer.Batch(offset, lsn, lsn, bytes);
    offset = batch.end();
    lsn += 256;
    written.add(batch);
    return batch;
  }

  /** Appends batches, a few of them under way at a time. */
  private void append(ReplicatedLogStream stream, int batches, int payloadBytes) throws Exception {
    for (int i = 0; i < batches; i++) {
      StreamAnswer.Batch batch = nextBatch(payloadBytes);
      room.acquire();
      stream.append(
          1,
          batch.offset(),
          batch.firstLsn(),
          batch.lastLsn(),
          batch.bytes(),
          result -> {
            results.add(result);
            room.release();
          });
    }
  }

  private void awaitAllAppended() throws InterruptedException {
    assertTrue(room.tryAcquire(6, 120, TimeUnit.SECONDS), "all appends are answered");
    room.release(6);
    assertEquals(written.size(), results.size());
    for (int i = 0; i < written.size(); i++) {
      assertEquals(new AppendResult.Appended(written.get(i).end()), results.get(i));
    }
  }

  private void assertHolds(int node, int firstBatch) {
    StreamService service = cluster.service(node);
    RaftNodes.await("node " + node + " to have all", () -> service.local(STREAM).end() == offset);
    try (LogReader reader = service.read(STREAM, written.get(firstBatch).offset())) {
      for (StreamAnswer.Batch batch : written.subList(firstBatch, written.size())) {
        assertTrue(reader.next(), "node " + node + " has offset " + batch.offset());
        assertEquals(batch.offset(), reader.offset());
        assertEquals(batch.bytes(), reader.bytes());
      }
      assertFalse(reader.next());
    }
  }

  @Test
  void appendsGoOnWhenTheLeaderStopsAndEachIsThereOnce() throws Exception {
    start();
    RaftNodes.await("node 0", () -> cluster.nodes().host(0).leads(GroupId.stream(STREAM)));
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      append(stream, 40, 100);
      cluster.stop(0);
      append(stream, 40, 100);
      cluster.start(0);
      append(stream, 40, 100);
      awaitAllAppended();
      assertEquals(offset, stream.endOffset());
    }
    for (int node = 0; node < 3; node++) {
      assertHolds(node, 0);
    }
  }

  @Test
  void aReplicaThatWasDownCatchesUp() throws Exception {
    start();
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      append(stream, 10, 100);
      awaitAllAppended();
      cluster.stop(2);
      append(stream, 50, 3000);
      awaitAllAppended();
      cluster.start(2);
      assertHolds(2, 0);
    }
  }

  @Test
  void aStreamIsServedWithOneNodeDownFromTheStart() throws Exception {
    start();
    cluster.stop(1);
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      append(stream, 20, 100);
      awaitAllAppended();
    }
  }

  @Test
  void withoutAMajorityNothingIsAcknowledgedUntilItIsBack() throws Exception {
    start();
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      append(stream, 5, 100);
      awaitAllAppended();
      RaftNodes.await("node 1", () -> cluster.service(1).local(STREAM).end() == offset);
      cluster.stop(1);
      cluster.stop(2);
      append(stream, 3, 100);
      RaftNodes.await("the client to notice", () -> !stream.problems().isEmpty());
      assertEquals(5, results.size());
      cluster.start(1);
      awaitAllAppended();
      assertTrue(stream.problems().isEmpty());
    }
  }

  private Path openSegment(int node) throws IOException {
    Path group = directory.resolve("s" + node).resolve(GroupId.stream(STREAM).uuid().toString());
    try (var files = Files.list(group.resolve("current"))) {
      return files
          .filter(f -> f.getFileName().toString().startsWith("log_inprogress"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** Flips a bit this many bytes before the end of a file that was closed in order. */
  private static void flipBit(Path file, long beforeEnd) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      long position = bytes.length() - beforeEnd;
      bytes.seek(position);
      int value = bytes.read();
      bytes.seek(position);
      bytes.write(value ^ 1);
    }
  }

  /** The beginning of an entry that was being written, and the zeros that it was to replace. */
  private static void addTornEntry(Path file) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(bytes.length());
      byte[] begun = new byte[300];
      new Random(1).nextBytes(begun);
      begun[0] = (byte) 0xF4; // a length of 500 as a varint
      begun[1] = 3;
      begun[2] = 0x08; // the tag of the term
      bytes.write(begun);
      bytes.setLength(bytes.length() + 100_000);
    }
  }

  @Test
  void aTornTailIsCutAndTheReplicaGoesOn() throws Exception {
    start();
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      append(stream, 10, 500);
      awaitAllAppended();
      RaftNodes.await("node 2", () -> cluster.service(2).local(STREAM).end() == offset);
      cluster.stop(2);
      addTornEntry(openSegment(2));
      cluster.start(2);
      append(stream, 10, 500);
      awaitAllAppended();
      assertHolds(2, 0);
    }
  }

  @Test
  void damageToWhatHadBeenDurableKeepsTheNodeFromStarting() throws Exception {
    start();
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      for (int i = 0; i < 10; i++) {
        append(stream, 1, 500);
        awaitAllAppended();
      }
      RaftNodes.await("node 2", () -> cluster.service(2).local(STREAM).end() == offset);
      cluster.stop(2);
      flipBit(openSegment(2), 3000);
      GaussException refused = assertThrows(GaussException.class, () -> cluster.start(2));
      assertTrue(refused.getMessage().contains("log corrupted: file"), refused.getMessage());
      append(stream, 10, 500);
      awaitAllAppended();
    }
  }

  @Test
  void aReplicaThatFellBehindATrimmedLogIsRebuilt() throws Exception {
    Map<Integer, Integer> rebuilt = new ConcurrentHashMap<>();
    AtomicInteger rebuilds = new AtomicInteger();
    cluster =
        new StreamCluster(
            3,
            directory,
            node ->
                new StreamHooks(
                    stream -> Long.MAX_VALUE,
                    (stream, leader, firstAvailable) -> {
                      rebuilt.put(node, rebuilds.incrementAndGet());
                      return CompletableFuture.completedFuture(
                          Optional.of(cluster.service(leader.orElseThrow()).snapshot(stream)));
                    }),
            settings -> settings.withSegments(128 << 10, 64 << 10, 100 << 10));
    cluster.startAll();
    cluster.addStream(STREAM);
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      append(stream, 5, 1000);
      awaitAllAppended();
      RaftNodes.await("node 2", () -> cluster.service(2).local(STREAM).end() == offset);
      cluster.stop(2);
      append(stream, 60, 10_000);
      awaitAllAppended();
      stream.trim(written.get(50).offset());
      for (int node = 0; node < 2; node++) {
        StreamService service = cluster.service(node);
        RaftNodes.await(
            "node " + node + " to forget",
            () -> service.localStart(STREAM) == written.get(50).offset());
        Path logs = openSegment(node).getParent();
        RaftNodes.await("the first segment to go", () -> !hasFirstSegment(logs));
      }
      cluster.start(2);
      assertHolds(2, 50);
      assertTrue(rebuilt.containsKey(2), "node 2 was rebuilt");
      append(stream, 5, 1000);
      awaitAllAppended();
      assertHolds(2, 50);
      cluster.stop(2);
      cluster.start(2);
      assertHolds(2, 50);
      assertEquals(1, rebuilds.get());
    }
  }

  private static boolean hasFirstSegment(Path current) {
    try (var files = Files.list(current)) {
      return files.anyMatch(f -> f.getFileName().toString().matches("log_(0-.*|inprogress_0)"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aNodeKeepsWhatItsPageStoreStillNeeds() throws Exception {
    Map<Integer, Long> needed = new ConcurrentHashMap<>(Map.of(0, 0L, 1, Long.MAX_VALUE, 2, 0L));
    cluster =
        new StreamCluster(
            3,
            directory,
            node -> {
              StreamHooks none = StreamHooks.logOnly();
              return new StreamHooks(stream -> needed.get(node), none.rebuild());
            },
            settings -> settings.withSegments(128 << 10, 64 << 10, 100 << 10));
    cluster.startAll();
    cluster.addStream(STREAM);
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      append(stream, 60, 10_000);
      awaitAllAppended();
      long kept = written.get(40).offset();
      stream.trim(kept);
      assertEquals(kept, stream.startOffset());
      assertThrows(GaussException.class, () -> stream.read(0));
      RaftNodes.await("node 1", () -> cluster.service(1).localStart(STREAM) == kept);
      assertHolds(0, 0);
      needed.put(0, Long.MAX_VALUE);
      cluster.service(0).forgettable(STREAM);
      RaftNodes.await("node 0", () -> cluster.service(0).localStart(STREAM) == kept);
      assertHolds(0, 40);
      cluster.restartAll();
      stream.endOffset();
      assertHolds(0, 40);
      assertHolds(1, 40);
      assertHolds(2, 0);
    }
  }

  @Test
  void aFullDiskIsAnsweredBeforeAnythingIsWritten() throws Exception {
    start();
    StreamService full = new StreamService(StreamHooks.logOnly(), () -> 1000, 2000);
    try (full;
        RaftNodes one = new RaftNodes(1, directory.resolve("full"), node -> full::machine)) {
      one.startAll();
      full.attach(one.host(0));
      one.addGroup(GroupId.stream(STREAM));
      one.awaitLeader(GroupId.stream(STREAM));
      StreamAnswer.Batch batch = nextBatch(10);
      byte[] entry =
          StreamEntryLayout.append(
              STREAM, 1, 0, batch.firstLsn(), batch.lastLsn(), 0, batch.bytes());
      StreamAnswer answer =
          full.handle(new StreamRequest.Append(STREAM, entry)).get(60, TimeUnit.SECONDS);
      assertInstanceOf(StreamAnswer.DiskFull.class, answer);
      assertEquals(0, full.local(STREAM).end());
      assertFalse(full.problems().isEmpty());
    }
  }

  @Test
  void aLogThatWasCutOffByAFullDiskNeedsANewStartOnceThereIsRoom() {
    AtomicLong usable = new AtomicLong(5000);
    try (StreamService service = new StreamService(StreamHooks.logOnly(), usable::get, 2000)) {
      StreamStateMachine machine = service.newReplica(GroupId.stream(STREAM));
      assertFalse(service.mustStartAgain());
      usable.set(0);
      machine.logFailed(new IOException(new IOException("No space left on device")));
      assertFalse(service.mustStartAgain(), "there is no room yet");
      assertFalse(service.problems().isEmpty());
      usable.set(5000);
      assertTrue(service.mustStartAgain());
    }
  }

  @Test
  void aLogThatFailedOtherwiseNeedsANewStart() {
    try (StreamService service = new StreamService(StreamHooks.logOnly(), () -> 5000, 2000)) {
      service.newReplica(GroupId.stream(STREAM)).logFailed(new IOException("Input/output error"));
      assertTrue(service.mustStartAgain());
      assertFalse(service.problems().isEmpty());
    }
  }

  @Test
  void aLeaderWhoseDiskIsFullHandsOverToOneThatHasRoom() throws Exception {
    start();
    GroupId group = GroupId.stream(STREAM);
    RaftNodes.await("node 0", () -> cluster.nodes().host(0).leads(group));
    cluster.room(0, false);
    cluster.room(1, false);
    List<LeadershipTransfer> all = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      all.add(
          new LeadershipTransfer(
              cluster.service(node), cluster.nodes().host(node), System::nanoTime, 1_000_000_000));
    }
    RaftNodes.await(
        "node 2 to lead",
        () -> {
          all.forEach(LeadershipTransfer::look);
          return cluster.nodes().host(2).leads(group);
        });
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      append(stream, 20, 100);
      awaitAllAppended();
    }
  }
}
