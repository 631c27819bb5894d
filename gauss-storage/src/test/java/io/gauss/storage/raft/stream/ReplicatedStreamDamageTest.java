package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.api.LogStream.TailListener;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.RaftNodes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three replicas, on one of which a byte in the middle of the log is corrupted while it runs. */
@Timeout(240)
class ReplicatedStreamDamageTest {
  private static final int STREAM = 2;
  private static final int BATCHES = 60;

  @TempDir Path directory;
  private StreamCluster cluster;
  private ReplicatedLogStream stream;
  private final List<StreamAnswer.Batch> written = new ArrayList<>();
  private long offset;

  @BeforeEach
  void writeSeveralSegments() throws Exception {
    cluster =
        new StreamCluster(
            3,
            directory,
            node -> StreamHooks.logOnly(),
            // A busy machine must not elect another leader than the one that is damaged.
            settings ->
                settings
                    .withElectionTimeout(Duration.ofSeconds(2), Duration.ofSeconds(3))
                    .withSegments(128 << 10, 64 << 10, 100 << 10)
                    .withCacheBytes(32 << 10));
    cluster.startAll();
    cluster.addStream(STREAM);
    RaftNodes.await("node 0", () -> cluster.nodes().host(0).leads(GroupId.stream(STREAM)));
    stream = cluster.open(STREAM);
    for (int i = 0; i < BATCHES / 2; i++) {
      append();
    }
    // A replica drops from memory what it has applied, and only when it begins another segment.
    awaitAll();
    for (int i = 0; i < BATCHES / 2; i++) {
      append();
    }
    awaitAll();
  }

  private void awaitAll() {
    for (int node = 0; node < 3; node++) {
      StreamService service = cluster.service(node);
      RaftNodes.await("node " + node, () -> service.local(STREAM).end() == offset);
    }
  }

  @AfterEach
  void close() {
    if (stream != null) {
      stream.close();
    }
    cluster.close();
  }

  private void append() throws Exception {
    long lsn = 256 * (written.size() + 1L);
    ByteBuffer bytes = TestMtrs.single(lsn, 10_000, lsn);
    StreamAnswer.Batch batch = new StreamAnswer.Batch(offset, lsn, lsn, bytes);
    offset = batch.end();
    written.add(batch);
    CompletableFuture<AppendResult> result = new CompletableFuture<>();
    stream.append(1, batch.offset(), lsn, lsn, bytes, result::complete);
    assertEquals(new AppendResult.Appended(offset), result.get(60, TimeUnit.SECONDS));
  }

  /** Flips a bit in the middle of the node's second segment, which is closed. */
  private void damage(int node) throws IOException {
    damage(node, 1);
  }

  private void damage(int node, int segmentNumber) throws IOException {
    Path segment = segment(node, segmentNumber);
    byte[] bytes = Files.readAllBytes(segment);
    bytes[bytes.length / 2] ^= 1;
    Files.write(segment, bytes, StandardOpenOption.WRITE);
  }

  private Path segment(int node, int number) throws IOException {
    Path group = directory.resolve("s" + node).resolve(GroupId.stream(STREAM).uuid().toString());
    try (var files = Files.list(group.resolve("current"))) {
      return files
          .filter(f -> f.getFileName().toString().matches("log_\\d+-\\d+"))
          .sorted(Comparator.comparingInt(ReplicatedStreamDamageTest::firstIndex))
          .skip(number)
          .findFirst()
          .orElseThrow();
    }
  }

  private static int firstIndex(Path segment) {
    String name = segment.getFileName().toString();
    return Integer.parseInt(name.substring("log_".length(), name.indexOf('-')));
  }

  /** Connects a node to the others, as in a storage node. */
  private void connect(int node) {
    List<Integer> others = new ArrayList<>(cluster.numbers());
    others.remove(Integer.valueOf(node));
    cluster
        .service(node)
        .others(new OtherReplicas(cluster.transport(), () -> others, Duration.ofSeconds(10)));
  }

  private void assertGivesAll(LogReader reader) {
    for (StreamAnswer.Batch batch : written) {
      assertTrue(reader.next(), "offset " + batch.offset());
      assertEquals(batch.offset(), reader.offset());
      assertEquals(batch.bytes(), reader.bytes());
    }
    assertFalse(reader.next());
  }

  /** The calls of a tail's listener. */
  private static final class Heard implements TailListener {
    private final List<ByteBuffer> batches = Collections.synchronizedList(new ArrayList<>());
    private volatile Throwable stopped;

    @Override
    public void batch(int streamId, long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
      batches.add(ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip());
    }

    @Override
    public void stopped(long offset, Throwable cause) {
      stopped = cause;
    }
  }

  private void assertHeardAll(Heard heard) {
    RaftNodes.await(
        "the tail", () -> heard.stopped != null || heard.batches.size() == written.size());
    assertEquals(null, heard.stopped);
    for (int i = 0; i < written.size(); i++) {
      assertEquals(written.get(i).bytes(), heard.batches.get(i));
    }
  }

  @Test
  void aClientReadsPastABatchThatIsDamagedOnTheLeader() throws Exception {
    damage(0);
    RaftNodes.await(
        "the damage to be met, as soon as node 0 is the leader that is asked",
        () -> {
          try (LogReader reader = stream.read(0)) {
            assertGivesAll(reader);
          }
          return cluster.service(0).damagedBatches() > 0;
        });
    append();
    try (LogReader reader = stream.read(0)) {
      assertGivesAll(reader);
    }
  }

  @Test
  void aNodeReadsWhatIsDamagedOnItsOwnReplicaFromAnother() throws Exception {
    damage(2);
    connect(2);
    StreamService service = cluster.service(2);
    Heard heard = new Heard();
    try (AutoCloseable tail = service.tail(STREAM, 0, heard)) {
      assertHeardAll(heard);
      append();
      assertHeardAll(heard);
    }
    try (LogReader reader = service.read(STREAM, 0)) {
      assertGivesAll(reader);
    }
    assertEquals("the log of stream 2 is damaged here", service.problems().getFirst().what());
  }

  @Test
  void aTailWaitsAtDamageUntilAnotherReplicaCanBeReached() throws Exception {
    damage(2);
    StreamService service = cluster.service(2);
    Heard heard = new Heard();
    try (AutoCloseable tail = service.tail(STREAM, 0, heard)) {
      RaftNodes.await("the damage to be met", () -> service.damagedBatches() > 0);
      assertEquals(null, heard.stopped);
      assertTrue(heard.batches.size() < written.size(), "it gets no further");
      connect(2);
      assertHeardAll(heard);
    }
  }

  @Test
  void aReaderThatHasNobodyElseToAskHearsOfTheDamage() throws Exception {
    damage(2);
    try (LogReader reader = cluster.service(2).read(STREAM, 0)) {
      GaussException damage =
          assertThrows(
              GaussException.class,
              () -> {
                while (reader.next()) {
                  assertTrue(reader.offset() < offset, "it ends somewhere");
                }
              });
      assertEquals(SqlState.DATA_CORRUPTED, damage.state());
    }
  }

  @Test
  void aNodeThatFindsItsLogDamagedAtStartDoesNotStartAndTheOthersGoOn() throws Exception {
    cluster.stop(2);
    damage(2);
    GaussException refused = assertThrows(GaussException.class, () -> cluster.start(2));
    assertTrue(
        refused.getMessage().contains("the Raft server of storage node 2 does not start"),
        refused.getMessage());
    append();
    try (LogReader reader = stream.read(0)) {
      assertGivesAll(reader);
    }
  }

  /**
   * Node 2 is away, and when it returns, the entries that it needs are damaged on node 0, which
   * leads.
   */
  private void awayWhileTheLeaderIsDamaged() throws Exception {
    cluster.stop(2);
    for (int i = 0; i < BATCHES; i++) {
      append();
    }
    damage(0, 7);
    cluster.start(2);
    StreamService leader = cluster.service(0);
    RaftNodes.await(
        "the leader to say what is wrong",
        () -> {
          leader.lookAtFollowers();
          return !leader.problems().isEmpty();
        });
    assertTrue(cluster.service(2).local(STREAM).end() < offset, "it does not get on");
    assertTrue(leader.mayLead(GroupId.stream(STREAM)), "it may be repaired yet");
  }

  @Test
  void aLeaderThatCannotRepairWhatAFollowerNeedsTransfersLeadership() throws Exception {
    awayWhileTheLeaderIsDamaged();
    GroupId group = GroupId.stream(STREAM);
    StreamService leader = cluster.service(0);
    leader.repairLogs(); // it knows no other replica
    assertFalse(leader.mayLead(group));
    LeadershipTransfer handOver =
        new LeadershipTransfer(leader, cluster.nodes().host(0), System::nanoTime, 1_000_000_000);
    RaftNodes.await(
        "node 1 to lead",
        () -> {
          handOver.look();
          return cluster.nodes().host(1).leads(group);
        });
    RaftNodes.await("node 2", () -> cluster.service(2).local(STREAM).end() == offset);
    append();
    assertFalse(leader.problems().isEmpty(), "the damage is still there to be seen");
    handOver.look();
    assertFalse(cluster.nodes().host(0).leads(group));
  }

  @Test
  void aLeaderRepairsWhatAFollowerNeedsAndKeepsLeading() throws Exception {
    awayWhileTheLeaderIsDamaged();
    connect(0);
    StreamService leader = cluster.service(0);
    leader.repairLogs();
    assertTrue(leader.problems().isEmpty());
    RaftNodes.await("node 2", () -> cluster.service(2).local(STREAM).end() == offset);
    assertTrue(cluster.nodes().host(0).leads(GroupId.stream(STREAM)));
    assertTrue(leader.repairedEntries() > 0);
    try (LogReader reader = leader.read(STREAM, 0)) {
      assertGivesAll(reader);
    }
  }

  /** Changes the bytes of a segment. */
  private interface Damage {
    byte[] to(byte[] bytes);
  }

  private static Damage flip(int... positions) {
    return bytes -> {
      for (int position : positions) {
        bytes[position] ^= 0x40;
      }
      return bytes;
    };
  }

  @Test
  void whateverIsDamagedInASegmentIsByteForByteAsItWas() throws Exception {
    connect(2);
    StreamService service = cluster.service(2);
    Path segment = segment(2, 1);
    byte[] whole = Files.readAllBytes(segment);
    List<Damage> all =
        List.of(
            flip(0), // the magic bytes of a log
            flip(8), // the length of the first entry
            flip(9),
            flip(whole.length - 1), // the last checksum
            flip(20, whole.length / 2, whole.length - 2_000),
            bytes -> Arrays.copyOf(bytes, bytes.length / 2),
            bytes -> new byte[bytes.length]);
    for (Damage each : all) {
      Files.write(segment, each.to(whole.clone()));
      damageIsMet(service);
      service.repairLogs();
      assertArrayEquals(whole, Files.readAllBytes(segment));
      assertTrue(service.problems().isEmpty());
    }
    try (LogReader reader = service.read(STREAM, 0)) {
      assertGivesAll(reader);
    }
    assertTrue(service.problems().isEmpty());
  }

  private void damageIsMet(StreamService service) {
    try (LogReader reader = service.read(STREAM, 0)) {
      assertGivesAll(reader);
    }
    assertEquals(1, service.problems().size());
  }

  @Test
  void whatIsDamagedEverywhereStaysSo() throws Exception {
    for (int node = 0; node < 3; node++) {
      damage(node);
      connect(node);
    }
    StreamService service = cluster.service(2);
    byte[] before = Files.readAllBytes(segment(2, 1));
    assertThrows(GaussException.class, () -> damageIsMet(service));
    service.repairLogs();
    assertArrayEquals(before, Files.readAllBytes(segment(2, 1)));
    assertFalse(service.mayLead(GroupId.stream(STREAM)));
  }

  @Test
  void anotherEntryThanTheDamagedOneIsNotTaken() throws Exception {
    StreamAnswer other =
        cluster.service(0).handle(new StreamRequest.Entry(STREAM, 3)).get(60, TimeUnit.SECONDS);
    assertInstanceOf(StreamAnswer.Entry.class, other);
    damage(2);
    byte[] before = Files.readAllBytes(segment(2, 1));
    connect(2);
    StreamService service = cluster.service(2);
    damageIsMet(service);
    service.others(
        new OtherReplicas(
            (node, request, timeout) -> CompletableFuture.completedFuture(other),
            () -> List.of(0),
            Duration.ofSeconds(10)));
    service.repairLogs();
    assertArrayEquals(before, Files.readAllBytes(segment(2, 1)));
    assertEquals(1, service.problems().size());
  }

  @Test
  void anEntryThatIsNotCommittedIsGivenToNobody() throws Exception {
    StreamAnswer answer =
        cluster
            .service(0)
            .handle(new StreamRequest.Entry(STREAM, 1_000_000))
            .get(60, TimeUnit.SECONDS);
    assertInstanceOf(StreamAnswer.Busy.class, answer);
  }

  @Test
  void damageIsGoneWithTheLogThatHadIt() throws Exception {
    damage(2);
    connect(2);
    StreamService service = cluster.service(2);
    try (LogReader reader = service.read(STREAM, 0)) {
      assertGivesAll(reader);
    }
    assertFalse(service.problems().isEmpty());
    stream.trim(written.getLast().offset());
    RaftNodes.await("the log to be forgotten", () -> service.localStart(STREAM) > 0);
    RaftNodes.await("the problem to be gone", () -> service.problems().isEmpty());
  }
}
